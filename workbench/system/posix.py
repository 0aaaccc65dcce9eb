"""POSIX systems: process groups, resource limits, file locks."""

import contextlib
import fcntl
import os
import resource
import signal
from collections.abc import Sequence
from typing import Any

from workbench.system.operating_system import NICENESS, ProcessGroup, System

_GUARD_SCRIPT = 'exec 3<&0; { read -r _ <&3 || kill -KILL 0; } & exec "$@" </dev/null 3<&-'
"""Shell script that executes the program, and kills the process group if the pipe from this process closes without a
line. This ends the program even if this process was killed."""


class _Led(ProcessGroup):
    """Process group with the number of its leader."""

    def __init__(self, leader: int) -> None:
        self._leader = leader

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self._leader, signal.SIGKILL)


class Posix(System):
    """System with process groups, modes and advisory locks; its priorities belong to processes."""

    name = "posix"
    has_modes = True
    can_sync_folders = True
    has_socket_files = True
    groups_processes = True

    def start_options(self, *, apart: bool) -> dict[str, Any]:
        """Start a session of its own, whose leader also leads a process group."""
        return {"start_new_session": apart}

    def guarded(self, command: Sequence[str]) -> list[str]:
        """Run the command by a shell that watches the pipe."""
        return ["/bin/sh", "-c", _GUARD_SCRIPT, "sh", *command]

    def group(self, process: int) -> ProcessGroup:
        """Return the process group with this number."""
        return _Led(process)

    def lead_group(self) -> None:
        """Become the leader of a process group, so that all processes of this one can be killed together."""
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)

    def lower_process_priority(self) -> None:
        """Set the niceness of the process."""
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, NICENESS)

    def limit_files(self, *, open_files: int | None, largest: int | None) -> None:
        """Set resource limits."""
        # One byte instead of 0: with 0, Linux still passes the whole memory to a program that collects core dumps.
        limits = [(resource.RLIMIT_CORE, 1), (resource.RLIMIT_NOFILE, open_files), (resource.RLIMIT_FSIZE, largest)]
        for kind, most in limits:
            if most is None:
                continue
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(kind, (most, most))

    def lock(self, descriptor: int, offset: int = 0) -> None:
        """Lock the whole file by flock()."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def lock_shared(self, descriptor: int) -> bool:
        """Lock the whole file by flock()."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def disk_bytes(self, found: os.stat_result) -> int:
        """Return the allocated size, because the nominal size of a sparse file can be far larger."""
        return found.st_blocks * 512

    def untouched_memory(self, size: int) -> Any:
        """Return an anonymous private mapping."""
        import mmap

        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def has_display(self) -> bool:
        """Return whether an X or Wayland display is named in the environment."""
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))

    def is_administrator(self) -> bool:
        """Return True for root."""
        return os.geteuid() == 0

    def socket_name(self, name: str, temporary: str) -> str:
        """Return a path in the user's runtime folder, if the system has one, else in the temporary folder."""
        folder = os.environ.get("XDG_RUNTIME_DIR") or temporary
        return os.path.join(folder, f"{name}-{os.getuid()}")

    def owns_socket(self, address: str) -> bool:
        """Return True if the socket exists and belongs to this user: anyone can create one in the temporary folder."""
        try:
            return os.stat(address).st_uid == os.getuid()
        except OSError:
            return False
