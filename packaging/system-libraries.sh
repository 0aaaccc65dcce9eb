#!/bin/sh
# Checks the shared libraries that Qt's windows need, by name. As root on Debian installs what is missing;
# otherwise prints the exact command and goes on (the command line works without them).
# usage: packaging/system-libraries.sh VENV
set -eu
venv=$1
[ "$(uname -s)" = Linux ] || exit 0

# library name, Debian package
needed="libEGL.so.1 libegl1
libGL.so.1 libgl1
libxkbcommon.so.0 libxkbcommon0
libxkbcommon-x11.so.0 libxkbcommon-x11-0
libdbus-1.so.3 libdbus-1-3
libfontconfig.so.1 libfontconfig1
libglib-2.0.so.0 libglib2.0-0
libxcb-cursor.so.0 libxcb-cursor0
libxcb-icccm.so.4 libxcb-icccm4
libxcb-image.so.0 libxcb-image0
libxcb-keysyms.so.1 libxcb-keysyms1
libxcb-randr.so.0 libxcb-randr0
libxcb-render-util.so.0 libxcb-render-util0
libxcb-shape.so.0 libxcb-shape0
libxcb-xinerama.so.0 libxcb-xinerama0
libxcb-xkb.so.1 libxcb-xkb1
libX11-xcb.so.1 libx11-xcb1"

missing=$(echo "$needed" | while read -r library package; do
    "$venv/bin/python" -c "import ctypes; ctypes.CDLL('$library')" 2>/dev/null || echo "$package"
done)

# A Chinese document needs a font that has its characters, and a window without any font shows boxes.
if command -v fc-list >/dev/null 2>&1; then
    [ -n "$(fc-list :lang=zh family 2>/dev/null)" ] || missing="$missing fonts-noto-cjk"
    [ -n "$(fc-list :lang=en family 2>/dev/null)" ] || missing="$missing fonts-dejavu-core"
else
    missing="$missing fontconfig fonts-dejavu-core fonts-noto-cjk"
fi

missing=$(echo $missing)
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing system packages: $missing"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "The window needs system packages that are missing. Install them with:" >&2
    echo "    sudo apt-get install $missing" >&2
fi
