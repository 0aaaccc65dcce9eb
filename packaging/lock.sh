#!/bin/sh
# Writes packaging/requirements.lock: every package at the version that pyproject.toml resolves to today.
set -eu
venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --upgrade pip
"$venv/bin/pip" install --quiet torch==2.13.0
"$venv/bin/pip" install --quiet '.[dev]'
{
    echo "# Every package at the version that was tested. Made by packaging/lock.sh from pyproject.toml."
    echo "# torch is installed first and by itself: see packaging/setup.sh."
    "$venv/bin/pip" freeze --exclude knowledge-workbench --exclude-editable |
        sed -E 's/^torch @ .*/torch==2.13.0/; s/^torch==2\.13\.0\+cpu$/torch==2.13.0/'
} > packaging/requirements.lock
