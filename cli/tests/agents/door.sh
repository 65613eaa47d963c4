#!/bin/sh
# Has a server: the test is it, and says where in DOOR.
echo "door 1.0 starts"
echo "door listening on $DOOR (ctrl-c ends it)"
exec sleep 1000
