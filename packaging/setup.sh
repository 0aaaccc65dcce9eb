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

# torch first and by itself: asked for through another package, pip takes a build with gigabytes of CUDA. The lock file has
# the hashes of PyPI's builds of torch, but not of the CUDA libraries that some of them need. An index that the user names
# has builds with other hashes, and is trusted for this one package.
torch=$(grep -oE '^torch==[^ ]+' packaging/requirements.lock)
echo "Installing $torch and the rest of packaging/requirements.lock (some minutes the first time)"
if [ "$(uname -s)" = Linux ] && [ -n "${TORCH_INDEX_URL:-}" ]; then
    pip install --quiet --index-url "$TORCH_INDEX_URL" "$torch"
else
    sed -n '/^torch==/,/[^\\]$/p' packaging/requirements.lock > "$venv/torch.lock"
    pip install --quiet --no-deps --require-hashes --requirement "$venv/torch.lock"
fi
pip install --quiet --no-deps --require-hashes --requirement packaging/requirements.lock
pip install --quiet "$torch"
pip install --quiet --no-deps --no-build-isolation --editable .
pip check

# An editable install is not compiled by pip: without this each start compiles 200 files anew where Python may not
# write its cache (0.256 s to the first paint instead of 0.220 s).
"$venv/bin/python" -m compileall -q workbench || true

sh packaging/system-libraries.sh "$venv"
touch "$venv/.ready"
