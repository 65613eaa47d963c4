#!/bin/sh
# Wants leave for a command, and does as it is told.
. "$(dirname "$0")/lines.sh"
read -r line
begin
call c1 "touch demo.txt"
ask c1 "touch demo.txt"
read -r answer
case $answer in
*'"behavior":"allow"'*) result c1 "done" false ;;
*'"message":"not here"'*) result c1 "refused: not here" true ;;
*) result c1 "refused" true ;;
esac
say m2 "Good."
finish
cat > /dev/null
