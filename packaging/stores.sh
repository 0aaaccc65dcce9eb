#!/bin/sh
# Tests every vector database: its clients are installed into build/stores, which sees the packages of .venv, too.
# usage: packaging/stores.sh PYTHON
set -eu
python=$1
place=build/stores

site() { "$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }

if [ ! -f "$place/.ready" ] || [ packaging/stores.lock -nt "$place/.ready" ]; then
    "$python" -m venv "$place"
    site "$python" > "$(site "$place/bin/python")/program.pth"
    echo "Installing packaging/stores.lock (0.8 GB, the first time)"
    "$place/bin/python" -m pip --disable-pip-version-check install --quiet --no-deps --requirement packaging/stores.lock
    touch "$place/.ready"
fi
QT_QPA_PLATFORM=offscreen PYTHONPATH=. exec "$place/bin/python" -m pytest -q tests/contracts/test_vector_database_contract.py \
    tests/unit/indexing/test_indexing_vector_databases.py tests/unit/operations/test_operations_vector_stores.py
