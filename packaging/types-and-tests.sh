#!/bin/sh
# Checks the types beside the tests: those wait for programs, windows and disks during a tenth of their time, in which
# mypy, at a low priority, takes nothing from them. usage: types-and-tests.sh PYTHON
python=$1
log=$(mktemp)
nice -n 10 "$python" -m mypy --num-workers=0 > "$log" 2>&1 &
types=$!
trap 'kill "$types" 2> /dev/null; rm -f "$log"' EXIT
trap 'exit 130' INT TERM

sh packaging/tests.sh "$python"
tests=$?
wait "$types"
checked=$?
cat "$log"
[ "$checked" -eq 0 ] || echo "The check of types failed: see above." >&2
[ "$tests" -eq 0 ] && [ "$checked" -eq 0 ]
