#!/bin/sh
# Fails, and says so also with its exit code.
. "$(dirname "$0")/lines.sh"
read -r line
begin
finish error_during_execution true
cat > /dev/null
exit 1
