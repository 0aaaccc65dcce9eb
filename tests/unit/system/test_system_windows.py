"""Windows, by a fake of its C functions: what the program asks for is what Microsoft documents."""

import ctypes
import errno
import os
from pathlib import Path

import pytest
from fake_systems import FakeKernel, FakeModules, FakeWindows, use_system

from workbench.errors import LibraryLocked
from workbench.store.lock import LibraryLock
from workbench.system import existing
from workbench.system.windows import ExtendedLimits, MemoryCounters
from workbench.worker import confinement
from workbench.worker.serving import cap_memory, lift_memory_cap

MEGABYTE = 2**20
_KILL_ON_CLOSE, _PROCESS_MEMORY = 0x2000, 0x100
_PLAIN = "C:\\" + "a" * 240
_LONG = "C:\\" + "a" * 250


def test_the_structures_have_the_sizes_of_the_documentation() -> None:
    assert ctypes.sizeof(ctypes.c_size_t) != 8 or ctypes.sizeof(ExtendedLimits) == 144
    assert ctypes.sizeof(ctypes.c_size_t) != 8 or ctypes.sizeof(MemoryCounters) == 72


def test_a_child_with_all_that_it_started_ends_when_it_is_killed() -> None:
    windows = FakeWindows()
    group = windows.group(4711)
    (job,) = windows.kernel.jobs
    windows.kernel.jobs[job].add(4712)  # what a process of a job starts belongs to the job
    group.kill()
    assert sorted(windows.kernel.ended) == [4711, 4712]
    assert windows.kernel.open_handles == 0


def test_a_child_ends_with_the_program_because_its_job_ends_when_it_is_closed() -> None:
    windows = FakeWindows()
    group = windows.group(4711)
    ((flags, _bytes),) = windows.kernel.limits.values()
    assert flags & _KILL_ON_CLOSE
    group.close()
    assert windows.kernel.ended == [4711]
    group.kill()
    group.close()
    assert windows.kernel.ended == [4711]


@pytest.mark.parametrize("refused", ["CreateJobObjectW", "AssignProcessToJobObject"])
@pytest.mark.logs_warnings
def test_a_child_that_no_job_takes_is_only_killed_itself(refused: str) -> None:
    windows = FakeWindows(FakeKernel(refused))
    windows.group(4711).kill()
    assert (windows.kernel.ended, windows.kernel.jobs, windows.kernel.open_handles) == ([], {}, 0)


def test_the_memory_of_a_child_is_capped_above_what_it_has_and_freed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    windows = FakeWindows(FakeKernel(committed=70 * MEGABYTE))
    use_system(monkeypatch, windows)
    cap_memory(100)
    ((flags, most),) = windows.kernel.limits.values()
    assert (flags & _PROCESS_MEMORY, most) == (_PROCESS_MEMORY, (70 + 100 + 512) * MEGABYTE)
    lift_memory_cap()
    ((flags, _most),) = windows.kernel.limits.values()
    assert not flags & _PROCESS_MEMORY
    assert windows.kernel.ended == []  # the job stays open: closing it would end this process


@pytest.mark.logs_warnings
def test_a_child_process_without_a_job_continues_without_a_memory_limit() -> None:
    windows = FakeWindows(FakeKernel("AssignProcessToJobObject"))
    windows.cap_memory(MEGABYTE)
    windows.lift_memory_cap()
    assert windows.kernel.jobs == {}
    assert not any(flags & _PROCESS_MEMORY for flags, _most in windows.kernel.limits.values())


def test_background_work_lowers_its_priority_by_thread_and_by_process() -> None:
    windows = FakeWindows()
    windows.lower_thread_priority()
    windows.lower_process_priority()
    assert windows.kernel.priorities == {-2: -1, -1: 0x4000}


def test_a_program_shows_no_console_and_gets_no_ctrl_c_of_ours() -> None:
    windows = FakeWindows()
    assert windows.start_options(apart=False) == {"creationflags": 0x08000000}
    assert windows.start_options(apart=True) == {"creationflags": 0x08000200}
    assert windows.guarded(["soffice.exe", "--headless"]) == ["soffice.exe", "--headless"]


def test_a_second_window_is_refused_by_the_lock_of_a_byte_far_behind_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows = FakeWindows()
    use_system(monkeypatch, windows)
    first = LibraryLock(tmp_path)
    with pytest.raises(LibraryLocked, match=f"process {os.getpid()}"):
        LibraryLock(tmp_path)
    assert windows.modules.locked == [0x40000000]
    first.close()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (_PLAIN, _PLAIN),
        (_LONG, f"\\\\?\\{_LONG}"),
        ("\\\\server\\share\\" + "b" * 250, "\\\\?\\UNC\\server\\share\\" + "b" * 250),
        (f"\\\\?\\{_LONG}", f"\\\\?\\{_LONG}"),
        ("relative\\" + "c" * 250, "relative\\" + "c" * 250),
        ("C:\\" + "\U0001f4d6" * 130, "\\\\?\\C:\\" + "\U0001f4d6" * 130),
    ],
)
def test_a_path_that_is_too_long_is_opened_by_its_extended_form(path: str, expected: str) -> None:
    assert FakeWindows().long_path(path) == expected


@pytest.mark.parametrize(("value", "expected"), [(1, True), (0, False), (None, False)])
def test_whether_long_paths_are_allowed_is_read_from_the_registry(value: int | None, expected: bool) -> None:
    assert FakeWindows(modules=FakeModules(long_paths=value)).accepts_long_paths() is expected


def test_programs_are_looked_for_where_they_are_installed() -> None:
    windows = FakeWindows()
    assert r"C:\Program Files\LibreOffice\program\soffice.exe" in windows.libreoffice
    assert r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe" in windows.browsers
    assert existing(windows.libreoffice) is None


def test_the_protection_of_the_readers_and_its_gaps_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    use_system(monkeypatch, FakeWindows())
    found = confinement.protection()
    assert "with limits on time, memory, files" in found.sentence
    assert "Windows cannot restrict their access to the network or to your files. A job object limits" in found.missing
    assert not confinement.is_enforced()


def test_each_user_has_a_pipe_of_his_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USERNAME", "Ann")
    assert FakeWindows().socket_name("knowledge-workbench-1", "C:\\Temp") == "knowledge-workbench-1-Ann"


def test_a_byte_that_another_process_holds_is_refused(tmp_path: Path) -> None:
    windows = FakeWindows()
    with (tmp_path / "file").open("w+b") as file:
        windows.lock(file.fileno(), 7)
        with pytest.raises(OSError, match="denied") as caught:
            windows.lock(file.fileno(), 7)
        assert caught.value.errno == errno.EACCES
