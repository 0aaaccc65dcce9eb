"""Dropping files on the window: the overlay that shows what a drop would do, its paths, and special drop targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QLineEdit, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.language import tr, trn
from workbench.model.document import Document
from workbench.model.import_progress import DocumentChanged, FileFinished, FileOutcome
from workbench.ui.controls import ElidedLabel, IconLabel, frame, label, restyle
from workbench.ui.library.document_columns import FolderRow
from workbench.ui.library.model import FOLDER_ROLE
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.ui.app_controller import AppController
    from workbench.ui.library.list_view import DocumentListView
    from workbench.ui.library.presenter import LibraryPresenter

_FILTERS_DROPS = "filters_drops"
"""Property of a field of text that takes drops by a filter of its own."""
_EDGE = 2
"""Width in pixels of the outline of a drop area that stays visible."""


def dropped_paths(data: QMimeData) -> list[Path]:
    """Return the local files and folders of a drop."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def dropped_links(data: QMimeData) -> list[str]:
    """Return the web addresses of a drop."""
    return [url.toString() for url in data.urls() if url.scheme() in ("http", "https")]


def accept_as_copy(event: QDropEvent) -> bool:
    """Accept a drag or drop as a copy; ignore it and return False if its program offers no copy.

    A program that offers to move its files deletes them if that is accepted, and a link is no promise to leave them in
    place; the library only reads them.
    """
    if Qt.DropAction.CopyAction in event.possibleActions():
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        return True
    event.ignore()
    return False


@dataclass(frozen=True, slots=True)
class DropTarget:
    """Area of the window in which a drop has its own meaning.

    Attributes:
        area: Rectangle in the window.
        words: Description of what a drop does.
        take: Callback that receives the paths.
    """

    area: QRect
    words: str
    take: Callable[[list[Path]], None]


class DropPlace(Protocol):
    """Part of the window that has drop targets."""

    def area(self) -> QRect:
        """Return the area that stays visible during a drag; empty if there is no target now."""

    def hint(self) -> str:
        """Return a short hint on what a drop there does."""

    def target_at(self, place: QPoint) -> DropTarget | None:
        """Return the target at a point of the window."""


class DropOverlay(QWidget):
    """Overlay that watches its parent for dragged files, shows what a drop would do, and reports the drop.

    Signals:
        dropped: The paths, a list of Path, if no target took them.
        links_dropped: Web addresses, a list of str.
    """

    dropped = Signal(list)
    links_dropped = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parent = parent
        self._places: list[DropPlace] = []
        self._target: DropTarget | None = None
        parent.setAcceptDrops(True)
        parent.installEventFilter(self)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        box = self._box = frame("drop")
        box.setProperty("active", "true")
        inside = QVBoxLayout(box)
        inside.setAlignment(Qt.AlignmentFlag.AlignCenter)
        inside.setSpacing(12)
        inside.addWidget(IconLabel(theme, "import", colour="accent", size=48), 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addWidget(label(tr("Drop to add to your library"), "heading"), 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addWidget(
            label(tr("Files are read on this computer and copied into the library."), "muted"),
            0,
            Qt.AlignmentFlag.AlignHCenter,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 24)
        layout.addWidget(box)
        self._mark: _TargetMark | None = None
        self.hide()

    def add_place(self, place: DropPlace) -> None:
        """Add a part of the window that has its own targets."""
        self._places.append(place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent):
            if event.source() is not None:
                # Dragged from this window to another program: the document is in the library already.
                return super().eventFilter(watched, event)
            if isinstance(event, QDragEnterEvent):
                return self._on_enter(event)
            if isinstance(event, QDragMoveEvent):
                if accept_as_copy(event):
                    self._update_target(event.position().toPoint(), event.mimeData())
                return True
            return self._on_drop(event)
        if event.type() == QEvent.Type.DragLeave:
            self._hide_all()
        elif event.type() == QEvent.Type.WindowDeactivate and isValid(self._parent) and self._parent.isVisible():
            # A window that is being destroyed is deactivated, too; its children must not be touched then.
            self._keep_fields_from_drops()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        veil = QColor(self._theme.tokens().window)
        veil.setAlpha(235)
        painter = QPainter(self)
        painter.fillRect(self.rect(), veil)
        accent = QColor(self._theme.tokens().accent)
        painter.setFont(self._theme.font())
        for place in self._places:
            area = place.area()
            if not area.isEmpty():
                painter.setPen(QPen(accent, 2 * _EDGE, Qt.PenStyle.DashLine))
                painter.drawRect(area)
                above = area.adjusted(0, -40, 0, 0)
                painter.drawText(above, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, place.hint())
        painter.end()

    def _keep_fields_from_drops(self) -> None:
        """Let the window take what is dropped on a field of text, which would insert its name and accept a move.

        Called when the user turns to another program, from which a drag could come: many fields are created late.
        """
        for line in self._parent.findChildren(QLineEdit):
            line.setAcceptDrops(False)
        for kind in (QPlainTextEdit, QTextEdit):
            for field in self._parent.findChildren(kind):
                if not field.property(_FILTERS_DROPS):
                    field.viewport().setAcceptDrops(False)

    def _on_enter(self, event: QDragEnterEvent) -> bool:
        if not dropped_paths(event.mimeData()) and not dropped_links(event.mimeData()):
            return False
        if not accept_as_copy(event):
            return True
        self.setGeometry(self._parent.rect())
        covered = QRegion(self.rect())
        for place in self._places:
            covered = covered.subtracted(QRegion(place.area().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)))
        self.setMask(covered)
        self.show()
        self.raise_()
        self._update_target(event.position().toPoint(), event.mimeData())
        return True

    def _update_target(self, place: QPoint, data: QMimeData) -> None:
        """Show the effect of a drop at a point of the window."""
        # Links have no targets: a dialog asks about them wherever they are dropped.
        places = self._places if dropped_paths(data) else []
        found = (one.target_at(place) for one in places)
        self._target = next((target for target in found if target is not None), None)
        restyle(self._box, active="false" if self._target else "true")
        if self._target is not None:
            if self._mark is None:
                self._mark = _TargetMark(self._parent)
            self._mark.show_target(self._target)
        elif self._mark is not None:
            self._mark.hide()

    def _hide_all(self) -> None:
        self.hide()
        if self._mark is not None:
            self._mark.hide()

    def _on_drop(self, event: QDropEvent) -> bool:
        paths = dropped_paths(event.mimeData())
        links = dropped_links(event.mimeData())
        if paths or links:
            self._update_target(event.position().toPoint(), event.mimeData())
        target = self._target
        self._hide_all()
        if not paths and not links:
            return False
        if not accept_as_copy(event):
            return True
        if paths and target is not None:
            target.take(paths)
        elif paths:
            self.dropped.emit(paths)
        if links:
            self.links_dropped.emit(links)
        return True


class _TargetMark(QFrame):
    """Mark over a target that shows what a drop does."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "drop")
        self.setProperty("active", "true")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._words = ElidedLabel()
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 0)
        layout.addWidget(self._words)

    def show_target(self, target: DropTarget) -> None:
        """Cover a target and show its text."""
        self.setGeometry(target.area)
        self._words.set_whole_text(target.words)
        self.show()
        self.raise_()


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
        # Without the filter the field would insert the file names as text, and accept a move of text.
        field.setProperty(_FILTERS_DROPS, True)
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
        from workbench.retrieval.filters.mentions import (
            MentionSign,
            can_be_mentioned,
            written,
        )  # not needed for the first paint

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
        if not isinstance(event, QDropEvent) or event.source() in (self._field, self._field.viewport()):
            return super().eventFilter(watched, event)
        data = event.mimeData()
        is_import = bool(dropped_paths(data) or (event.source() is None and dropped_links(data)))
        if not is_import:
            return self._take_text(event) if data.hasText() else super().eventFilter(watched, event)
        if event.source() is not self._view.viewport():
            # Ignored so that the window receives the event and looks for the target.
            event.ignore()
        else:
            accept_as_copy(event)
            if not isinstance(event, QDragMoveEvent):
                self.name(self._view.selected())
                self._field.setFocus()
        return True

    def _take_text(self, event: QDropEvent) -> bool:
        """Insert dropped text as a copy; Qt would accept the action that its program proposes."""
        if accept_as_copy(event) and not isinstance(event, QDragMoveEvent):
            cursor = self._field.cursorForPosition(event.position().toPoint())
            cursor.insertText(event.mimeData().text())
            self._field.setTextCursor(cursor)
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
