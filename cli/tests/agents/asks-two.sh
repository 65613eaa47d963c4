#!/bin/sh
# Asks two questions at once, and says how they were answered.
. "$(dirname "$0")/lines.sh"
read -r line
begin
questions='[{"question":"Which colour?","header":"Colour","multiSelect":false,"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]},{"question":"Which sizes?","header":"Sizes","multiSelect":true,"options":[{"label":"Small","description":"s"},{"label":"Large","description":"l"}]}]'
echo '{"type":"assistant","session_id":"n1","parent_tool_use_id":null,"message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"q1","name":"AskUserQuestion","input":{"questions":'"$questions"'}}]}}'
echo '{"type":"control_request","request_id":"ask-q1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":'"$questions"'},"tool_use_id":"q1"}}'
read -r answer
case $answer in
*'"answers":{"Which colour?":"Blue","Which sizes?":"Small, Large"}'*) say m2 "Blue, small and large." ;;
*) say m2 "No answers." ;;
esac
finish
cat > /dev/null
