"""Windows: job objects, priority classes, long paths; by Microsoft's documentation, never run there.

Names and values of the structures and constants of the C functions are those of winnt.h, jobapi2.h,
processthreadsapi.h and psapi.h, in Microsoft's documentation.
"""

import ctypes
import importlib
import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from workbench.system.operating_system import ProcessGroup, System

logger = logging.getLogger(__name__)

_JOB_OBJECT_EXTENDED_LIMIT_INFORMATION = 9
_JOB_OBJECT_LIMIT_PROCESS_MEMORY = 0x00000100
_JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION = 0x00000400
_JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE = 0x00002000
_PROCESS_TERMINATE, _PROCESS_SET_QUOTA = 0x0001, 0x0100
_BELOW_NORMAL_PRIORITY_CLASS = 0x00004000
_THREAD_PRIORITY_BELOW_NORMAL = -1
_CREATE_NEW_PROCESS_GROUP, _CREATE_NO_WINDOW = 0x00000200, 0x08000000
THIS_PROCESS, _THIS_THREAD = -1, -2
"""Pseudo handles, as GetCurrentProcess() and GetCurrentThread() return them."""
_KILLED = 1
"""Exit code of the processes of a job that is terminated."""


class _BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, with IO_COUNTERS as six numbers."""

    _fields_ = (
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class MemoryCounters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS; PagefileUsage is the memory that the process has committed."""

    _fields_ = (
        ("cb", ctypes.c_uint32),
        ("PageFaultCount", ctypes.c_uint32),
        *((f"Size{number}", ctypes.c_size_t) for number in range(6)),
        ("PagefileUsage", ctypes.c_size_t),
        ("PeakPagefileUsage", ctypes.c_size_t),
    )


def _load_kernel32() -> Any:
    """Return kernel32 with the argument and result types of the functions used: handles have 64 bits."""
    kernel = getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009 - it exists on Windows only
    handle, number, pointer = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p
    for name, arguments, result in (
        ("CreateJobObjectW", (pointer, ctypes.c_wchar_p), handle),
        ("SetInformationJobObject", (handle, ctypes.c_int, pointer, number), ctypes.c_int),
        ("AssignProcessToJobObject", (handle, handle), ctypes.c_int),
        ("TerminateJobObject", (handle, number), ctypes.c_int),
        ("OpenProcess", (number, ctypes.c_int, number), handle),
        ("CloseHandle", (handle,), ctypes.c_int),
        ("SetPriorityClass", (handle, number), ctypes.c_int),
        ("SetThreadPriority", (handle, ctypes.c_int), ctypes.c_int),
        ("K32GetProcessMemoryInfo", (handle, pointer, number), ctypes.c_int),
    ):
        function = getattr(kernel, name)
        function.argtypes, function.restype = arguments, result
    return kernel


class _Job:
    """Job object: processes that Windows ends together when the last handle to the job is closed.

    Everything that a process of the job starts belongs to it, because it may not break away. If this process is killed,
    Windows closes its handles.
    """

    def __init__(self, kernel: Any, *, with_this_process: bool = False) -> None:
        """Create a job that is empty or contains the calling process; jobs may be nested since Windows 8.

        Raises:
            OSError: Windows refuses.
        """
        self._kernel = kernel
        self._handle = kernel.CreateJobObjectW(None, None)
        if not self._handle:
            raise OSError("CreateJobObject failed")
        if with_this_process and not kernel.AssignProcessToJobObject(self._handle, THIS_PROCESS):
            self.close()
            raise OSError("AssignProcessToJobObject failed")
        self.set_limits()

    def set_limits(self, *, process_bytes: int | None = None) -> None:
        """Set the limits of the job: process_bytes of committed memory for each process, None for any amount.

        Raises:
            OSError: Windows refuses.
        """
        limits = ExtendedLimits()
        flags = _JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | _JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
        if process_bytes is not None:
            flags |= _JOB_OBJECT_LIMIT_PROCESS_MEMORY
            limits.ProcessMemoryLimit = process_bytes
        limits.BasicLimitInformation.LimitFlags = flags
        self._require(
            self._kernel.SetInformationJobObject(
                self._handle, _JOB_OBJECT_EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
            ),
            "SetInformationJobObject",
        )

    def add(self, process: int) -> None:
        """Add the process with a number.

        Raises:
            OSError: Windows refuses, or the process has ended.
        """
        handle = self._kernel.OpenProcess(_PROCESS_TERMINATE | _PROCESS_SET_QUOTA, False, process)
        if not handle:
            raise OSError("OpenProcess failed")
        try:
            self._require(self._kernel.AssignProcessToJobObject(self._handle, handle), "AssignProcessToJobObject")
        finally:
            self._kernel.CloseHandle(handle)

    def terminate(self) -> None:
        """End all processes of the job; does nothing after close()."""
        if self._handle:
            self._kernel.TerminateJobObject(self._handle, _KILLED)

    def close(self) -> None:
        """Close the handle, which ends what is left in the job."""
        if self._handle:
            self._kernel.CloseHandle(self._handle)
            self._handle = None

    @staticmethod
    def _require(done: int, function: str) -> None:
        if not done:
            raise OSError(f"{function} failed")


_LONGEST_USUAL = 247
"""Longest path, in UTF-16 units, that every function of Windows takes: 260, less the terminator, and 12 for a file in a
folder (“Maximum Path Length Limitation”)."""

_PROGRAMS = tuple(
    dict.fromkeys(
        os.environ.get(name, usual)
        for name, usual in (
            ("ProgramW6432", r"C:\Program Files"),
            ("ProgramFiles", r"C:\Program Files"),
            ("ProgramFiles(x86)", r"C:\Program Files (x86)"),
        )
    )
)


def _in_programs(*programs: str) -> tuple[str, ...]:
    own = os.environ.get("LOCALAPPDATA")
    folders = (*_PROGRAMS, *([own] if own else []))
    return tuple(f"{folder}\\{program}" for program in programs for folder in folders)


class _JobGroup(ProcessGroup):
    """Process in a job object of this process."""

    def __init__(self, job: _Job) -> None:
        self._job = job

    def kill(self) -> None:
        self._job.terminate()

    def close(self) -> None:
        self._job.close()


class Windows(System):
    """Windows 10 and later.

    A child is put into a job object when it was started, before it is sent anything. So it ends, with all that it
    starts, when this process ends in any way. Files and the network are not taken from it.
    """

    name = "windows"
    caps_memory = True
    groups_processes = True
    browsers = _in_programs(
        r"Google\Chrome\Application\chrome.exe",
        r"Chromium\Application\chrome.exe",
        r"Microsoft\Edge\Application\msedge.exe",
        r"BraveSoftware\Brave-Browser\Application\brave.exe",
    )
    libreoffice = _in_programs(r"LibreOffice\program\soffice.exe")
    tesseract = _in_programs(r"Tesseract-OCR\tesseract.exe", r"Programs\Tesseract-OCR\tesseract.exe")
    cjk_families = ("Microsoft YaHei", "Microsoft YaHei UI", "SimSun", "Yu Gothic UI", "Malgun Gothic")

    def __init__(
        self,
        load_kernel: Callable[[], Any] = _load_kernel32,
        load_module: Callable[[str], Any] = importlib.import_module,
    ) -> None:
        """Create it.

        Args:
            load_kernel: Loads kernel32, at the first use.
            load_module: Imports msvcrt and winreg, which only Python on Windows has.
        """
        self._load_kernel = load_kernel
        self._load_module = load_module
        self._kernel_lock = threading.Lock()
        self._kernel: Any = None
        self._own_job: _Job | None = None

    def start_options(self, *, apart: bool) -> dict[str, Any]:
        """Show no console; apart, Ctrl+C of our console is not passed on."""
        return {"creationflags": _CREATE_NO_WINDOW | (_CREATE_NEW_PROCESS_GROUP if apart else 0)}

    def group(self, process: int) -> ProcessGroup:
        """Put the process into a new job object; if Windows refuses, the group is the process alone."""
        try:
            job = _Job(self._kernel32())
        except OSError as error:
            logger.warning("What a child process starts may outlive it: %s", error)
            return ProcessGroup()
        try:
            job.add(process)
        except OSError as error:  # also if it has ended already
            job.close()
            logger.info("A child process is in no job: %s", error)
            return ProcessGroup()
        return _JobGroup(job)

    def lower_thread_priority(self) -> None:
        """Lower the priority of the calling thread; threads that it starts are not affected."""
        self._kernel32().SetThreadPriority(_THIS_THREAD, _THREAD_PRIORITY_BELOW_NORMAL)

    def lower_process_priority(self) -> None:
        """Set the priority class, which processes started later inherit."""
        self._kernel32().SetPriorityClass(THIS_PROCESS, _BELOW_NORMAL_PRIORITY_CLASS)

    def cap_memory(self, more: int) -> None:
        """Limit the committed memory to the present amount plus more bytes, by a job of this process alone.

        What this process starts gets the same limit.
        """
        counters = MemoryCounters()
        counters.cb = ctypes.sizeof(counters)
        kernel = self._kernel32()
        if not kernel.K32GetProcessMemoryInfo(THIS_PROCESS, ctypes.byref(counters), counters.cb):
            return
        try:
            if self._own_job is None:
                self._own_job = _Job(kernel, with_this_process=True)
            self._own_job.set_limits(process_bytes=counters.PagefileUsage + more)
        except OSError as error:
            logger.warning("A child process goes on without a limit of its memory: %s", error)

    def lift_memory_cap(self) -> None:
        """Remove the limit, and keep the job: closing it would end this process."""
        if self._own_job is not None:
            with suppress(OSError):
                self._own_job.set_limits()

    def lock(self, descriptor: int, offset: int = 0) -> None:
        """Lock one byte: Windows locks parts of a file, and keeps others from reading them."""
        msvcrt = self._load_module("msvcrt")
        os.lseek(descriptor, offset, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

    def long_path(self, path: str) -> str:
        r"""Return \\?\C:\… or \\?\UNC\server\… for an absolute path that is too long otherwise."""
        if len(path.encode("utf-16-le")) // 2 <= _LONGEST_USUAL or path.startswith("\\\\?\\"):
            return path
        if path.startswith("\\\\"):
            return "\\\\?\\UNC" + path[1:]
        return "\\\\?\\" + path if path[1:3] == ":\\" else path

    def accepts_long_paths(self) -> bool:
        """Return the setting LongPathsEnabled of the registry, which is off in a new Windows."""
        try:
            registry = self._load_module("winreg")
            place = r"SYSTEM\CurrentControlSet\Control\FileSystem"
            with registry.OpenKey(registry.HKEY_LOCAL_MACHINE, place) as key:
                return bool(registry.QueryValueEx(key, "LongPathsEnabled")[0])
        except OSError:
            return False

    def socket_name(self, name: str, temporary: str) -> str:
        """Return the name of a pipe for this user."""
        return f"{name}-{os.environ.get('USERNAME', '')}"

    def has_chinese_font(self) -> bool | None:
        """Look for the fonts that Windows has in every language, or adds for Chinese."""
        folder = os.path.join(os.environ.get("WINDIR", r"C:\Windows"), "Fonts")
        return any(os.path.isfile(os.path.join(folder, name)) for name in ("msyh.ttc", "simsun.ttc", "msjh.ttc"))

    def has_gpu(self) -> bool | None:
        """Look for NVIDIA's library for computing, which its driver installs."""
        return os.path.isfile(os.path.join(os.environ.get("WINDIR", r"C:\Windows"), "System32", "nvcuda.dll"))

    def _kernel32(self) -> Any:
        with self._kernel_lock:
            if self._kernel is None:
                self._kernel = self._load_kernel()
            return self._kernel
