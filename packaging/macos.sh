#!/bin/sh
# Builds dist/knowledge-workbench-VERSION-macos-MACHINE.dmg with the application in it.
# NEVER RUN: written by the documentation of PyInstaller 6 and Apple. The application is signed ad hoc and not
# notarised, so that macOS asks before its first start (right click, Open); a certificate is named by SIGN_AS.
# usage: packaging/macos.sh PYTHON     (PYTHON has the packages of requirements.lock)
set -eu
python=$1
cd "$(dirname "$0")/.."
export QT_QPA_PLATFORM=offscreen

"$python" -m pip install --quiet "pyinstaller>=6.16,<7"
"$python" packaging/app_icons.py bundle build/icons
"$python" -m PyInstaller --noconfirm --distpath build/frozen --workpath build/pyinstaller packaging/elsewhere.spec

version=$("$python" -c 'import workbench; print(workbench.__version__)')
app="build/frozen/Knowledge Workbench.app"
codesign --force --deep --sign "${SIGN_AS:--}" "$app"
codesign --verify --deep --strict "$app"
"$app/Contents/MacOS/workbench" tour --out build/tour

staging=build/dmg
rm -rf "$staging"
mkdir -p "$staging" dist
cp -R "$app" "$staging/"
ln -s /Applications "$staging/Applications"
image="dist/knowledge-workbench-$version-macos-$(uname -m).dmg"
hdiutil create -volname "Knowledge Workbench" -srcfolder "$staging" -ov -format UDZO "$image"
(cd dist && shasum -a 256 "$(basename "$image")" >"$(basename "$image").sha256")
