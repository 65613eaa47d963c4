#!/bin/sh
# Asks which colour it shall be.
. "$(dirname "$0")/lines.sh"
read -r line
begin
echo '{"type":"assistant","session_id":"n1","parent_tool_use_id":null,"message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"q1","name":"AskUserQuestion","input":{"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}}]}}'
echo '{"type":"control_request","request_id":"ask-q1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]},"tool_use_id":"q1"}}'
read -r answer
case $answer in
*'"answers":{"Which colour?":"Blue"}'*) say m2 "Blue it is." ;;
*) say m2 "No colour then." ;;
esac
finish
cat > /dev/null
