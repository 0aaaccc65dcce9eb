"""Fakes of Windows and macOS: they write down what the program asks, and answer as the vendors document it."""

import ctypes
import errno
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.system import System, operating_system
from workbench.system.macos import MacOS
from workbench.system.windows import THIS_PROCESS, ExtendedLimits, MemoryCounters, Windows


def use_system(monkeypatch: pytest.MonkeyPatch, system: System) -> None:
    """Let the program take a fake for the system that it runs on."""
    monkeypatch.setattr(operating_system, "_current", system)


class FakeKernel:
    """kernel32 as far as the program uses it: job objects, handles, priorities, committed memory.

    Attributes:
        jobs: Handle of each open job -> numbers of its processes that run.
        limits: Handle of each job -> flags and bytes for each process.
        ended: Numbers of processes that a job ended.
        priorities: Handle -> priority class of a process, or priority of a thread.
        committed: Bytes that this process has committed.
        refused: Names of functions that fail.
    """

    def __init__(self, *refused: str, committed: int = 50 * 2**20) -> None:
        self.jobs: dict[int, set[int]] = {}
        self.limits: dict[int, tuple[int, int]] = {}
        self.ended: list[int] = []
        self.priorities: dict[int, int] = {}
        self.committed = committed
        self.refused = refused
        self._processes: dict[int, int] = {THIS_PROCESS: 1}
        self._next = 100

    def CreateJobObjectW(self, _security: None, _name: None) -> int | None:
        if "CreateJobObjectW" in self.refused:
            return None
        self._next += 4
        self.jobs[self._next] = set()
        return self._next

    def SetInformationJobObject(self, job: int, kind: int, limits: Any, size: int) -> int:
        assert (kind, size) == (9, ctypes.sizeof(ExtendedLimits))
        found = limits._obj
        self.limits[job] = (found.BasicLimitInformation.LimitFlags, found.ProcessMemoryLimit)
        return 1

    def OpenProcess(self, _access: int, _inherit: bool, process: int) -> int | None:
        self._next += 4
        self._processes[self._next] = process
        return self._next

    def AssignProcessToJobObject(self, job: int, handle: int) -> int:
        if "AssignProcessToJobObject" in self.refused:
            return 0
        self.jobs[job].add(self._processes[handle])
        return 1

    def TerminateJobObject(self, job: int, _code: int) -> int:
        self.ended += self.jobs[job]
        self.jobs[job].clear()
        return 1

    def CloseHandle(self, handle: int) -> int:
        if handle in self.jobs:
            if self.limits.get(handle, (0, 0))[0] & 0x2000:  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
                self.ended += self.jobs[handle]
            del self.jobs[handle]
        else:
            del self._processes[handle]
        return 1

    def SetPriorityClass(self, handle: int, priority: int) -> int:
        self.priorities[handle] = priority
        return 1

    SetThreadPriority = SetPriorityClass

    def K32GetProcessMemoryInfo(self, _handle: int, counters: Any, size: int) -> int:
        assert size == ctypes.sizeof(MemoryCounters)
        counters._obj.PagefileUsage = self.committed
        return 1

    @property
    def open_handles(self) -> int:
        """Number of handles of other processes that were opened and not closed."""
        return len(self._processes) - 1


class FakeModules:
    """The modules msvcrt and winreg; long_paths is the value in the registry, None for no such value."""

    def __init__(self, *, long_paths: int | None = 0) -> None:
        self.locked: list[int] = []
        self._long_paths = long_paths

    def __call__(self, name: str) -> Any:
        if name == "msvcrt":
            return SimpleNamespace(locking=self._lock, LK_NBLCK=2)
        return SimpleNamespace(OpenKey=self._open, QueryValueEx=self._value, HKEY_LOCAL_MACHINE=0)

    def _lock(self, descriptor: int, _mode: int, _size: int) -> None:
        import os

        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        if place in self.locked:
            raise OSError(errno.EACCES, "Permission denied")
        self.locked.append(place)

    @contextmanager
    def _open(self, _root: int, _place: str) -> Iterator[str]:
        yield "key"

    def _value(self, _key: str, _name: str) -> tuple[int, int]:
        if self._long_paths is None:
            raise FileNotFoundError
        return (self._long_paths, 4)


class FakeWindows(Windows):
    """Windows with a fake kernel32 and fake modules."""

    def __init__(self, kernel: FakeKernel | None = None, modules: FakeModules | None = None) -> None:
        self.kernel = kernel or FakeKernel()
        self.modules = modules or FakeModules()
        super().__init__(lambda: self.kernel, self.modules)

    def long_path(self, path: str) -> str:
        """Leave paths of the machine that runs the tests alone."""
        return super().long_path(path) if path[1:2] in (":", "\\") else path


class FakeMacOS(MacOS):
    """macOS with a fake C library, which records the classes of threads."""

    def __init__(self) -> None:
        self.classes: list[tuple[int, int]] = []
        super().__init__(lambda: SimpleNamespace(pthread_set_qos_class_self_np=self._set_class))

    def _set_class(self, kind: int, priority: int) -> int:
        self.classes.append((kind, priority))
        return 0
