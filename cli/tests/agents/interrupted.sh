#!/bin/sh
# Works without end until it is interrupted.
. "$(dirname "$0")/lines.sh"
read -r line
begin
say m1 "Working."
read -r answer
case $answer in
*'"subtype":"interrupt"'*) finish error_during_execution true ;;
esac
cat > /dev/null
