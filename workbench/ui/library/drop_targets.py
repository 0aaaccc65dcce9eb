"""Drop targets with a meaning other than "add": folder rows and the question field."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Slot
from PySide6.QtGui import QDragMoveEvent, QDropEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from workbench.language import tr, trn
from workbench.model.document import Document
from workbench.model.import_progress import DocumentChanged, FileFinished, FileOutcome
from workbench.retrieval.filters.mentions import MentionSign, can_be_mentioned, written
from workbench.ui.library.document_columns import FolderRow
from workbench.ui.library.drop_overlay import DropTarget, accept_as_copy, dropped_paths
from workbench.ui.library.model import FOLDER_ROLE

if TYPE_CHECKING:
    from workbench.ui.app_controller import AppController
    from workbench.ui.library.list_view import DocumentListView
    from workbench.ui.library.presenter import LibraryPresenter

MOST_NAMED = 10
"""Maximum number of dropped documents that are named in a question; more would make it unreadable."""


class FolderDropTargets:
    """Drop targets on the folder rows of the document list: dropped files are added to that folder."""

    def __init__(self, view: DocumentListView, presenter: LibraryPresenter) -> None:
        self._view = view
        self._presenter = presenter

    def area(self) -> QRect:
        """Return the area of the list; empty if it shows no folders."""
        viewport = self._view.viewport()
        shown = viewport.isVisible() and bool(self._presenter.model.layout.folders)
        return _in_window(viewport, viewport.rect()) if shown else QRect()

    def hint(self) -> str:
        """Return the hint that a folder can be chosen."""
        return tr("Drop on a folder to add to it")

    def target_at(self, place: QPoint) -> DropTarget | None:
        """Return the folder row at a point of the window."""
        viewport = self._view.viewport()
        point = viewport.mapFrom(viewport.window(), place)
        if not viewport.isVisible() or not viewport.rect().contains(point):
            return None
        index = self._view.indexAt(point)
        folder = index.data(FOLDER_ROLE)
        if not isinstance(folder, FolderRow):
            return None
        row = self._view.visualRect(index)
        row.setLeft(0)
        row.setRight(viewport.width() - 1)
        words = tr("Add to the folder “{folder}”", folder=folder.name)
        return DropTarget(_in_window(viewport, row), words, partial(self._take, folder.path))

    def _take(self, folder: str, paths: list[Path]) -> None:
        self._presenter.offer(paths, folder=folder)


class QuestionDropTarget(QObject):
    """Drop target on the question field: dropped documents are added, and named in the question once searchable.

    Documents dragged from the list are named at once. Documents that are still being read when the question is asked,
    or when another session is opened, are no longer named.
    """

    def __init__(self, field: QPlainTextEdit, view: DocumentListView, presenter: LibraryPresenter) -> None:
        super().__init__(field)
        self._field = field
        self._view = view
        self._presenter = presenter
        self._pending_drop: _PendingDrop | None = None
        # Without the filter the field would insert the file names as text.
        field.viewport().installEventFilter(self)

    def area(self) -> QRect:
        """Return the area of the field including its frame."""
        box = self._field.parentWidget() or self._field
        return _in_window(box, box.rect()) if box.isVisible() else QRect()

    def hint(self) -> str:
        """Return the hint that a document can be asked about."""
        return tr("Drop here to ask about it")

    def target_at(self, place: QPoint) -> DropTarget | None:
        """Return the field as target, if the point of the window is in it."""
        area = self.area()
        return DropTarget(area, tr("Ask about it"), self.take) if area.contains(place) else None

    def take(self, paths: list[Path]) -> None:
        """Add files, and name them in the question as soon as they are searchable."""
        awaited = self._pending_drop = _PendingDrop(self)
        self._presenter.offer(paths, on_event=awaited.handle_event)
        self._presenter.notified.emit(tr("It is added to your question as soon as it is read."), False)
        self._field.setFocus()

    @Slot()
    def forget(self) -> None:
        """Stop naming documents that were dropped before."""
        self._pending_drop = None

    def name(self, documents: Sequence[Document]) -> None:
        """Append the names of documents to the question."""
        names = dict.fromkeys(document.name for document in documents[:MOST_NAMED])
        text = self._field.toPlainText()
        words = [written(MentionSign.DOCUMENT, name) for name in names if can_be_mentioned(name)]
        missing = [word for word in words if word not in text]
        if missing:
            cursor = self._field.textCursor()
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(f"{' ' if text[-1:].strip() else ''}{' '.join(missing)} ")
            self._field.setTextCursor(cursor)
        if len(documents) > MOST_NAMED:
            rest = len(documents) - MOST_NAMED
            self._presenter.notified.emit(
                trn("{n:,} more was not added to the question", "{n:,} more were not added to the question", rest),
                False,
            )

    def hears(self, awaited: _PendingDrop) -> bool:
        """Return whether the documents of a drop are still to be named."""
        return awaited is self._pending_drop

    def known(self, number: int) -> Document | None:
        """Return the document with this id from the list."""
        return self._presenter.model.get(number)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QDropEvent) or not dropped_paths(event.mimeData()):
            return super().eventFilter(watched, event)
        if event.source() is not self._view.viewport():
            # Ignored so that the window receives the event and looks for the target.
            event.ignore()
        else:
            accept_as_copy(event)
            if not isinstance(event, QDragMoveEvent):
                self.name(self._view.selected())
                self._field.setFocus()
        return True


class _PendingDrop:
    """Drop on the question field, each of whose documents is named once."""

    def __init__(self, files: QuestionDropTarget) -> None:
        self._files = files
        self._named_ids: set[int] = set()

    def handle_event(self, event: object) -> None:
        """Process an event of the import."""
        document = None
        if isinstance(event, DocumentChanged) and event.document.chunks:
            document = event.document
        elif isinstance(event, FileFinished) and event.outcome is FileOutcome.UNCHANGED and event.document:
            document = self._files.known(event.document)
        if document is None or document.id in self._named_ids or not self._files.hears(self):
            return
        self._named_ids.add(document.id)
        if len(self._named_ids) <= MOST_NAMED:
            self._files.name([document])


class DropTargets(QObject):
    """Registration of the drop targets of a shell's window."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        rows, documents = shell.library_pane.rows, shell.documents
        self.question = QuestionDropTarget(shell.chat.question_field, rows, documents)
        for place in (FolderDropTargets(rows, documents), self.question):
            shell.window.drop.add_place(place)
        shell.sessions.opened.connect(self.question.forget)
        shell.chat.running_changed.connect(self._on_running_changed)

    @Slot(bool)
    def _on_running_changed(self, running: bool) -> None:
        if running:
            self.question.forget()


def _in_window(widget: QWidget, area: QRect) -> QRect:
    return QRect(widget.mapTo(widget.window(), area.topLeft()), area.size())
