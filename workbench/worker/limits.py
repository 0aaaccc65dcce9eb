"""What a child process asks of the operating system: an end with its parent, and a cap on its memory."""

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from multiprocessing.connection import wait

SLACK_MEGABYTES = 512
"""Room between the limit on resident memory, which the parent watches, and the cap on addresses, which only has to
stop a jump that is too quick to be watched; allocators map more than they use."""


def die_with_parent() -> None:
    """Make this process end when its parent does, however that ends; Linux only.

    The signal is sent even while a C library hangs with the interpreter's lock held (and it comes when the thread that
    started us ends, which is why a pool's threads live as long as the pool).
    """
    parent = multiprocessing.parent_process()
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1 is PR_SET_PDEATHSIG
    if os.getppid() != parent.pid:
        os._exit(1)


def watch_parent() -> None:
    """Have a thread end this process when its parent has ended; on every system."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel
        threading.Thread(target=_exit_after, args=(sentinel,), name="parent-watch", daemon=True).start()


def _exit_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def cap_memory(megabytes: int) -> None:
    """Let this process map at most megabytes (and some slack) more than it has now; nothing where that is unknown."""
    if sys.platform != "linux":
        return
    import resource  # absent on Windows

    with open("/proc/self/statm", encoding="ascii") as statm:
        pages = int(statm.read().split()[0])
    limit = pages * resource.getpagesize() + (megabytes + SLACK_MEGABYTES) * 2**20
    _set_soft_limit(limit)


def lift_memory_cap() -> None:
    """Undo cap_memory."""
    if sys.platform != "linux":
        return
    import resource  # absent on Windows

    _set_soft_limit(resource.getrlimit(resource.RLIMIT_AS)[1])


def _set_soft_limit(limit: int) -> None:
    import resource  # absent on Windows

    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard) if limit != resource.RLIM_INFINITY else hard
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
