#!/bin/sh
# Makes the virtual environment from the lock file and checks Qt's system libraries by name.
# usage: packaging/setup.sh VENV [PART]; it calls itself with the parts of the lock file: torch, 0 or 1
set -eu
venv=${1:-.venv}
part=${2:-}
python=${PYTHON:-python3}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Python 3.11 or later is needed; $python is $("$python" --version 2>&1)." >&2
    echo "On Debian: apt-get install python3 python3-venv" >&2
    exit 1
}
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"

pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }
# Without compiling, which pip does in one process; compileall, below, uses every core.
pip_install() { pip install --quiet --no-compile "$@"; }

# torch by itself: asked for through another package, pip takes a build with gigabytes of CUDA. Its hash is compared here,
# because pip, given hashes, prefers PyPI's build with CUDA to any other. An index that the user names may have a build
# with another hash, and is trusted for this one package.
torch=$(grep -oE '^torch==[^ ]+' packaging/requirements.lock)
install_torch() {
    "$venv/bin/python" -c 'import importlib.metadata as m, sys; sys.exit(m.version("torch").split("+")[0] != sys.argv[1])' \
        "${torch#torch==}" 2>/dev/null && return
    rm -rf "$venv/torch"
    pip download --quiet --no-deps --dest "$venv/torch" ${TORCH_INDEX_URL:+--index-url "$TORCH_INDEX_URL"} "$torch"
    hash=$(pip hash "$venv"/torch/torch-*.whl | grep -o 'sha256:.*')
    if [ -z "${TORCH_INDEX_URL:-}" ] && ! grep -q -e "$hash" packaging/requirements.lock; then
        echo "The file of $torch has a hash that packaging/requirements.lock does not name: $hash" >&2
        exit 1
    fi
    pip_install --no-deps "$venv"/torch/torch-*.whl
    rm -rf "$venv/torch"
}

case $part in
    torch) install_torch; exit ;;
    0 | 1) pip_install --no-deps --require-hashes --requirement "$venv/packages-$part.lock"; exit ;;
esac

# Three at a time, of different packages: pip uses one core, and takes 107 s for all one after another, 55 s so. By xargs,
# because Ctrl-C does not end a background job of a script, and another start would install beside it.
echo "Installing $torch and the rest of packaging/requirements.lock (some minutes the first time)"
for half in 0 1; do
    awk -v half=$half '/^[a-zA-Z0-9]/ { entry++ } entry % 2 == half && !/^#/' packaging/requirements.lock |
        sed '/^torch==/,/[^\\]$/d' > "$venv/packages-$half.lock"
done
printf '%s\n' torch 0 1 | xargs -P 3 -n 1 sh packaging/setup.sh "$venv"
# CUDA's libraries, if this build needs them; they are not in the lock file.
pip_install "$torch"
pip_install --no-deps --no-build-isolation --editable .
pip check

# The packages take 50 s of processor time, divided by the cores. The program itself is among them because each start
# would compile 200 files anew where Python may not write its cache (0.256 s to the first paint instead of 0.220 s). The
# packages that are left out would take as long again: most of them convert a model of the user's own, and are compiled
# then; their tests, pip, setuptools and mypy are hardly imported at all.
# Errors are ignored: some packages contain templates that are not valid Python.
"$venv/bin/python" -m compileall -qq -j 0 -x '/(torch|transformers|sympy|networkx|tests|pip|setuptools|mypy|mypyc)/' "$venv/lib" workbench || true

sh packaging/system-libraries.sh "$venv"
touch "$venv/.ready"
