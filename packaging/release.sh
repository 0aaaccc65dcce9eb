#!/bin/sh
# Builds everything of a release into dist/: wheel, sdist, the program as a folder (tar) and as a Debian package, the
# list of its parts (CycloneDX), and SHA256SUMS. The time of all files is that of the commit: two builds of one commit with
# one environment are the same bytes.
# usage: packaging/release.sh PYTHON
set -eu
python=$1
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH PYTHONPATH=.

rm -rf dist
"$python" packaging/licences.py
sh packaging/wheel.sh "$python"
sh packaging/freeze.sh "$python"
HOME=$(mktemp -d) QT_QPA_PLATFORM=offscreen build/frozen/knowledge-workbench/workbench tour --out build/frozen-tour

version=$("$python" -c 'import workbench; print(workbench.__version__)')
tar --create --use-compress-program="xz -T2" --file "dist/knowledge-workbench-$version-linux-$(uname -m).tar.xz" --sort=name --format=gnu \
    --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C build/frozen knowledge-workbench
sh packaging/deb.sh "$python"
build/release-tools/bin/python packaging/sbom.py "dist/knowledge-workbench-$version.cdx.json"
cd dist
sha256sum -- * > SHA256SUMS
ls -l
