#!/bin/sh
# Says what stands in the file SAYS, and after each answer a line of the file THEN, one word of which is on stderr.
read -r line
cat "$SAYS"
while read -r line; do
    read -r next <&3 || break
    printf '%s\n' "$next"
done 3< "$THEN"
cat "$SAYS" >&2
exit "${CODE:-0}"
