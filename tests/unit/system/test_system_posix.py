"""Linux and macOS: what each is asked for, and what happens where a part of the system is missing."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_systems import FakeMacOS, use_system

from workbench.files.changes import close_to_others
from workbench.system import System, current
from workbench.system.linux import Linux
from workbench.system.operating_system import detect, existing
from workbench.worker import confinement

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="runs on Linux only")


@pytest.fixture
def no_proc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Linux on which /proc is not mounted."""
    is_folder, opened = os.path.isdir, open

    def open_elsewhere(path: object, *args: object, **options: object) -> object:
        if str(path).startswith("/proc"):
            raise FileNotFoundError(path)
        return opened(path, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(os.path, "isdir", lambda path: not str(path).startswith("/proc") and is_folder(path))
    monkeypatch.setattr("builtins.open", open_elsewhere)
    return


def test_each_operating_system_is_recognised() -> None:
    names = [detect(platform).name for platform in ("linux", "darwin", "win32", "freebsd14")]
    assert names == ["linux", "macos", "windows", "posix"]


def test_a_system_that_is_not_known_does_what_every_system_can() -> None:
    system = System()
    system.cap_memory(1)
    system.lead_group()
    system.group(os.getpid()).kill()
    assert (system.guarded(["a"]), system.usable_cores(), system.descendants(1)) == (["a"], os.cpu_count(), None)
    assert system.untouched_memory(10) is None


@LINUX
def test_a_group_is_killed_with_all_that_it_started() -> None:
    linux = Linux()
    script = "import subprocess, sys; print(subprocess.Popen(['sleep', '60']).pid, flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        **linux.start_options(apart=True),
    ) as leader:
        assert leader.stdout is not None
        started = int(leader.stdout.readline())
        assert linux.descendants(leader.pid) == [started]
        linux.group(leader.pid).kill()
        assert leader.wait(10) == -9
        assert leader.stdout.read() == b""  # both ends of the pipe are closed
    assert started > 0


@LINUX
@pytest.mark.usefixtures("no_proc")
def test_without_proc_nothing_is_counted_capped_or_refused(tmp_path: Path) -> None:
    linux = Linux()
    linux.cap_memory(1)
    assert (linux.descendants(os.getpid()), linux.path_flag(), linux.processor_flags()) == (None, 0, ())
    file = tmp_path / "library.sqlite3"
    file.touch(0o644)
    close_to_others(file, within=tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600


@LINUX
def test_a_c_library_without_the_functions_of_glibc_is_no_error() -> None:
    assert Linux().libc_function("no_such_function_anywhere") is None


@LINUX
def test_the_instructions_of_the_processor_are_named() -> None:
    assert {"sse4_2", "asimd"} & set(Linux().processor_flags())


def test_a_macos_thread_lowers_its_priority_by_its_quality_of_service() -> None:
    macos = FakeMacOS()
    macos.lower_thread_priority()
    assert macos.classes == [(0x11, 0)]  # QOS_CLASS_UTILITY


def test_macos_has_no_memory_cap_and_the_missing_protection_of_parser_processes_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    macos = FakeMacOS()
    macos.cap_memory(1)
    use_system(monkeypatch, macos)
    assert not macos.caps_memory
    assert "Their memory is watched and not limited" in confinement.protection().missing
    assert confinement.without_network(["soffice"]) is None


def test_programs_of_a_mac_are_looked_for_in_both_folders_of_applications() -> None:
    ours, users = FakeMacOS().libreoffice
    assert ours == "/Applications/LibreOffice.app/Contents/MacOS/soffice"
    assert users.endswith("Applications/LibreOffice.app/Contents/MacOS/soffice")
    assert users != ours


def test_only_an_executable_file_is_accepted_as_a_program(tmp_path: Path) -> None:
    text, program = tmp_path / "text", tmp_path / "program"
    text.touch(0o644)
    program.touch(0o755)
    assert existing([str(tmp_path), str(text), str(program)]) == str(program)


def test_this_system_is_one_that_was_detected() -> None:
    assert current() is detect(sys.platform)
