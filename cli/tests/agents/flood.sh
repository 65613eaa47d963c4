#!/bin/sh
# Says more than anybody wants to keep, and then how much memory its host has needed, in kB.
. "$(dirname "$0")/lines.sh"
read -r line
begin
text=$(head -c 20000 /dev/zero | tr '\0' x)
number=0
while [ $number -lt 2500 ]; do
    number=$((number + 1))
    say "m$number" "$text"
done
# Between the host and us is its supervisor.
host=$(grep PPid "/proc/$PPID/status" | tr -dc 0-9)
say last "peak: $(grep VmHWM "/proc/$host/status" | tr -dc 0-9)"
finish
