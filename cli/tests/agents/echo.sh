#!/bin/sh
# Speaks as `amp -x --stream-json --stream-json-input` does: repeats what it is told, and gives its one result when no
# more comes.
echo '{"type":"system","subtype":"init","cwd":"/demo","session_id":"T-1","tools":[],"mcp_servers":[]}'
while read -r line; do
    text=$(printf '%s' "$line" | sed 's/.*"text":"\([^"]*\)".*/\1/')
    echo '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"'"$text"'"}]},"parent_tool_use_id":null,"session_id":"T-1"}'
    echo '{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"You said: '"$text"'"}],"stop_reason":"end_turn"},"parent_tool_use_id":null,"session_id":"T-1"}'
done
echo '{"type":"result","subtype":"success","duration_ms":1,"is_error":false,"num_turns":1,"result":"","session_id":"T-1"}'
