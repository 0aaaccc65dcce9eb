"""macOS: quality of service of threads, places of programs and fonts; by Apple's documentation, never run there."""

import contextlib
import os
from collections.abc import Callable, Sequence
from typing import Any

from workbench.system.posix import Posix

_QOS_CLASS_UTILITY = 0x11
"""Quality-of-service class of work that the user does not wait for (sys/qos.h): it gives way to the window's."""

_APPLICATIONS = ("/Applications", os.path.expanduser("~/Applications"))

_FONTS = ("/System/Library/Fonts/PingFang.ttc", "/System/Library/Fonts/Hiragino Sans GB.ttc")
"""Fonts with Chinese characters that come with the system; PingFang is downloaded on demand since macOS 15."""


def _in_applications(*programs: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{program}" for program in programs for folder in _APPLICATIONS)


def _load_libc() -> Any:
    import ctypes  # imported where it is used, because it would delay the window's start

    return ctypes.CDLL(None)


class MacOS(Posix):
    """macOS.

    A child ends with its parent by a thread that waits for it (worker/serving.py): there is no parent-death signal.
    Memory is watched by the parent only: RLIMIT_AS is either not enforced, or lower than what is reserved at the start.
    """

    name = "macos"
    browsers = _in_applications(
        "Chromium.app/Contents/MacOS/Chromium",
        "Google Chrome.app/Contents/MacOS/Google Chrome",
        "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
        "Brave Browser.app/Contents/MacOS/Brave Browser",
    )
    libreoffice = _in_applications("LibreOffice.app/Contents/MacOS/soffice")
    tesseract = ("/opt/homebrew/bin/tesseract", "/usr/local/bin/tesseract", "/opt/local/bin/tesseract")
    cjk_families = ("PingFang SC", "Hiragino Sans GB", "Hiragino Sans", "Apple SD Gothic Neo")

    def __init__(self, libc: Callable[[], Any] = _load_libc) -> None:
        """Create it; libc loads the C library."""
        self._libc = libc

    def lower_thread_priority(self) -> None:
        """Put the thread into the class “utility”; threads that it starts are not affected."""
        with contextlib.suppress(OSError, AttributeError):
            self._libc().pthread_set_qos_class_self_np(_QOS_CLASS_UTILITY, 0)

    def has_display(self) -> bool:
        """Return True: a window can be shown in every login session."""
        return True

    def has_chinese_font(self) -> bool | None:
        """Look for the fonts that come with the system."""
        return any(map(os.path.isfile, _FONTS))

    def processor_flags(self) -> Sequence[str]:
        """Return the machine: all processors of a kind have the same instructions."""
        return (os.uname().machine,)
