"""Where in the window a drop means more than "add": a row of a folder, and the field of the question."""

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
from workbench.ui.library.drop_overlay import DropTarget, dropped_paths
from workbench.ui.library.model import FOLDER_ROLE

if TYPE_CHECKING:
    from workbench.ui.app_controller import AppController
    from workbench.ui.library.list_view import DocumentListView
    from workbench.ui.library.presenter import LibraryPresenter

MOST_NAMED = 10
"""Documents of a drop that are named in a question; more would be no question any more."""


class FolderDropTargets:
    """The rows of folders in the list of documents: what is dropped on one is added into that folder."""

    def __init__(self, view: DocumentListView, presenter: LibraryPresenter) -> None:
        self._view = view
        self._presenter = presenter

    def area(self) -> QRect:
        """Return where the list is, if it shows folders."""
        viewport = self._view.viewport()
        shown = viewport.isVisible() and bool(self._presenter.model.layout.folders)
        return _in_window(viewport, viewport.rect()) if shown else QRect()

    def hint(self) -> str:
        """Return that a folder can be chosen."""
        return tr("Drop on a folder to add to it")

    def target_at(self, place: QPoint) -> DropTarget | None:
        """Return the row of a folder at a place of the window."""
        viewport = self._view.viewport()
        here = viewport.mapFrom(viewport.window(), place)
        if not viewport.isVisible() or not viewport.rect().contains(here):
            return None
        index = self._view.indexAt(here)
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
    """The field of the question: documents that are dropped on it are added, and named in it once they can be searched.

    Those that are dragged there from the list are named at once. What is still being read when the question is asked,
    or when another session is opened, is not named any more.
    """

    def __init__(self, field: QPlainTextEdit, view: DocumentListView, presenter: LibraryPresenter) -> None:
        super().__init__(field)
        self._field = field
        self._view = view
        self._presenter = presenter
        self._awaited: _AwaitedDrop | None = None
        # The field would write the names of the files as a text.
        field.viewport().installEventFilter(self)

    def area(self) -> QRect:
        """Return where the field is, with its frame."""
        box = self._field.parentWidget() or self._field
        return _in_window(box, box.rect()) if box.isVisible() else QRect()

    def hint(self) -> str:
        """Return that it can be asked about."""
        return tr("Drop here to ask about it")

    def target_at(self, place: QPoint) -> DropTarget | None:
        """Return the field at a place of the window."""
        area = self.area()
        return DropTarget(area, tr("Ask about it"), self.take) if area.contains(place) else None

    def take(self, paths: list[Path]) -> None:
        """Add files, and name them in the question as soon as they can be searched."""
        awaited = self._awaited = _AwaitedDrop(self)
        self._presenter.offer(paths, heard=awaited.hear)
        self._presenter.said.emit(tr("It is named in your question as soon as it is read."), False)
        self._field.setFocus()

    @Slot()
    def forget(self) -> None:
        """Name nothing any more that was dropped before."""
        self._awaited = None

    def name(self, documents: Sequence[Document]) -> None:
        """Name documents at the end of the question."""
        names = dict.fromkeys(document.name for document in documents[:MOST_NAMED])
        text = self._field.toPlainText()
        words = [written(MentionSign.DOCUMENT, name) for name in names if can_be_mentioned(name)]
        new = [word for word in words if word not in text]
        if new:
            cursor = self._field.textCursor()
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(f"{' ' if text[-1:].strip() else ''}{' '.join(new)} ")
            self._field.setTextCursor(cursor)
        if len(documents) > MOST_NAMED:
            rest = len(documents) - MOST_NAMED
            self._presenter.said.emit(trn("{n:,} more is not named", "{n:,} more are not named", rest), False)

    def hears(self, awaited: _AwaitedDrop) -> bool:
        """Tell whether what was dropped is still to be named."""
        return awaited is self._awaited

    def known(self, number: int) -> Document | None:
        """Return a document of the list."""
        return self._presenter.model.get(number)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QDropEvent) or not dropped_paths(event.mimeData()):
            return super().eventFilter(watched, event)
        if event.source() is not self._view.viewport():
            # So the window gets it, and asks where it is.
            event.ignore()
        else:
            event.acceptProposedAction()
            if not isinstance(event, QDragMoveEvent):
                self.name(self._view.selected())
                self._field.setFocus()
        return True


class _AwaitedDrop:
    """One drop on the field: names each of its documents once."""

    def __init__(self, files: QuestionDropTarget) -> None:
        self._files = files
        self._named: set[int] = set()

    def hear(self, event: object) -> None:
        """Take note of what an import tells."""
        document = None
        if isinstance(event, DocumentChanged) and event.document.chunks:
            document = event.document
        elif isinstance(event, FileFinished) and event.outcome is FileOutcome.UNCHANGED and event.document:
            document = self._files.known(event.document)
        if document is None or document.id in self._named or not self._files.hears(self):
            return
        self._named.add(document.id)
        if len(self._named) <= MOST_NAMED:
            self._files.name([document])


class DropTargets(QObject):
    """Gives the window of a shell its targets."""

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
