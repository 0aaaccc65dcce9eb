#!/bin/sh
# Checks the types and the vector databases beside the tests: those wait for programs, windows and disks during a tenth of
# their time, in which these, at a low priority, take nothing from them. usage: types-and-tests.sh PYTHON
python=$1
log=$(mktemp)
nice -n 10 sh packaging/types-and-stores.sh "$python" > "$log" 2>&1 &
beside=$!
trap 'kill "$beside" 2> /dev/null; rm -f "$log"' EXIT
trap 'exit 130' INT TERM

sh packaging/tests.sh "$python"
tests=$?
wait "$beside"
checked=$?
cat "$log"
[ "$tests" -eq 0 ] && [ "$checked" -eq 0 ]
