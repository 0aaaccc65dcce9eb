#!/bin/sh
# Writes packaging/requirements.lock: every package at the version that pyproject.toml resolves to today, with the
# SHA-256 of each of its files on PyPI. torch gets one more: that of the build that pip takes on this machine, which
# differs from PyPI's where another index has a smaller one (TORCH_INDEX_URL).
set -eu
venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
python3 -m venv "$venv"
pip() { "$venv/bin/pip" "$@"; }
pip install --quiet --upgrade pip uv
pip download --quiet --no-deps --dest "$venv/torch" ${TORCH_INDEX_URL:+--index-url "$TORCH_INDEX_URL"} torch==2.13.0
pip install --quiet "$venv"/torch/torch-*.whl
pip install --quiet '.[dev]'
pip freeze --exclude knowledge-workbench --exclude-editable --exclude uv |
    sed -E 's/^torch @ .*/torch==2.13.0/; s/^torch==2\.13\.0\+cpu$/torch==2.13.0/' > "$venv/packages"
hash=$(pip hash "$venv"/torch/torch-*.whl | grep -o 'sha256:.*')
{
    echo "# Every package at the version that was tested. Made by packaging/lock.sh from pyproject.toml."
    echo "# torch is installed by itself: see packaging/setup.sh."
    "$venv/bin/uv" pip compile --quiet --generate-hashes --no-deps --no-header --no-annotate "$venv/packages" |
        sed "s|^torch==.*|&\n    --hash=$hash \\\\|"
} > packaging/requirements.lock
