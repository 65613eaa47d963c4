#!/bin/sh
# Has a server as `opencode serve` has one: the test is it, and says where in SERVER.
echo "opencode server listening on $SERVER"
exec sleep 1000
