#!/bin/sh
# Answers whatever it is told with its arguments, until nothing more comes.
. "$(dirname "$0")/lines.sh"
number=0
while read -r line; do
    number=$((number + 1))
    begin
    say "m$number" "$number: $*"
    finish
done
