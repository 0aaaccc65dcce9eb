"""Dropping files on the window: the overlay that shows what a drop would do, and the paths of a drop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.language import tr
from workbench.ui.controls import ElidedLabel, IconLabel, frame, label, restyle
from workbench.ui.theme import Theme

_EDGE = 2
"""Width in pixels of the outline of a drop area that stays visible."""


def dropped_paths(data: QMimeData) -> list[Path]:
    """Return the local files and folders of a drop."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def dropped_links(data: QMimeData) -> list[str]:
    """Return the web addresses of a drop."""
    return [url.toString() for url in data.urls() if url.scheme() in ("http", "https")]


def accept_as_copy(event: QDropEvent) -> bool:
    """Accept a drag or drop as a copy, or as a link if only that is offered; ignore any other, and return False.

    A program that offers to move its files deletes them if that is accepted, and the library only reads them.
    """
    for action in (Qt.DropAction.CopyAction, Qt.DropAction.LinkAction):
        if action in event.possibleActions():
            event.setDropAction(action)
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
        """Let the window take what is dropped on a line of text, which would insert its name and accept a move.

        Called when the user turns to another program, from which a drag could come: many fields are created late.
        """
        for field in self._parent.findChildren(QLineEdit):
            field.setAcceptDrops(False)

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
