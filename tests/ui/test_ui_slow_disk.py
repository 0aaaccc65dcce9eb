"""A library on a slow disk: every write takes long, and the window stays responsive."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot
from ui_window import fill, open_window

from workbench.store.database import Database

SLOW = 0.15
"""Seconds per write: a network drive, or a memory stick in use by other programs."""


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make every write slow; return a list of the names of the threads that write."""
    threads: list[str] = []
    write, fsync = Database.write, os.fsync

    def wait() -> None:
        threads.append(threading.current_thread().name)
        time.sleep(SLOW)

    @contextmanager
    def slow_write(self: Database, *args: Any, **more: Any) -> Iterator[Any]:
        with write(self, *args, **more) as connection:
            yield connection
            wait()

    def slow_fsync(descriptor: int) -> None:
        wait()
        fsync(descriptor)

    monkeypatch.setattr(Database, "write", slow_write)
    monkeypatch.setattr(os, "fsync", slow_fsync)
    return threads


def test_the_window_answers_while_a_slow_disk_is_written_to(
    qtbot: QtBot, tmp_path: Path, written: list[str], warm_readers: None
) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    heard: list[float] = []
    clock = QTimer(shell)
    clock.timeout.connect(lambda: heard.append(time.perf_counter()))
    clock.start(10)
    fill(qtbot, shell, tmp_path / "papers", question="When did the heron fly over the harbour?")
    clock.stop()
    assert len(written) > 5, "the disk was not slow"
    assert threading.main_thread().name not in written
    # Seconds passed in writes, and the window could be used between any two of them.
    assert len(heard) > 20 * len(written) * SLOW
