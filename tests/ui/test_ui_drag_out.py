"""Drag and copy to other programs, and the menus that offer it."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot
from ui_runs import run, session
from ui_window import fill, open_window

from workbench.ui.app_controller import AppController
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.source_list import SourceChip
from workbench.ui.chat.step_row import StepRow
from workbench.ui.external_programs import quote_mime
from workbench.ui.library.add_dialogs import AddLinkDialog
from workbench.ui.library.list_view import DocumentListView
from workbench.ui.library.row_actions import RowMenu

pytestmark = pytest.mark.qt_log_ignore("does not support grabbing the keyboard", extend=True)


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> AppController:
    made = open_window(qtbot, tmp_path / "library")
    made.chat.open_session(session(run()))
    made.inspector.show_run(run())
    return made


def menu_by_key(widget: QWidget, qtbot: QtBot) -> list[str]:
    """Return the entries of a widget's menu, opened by the menu key."""
    texts: list[str] = []

    def take() -> None:
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        texts.extend(action.text().partition("\t")[0] for action in menu.actions() if action.text())
        menu.close()

    # Some menus block their caller until they are closed.
    QTimer.singleShot(0, take)
    place = widget.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)
    qtbot.waitUntil(lambda: bool(texts))
    return texts


def test_a_quote_goes_with_its_source_as_text_and_as_html() -> None:
    data = quote_mime(" It <froze>\nin 1987. ", "report.pdf, page 3")
    assert data.text() == "“It <froze>\nin 1987.”\n— report.pdf, page 3"
    assert data.html().startswith("<blockquote>It &lt;froze&gt;<br>in 1987.</blockquote>")


def test_a_citation_is_dragged_with_its_document_and_page(shell: AppController) -> None:
    chip = next(one for one in shell.window.findChildren(SourceChip))
    data = chip.data_at(QPoint(1, 1))
    assert data is not None
    assert data.text().endswith("page 3")
    assert "Net sales rose" in data.text()
    answer = shell.chat.cards[0].findChild(AnswerView)
    assert answer.data_at(QPoint(0, 0)) is None


@pytest.mark.usefixtures("warm_readers")
def test_a_document_is_dragged_as_its_file(shell: AppController, qtbot: QtBot, tmp_path: Path) -> None:
    fill(qtbot, shell, tmp_path / "papers")
    view = shell.window.findChild(DocumentListView)
    shell.library_pane.select(shell.documents.model.documents()[0].id)
    data = view.findChild(RowMenu).data_at(view.visualRect(view.currentIndex()).center())
    assert data.urls() == [QUrl.fromLocalFile(shell.documents.model.documents()[0].path)]
    assert view.findChild(RowMenu).data_at(QPoint(5, view.height() * 3)) is None


def test_the_menu_key_opens_the_menu_of_every_kind_of_row(shell: AppController, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bool(shell.inspector.passages))
    card = shell.chat.cards[0]
    card.findChild(QWidget, "Copy").setFocus()
    assert menu_by_key(card, qtbot)[:2] == ["Copy", "Copy without citation numbers"]
    chip = shell.window.findChild(SourceChip)
    assert {"Show the passage", "Copy passage with its source"} <= set(menu_by_key(chip, qtbot))
    shell.chat.cards[0].findChild(QWidget, "Copy").window().activateWindow()
    panel = next(one for one in card.findChildren(QWidget) if one.accessibleName().endswith(": show the steps"))
    panel.click()
    row = next(iter(card.findChildren(StepRow)))
    assert menu_by_key(row, qtbot) == ["Show or hide the details", "Copy this step"]


def test_the_menu_key_on_a_citation_in_the_text_means_that_citation(shell: AppController, qtbot: QtBot) -> None:
    answer = shell.chat.cards[0].findChild(AnswerView)
    answer.setFocus()
    qtbot.keyClick(answer, Qt.Key.Key_Tab)
    assert answer.textCursor().charFormat().anchorHref()
    assert menu_by_key(answer, qtbot)[:2] == ["Show the passage", "Copy passage with its source"]


def test_a_step_is_copied_as_it_is_read(shell: AppController) -> None:
    card = shell.chat.cards[0]
    next(one for one in card.findChildren(QWidget) if one.accessibleName().endswith(": show the steps")).click()
    row = next(iter(card.findChildren(StepRow)))
    next(action for action in row.actions() if action.text() == "Copy this step").trigger()
    assert row.step.title in QGuiApplication.clipboard().text()


def test_a_link_dropped_on_the_window_is_asked_about_first(shell: AppController) -> None:
    shell.window.drop.links_dropped.emit(["https://example.org/report.html"])
    (dialog,) = shell.window.findChildren(AddLinkDialog)
    assert dialog.isVisible()
    assert dialog.findChild(QPlainTextEdit).toPlainText() == "https://example.org/report.html"
    dialog.close()
