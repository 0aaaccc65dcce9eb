#!/bin/sh
# Runs all tests in three processes, each of which takes the next file as soon as it is done with one: the slow folders
# first, so that all end at about the same time. usage: tests.sh PYTHON [OPTION OF PYTEST...]
# Three on two cores, because a test waits for a disk, a child process or a timer in a third of its time.
set -eu
python=$1
shift

# Thousands of tests create a library, each with several fsync calls: in memory, where there is space for it.
free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ -z "${TMPDIR:-}" ] && [ "${free:-0}" -gt 4000000 ]; then
    TMPDIR=$(mktemp -d /dev/shm/workbench-tests-XXXXXX)
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
fi
"$python" -m pytest --numprocesses="${TEST_PROCESSES:-3}" --dist=loadfile --no-loadscope-reorder --max-worker-restart=0 "$@" \
    tests/end_to_end tests/durability tests/unit tests/ui tests/contracts tests/fuzz tests/house
