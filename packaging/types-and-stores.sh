#!/bin/sh
# Checks the types, and the contract of the vector stores with the databases whose clients are not among the program's
# own packages: 25 s to install them, 30 s for the tests. Where they cannot be installed, as without a network, it says so,
# and only the types are checked. usage: types-and-stores.sh PYTHON
python=$1

# In the background, so that the end of this script also ends what it runs.
run() {
    "$@" &
    child=$!
    wait "$child"
}
trap 'kill "$child" 2> /dev/null; exit 143' TERM

run "$python" -m mypy --num-workers=0
types=$?
[ "$types" -eq 0 ] || echo "The check of types failed: see above."

if run sh packaging/environment.sh "$python" build/stores packaging/stores.lock; then
    run sh packaging/stores.sh "$python" -p no:cacheprovider -k "LanceDB or Chroma or TestQdrant or TestMilvus" \
        tests/contracts/test_vector_database_contract.py
    stores=$?
    [ "$stores" -eq 0 ] || echo "The contract of a vector database failed: see above."
else
    echo "The clients of the vector databases cannot be installed here: their contract was not tested."
    stores=0
fi
[ "$types" -eq 0 ] && [ "$stores" -eq 0 ]
