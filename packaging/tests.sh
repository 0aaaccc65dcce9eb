#!/bin/sh
# Runs all tests in two processes, each of which takes the next file as soon as it is done with one: the slow folders
# first, so that both end at about the same time. usage: tests.sh PYTHON [OPTION OF PYTEST...]
python=$1
shift
exec "$python" -m pytest --numprocesses="${TEST_PROCESSES:-2}" --dist=loadfile --no-loadscope-reorder --max-worker-restart=0 "$@" \
  tests/end_to_end tests/durability tests/unit tests/ui tests/contracts tests/fuzz tests/house
