"""The log of all processes: no private data, limited size, safe for many writers, and never blocking."""

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import LibraryUnwritable
from workbench.logs import keep_secret
from workbench.logs.formatting import TRACE, FileLines
from workbench.logs.log_file import NAME, LogFile, last_lines

SECRET = "Frau Amsel wird entlassen"
KEY = "canary-key-0917-zkq4"


def record(message: str, *args: Any, name: str = "workbench.x", level: int = logging.INFO, **more: Any) -> Any:
    made = logging.LogRecord(name, level, "/home/ada/x/workbench.py", 7, message, args, more.pop("exc_info", None))
    made.__dict__.update(more)
    return made


def line(*args: Any, **more: Any) -> str:
    return FileLines("window").format(record(*args, **more))


def writer(folder: Path, **more: Any) -> LogFile:
    return LogFile("test", folder, **more)


def test_a_log_line_contains_the_time_the_process_and_the_message() -> None:
    told = line("%d files of %s", 3, "/papers/a b.pdf")
    assert told.endswith(" window INFO workbench.x: 3 files of ‹/papers/a b.pdf›")
    assert told[10] == "T"
    assert told.split(" ")[0].endswith("Z")


def test_a_log_line_contains_no_text_quoted_by_errors_and_no_keys() -> None:
    keep_secret(KEY)
    told = line("%s failed with %s: %s", f"https://x/?q={KEY}", ValueError(SECRET), LibraryUnwritable(f"“{SECRET}” no"))
    assert SECRET not in told
    assert KEY not in told


def test_messages_of_other_packages_are_logged_without_their_text() -> None:
    told = line("HTTP Request: GET https://x/?q=%s", SECRET, name="httpx2")
    assert SECRET not in told
    assert told.endswith("httpx2: something was said at workbench.py:7")


def test_a_trace_is_indented_and_line_breaks_in_names_cannot_forge_a_line() -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        told = line("reading %s", "a\n2026-01-01T00:00:00Z 1 window ERROR forged", exc_info=(type(error), error, None))
    first, *rest = told.splitlines()
    assert "‹a 2026" in first
    assert rest[-1] == "    ValueError"
    assert all(one.startswith("    ") for one in rest)
    assert line("x", **{TRACE: "a\nb"}).splitlines()[1:] == ["    a", "    b"]


def test_a_record_that_does_not_fit_its_arguments_is_written_without_them() -> None:
    assert line("%d of %s", "not a number").endswith("workbench.x: %d of %s")


def test_the_log_stays_small_however_much_is_written(tmp_path: Path) -> None:
    log = writer(tmp_path, most_bytes=2_000, older=2)
    for number in range(300):
        log.emit(record("line %d", number))
    sizes = {path.name: path.stat().st_size for path in tmp_path.glob(f"{NAME}*")}
    assert set(sizes) == {NAME, f"{NAME}.1", f"{NAME}.2", f"{NAME}.lock"}
    assert max(sizes.values()) <= 2_000
    assert [int(one.rpartition(" ")[2]) for one in last_lines(20, tmp_path)] == list(range(280, 300))


def test_programs_that_write_at_once_lose_no_line_and_cut_none(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib, logging\n"
        "from workbench.logs.log_file import LogFile\n"
        "log = LogFile(sys.argv[2], pathlib.Path(sys.argv[1]), most_bytes=12_000, older=4)\n"
        "for n in range(100):\n"
        "    log.emit(logging.LogRecord('workbench.x', 20, '', 1, 'line %d of %s', (n, sys.argv[2]), None))\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), f"program_{n}"]) for n in range(3)]
    assert [one.wait(60) for one in started] == [0, 0, 0]
    lines = [
        one for path in tmp_path.glob(f"{NAME}*") if "lock" not in path.name for one in path.read_text().splitlines()
    ]
    assert len(lines) == 300
    assert all("INFO workbench.x: line " in one and one.endswith("›") for one in lines)


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    writer(blocked / "log").emit(record("nobody hears this"))
    assert last_lines(5, blocked / "log") == []


def test_debug_messages_of_other_packages_about_each_request_are_not_logged(tmp_path: Path) -> None:
    log = writer(tmp_path)
    log.emit(record("Request options: %s", SECRET, name="openai._base_client", level=logging.DEBUG))
    log.emit(record("retried", name="openai._base_client", level=logging.WARNING))
    (line,) = last_lines(5, tmp_path)
    assert "WARNING openai._base_client: something was said" in line


def test_a_longer_record_is_cut(tmp_path: Path) -> None:
    writer(tmp_path).emit(record("x", **{TRACE: "y" * 50_000}))
    assert (tmp_path / NAME).stat().st_size < 21_000
    assert last_lines(1, tmp_path) == ["    [cut]"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights of files")
def test_other_users_have_no_access_to_the_log_file(tmp_path: Path) -> None:
    writer(tmp_path).emit(record("x"))
    assert (tmp_path / NAME).stat().st_mode & 0o077 == 0
