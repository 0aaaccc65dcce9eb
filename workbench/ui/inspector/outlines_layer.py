"""Over the page: the outlines of all its passages, the button that shows them, and the click that chooses one."""

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.actions import command, key_of
from workbench.ui.controls import IconButton
from workbench.ui.inspector.page_outlines import PageOutlines
from workbench.ui.inspector.page_view import PageView
from workbench.ui.theme import Theme

# Pixels that a hand moves while it clicks.
_CLICK = 4


class OutlinesLayer(QWidget):
    """Lies on the page and lets every movement of the mouse through to it.

    Attributes:
        button: Shows and hides the outlines.

    Signals:
        chunk_pressed: A chunk whose outline was clicked.
    """

    chunk_pressed = Signal(int)

    def __init__(self, theme: Theme, outlines: PageOutlines, view: PageView) -> None:
        super().__init__(view.canvas)
        self._outlines = outlines
        self._view = view
        self._pressed = QPoint()
        self._points = 0.0
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        name = f"{command('passage.outlines').text} ({key_of('passage.outlines')})"
        self.button = IconButton(theme, "outlines", name)
        self.button.setAccessibleName(command("passage.outlines").text)
        self.button.setCheckable(True)
        self.button.toggled.connect(outlines.switch)
        view.tools.addWidget(self.button)
        view.canvas.installEventFilter(self)
        view.installEventFilter(self)
        view.page_shown.connect(self._on_page_shown)
        outlines.changed.connect(self.update)

    @property
    def factor(self) -> float:
        """Pixels a point."""
        return self.width() / self._points if self._points else 0.0

    def press(self, place: QPointF) -> None:
        """Choose the passage at a place of the page, in points from its top left corner."""
        chunk = self._outlines.at(place)
        if chunk:
            self.chunk_pressed.emit(chunk)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._view.canvas and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._view.canvas.rect())
        elif isinstance(event, QMouseEvent) and watched is self._view:
            place = event.position().toPoint()
            is_still = (place - self._pressed).manhattanLength() <= _CLICK
            if event.type() == QEvent.Type.MouseButtonPress:
                self._pressed = place
            elif event.type() == QEvent.Type.MouseButtonRelease and is_still and self.factor:
                self.press(QPointF(self.mapFrom(self._view, place)) / self.factor)
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.factor:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._outlines.paint(painter, self.factor)

    @Slot(int, float)
    def _on_page_shown(self, page: int, width: float) -> None:
        self._points = width
        self.setGeometry(self._view.canvas.rect())
        self._outlines.show_page(page)
