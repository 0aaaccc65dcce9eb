"""Linux: parent-death signal, priorities of threads, limits on address space, /proc.

Each method goes without what a Linux system may lack: /proc in a container, glibc, fontconfig.
"""

import contextlib
import glob
import mmap
import os
import resource
import signal
import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.system.operating_system import NICENESS
from workbench.system.posix import Posix

# Options of prctl(2), from linux/prctl.h.
_PARENT_DEATH_SIGNAL, _SUBREAPER, _NO_NEW_PRIVILEGES = 1, 36, 38

_VECTOR_FLAGS = (
    "sse4_2",
    "avx",
    "avx2",
    "fma",
    "avx512f",
    "avx512_vnni",
    "avx_vnni",
    "amx_int8",
    "asimd",
    "asimddp",
    "sve",
)
"""Instructions by which onnxruntime and faiss choose their code, as /proc/cpuinfo names them."""

_GPU_DEVICES = ("/dev/nvidia0", "/dev/kfd", "/dev/accel/accel0")
"""Devices of NVIDIA's and AMD's drivers for computing, and of the kernel's accelerators."""


def _libc() -> Any:
    import ctypes  # imported where it is used, because it would delay the window's start by 6 ms

    return ctypes.CDLL(None, use_errno=True)


class Linux(Posix):
    """Linux; a method that finds no support changes nothing."""

    name = "linux"
    caps_memory = True
    cjk_families = ("Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK JP", "Noto Sans CJK KR")
    socket_folders = ("/tmp", "/var/tmp")

    def variables_for_programs(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the variables without the library path that the executable of a frozen program sets for itself.

        Another program has libraries of its own, and may fail with ours (pyinstaller.org, “LD_LIBRARY_PATH / LIBPATH
        considerations”).
        """
        variables = dict(environment)
        if getattr(sys, "frozen", False):
            variables.pop("LD_LIBRARY_PATH", None)
            if (before := variables.pop("LD_LIBRARY_PATH_ORIG", None)) is not None:
                variables["LD_LIBRARY_PATH"] = before
        return variables

    def end_with_parent(self, parent: int) -> None:
        """Ask for SIGKILL at the parent's end, which works even while a C library holds the interpreter lock.

        The signal is sent when the thread that started this process ends, so a pool's threads must live as long as the
        pool.
        """
        _libc().prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    def give_up_privileges(self) -> None:
        """Set no_new_privs, which seccomp and Landlock require."""
        _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)

    def adopt_orphans(self) -> None:
        """Become a subreaper."""
        _libc().prctl(_SUBREAPER, 1, 0, 0, 0)

    def descendants(self, process: int) -> list[int] | None:
        """Find them by /proc, in 20 us if there is none."""
        if not os.path.isdir(f"/proc/{os.getpid()}/task"):
            return None
        found, waiting = list[int](), [str(process)]
        while waiting:
            one = waiting.pop()
            with contextlib.suppress(OSError):
                for thread in os.listdir(f"/proc/{one}/task"):
                    with contextlib.suppress(OSError), open(f"/proc/{one}/task/{thread}/children", "rb") as children:
                        pids = children.read().decode("ascii").split()
                        found += map(int, pids)
                        waiting += pids
        return found

    def lower_thread_priority(self) -> None:
        """Set the niceness of the thread, which the threads and processes that it starts inherit."""
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)

    def lower_process_priority(self) -> None:
        """Set the niceness of the calling thread, which everything started later inherits."""
        self.lower_thread_priority()

    def usable_cores(self) -> int:
        """Return the number of processors in the affinity mask."""
        return len(os.sched_getaffinity(0))

    def cap_memory(self, more: int) -> None:
        """Limit the address space to its current size plus more bytes."""
        try:
            with open("/proc/self/statm", encoding="ascii") as statm:
                pages = int(statm.read().split()[0])
        except (OSError, ValueError):  # no /proc
            return
        _set_soft_limit(pages * resource.getpagesize() + more)

    def lift_memory_cap(self) -> None:
        """Set the limit of the address space to the highest that is allowed."""
        _set_soft_limit(resource.getrlimit(resource.RLIMIT_AS)[1])

    def libc_function(self, name: str) -> Any:
        """Return a function of glibc; another C library may lack it."""
        return getattr(_libc(), name, None)

    def out_of_memory_kills(self) -> int:
        """Return the number of the whole machine or, if that is not available, of this process's control group."""
        with contextlib.suppress(OSError, ValueError, IndexError, StopIteration):
            return _field("/proc/vmstat", "oom_kill")
        with contextlib.suppress(OSError, ValueError, IndexError, StopIteration):
            group = Path("/proc/self/cgroup").read_text("ascii", "replace").partition("0::")[2].splitlines()[0]
            return _field(f"/sys/fs/cgroup{group}/memory.events", "oom_kill")
        return 0

    def untouched_memory(self, size: int) -> Any:
        """Return an anonymous private mapping of small pages."""
        memory = super().untouched_memory(size)
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        return memory

    def wipe_variables(self, names: Collection[bytes]) -> None:
        """Overwrite the values in the process's initial environment block, which /proc/self/environ shows."""
        import ctypes

        entries = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
        place = 0
        while entries and (address := entries[place]):
            entry = ctypes.string_at(address)
            name, _, value = entry.partition(b"=")
            if name in names and value:
                ctypes.memset(address + len(name) + 1, 0, len(value))
            place += 1

    def path_flag(self) -> int:
        """Return O_PATH where /proc is mounted."""
        return os.O_PATH if os.path.isdir("/proc/self/fd") else 0

    def direct_program(self, program: Path) -> Path:
        """Return soffice.bin beside the launcher, which would restart it under the same lock."""
        real = program.resolve().with_name("soffice.bin")
        return real if real.is_file() else program

    def has_chinese_font(self) -> bool | None:
        """Ask fontconfig, by which Qt finds fonts, for one that covers the language."""
        import ctypes

        try:
            library = ctypes.CDLL("libfontconfig.so.1")
            for name in ("FcNameParse", "FcObjectSetCreate", "FcFontList"):
                getattr(library, name).restype = ctypes.c_void_p
            wanted, nothing = library.FcNameParse(b":lang=zh"), library.FcObjectSetCreate()
            found = library.FcFontList(None, ctypes.c_void_p(wanted), ctypes.c_void_p(nothing))
        except (OSError, AttributeError):
            return None
        # FcFontSet begins with the number of fonts; what is allocated here is for one report and is not released.
        return bool(found) and ctypes.c_int.from_address(found).value > 0

    def has_gpu(self) -> bool | None:
        """Look for the devices of drivers for computing."""
        return any(glob.glob(place) for place in _GPU_DEVICES)

    def processor_flags(self) -> Sequence[str]:
        """Return those of /proc/cpuinfo that matter for vectors."""
        with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.strip() in ("flags", "Features"):
                    present = set(value.split())
                    return [flag for flag in _VECTOR_FLAGS if flag in present]
        return ()


def _set_soft_limit(limit: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard) if limit != resource.RLIM_INFINITY else hard
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _field(path: str, name: str) -> int:
    lines = Path(path).read_text("ascii", "replace").splitlines()
    return int(next(line.split()[1] for line in lines if line.split()[:1] == [name]))
