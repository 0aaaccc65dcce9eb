"""Giving way: what works in the background yields the processor to what a person waits for."""

import contextlib
import os
import sys
import threading

NICENESS = 10
"""Of 0 (like everybody) to 19; the window's thread, which is at 0, then gets the processor when it wants it."""


def give_way() -> None:
    """Lower the priority of the calling thread, and of the threads and processes that it starts afterwards.

    Linux has priorities by thread. Elsewhere nothing happens: there they belong to whole processes.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
