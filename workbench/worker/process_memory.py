"""Memory and priority of the processes of the program: little memory held, the processor yielded, shortage noticed."""

import contextlib
import os
import sys
import threading
from pathlib import Path
from typing import Any

# Of malloc.h.
_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_ARENAS = -8


def reduce_memory_use() -> None:
    """Make the C library keep less of what was freed; glibc only, elsewhere nothing happens.

    Its threads have up to 8 arenas a core, and each keeps what it once had. With two of them, and with big pieces
    given back at once, adding 1,500 pages peaks at 670 MB over all processes instead of 749, in the same time.
    """
    mallopt = _of_libc("mallopt")
    if mallopt is not None:
        for option, value in ((_ARENAS, 2), (_TRIM_THRESHOLD, 2_000_000), (_MMAP_THRESHOLD, 1_000_000)):
            mallopt(option, value)


def release_memory() -> None:
    """Give the system what the C library keeps of freed memory, however small the pieces; glibc only, takes 3 ms.

    A reader that has read 800 pages holds 71 MB of its own afterwards instead of 92.
    """
    trim = _of_libc("malloc_trim")
    if trim is not None:
        trim(0)


def _of_libc(name: str) -> Any:
    """Return a function of glibc, or None where there is no such."""
    if sys.platform != "linux":
        return None
    import ctypes  # 6 ms that the window does not wait for

    return getattr(ctypes.CDLL(None), name, None)


_SCARCE = 0.05
"""Of the machine's memory, left: programs that end others to save it (earlyoom, systemd-oomd) do so about there."""
_LARGE = 0.8
"""Of its limit, that a child holds."""


class MemoryShortage:
    """Whether memory ran out while a child worked; nothing else tells who sent it SIGKILL."""

    def __init__(self) -> None:
        """Begin to look."""
        self._kills = oom_kills()
        self._is_seen = False

    def look(self, held: int, limit: int) -> None:
        """Look how things stand, every half second (30 us): afterwards the memory is free again."""
        import psutil  # the window comes up without it

        memory = psutil.virtual_memory()
        self._is_seen = held > _LARGE * limit or memory.available < _SCARCE * memory.total

    @property
    def is_evident(self) -> bool:
        """Whether the kernel ended a process for want of memory since, or there was next to none at the last look."""
        return self._is_seen or oom_kills() > self._kills


def oom_kills() -> int:
    """Return how many processes the kernel has ended for want of memory, as far as it tells; 0 elsewhere than on Linux.

    Those of the whole machine, and, where that is not told, those of this process's own group.
    """
    with contextlib.suppress(OSError, ValueError, IndexError, StopIteration):
        return _field("/proc/vmstat", "oom_kill")
    with contextlib.suppress(OSError, ValueError, IndexError, StopIteration):
        group = Path("/proc/self/cgroup").read_text("ascii", "replace").partition("0::")[2].splitlines()[0]
        return _field(f"/sys/fs/cgroup{group}/memory.events", "oom_kill")
    return 0


def _field(path: str, name: str) -> int:
    lines = Path(path).read_text("ascii", "replace").splitlines()
    return int(next(line.split()[1] for line in lines if line.split()[:1] == [name]))


NICENESS = 10
"""Of 0 (like everybody) to 19; the window's thread, which is at 0, then gets the processor when it wants it."""


def lower_priority() -> None:
    """Lower the priority of the calling thread, and of the threads and processes that it starts afterwards.

    Linux has priorities by thread. Elsewhere nothing happens: there they belong to whole processes.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
