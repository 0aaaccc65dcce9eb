"""Restored window state: a damaged state file costs nothing but that state."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSplitter
from pytestqt.qtbot import QtBot
from ui_window import fill, open_window

from workbench.ui.app_controller import AppController
from workbench.ui.library.document_columns import Arrangement, DocumentColumn
from workbench.ui.palette.presenter import PaletteEntryKind
from workbench.ui.window_state import FILE, WindowState


def close(shell: AppController) -> None:
    shell.window.close()
    shell.shut_down()


@pytest.mark.usefixtures("warm_readers")
def test_order_edges_selection_and_last_used_come_back(qtbot: QtBot, tmp_path: Path) -> None:
    first = open_window(qtbot, tmp_path / "library")
    fill(qtbot, first, tmp_path / "papers")
    chosen = first.documents.model.documents()[1]
    first.library_pane.arrange(Arrangement(DocumentColumn.NAME, descending=True, tree=False))
    first.library_pane.select(chosen.id)
    first.inspector.show_document(chosen)
    splitter = first.window.findChild(QSplitter, "evidence_list")
    qtbot.waitUntil(lambda: sum(splitter.sizes()) > 0)
    splitter.setSizes([300, 200])
    splitter.splitterMoved.emit(300, 1)  # as when the handle is dragged
    sizes = splitter.sizes()
    first.window.actions_by_name["palette"].trigger()
    finder = first.dialogs.finder
    assert finder is not None
    finder.choose(next(one for one in first.dialogs._palette.entries if one.key == "command:new_session"))
    close(first)
    second = open_window(qtbot, tmp_path / "library")
    qtbot.waitUntil(lambda: bool(second.library_pane.selected()), timeout=20_000)
    assert [one.id for one in second.library_pane.selected()] == [chosen.id]
    assert second.documents.model.arrangement == Arrangement(DocumentColumn.NAME, descending=True, tree=False)
    assert second.state.recent == ["command:new_session"]
    second.inspector.show_document(chosen)
    again = second.window.findChild(QSplitter, "evidence_list")
    assert abs(again.sizes()[0] / sum(again.sizes()) - sizes[0] / sum(sizes)) < 0.05
    second.window.actions_by_name["palette"].trigger()
    assert second.dialogs._palette.entries[0].kind is PaletteEntryKind.COMMAND


@pytest.mark.qt_log_ignore("QVariant::load", extend=True)
@pytest.mark.parametrize(
    "content",
    [
        b"\x00\xff\xfe nonsense [[[",
        b"[General]\ngeometry=@ByteArray(nonsense)\ndocks=@ByteArray(\\x1)\nsession=99999999999999999999\n",
        b"[General]\narrangement=sideways\nrecent=nothing:7\ndocument=-3\n",
        b"[General]\ngeometry=@Variant(\\0\\0\\0\\x7f)\n[splitters]\nevidence_list=@ByteArray(x)\n",
    ],
)
def test_a_damaged_state_file_gives_the_usual_window(qtbot: QtBot, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / FILE).write_bytes(content)
    shell = open_window(qtbot, tmp_path / "library")
    assert shell.library is not None
    assert shell.window.library_dock.isVisible()
    assert shell.documents.model.arrangement == Arrangement()
    shell.window.actions_by_name["palette"].trigger()


def test_a_window_on_a_missing_screen_is_moved_to_an_available_one(qtbot: QtBot, tmp_path: Path) -> None:
    first = open_window(qtbot, tmp_path / "library")
    first.window.setGeometry(9000, 7000, 1000, 700)
    close(first)
    second = open_window(qtbot, tmp_path / "library")
    assert QGuiApplication.screenAt(second.window.frameGeometry().center()) is not None or _is_reachable(second)


def _is_reachable(shell: AppController) -> bool:
    room = QGuiApplication.primaryScreen().availableGeometry()
    return room.intersects(shell.window.frameGeometry()) and room.contains(shell.window.pos() + QPoint(1, 1))


def test_a_library_that_the_command_line_filled_is_not_welcomed_as_a_new_one(tmp_path: Path) -> None:
    assert not WindowState(tmp_path).has_documents
    (tmp_path / "originals" / "ab").mkdir(parents=True)
    assert WindowState(tmp_path).has_documents
    WindowState(tmp_path).has_documents = False
    assert not WindowState(tmp_path).has_documents


def test_state_keeps_what_is_set(tmp_path: Path) -> None:
    state = WindowState(tmp_path)
    state.document, state.recent = 7, ["command:a b", "document:7"]
    state.arrangement = Arrangement(DocumentColumn.PAGES, descending=True, tree=True)
    again = WindowState(tmp_path)
    assert (again.document, again.recent) == (7, ["command:a b", "document:7"])
    assert again.arrangement == Arrangement(DocumentColumn.PAGES, descending=True, tree=True)
