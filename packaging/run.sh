#!/bin/sh
# Opens the window; without a display says so and runs the tour.
# usage: packaging/run.sh PYTHON
set -eu
if [ "$(uname -s)" != Linux ] || [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
    exec "$1" -m workbench
fi
echo "There is no display here, so no window can be opened: running the tour instead."
QT_QPA_PLATFORM=offscreen exec "$1" -m workbench tour
