"""Structures and constants of the C functions of Windows that windows.py uses, and the handle of a job object.

Names and values are those of winnt.h, jobapi2.h, processthreadsapi.h and psapi.h, in Microsoft's documentation.
"""

import ctypes
from typing import Any

JOB_OBJECT_EXTENDED_LIMIT_INFORMATION = 9
JOB_OBJECT_LIMIT_PROCESS_MEMORY = 0x00000100
JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION = 0x00000400
JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE = 0x00002000
PROCESS_TERMINATE, PROCESS_SET_QUOTA = 0x0001, 0x0100
BELOW_NORMAL_PRIORITY_CLASS = 0x00004000
THREAD_PRIORITY_BELOW_NORMAL = -1
CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW = 0x00000200, 0x08000000
THIS_PROCESS, THIS_THREAD = -1, -2
"""Pseudo handles, as GetCurrentProcess() and GetCurrentThread() return them."""
KILLED = 1
"""Exit code of the processes of a job that is terminated."""


class BasicLimits(ctypes.Structure):
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
        ("BasicLimitInformation", BasicLimits),
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


def load_kernel32() -> Any:
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


class Job:
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
        flags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
        if process_bytes is not None:
            flags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY
            limits.ProcessMemoryLimit = process_bytes
        limits.BasicLimitInformation.LimitFlags = flags
        self._require(
            self._kernel.SetInformationJobObject(
                self._handle, JOB_OBJECT_EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
            ),
            "SetInformationJobObject",
        )

    def add(self, process: int) -> None:
        """Add the process with a number.

        Raises:
            OSError: Windows refuses, or the process has ended.
        """
        handle = self._kernel.OpenProcess(PROCESS_TERMINATE | PROCESS_SET_QUOTA, False, process)
        if not handle:
            raise OSError("OpenProcess failed")
        try:
            self._require(self._kernel.AssignProcessToJobObject(self._handle, handle), "AssignProcessToJobObject")
        finally:
            self._kernel.CloseHandle(handle)

    def terminate(self) -> None:
        """End all processes of the job; does nothing after close()."""
        if self._handle:
            self._kernel.TerminateJobObject(self._handle, KILLED)

    def close(self) -> None:
        """Close the handle, which ends what is left in the job."""
        if self._handle:
            self._kernel.CloseHandle(self._handle)
            self._handle = None

    @staticmethod
    def _require(done: int, function: str) -> None:
        if not done:
            raise OSError(f"{function} failed")
