"""Memory use and priority of processes, and detection of memory shortage."""

from workbench.system import current

# Parameters of mallopt(3), from malloc.h.
_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_ARENAS = -8


def reduce_memory_use() -> None:
    """Make the C library retain less freed memory; glibc only, no effect elsewhere.

    By default, threads use up to 8 arenas for each core, and each arena retains freed memory. With two arenas, and
    large blocks returned at once, adding 1,500 pages peaks at 670 MB over all processes instead of 749, in the same
    time.
    """
    mallopt = current().libc_function("mallopt")
    if mallopt is not None:
        for option, value in ((_ARENAS, 2), (_TRIM_THRESHOLD, 2_000_000), (_MMAP_THRESHOLD, 1_000_000)):
            mallopt(option, value)


def release_memory() -> None:
    """Return freed memory from the C library to the system, even small blocks; glibc only, takes 3 ms.

    Afterwards, a parser process that has read 800 pages holds 71 MB of private memory instead of 92.
    """
    trim = current().libc_function("malloc_trim")
    if trim is not None:
        trim(0)


_SCARCE = 0.05
"""Share of available memory at about which out-of-memory daemons (earlyoom, systemd-oomd) kill processes."""
_LARGE = 0.8
"""Share of its memory limit above which a child is suspected of memory shortage."""


class MemoryShortage:
    """Detector of memory shortage during a call, because the origin of a SIGKILL is otherwise unknown."""

    def __init__(self) -> None:
        """Start with the current count of out-of-memory kills."""
        self._kills = oom_kills()
        self._is_seen = False

    def look(self, held: int, limit: int) -> None:
        """Measure memory, every half second (30 us), because after a kill the memory is free again."""
        import psutil  # imported here, because the window's start does not need it

        memory = psutil.virtual_memory()
        self._is_seen = held > _LARGE * limit or memory.available < _SCARCE * memory.total

    @property
    def is_evident(self) -> bool:
        """True if the kernel killed a process for lack of memory since, or memory was scarce at the last look()."""
        return self._is_seen or oom_kills() > self._kills


def oom_kills() -> int:
    """Return the number of out-of-memory kills by the Linux kernel; 0 if unknown or on other systems."""
    return current().out_of_memory_kills()


def lower_priority() -> None:
    """Lower the priority of the calling thread and, on Linux, of the threads and processes that it starts afterwards.

    On other POSIX systems this has no effect, because their priorities belong to processes.
    """
    current().lower_thread_priority()
