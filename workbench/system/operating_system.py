"""System, whose methods do what every system can do or nothing, and current(), which returns this one."""

import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

NICENESS = 10
"""Niceness from 0 (default) to 19; the window's thread, at 0, then gets the processor when it needs it."""


class ProcessGroup:
    """A process with all that it starts, to be killed together; this base class knows only the process itself."""

    def kill(self) -> None:
        """Kill all processes of the group; never raises, and may be called again after they have ended."""

    def close(self) -> None:
        """Release what the system holds for the group; on Windows, this also kills what is left of it."""


class System:
    """Operating system of unknown kind: nothing beyond what Python does everywhere.

    Attributes:
        name: "linux", "macos", "windows", "posix" or "other".
        has_modes: Files have permissions of owner, group and others.
        can_sync_folders: The names in a folder can be flushed to the disk.
        has_socket_files: A local socket is a file, with an owner.
        caps_memory: cap_memory() has an effect.
        groups_processes: Killing a ProcessGroup also kills what the process started.
        browsers: Where browsers of the Chromium family are installed that are not on the PATH.
        libreoffice: The same for LibreOffice.
        tesseract: The same for Tesseract.
        cjk_families: Font families for Chinese, Japanese and Korean, the preferred one first.
        socket_folders: Folders in which LibreOffice creates its lock, a socket, whatever its settings.
    """

    name = "other"
    has_modes = False
    can_sync_folders = False
    has_socket_files = False
    caps_memory = False
    groups_processes = False
    browsers: Sequence[str] = ()
    libreoffice: Sequence[str] = ()
    tesseract: Sequence[str] = ()
    cjk_families: Sequence[str] = ("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR")
    socket_folders: Sequence[str] = ()

    # Child processes.

    def start_options(self, *, apart: bool) -> dict[str, Any]:
        """Return arguments of subprocess.Popen for a program without a console, in a group of its own if apart."""
        return {}

    def variables_for_programs(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the environment variables for a program that does not belong to this one."""
        return dict(environment)

    def guarded(self, command: Sequence[str]) -> list[str]:
        """Return a command that also ends when the pipe at its standard input closes without a line, if possible."""
        return list(command)

    def group(self, process: int) -> ProcessGroup:
        """Return the group that a process leads, or is put into by this call; never raises."""
        return ProcessGroup()

    def lead_group(self) -> None:
        """Make the calling process the leader of a group; where a parent groups its children, nothing happens."""

    def end_with_parent(self, parent: int) -> None:
        """Have the system kill this process when its parent, given by its number, ends in any way; if it can."""

    def descendants(self, process: int) -> list[int] | None:
        """Return the numbers of the processes below a process; None if the system has no quick way to find them."""
        return None

    # Priorities.

    def lower_thread_priority(self) -> None:
        """Let the calling thread, and on Linux all that it starts from now on, give way to other threads."""

    def lower_process_priority(self) -> None:
        """Let the calling process give way to others, with the threads and processes that it starts from now on."""

    def usable_cores(self) -> int:
        """Return the number of processors that this process may use."""
        return os.cpu_count() or 1

    # Memory and other limits.

    def cap_memory(self, more: int) -> None:
        """Let this process allocate at most so many bytes more than now; a later call replaces the limit."""

    def lift_memory_cap(self) -> None:
        """Undo cap_memory()."""

    def limit_files(self, *, open_files: int | None, largest: int | None) -> None:
        """Disable core dumps, and limit the number of open files and the bytes of a file that this process writes."""

    def libc_function(self, name: str) -> Any:
        """Return a function of the system's C library by which its memory use is set; None if it does not exist."""
        return None

    def out_of_memory_kills(self) -> int:
        """Return how many processes the system has killed for lack of memory; 0 if it does not say."""
        return 0

    def untouched_memory(self, size: int) -> Any:
        """Return a writable buffer whose pages are allocated when first written; None if the system has none."""
        return None

    def give_up_privileges(self) -> None:
        """Deny new privileges to this process and to all that it starts, if the system can."""

    def adopt_orphans(self) -> None:
        """Become the parent of descendants whose parent ends, so that they can be found, if the system can."""

    def wipe_variables(self, names: Collection[bytes]) -> None:
        """Overwrite the values of environment variables where other programs could still read them."""

    # Files.

    def lock(self, descriptor: int, offset: int = 0) -> None:
        """Lock an open file for this process alone, without waiting, until the descriptor is closed.

        Args:
            descriptor: The file.
            offset: First byte of the locked part, on systems that lock parts.

        Raises:
            OSError: Another process holds the lock, or there are no locks.
        """

    def lock_shared(self, descriptor: int) -> bool:
        """Lock an open file against lock() of others, and return whether that worked."""
        return False

    def path_flag(self) -> int:
        """Return the flag that opens a path without its content, to be changed as /proc/self/fd/N; 0 for none."""
        return 0

    def disk_bytes(self, found: os.stat_result) -> int:
        """Return the bytes that a file occupies; its size where the system does not say."""
        return found.st_size

    def long_path(self, path: str) -> str:
        """Return a path under which a file can be opened even if the usual path is too long for the system."""
        return path

    def accepts_long_paths(self) -> bool:
        """Return False if paths beyond 260 characters are refused to programs that take no precaution."""
        return True

    # The user's session.

    def has_display(self) -> bool:
        """Return whether there is a display for a window."""
        return True

    def is_administrator(self) -> bool:
        """Return True if this process runs as the administrator of a Unix system (root)."""
        return False

    def socket_name(self, name: str, temporary: str) -> str:
        """Return the address of this user's local socket of a name; temporary is the temporary folder."""
        return name

    def owns_socket(self, address: str) -> bool:
        """Return True unless the socket at an address is missing or another user's; True where that cannot be seen."""
        return True

    def direct_program(self, program: Path) -> Path:
        """Return the program that LibreOffice's launcher starts, if it has to be started directly."""
        return program

    def has_chinese_font(self) -> bool | None:
        """Return whether a font with Chinese characters is installed; None if unknown."""
        return None

    def has_gpu(self) -> bool | None:
        """Return whether a graphics processor that computes is visible; None if unknown."""
        return None

    def processor_flags(self) -> Sequence[str]:
        """Return the names of the vector instructions that the processor has; empty if unknown."""
        return ()


def existing(places: Iterable[str]) -> str | None:
    """Return the first path of an executable file, None if there is none."""
    return next((place for place in places if os.path.isfile(place) and os.access(place, os.X_OK)), None)


@cache
def detect(platform: str) -> System:
    """Return the system that a value of sys.platform stands for."""
    # Imported here: each module uses what other systems do not have.
    if platform == "win32":
        from workbench.system.windows import Windows

        return Windows()
    if platform == "darwin":
        from workbench.system.macos import MacOS

        return MacOS()
    if platform.startswith("linux"):
        from workbench.system.linux import Linux

        return Linux()
    if os.name == "posix":
        from workbench.system.posix import Posix

        return Posix()
    return System()


_current: System | None = None
"""Set by tests, which use a fake."""


def current() -> System:
    """Return the system that this program runs on."""
    return _current if _current is not None else detect(sys.platform)
