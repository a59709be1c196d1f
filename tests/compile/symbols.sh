#!/bin/sh
# symbols.sh NM OBJECT FUNCTION: the object defines this function, and nothing else that another object may not define.
set -eu
strong=$("$1" --demangle --defined-only --extern-only "$2" | grep -v ' [uVvWw] ')
others=$(echo "$strong" | grep -v "T $3" || true)
[ "$strong" ] && [ ! "$others" ] || { echo "defined without inline: ${others:-nothing, not even $3}" >&2; exit 1; }
