#!/bin/sh
# Speaks JSON-RPC as `codex app-server` does: wants leave for a command in its one turn, and says what it was answered. A
# thread that goes on is told with the turn that it had before.

id_of() { printf '%s' "$1" | sed 's/.*"id":"\([^"]*\)".*/\1/'; }

while read -r line; do
    case $line in
    *'"method":"initialize"'*) echo '{"id":"'"$(id_of "$line")"'","result":{"userAgent":"demo/0.171.0"}}' ;;
    *'"method":"thread/start"'*)
        echo '{"method":"thread/started","params":{"thread":{"id":"t1","cwd":"/demo","cliVersion":"0.171.0"}}}'
        ;;
    *'"threadId":"gone"'*) echo '{"id":"'"$(id_of "$line")"'","error":{"code":-32600,"message":"no such thread"}}' ;;
    *'"method":"thread/resume"'*)
        echo '{"id":"'"$(id_of "$line")"'","result":{"model":"m","cwd":"/demo","thread":{"id":"t1","cwd":"/demo","cliVersion":"0.171.0","turns":[{"id":"u0","status":"completed","items":[{"type":"agentMessage","id":"m0","text":"Said before"}]}]}}}'
        ;;
    *'"method":"turn/start"'*)
        echo '{"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u1","items":[],"status":"inProgress"}}}'
        echo '{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"t1","turnId":"u1","itemId":"c1","command":"date","cwd":"/demo","availableDecisions":["accept","cancel"]}}'
        ;;
    *'"id":0'*)
        text=$(printf '%s' "$line" | sed 's/"/\\"/g')
        echo '{"method":"item/completed","params":{"item":{"type":"agentMessage","id":"m1","text":"'"$text"'"},"threadId":"t1","turnId":"u1"}}'
        echo '{"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","items":[],"status":"completed"}}}'
        ;;
    esac
done
