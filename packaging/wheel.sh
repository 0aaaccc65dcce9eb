#!/bin/sh
# Builds the wheel and the sdist into dist/, with the exported embedding model; the time of their files is that of the
# commit, so that two builds of one commit are the same bytes. usage: packaging/wheel.sh PYTHON
set -eu
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
umask 022
PYTHONPATH=. "$1" packaging/export_model.py build/models
exec "$1" -m hatchling build -d dist
