#!/bin/sh
# Is of a version that nobody has recorded.
. "$(dirname "$0")/lines.sh"
read -r line
begin 9.9.9
say m1 "Hello."
finish
