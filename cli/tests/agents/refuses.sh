#!/bin/sh
# Speaks JSON-RPC as `codex app-server` and the Agent Client Protocol do, and refuses the requests of the method REFUSES. ASKS is a method of its own,
# for which it wants an answer before its turn ends.

id_of() { printf '%s' "$1" | sed 's/.*"id":"\([^"]*\)".*/\1/'; }

# answer LINE RESULT
answer() {
    case $1 in
    *'"method":"'"$REFUSES"'"'*)
        echo '{"id":"'"$(id_of "$1")"'","error":{"code":-32600,"message":"no such luck"}}'
        return 1
        ;;
    *) echo '{"id":"'"$(id_of "$1")"'","result":'"$2"'}' ;;
    esac
}

thread='{"id":"t1","cwd":"/demo","cliVersion":"0.171.0","turns":[]}'
finish() { echo '{"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","items":[],"status":"completed"}}}'; }

while read -r line; do
    case $line in
    *'"method":"initialize"'*) answer "$line" '{"userAgent":"demo/0.171.0"}' ;;
    *'"method":"thread/'*) answer "$line" '{"model":"m","cwd":"/demo","thread":'"$thread"'}' ;;
    *'"method":"turn/start"'*)
        answer "$line" '{"turn":{"id":"u1","items":[],"status":"inProgress"}}' || continue
        echo '{"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u1","items":[],"status":"inProgress"}}}'
        if [ -n "$ASKS" ]; then
            echo '{"id":77,"method":"'"$ASKS"'","params":{"threadId":"t1","turnId":"u1"}}'
        else
            finish
        fi
        ;;
    *'"method":"session/new"'*) answer "$line" '{"sessionId":"t1"}' ;;
    *'"method":"session/load"'*) answer "$line" '{}' ;;
    *'"method":"session/prompt"'*) answer "$line" '{"stopReason":"end_turn"}' ;;
    *'"id":77,"error":{"code":-32601'*) finish ;;
    esac
done
