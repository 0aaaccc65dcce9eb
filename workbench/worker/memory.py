"""What the whole program, and each of its children, asks of the C library: to hold little memory."""

import sys
from typing import Any

# Of malloc.h.
_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_ARENAS = -8


def hold_little_memory() -> None:
    """Make the C library keep less of what was freed; glibc only, elsewhere nothing happens.

    Its threads have up to 8 arenas a core, and each keeps what it once had. With two of them, and with big pieces
    given back at once, adding 1,500 pages peaks at 670 MB over all processes instead of 749, in the same time.
    """
    mallopt = _of_libc("mallopt")
    if mallopt is not None:
        for option, value in ((_ARENAS, 2), (_TRIM_THRESHOLD, 2_000_000), (_MMAP_THRESHOLD, 1_000_000)):
            mallopt(option, value)


def give_back_memory() -> None:
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
