#!/bin/sh
# Does not end when it is asked to, and neither does what it has started.
. "$(dirname "$0")/lines.sh"
trap '' TERM
read -r line
begin
sleep 1000 &
near=$!
setsid sh -c 'trap "" TERM; sleep 1000' < /dev/null > /dev/null 2>&1 &
far=$!
say m1 "pids: $$ $near $far"
while :; do
    sleep 0.05
    say m2 "still here"
done
