#!/bin/sh
# Writes into build/stubs what takes the place of OpenCV's codecs for videos and AVIF: libraries in which each function
# that OpenCV names returns 0. OCR hands over decoded pictures, so none is ever called; 41 MB less, and no decoder of
# videos in the program.
# usage: packaging/stub-codecs.sh PYTHON
set -eu
opencv=$("$1" -c 'import importlib.util as u; print(u.find_spec("cv2").submodule_search_locations[0])')/cv2.abi3.so
mkdir -p build/stubs
readelf -W -d "$opencv" | sed -n 's/.*NEEDED.*\[\(lib\(av\|sws\)[^]]*\)\].*/\1/p' | while read -r library; do
    kind=$(echo "${library#lib}" | sed 's/-.*//')
    if [ "$kind" = avif ]; then wanted=' avif'; else wanted="@LIB$(echo "$kind" | tr a-z A-Z)_"; fi
    symbols=$(nm -D --undefined-only "$opencv" | grep -F "$wanted" | awk '{print $2}')
    version=$(echo "$symbols" | sed -n 's/.*@//p' | sort -u)
    echo "$symbols" | sed 's/\(.*\)@.*/\1/; s/.*/void *&(void) { return 0; }/' > build/stubs/stub.c
    echo "${version:-AVIF} { global: *; };" > build/stubs/stub.map
    gcc -shared -nostdlib -fno-builtin -w -Wl,--build-id=none -Wl,-soname,"$library" \
        ${version:+-Wl,--version-script=build/stubs/stub.map} -o "build/stubs/$library" build/stubs/stub.c
done
