"""Dropping files anywhere on the window: the overlay, and the paths of a drop."""

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.ui.controls import IconLabel, frame, label
from workbench.ui.theme import Theme


def dropped_paths(data: QMimeData) -> list[Path]:
    """Return the local files and folders of a drop."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def dropped_links(data: QMimeData) -> list[str]:
    """Return the web addresses of a drop."""
    return [url.toString() for url in data.urls() if url.scheme() in ("http", "https")]


class DropOverlay(QWidget):
    """Watches its parent for files dragged over it, says what would happen, and tells when they are dropped.

    Signals:
        dropped: The paths, a list of Path.
        links_dropped: Web addresses, a list of str.
    """

    dropped = Signal(list)
    links_dropped = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parent = parent
        parent.setAcceptDrops(True)
        parent.installEventFilter(self)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        box = frame("drop")
        box.setProperty("active", "true")
        inside = QVBoxLayout(box)
        inside.setAlignment(Qt.AlignmentFlag.AlignCenter)
        inside.setSpacing(12)
        inside.addWidget(IconLabel(theme, "import", colour="accent", size=48), 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addWidget(label("Drop to add to your library", "heading"), 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addWidget(
            label("Files are read on this machine and copied into the library.", "muted"),
            0,
            Qt.AlignmentFlag.AlignHCenter,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 24)
        layout.addWidget(box)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent) and event.source() is not None:
            # Dragged from this very window, to another program: here it is already.
            return super().eventFilter(watched, event)
        if isinstance(event, QDropEvent) and not isinstance(event, (QDragEnterEvent, QDragMoveEvent)):
            return self._on_drop(event)
        if isinstance(event, QDragEnterEvent) and (dropped_paths(event.mimeData()) or dropped_links(event.mimeData())):
            event.acceptProposedAction()
            self.setGeometry(self._parent.rect())
            self.show()
            self.raise_()
            return True
        if event.type() == QEvent.Type.DragLeave:
            self.hide()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        veil = QColor(self._theme.tokens().window)
        veil.setAlpha(235)
        painter = QPainter(self)
        painter.fillRect(self.rect(), veil)
        painter.end()

    def _on_drop(self, event: QDropEvent) -> bool:
        self.hide()
        paths = dropped_paths(event.mimeData())
        links = dropped_links(event.mimeData())
        if not paths and not links:
            return False
        event.acceptProposedAction()
        if paths:
            self.dropped.emit(paths)
        if links:
            self.links_dropped.emit(links)
        return True
