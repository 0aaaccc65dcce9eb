"""A library on a read-only medium, in the window."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from read_only import read_only
from ui_window import open_window

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.operations import Library
from workbench.ui.app_controller import AppController
from workbench.worker.job import JobContext

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions mean other things there")
SAYS = "This library is read-only"


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path, embedder: Embedder, warm_readers: None) -> Iterator[AppController]:
    (tmp_path / "note.md").write_text("# Note\n\nThe heron flew at dawn.\n", "utf-8")
    library = Library.open(tmp_path / "library", embedder=embedder)
    asyncio.run(operations.add_documents(library, [tmp_path / "note.md"])(JobContext()))
    library.close()
    with read_only(library.folder):
        shell = open_window(qtbot, library.folder)
        yield shell
        shell.shut_down()


def test_a_read_only_library_opens_shows_that_it_is_read_only_and_answers(shell: AppController, qtbot: QtBot) -> None:
    assert SAYS in shell.window.banner.text
    qtbot.waitUntil(lambda: len(shell.documents.model.documents()) == 1, timeout=20_000)
    with qtbot.waitSignal(shell.chat.session_changed, timeout=60_000):
        shell.chat.ask("When did the heron fly?")
    qtbot.waitUntil(lambda: shell.sessions.model.rowCount() == 1, timeout=20_000)


def test_a_change_is_refused_with_that_sentence(shell: AppController, qtbot: QtBot, tmp_path: Path) -> None:
    shell.window.banner.hide()
    shell.documents.add([tmp_path / "note.md"])
    qtbot.waitUntil(lambda: shell.window.banner.isVisibleTo(shell.window), timeout=20_000)
    assert SAYS in shell.window.banner.text
