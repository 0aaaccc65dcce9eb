#!/bin/sh
# Makes dist/knowledge-workbench_VERSION_ARCHITECTURE.deb from the folder of packaging/freeze.sh. The package has no
# scripts: the desktop's own triggers register icons, types and the menu entry, and removing it touches no library.
# usage: packaging/deb.sh PYTHON; SOURCE_DATE_EPOCH is the time of all files
set -eu
export QT_QPA_PLATFORM=offscreen PYTHONPATH=.
version=$("$1" -c 'import workbench; print(workbench.__version__)')
architecture=$(dpkg --print-architecture)
root=build/deb
share=$root/usr/share
rm -rf "$root"
umask 022
mkdir -p dist "$root/DEBIAN" "$root/usr/lib" "$root/usr/bin" "$share/applications" "$share/mime/packages" \
    "$share/doc/knowledge-workbench"

cp -a build/frozen/knowledge-workbench "$root/usr/lib/"
ln -s ../lib/knowledge-workbench/workbench "$root/usr/bin/workbench"
cp packaging/knowledge-workbench.desktop "$share/applications/"
cp packaging/knowledge-workbench.xml "$share/mime/packages/"
"$1" packaging/app_icons.py theme "$share/icons/hicolor"
cp build/frozen/knowledge-workbench/THIRD_PARTY_NOTICES "$share/doc/knowledge-workbench/copyright"

# The libraries that the folder does not contain, and a font for each language of the program.
cat > "$root/DEBIAN/control" <<END
Package: knowledge-workbench
Version: $version
Architecture: $architecture
Maintainer: The contributors to the Knowledge Workbench <knowledge-workbench@localhost>
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: libc6 (>= 2.36), libstdc++6, libgcc-s1, libgl1, libegl1, libwayland-cursor0, libwayland-egl1, fontconfig,
 fonts-dejavu-core, shared-mime-info, hicolor-icon-theme
Recommends: fonts-noto-cjk, gnome-keyring | kwalletmanager
Suggests: libreoffice-core, tesseract-ocr
Section: text
Priority: optional
Description: ask your documents, and check every claim of the answer
 Answers questions about your own documents, offline. Each citation of an
 answer opens the page that it comes from, with the passage marked.
END

chmod -R u=rwX,go=rX "$root"
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zzstd -z6 --build "$root" dist >/dev/null
