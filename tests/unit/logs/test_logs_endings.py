"""Crashes by native code are reported at the next start; normal exits leave nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.logs import crash_marker

CRASHING = (
    "import sys\nfrom workbench.logs.log_file import start_crash_watch\nstart_crash_watch('ask')\n"
    "def reading_private_things():\n    import faulthandler; faulthandler._sigsegv()\n"
    "if sys.argv[1] == 'crash': reading_private_things()\n"
    "if sys.argv[1] == 'kill': import os; os.kill(os.getpid(), 9)\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made = tmp_path / "knowledge-workbench" / "log"
    monkeypatch.setattr(crash_marker, "log_folder", lambda: made)
    return made


def run(how: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", CRASHING, how], stderr=subprocess.DEVNULL)
    process.wait(60)
    return process


def test_a_native_crash_is_reported_once_at_the_next_start(folder: Path) -> None:
    run("crash")
    crash = crash_marker.last_crash()
    assert crash is not None
    assert crash.program == "ask"
    assert "reading_private_things" in crash.trace
    assert str(Path(sys.executable).parents[1]) not in crash.trace
    assert crash_marker.last_crash() is None
    assert list(folder.glob("*.running")) == []


def test_a_crash_of_a_child_is_no_end_of_the_program(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "child-4194303.running").write_text("Fatal Python error: Segmentation fault")
    assert crash_marker.last_crash() is None
    assert list(folder.glob("*.running")) == []


@pytest.mark.parametrize("how", ["end", "kill"])
def test_an_end_without_a_fault_of_the_program_is_no_crash(folder: Path, how: str) -> None:
    run(how)
    assert crash_marker.last_crash() is None
    assert list(folder.glob("*.running")) == []


def test_a_program_that_still_runs_is_left_alone(folder: Path) -> None:
    folder.mkdir(parents=True)
    running = folder / f"window-{os.getpid()}.running"
    running.write_text("Fatal Python error: not yet")
    assert crash_marker.last_crash() is None
    assert running.exists()


def test_a_child_that_crashed_is_asked_for_by_its_number(folder: Path) -> None:
    process = run("crash")
    crash = crash_marker.crash_of(process.pid)
    assert crash is not None
    assert "Segmentation fault" in crash.trace
    assert crash_marker.crash_of(process.pid) is None


def test_without_a_folder_to_write_to_nothing_is_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setattr(crash_marker, "log_folder", lambda: blocked / "log")
    crash_marker.CrashWatch("window").end()
    assert crash_marker.last_crash() is None
