#!/bin/sh
# Falls over in the middle of its turn.
. "$(dirname "$0")/lines.sh"
read -r line
begin
say m1 "Here I"
echo "out of memory" >&2
exit 7
