#!/bin/sh
# Does not even begin. FLOOD is how many lines it writes about it before its last one.
if [ -n "$FLOOD" ]; then yes 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' | head -n "$FLOOD" >&2; fi
echo "invalid API key" >&2
exit 1
