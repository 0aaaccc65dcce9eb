"""What is dragged into another program, or copied for it: a quote with its source, as text and as HTML."""

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, Qt
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from workbench.model.hit import Citation


def quote_mime(quote: str, source: str) -> QMimeData:
    """Return a quote and where it stands, for programs that take text and for those that take HTML."""
    words = quote.strip()
    lines = escape(words).replace("\n", "<br>")
    data = QMimeData()
    data.setText(f"“{words}”\n— {source}")
    data.setHtml(f"<blockquote>{lines}</blockquote><p>— <cite>{escape(source)}</cite></p>")
    return data


def citation_mime(citation: Citation) -> QMimeData:
    """Return the quote of a citation with its document and page."""
    source = ", ".join(part for part in (citation.document_name, citation.place) if part)
    return quote_mime(citation.quote, source)


class DragOut(QObject):
    """Lets what lies under the pointer be dragged out of a widget.

    Args:
        widget: Where the mouse is watched; the viewport of a scroll area.
        data_at: Returns what lies at a place, None for nothing that can be dragged; a bound method.
    """

    def __init__(self, widget: QWidget, data_at: Callable[[QPoint], QMimeData | None]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._data_at = data_at
        self._pressed: QPoint | None = None
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent):
            place = event.position().toPoint()
            if event.type() == QEvent.Type.MouseButtonPress:
                self._pressed = place if event.button() == Qt.MouseButton.LeftButton else None
            elif event.type() == QEvent.Type.MouseButtonRelease:
                self._pressed = None
            elif event.type() == QEvent.Type.MouseMove and self._is_far(place):
                return self._drag()
        return super().eventFilter(watched, event)

    def _is_far(self, place: QPoint) -> bool:
        far = QApplication.startDragDistance()
        return self._pressed is not None and (place - self._pressed).manhattanLength() >= far

    def _drag(self) -> bool:
        """Begin to drag what was pressed; False where that is nothing, and the mouse means something else."""
        pressed, self._pressed = self._pressed, None
        data = self._data_at(pressed) if pressed is not None else None
        if data is None:
            return False
        drag = QDrag(self._widget)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)
        return True
