#!/bin/sh
# Runs all tests in two processes side by side: one alone keeps one core busy. usage: tests.sh PYTHON
set -u
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$1" -m pytest tests/unit > "$said" 2>&1 &
units=$!
"$1" -m pytest tests/house tests/contracts tests/fuzz tests/durability tests/ui tests/end_to_end
status=$?
wait "$units" || status=1
cat "$said"
exit "$status"
