#!/bin/sh
# Makes the virtual environment from the lock file and checks Qt's system libraries by name.
# usage: packaging/setup.sh VENV
set -eu
venv=${1:-.venv}
python=${PYTHON:-python3}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Python 3.11 or later is needed; $python is $("$python" --version 2>&1)." >&2
    echo "On Debian: apt-get install python3 python3-venv" >&2
    exit 1
}
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"

pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

# torch first and by itself: asked for through another package, pip takes a build with gigabytes of CUDA. Its hash is
# compared here, because pip, given hashes, prefers PyPI's build with CUDA to any other. An index that the user names may
# have a build with another hash, and is trusted for this one package.
torch=$(grep -oE '^torch==[^ ]+' packaging/requirements.lock)
echo "Installing $torch and the rest of packaging/requirements.lock (some minutes the first time)"
if ! "$venv/bin/python" -c 'import importlib.metadata as m, sys; sys.exit(m.version("torch").split("+")[0] != sys.argv[1])' \
    "${torch#torch==}" 2>/dev/null; then
    rm -rf "$venv/torch"
    pip download --quiet --no-deps --dest "$venv/torch" ${TORCH_INDEX_URL:+--index-url "$TORCH_INDEX_URL"} "$torch"
    hash=$(pip hash "$venv"/torch/torch-*.whl | grep -o 'sha256:.*')
    if [ -z "${TORCH_INDEX_URL:-}" ] && ! grep -q -e "$hash" packaging/requirements.lock; then
        echo "The file of $torch has a hash that packaging/requirements.lock does not name: $hash" >&2
        exit 1
    fi
    pip install --quiet --no-deps "$venv"/torch/torch-*.whl
    rm -rf "$venv/torch"
fi
sed '/^torch==/,/[^\\]$/d' packaging/requirements.lock > "$venv/packages.lock"
pip install --quiet --no-deps --require-hashes --requirement "$venv/packages.lock"
# CUDA's libraries, if this build needs them; they are not in the lock file.
pip install --quiet "$torch"
pip install --quiet --no-deps --no-build-isolation --editable .
pip check

# An editable install is not compiled by pip: without this each start compiles 200 files anew where Python may not
# write its cache (0.256 s to the first paint instead of 0.220 s).
"$venv/bin/python" -m compileall -q workbench || true

sh packaging/system-libraries.sh "$venv"
touch "$venv/.ready"
