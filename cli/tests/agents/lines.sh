# What the fake agents beside this file say. They are read by it, and speak as `claude -p --output-format stream-json`
# does, with no more members than a map needs.

begin() {
    echo '{"type":"system","subtype":"init","session_id":"n1","cwd":"/demo","model":"m-1","tools":[],"permissionMode":"default","claude_code_version":"'"${1:-2.1.332}"'"}'
}

# say ID TEXT
say() {
    echo '{"type":"assistant","session_id":"n1","parent_tool_use_id":null,"message":{"id":"'"$1"'","role":"assistant","content":[{"type":"text","text":"'"$2"'"}]}}'
}

# call ID COMMAND
call() {
    echo '{"type":"assistant","session_id":"n1","parent_tool_use_id":null,"message":{"id":"m-'"$1"'","role":"assistant","content":[{"type":"tool_use","id":"'"$1"'","name":"Bash","input":{"command":"'"$2"'"}}]}}'
}

# ask ID COMMAND: for leave, for the call of the same id
ask() {
    echo '{"type":"control_request","request_id":"ask-'"$1"'","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"'"$2"'"},"tool_use_id":"'"$1"'"}}'
}

# result ID TEXT IS_ERROR
result() {
    echo '{"type":"user","session_id":"n1","parent_tool_use_id":null,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"'"$1"'","content":"'"$2"'","is_error":'"$3"'}]}}'
}

# finish [SUBTYPE IS_ERROR]
finish() {
    echo '{"type":"result","subtype":"'"${1:-success}"'","is_error":'"${2:-false}"',"session_id":"n1","num_turns":1,"duration_ms":1}'
}
