#!/bin/sh
# Installs the scripted model server that some tests talk to; where Node is missing, those tests say so and are skipped.
set -eu
[ -d build/aimock/node_modules/@copilotkit/aimock ] && exit 0
if ! command -v npm >/dev/null 2>&1; then
    echo "npm is not installed: the tests against the scripted model server will be skipped." >&2
    exit 0
fi
npm install --silent --no-audit --no-fund --prefix build/aimock @copilotkit/aimock@1.43.0 >/dev/null ||
    echo "The scripted model server could not be installed: its tests will be skipped." >&2
