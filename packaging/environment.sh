#!/bin/sh
# Makes an environment that has the packages of a lock file, and sees those of .venv, too; does nothing if it is there.
# usage: packaging/environment.sh PYTHON PLACE LOCK
set -eu
python=$1
place=$2
lock=$3

site() { "$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }

if [ ! -f "$place/.ready" ] || [ "$lock" -nt "$place/.ready" ]; then
    "$python" -m venv "$place"
    site "$python" > "$(site "$place/bin/python")/program.pth"
    echo "Installing $lock into $place"
    "$place/bin/python" -m pip --disable-pip-version-check install --quiet --no-deps --no-compile --requirement "$lock"
    touch "$place/.ready"
fi
