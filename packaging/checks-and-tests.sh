#!/bin/sh
# Runs the checks of types and layers beside the tests: those wait for programs, windows and disks during a tenth of
# their time, in which the checks, at a low priority, take nothing from them. usage: checks-and-tests.sh PYTHON
python=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{
    nice -n 10 "$python" -m mypy && nice -n 10 "$(dirname "$python")/lint-imports"
} > "$log" 2>&1 &
checks=$!
trap 'kill "$checks" 2> /dev/null; exit 130' INT TERM

sh packaging/tests.sh "$python"
tests=$?
wait "$checks"
checked=$?
cat "$log"
[ "$checked" -eq 0 ] || echo "The checks of types and layers failed: see above." >&2
[ "$tests" -eq 0 ] && [ "$checked" -eq 0 ]
