#!/bin/sh
# Tests every vector database: its clients (0.8 GB) are installed into build/stores, which sees the packages of .venv, too.
# With WORKBENCH_QDRANT_URL or WORKBENCH_MILVUS_URL, also a server at that address: see tests/support/vector_databases.py.
# usage: packaging/stores.sh PYTHON [WHAT PYTEST RUNS...]
set -eu
python=$1
shift
sh packaging/environment.sh "$python" build/stores packaging/stores.lock
[ $# -gt 0 ] || set -- tests/contracts/test_vector_database_contract.py \
    tests/unit/indexing/test_indexing_vector_databases.py tests/unit/operations/test_operations_vector_stores.py
QT_QPA_PLATFORM=offscreen PYTHONPATH=. exec build/stores/bin/python -m pytest -q "$@"
