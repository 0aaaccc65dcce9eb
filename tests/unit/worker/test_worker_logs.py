"""Log output of children, and crashes by native code in them, are in the log although they can open no files."""

import asyncio
import ctypes
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.logs import crash_marker, log_file
from workbench.logs.log_file import NAME
from workbench.worker.processes import ProcessCrashed, ProcessPool

SECRET = "Frau Amsel wird entlassen"


def say(word: str) -> int:
    logging.getLogger("workbench.parsing").info("A page of %s is damaged", word)
    return os.getpid()


def read_into_the_void(_word: str) -> None:
    ctypes.string_at(0)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the log for this process and its children."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    folder = tmp_path / "knowledge-workbench" / "log"
    for module in (log_file, crash_marker):
        monkeypatch.setattr(module, "log_folder", lambda: folder)
    return folder


@pytest.fixture
def pool(log: Path) -> Iterator[ProcessPool]:
    pool = ProcessPool(1)
    yield pool
    pool.close()


def test_a_child_writes_into_the_log_of_its_parent(pool: ProcessPool, log: Path) -> None:
    pid = asyncio.run(pool.run(say, "report.pdf", seconds=30, megabytes=512))
    (line,) = (log / NAME).read_text("utf-8").splitlines()
    assert f" {pid} child INFO workbench.parsing: A page of ‹report.pdf› is damaged" in line


def test_the_place_of_a_native_code_crash_in_a_child_is_logged_without_the_data_it_read(
    pool: ProcessPool, log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with pytest.raises(ProcessCrashed):
        asyncio.run(pool.run(read_into_the_void, SECRET, seconds=30, megabytes=512))
    (record,) = [one for one in caplog.records if "native code" in one.message]
    told = record.__dict__["workbench_trace"]
    assert "read_into_the_void" in told
    assert SECRET not in told
    assert list(log.glob("*.running")) == []


def test_a_child_that_is_ended_leaves_nothing_beside_the_log(log: Path) -> None:
    pool = ProcessPool(1)
    asyncio.run(pool.run(say, "a", seconds=30, megabytes=512))
    assert len(list(log.glob("child-*.running"))) == 1
    pool.close()
    assert list(log.glob("*.running")) == []
