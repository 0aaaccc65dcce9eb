"""Targets of a drop: the window, the row of a folder, and the question field."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from test_ui_library_table import document
from ui_fake_worker import FakeBridge, fake_operations

from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentChanged, FileFinished, FileOutcome, Review
from workbench.ui.library.drop_overlay import DropOverlay, FolderDropTargets, QuestionDropTarget
from workbench.ui.library.pane import LibraryPane
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.theme import Theme

SMALL = Review(1, 10, (), (), (), ())
FILE = Path("/new/report.pdf")


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def window(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> Any:
    """Return a window with the documents, the question field below them, and the overlay over both."""
    fake_operations(monkeypatch)
    documents = LibraryPresenter(bridge)  # type: ignore[arg-type]
    documents.set_library(object())  # type: ignore[arg-type]
    bridge.last("list_documents").succeed([document(1, "b.pdf", "Contracts/2024"), document(2, "two words.pdf")])
    top = QWidget()
    qtbot.addWidget(top)
    pane, field = LibraryPane(documents, Theme()), QPlainTextEdit()
    pane.prepare()
    field.setFixedHeight(40)
    layout = QVBoxLayout(top)
    layout.addWidget(pane)
    box = QWidget()
    QVBoxLayout(box).addWidget(field)
    layout.addWidget(box)
    overlay = DropOverlay(Theme(), top)
    overlay.dropped.connect(documents.offer)
    question = QuestionDropTarget(field, pane.rows, documents)
    for place in (FolderDropTargets(pane.rows, documents), question):
        overlay.add_place(place)
    top.resize(400, 500)
    top.show()
    return SimpleNamespace(
        top=top, pane=pane, field=field, overlay=overlay, question=question, documents=documents, data=QMimeData()
    )


def middle_of_row(window: Any, row: int) -> QPoint:
    view = window.pane.rows
    return view.viewport().mapTo(window.top, view.visualRect(view.model().index(row, 0)).center())


def middle_of_field(window: Any) -> QPoint:
    return window.field.mapTo(window.top, window.field.rect().center())


def drag(window: Any, place: QPoint, *, drop: bool = True) -> None:
    data = window.data
    data.setUrls([QUrl.fromLocalFile(str(FILE))])
    kind, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window.top, QDragEnterEvent(QPoint(2, 2), kind, data, left, none))
    QApplication.sendEvent(window.top, QDragMoveEvent(place, kind, data, left, none))
    if drop:
        QApplication.sendEvent(window.top, QDropEvent(QPointF(place), kind, data, left, none))


def small_drop(bridge: FakeBridge) -> None:
    bridge.last("review").succeed(SMALL)


def test_a_drop_on_a_folder_is_added_into_it(window: Any, bridge: FakeBridge) -> None:
    drag(window, middle_of_row(window, 1))
    small_drop(bridge)
    added = bridge.last("add_documents")
    assert added.args == ([FILE],)
    assert added.kwargs == {"knowledge_base": "default", "folder": "Contracts/2024"}


def test_a_drop_on_a_document_is_added_like_one_on_the_window(window: Any, bridge: FakeBridge) -> None:
    drag(window, middle_of_row(window, 2))
    small_drop(bridge)
    assert bridge.last("add_documents").kwargs == {"knowledge_base": "default"}


def test_each_drop_target_shows_what_a_drop_does(window: Any) -> None:
    said = []
    for place in (middle_of_row(window, 0), middle_of_field(window), middle_of_row(window, 2)):
        drag(window, place, drop=False)
        mark = window.overlay._mark
        said.append(mark._words.accessibleName() if mark is not None and mark.isVisible() else "")
    assert said == ["Add to the folder “Contracts”", "Ask about it", ""]
    QApplication.sendEvent(window.top, QEvent(QEvent.Type.DragLeave))
    assert not window.overlay.isVisible()
    assert not window.overlay._mark.isVisible()


def test_targets_stay_in_sight_while_something_is_dragged(window: Any) -> None:
    drag(window, QPoint(2, 2), drop=False)
    veil = window.overlay.mask()
    assert not veil.contains(middle_of_field(window))
    assert not veil.contains(middle_of_row(window, 0))
    assert veil.contains(QPoint(2, 2))


def test_a_drop_on_the_question_is_named_in_it_once_it_can_be_searched(window: Any, bridge: FakeBridge) -> None:
    window.field.setPlainText("What is new in")
    drag(window, middle_of_field(window))
    small_drop(bridge)
    job = bridge.last("add_documents")
    waiting = document(3, "annual report.pdf", status=DocumentStatus.QUEUED, chunks=0)
    job.emit(DocumentChanged(waiting))
    assert window.field.toPlainText() == "What is new in"
    for status in (DocumentStatus.INDEXED, DocumentStatus.READY):
        job.emit(DocumentChanged(document(3, "annual report.pdf", status=status)))
    assert window.field.toPlainText() == 'What is new in @"annual report.pdf" '


def test_a_file_that_is_there_already_is_named_at_once(window: Any, bridge: FakeBridge) -> None:
    drag(window, middle_of_field(window))
    small_drop(bridge)
    bridge.last("add_documents").emit(FileFinished(str(FILE), FileOutcome.UNCHANGED, 1, "", 1, 7, 0.0))
    assert window.field.toPlainText() == "@b.pdf "


def test_a_document_read_after_the_question_was_asked_is_not_named_in_it(window: Any, bridge: FakeBridge) -> None:
    drag(window, middle_of_field(window))
    small_drop(bridge)
    window.question.forget()
    bridge.last("add_documents").emit(DocumentChanged(document(3, "report.pdf")))
    assert window.field.toPlainText() == ""


def test_of_a_large_drop_ten_are_named(window: Any, bridge: FakeBridge) -> None:
    drag(window, middle_of_field(window))
    small_drop(bridge)
    job = bridge.last("add_documents")
    for number in range(3, 23):
        job.emit(DocumentChanged(document(number, f"{number}.pdf")))
    assert window.field.toPlainText().count("@") == 10


def test_files_over_the_field_are_left_to_the_window(window: Any) -> None:
    window.data.setUrls([QUrl.fromLocalFile(str(FILE))])
    event = QDragEnterEvent(
        QPoint(2, 2), Qt.DropAction.CopyAction, window.data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    assert window.question.eventFilter(window.field.viewport(), event)
    assert not event.isAccepted()


def test_selected_documents_are_named_in_the_question(window: Any) -> None:
    window.pane.rows.selectAll()
    window.question.name(window.pane.rows.selected())
    assert window.field.toPlainText() == '@b.pdf @"two words.pdf" '


OFFERED = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction


@pytest.mark.parametrize(
    ("offered", "accepted"),
    [
        (OFFERED, Qt.DropAction.CopyAction),
        (OFFERED | Qt.DropAction.LinkAction, Qt.DropAction.CopyAction),
        (Qt.DropAction.LinkAction | Qt.DropAction.MoveAction, None),
        (Qt.DropAction.LinkAction, None),
        (Qt.DropAction.MoveAction, None),
    ],
)
def test_a_drop_is_never_accepted_as_a_move_because_its_program_would_delete_the_file(
    window: Any, bridge: FakeBridge, offered: Qt.DropAction, accepted: Qt.DropAction | None
) -> None:
    window.data.setUrls([QUrl.fromLocalFile(str(FILE))])
    given = window.data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    place = middle_of_row(window, 2)
    for event in (
        QDragEnterEvent(place, offered, *given),
        QDragMoveEvent(place, offered, *given),
        QDropEvent(QPointF(place), offered, *given),
    ):
        QApplication.sendEvent(window.top, event)
        assert (event.dropAction() if event.isAccepted() else None) == accepted
    assert bridge.has("review") is (accepted is not None)


def test_a_line_of_text_leaves_drops_to_the_window(window: Any) -> None:
    field = window.pane.findChild(QLineEdit)
    QApplication.sendEvent(window.top, QEvent(QEvent.Type.WindowDeactivate))
    assert not field.acceptDrops()


def test_a_text_of_several_lines_leaves_drops_to_the_window_and_the_question_does_not(window: Any) -> None:
    fields = [QPlainTextEdit(window.top), QTextEdit(window.top)]
    QApplication.sendEvent(window.top, QEvent(QEvent.Type.WindowDeactivate))
    assert not any(field.viewport().acceptDrops() for field in fields)
    assert window.field.viewport().acceptDrops()


def drop_on_question(window: Any, offered: Qt.DropAction) -> QDropEvent:
    given = window.data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPointF(2, 2), offered, *given)
    event.acceptProposedAction()
    assert window.question.eventFilter(window.field.viewport(), event)
    return event


def test_text_dropped_on_the_question_is_copied_even_if_its_program_proposes_a_move(window: Any) -> None:
    window.data.setText("How deep?")
    event = drop_on_question(window, OFFERED)
    assert (event.isAccepted(), event.dropAction()) == (True, Qt.DropAction.CopyAction)
    assert not drop_on_question(window, Qt.DropAction.MoveAction).isAccepted()
    assert window.field.toPlainText() == "How deep?"


def test_links_over_the_question_are_left_to_the_window_like_files(window: Any) -> None:
    window.data.setUrls([QUrl("https://example.org/paper.pdf")])
    window.data.setText("https://example.org/paper.pdf")
    assert not drop_on_question(window, OFFERED).isAccepted()
    assert window.field.toPlainText() == ""
