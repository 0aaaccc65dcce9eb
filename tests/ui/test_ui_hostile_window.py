"""Whole window on a library full of hostile names and texts: every pane and every dialog shows them as text."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from every_dialog import every_dialog
from hostile import NAMES, Trap
from inert import markup_in
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QDesktopServices, QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QDialog, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot
from ui_runs import chunk, hit, run, session
from ui_window import open_window

from workbench.export.base import ExportContext, no_page
from workbench.export.session_json import JsonExporter
from workbench.model.document import DocumentStatus
from workbench.model.profile import ModelProfile
from workbench.model.session import ImportedSession
from workbench.operations.sessions.session_import import import_session
from workbench.ui.app_controller import AppController
from workbench.ui.chat.run_card import RunCard
from workbench.ui.controls import write_markup

pytestmark = pytest.mark.usefixtures("warm_readers")


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    with Trap(tmp_path / "trap") as made:
        yield made


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: found.append(url.toString()))
    return found


def _papers(folder: Path, trap: Trap) -> Path:
    """Return a folder of documents with hostile names, titles, headings and texts."""
    folder.mkdir()
    texts = trap.own()
    for number, name in enumerate(NAMES):
        text = texts[number % len(texts)]
        stem = name if name.endswith((".md", ".txt")) else f"{name[:60]}.md"
        title = " ".join(text.split()).replace("#", "")
        (folder / stem.lstrip(".")).write_text(f"# {title}\n\nThe heron {number}: {text}\n", "utf-8")
    (folder / f"<img src={trap.picture.name}>.md").write_text(f"# <b>x</b>\n\n{texts[0]}\n", "utf-8")
    return folder


def _session(file: Path, trap: Trap) -> Path:
    """Return a session from elsewhere in which every text is a hostile one."""
    runs = []
    for number, text in enumerate(trap.own(), start=1):
        names = {"document_name": text, "document_title": text, "path": text, "knowledge_base": text}
        found = replace(hit(1), chunk=replace(chunk(1), text=text, headings=(text,)), matched_terms=(text,), **names)
        made = run(f"A [1].\n\n{text}", found, number=number, question=text)
        cited = tuple(replace(one, quote=text, headings=(text,)) for one in made.citations if one.answer_start < 5)
        runs.append(replace(made, citations=cited))
    whole = session(*runs)
    whole = replace(whole, info=replace(whole.info, title=trap.own()[0]))
    file.write_bytes(JsonExporter().render(whole, ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "lib", no_page)))
    return file


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path, trap: Trap, opened: list[str]) -> AppController:
    """Return a window with all of it, the session open, a document selected."""
    made = open_window(qtbot, tmp_path / "library")
    made.documents.add([_papers(tmp_path / "papers", trap)])
    _wait_until_read(qtbot, made)
    library: Any = made.library
    for text in trap.own()[:3]:
        library.profiles.put(ModelProfile(text[:60], "http://127.0.0.1:9/v1", text[:60]))
    taken: list[ImportedSession] = []
    made.bridge.submit(import_session(library, _session(tmp_path / "session.json", trap)), done=taken.append)
    qtbot.waitUntil(lambda: bool(taken), timeout=60_000)
    made.sessions.refresh()
    qtbot.waitUntil(lambda: made.sessions.model.rowCount() == 1, timeout=20_000)
    made.sessions.open(taken[0].info.id)
    return made


def _wait_until_read(qtbot: QtBot, shell: AppController) -> None:
    def is_read() -> bool:
        documents = shell.documents.model.documents()
        return len(documents) >= len(NAMES) and all(one.status is DocumentStatus.READY for one in documents)

    qtbot.waitUntil(is_read, timeout=90_000)


def _tips(view: QAbstractItemView, qtbot: QtBot) -> None:
    """Let a list show the tool tips of its rows."""
    for row in range(min(view.model().rowCount(), 30)):
        place: QPoint = view.visualRect(view.model().index(row, 0, QModelIndex())).center()
        event = QHelpEvent(QHelpEvent.Type.ToolTip, place, view.viewport().mapToGlobal(place))
        QApplication.sendEvent(view.viewport(), event)
        for label in [one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel")]:
            assert label.property("textFormat") == Qt.TextFormat.PlainText
    QToolTip.hideText()


def test_every_pane_and_every_dialog_shows_it_as_text(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, shell: AppController, trap: Trap, opened: list[str]
) -> None:
    trap.opened()  # opened by reading the documents
    found = markup_in(shell.window)
    for view in shell.window.findChildren(QAbstractItemView):
        if view.isVisible():
            _tips(view, qtbot)
    qtbot.waitUntil(lambda: bool(shell.window.findChildren(RunCard)), timeout=20_000)
    found += markup_in(shell.window)
    dialogs: list[str] = []
    for dialog in every_dialog(shell, qtbot, monkeypatch):
        assert isinstance(dialog, QDialog)
        dialogs.append(type(dialog).__name__)
        found += markup_in(dialog)
    # The iteration over commands showed the map, too.
    drawn = shell.map.presenter
    qtbot.waitUntil(lambda: drawn is None or not drawn.is_drawing, timeout=90_000)
    found += markup_in(shell.window)
    assert found == []
    assert len(dialogs) > 15
    assert (trap.sprung(), opened) == ([], [])


def test_the_walk_finds_markup_where_there_is_some(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    made = QLabel(window)
    write_markup(made, "<img src=x>")
    assert len(markup_in(window)) == 1
