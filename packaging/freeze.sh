#!/bin/sh
# Builds build/frozen/knowledge-workbench: the program as a folder that needs neither Python nor torch.
# usage: packaging/freeze.sh PYTHON
set -eu
python=$1
sh packaging/environment.sh "$python" build/release-tools packaging/release-tools.lock

export PYTHONPATH=. PYTHONHASHSEED=0
"$python" packaging/export_model.py build/models
sh packaging/stub-codecs.sh "$python"
echo "Freezing the program (four minutes)"
build/release-tools/bin/pyinstaller --noconfirm --log-level ERROR --distpath build/frozen --workpath build/pyinstaller \
    packaging/workbench.spec
# Debug symbols: 30 MB, of which 17 in libpython. Libraries with a hash in their names were changed by their packagers in
# a way that strip breaks.
find build/frozen/knowledge-workbench -type f \( -name 'libpython*' -o -name '*.cpython-*.so' -o -name '*.abi3.so' \) \
    -exec strip --strip-unneeded {} +
LD_LIBRARY_PATH=build/frozen/knowledge-workbench/_internal sh -c '
    ! find build/frozen/knowledge-workbench -type f -name "*.so*" -exec ldd {} + 2>&1 | grep -E "not found|not page-aligned"'
cp LICENSE build/frozen/knowledge-workbench/
"$python" packaging/licences.py build/frozen/knowledge-workbench/THIRD_PARTY_NOTICES
