#!/bin/sh
# Has read both of its messages before it answers the first, and wants leave for the second.
. "$(dirname "$0")/lines.sh"
read -r line
read -r line
begin
say m1 "One."
finish
# Whoever takes this for the end of the work closes the input meanwhile.
sleep 0.5
begin
call c1 "touch demo.txt"
ask c1 "touch demo.txt"
if read -r answer; then say m2 "Two."; else say m2 "cut off"; fi
finish
cat > /dev/null
