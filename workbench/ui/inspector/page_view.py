"""A page's picture: fitted to the width or zoomed, pages turned, the mark in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import PageImage

# Pixels a point at 100 %: 96 dots an inch.
_FULL_SIZE = 96 / 72
_ZOOMS = (0.25, 0.33, 0.5, 0.67, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)
# Pages are drawn at one of these, so that a dragged edge of the window does not draw a page a pixel.
_SCALES = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_MARGIN = 6
# Around the well in which the page lies.
_EDGE = 12
# Points left and right of a passage when the page is zoomed to it.
_AIR = 18.0


class PageCanvas(QWidget):
    """Paints the picture at the size it is given."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._picture = QPixmap()
        self._scaled = QPixmap()

    def set_picture(self, picture: QPixmap) -> None:
        """Paint another picture."""
        self._picture = picture
        self._scaled = QPixmap()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._picture.isNull():
            return
        ratio = self.devicePixelRatioF()
        wanted = QSize(round(self.width() * ratio), round(self.height() * ratio))
        if self._scaled.size() != wanted:
            # Scaled once a size: painting with a transformation would smooth the whole page on each scroll.
            self._scaled = self._picture.scaled(
                wanted, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
            self._scaled.setDevicePixelRatio(ratio)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._scaled)
        painter.setPen(QColor(self._theme.tokens().border_strong))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


class PageView(QFrame):
    """Toolbar and page; zoomed to the width of the marked passage until the user chooses a zoom of his own.

    In a narrow pane a page fitted to the width is at 45 %, too small to read; the passage alone has room for more.

    Signals:
        page_wanted: Another page was asked for (1-based).
        sharper_wanted: The picture is too coarse for the zoom; pixels a point.
        page_shown: The number of the page that is shown now, and its width in points.

    Attributes:
        canvas: The page itself.
        tools: Where other buttons find room beside those that zoom.
    """

    page_wanted = Signal(int)
    sharper_wanted = Signal(float)
    page_shown = Signal(int, float)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._image: PageImage | None = None
        self._zoom: float | None = None
        self._whole_width = False
        self._drag = QPoint()
        self._buttons: dict[QToolButton, str] = {}
        self._previous = self._button("chevron-left", "Previous page", self._on_previous)
        self._next = self._button("chevron-right", "Next page", self._on_next)
        self._out = self._button("zoom-out", "Zoom out (Ctrl+wheel)", self._on_zoom_out)
        self._in = self._button("zoom-in", "Zoom in (Ctrl+wheel)", self._on_zoom_in)
        self._fit = QToolButton()
        self._fit.setText("Fit")
        self._fit.setToolTip("Fit the page to the width (0)")
        self._fit.setAccessibleName("Fit the page to the width")
        self._fit.setCheckable(True)
        self._fit.clicked.connect(self._on_fit)
        self._page = QLabel()
        self._page.setProperty("role", "muted")
        self._percent = QLabel()
        self._percent.setProperty("role", "caption")
        self.canvas = self._canvas = PageCanvas(theme)
        self.tools = QHBoxLayout()
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._scroll.setWidget(self._canvas)
        self._scroll.setAccessibleName("Page")
        self._scroll.viewport().setAutoFillBackground(False)
        self._waiting = QLabel()
        self._waiting.setProperty("role", "muted")
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._arrange()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.clear()

    @property
    def zoom(self) -> float:
        """How large the page is shown; 1 is the size of paper."""
        return self._points_to_pixels() / _FULL_SIZE

    @property
    def page(self) -> int | None:
        """The page that is shown."""
        return self._image.page if self._image is not None else None

    def wanted_scale(self) -> float:
        """Return at how many pixels a point a page should be drawn to be sharp here."""
        needed = self._points_to_pixels() * self.devicePixelRatioF() if self._image is not None else 2.0
        return next((scale for scale in _SCALES if scale >= needed - 0.01), _SCALES[-1])

    def show_image(self, image: PageImage) -> None:
        """Show a page; its mark is brought into sight unless it is the same page drawn sharper."""
        same = self._image is not None and (image.page, image.marks, image.width) == (
            self._image.page,
            self._image.marks,
            self._image.width,
        )
        picture = QPixmap()
        picture.loadFromData(image.png)
        self._image = image
        self._canvas.set_picture(picture)
        self._resize_canvas()
        self._show_state()
        if not same:
            self._show_mark()
        self.page_shown.emit(image.page, image.width)
        self._ask_for_sharper()

    def clear(self, reason: str = "Drawing the page…") -> None:
        """Show no page, and say why."""
        self._waiting.setText(reason)
        self._image = None
        self._canvas.set_picture(QPixmap())
        self._canvas.setFixedSize(0, 0)
        self._show_state()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._zoom is None:
            self._resize_canvas()
            self._ask_for_sharper()
            self._show_state()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            (self._on_zoom_in if event.angleDelta().y() > 0 else self._on_zoom_out)()
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        actions = {
            Qt.Key.Key_PageDown: self._on_next,
            Qt.Key.Key_PageUp: self._on_previous,
            Qt.Key.Key_Plus: self._on_zoom_in,
            Qt.Key.Key_Minus: self._on_zoom_out,
            Qt.Key.Key_0: self._on_fit,
        }
        action = actions.get(Qt.Key(event.key()))
        if action is None:
            super().keyPressEvent(event)
        else:
            action()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._drag = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the page with the pointer, as paper on a desk."""
        moved = event.position().toPoint() - self._drag
        self._drag = event.position().toPoint()
        for bar, distance in (
            (self._scroll.horizontalScrollBar(), moved.x()),
            (self._scroll.verticalScrollBar(), moved.y()),
        ):
            bar.setValue(bar.value() - distance)

    def _arrange(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(_EDGE - 4, 4, _EDGE - 4, 4)
        bar.setSpacing(2)
        for widget in (self._previous, self._page, self._next):
            bar.addWidget(widget)
        bar.addStretch(1)
        bar.addLayout(self.tools)
        for widget in (self._out, self._percent, self._in, self._fit):
            bar.addWidget(widget)
        well = QFrame()
        well.setProperty("role", "well")
        inside = QVBoxLayout(well)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self._scroll)
        inside.addWidget(self._waiting, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        edge = QHBoxLayout()
        edge.setContentsMargins(_EDGE, 0, _EDGE, _EDGE)
        edge.addWidget(well)
        layout.addLayout(edge, 1)

    def _button(self, icon: str, name: str, slot: object) -> QToolButton:
        button = QToolButton()
        button.setToolTip(name)
        button.setAccessibleName(name.partition(" (")[0])
        button.clicked.connect(slot)
        self._buttons[button] = icon
        return button

    def _points_to_pixels(self) -> float:
        if self._zoom is not None or self._image is None:
            return (self._zoom or 1.0) * _FULL_SIZE
        # Room for the scroll bar is always kept: fitting would otherwise show and hide it in turn.
        space = self.width() - 2 * _EDGE - 2 - self._scroll.verticalScrollBar().sizeHint().width() - 2 * _MARGIN
        whole = max(0.2, space / self._image.width)
        if self._whole_width or not self._image.marks:
            return whole
        left, right = min(mark[0] for mark in self._image.marks), max(mark[2] for mark in self._image.marks)
        return max(whole, min(space / (right - left + 2 * _AIR), _FULL_SIZE))

    def _resize_canvas(self) -> None:
        if self._image is not None:
            factor = self._points_to_pixels()
            self._canvas.setFixedSize(round(self._image.width * factor), round(self._image.height * factor))

    def _show_mark(self) -> None:
        bar = self._scroll.verticalScrollBar()
        if self._image is None or not self._image.marks:
            bar.setValue(0)
            return
        factor = self._points_to_pixels()
        left = min(mark[0] for mark in self._image.marks) * factor
        top = min(mark[1] for mark in self._image.marks) * factor
        # The range of the bars follows a resized canvas only with the next event; the mark must not wait for it.
        bar.setMaximum(max(0, self._canvas.height() - self._scroll.viewport().height()))
        bar.setValue(round(top - self._scroll.viewport().height() / 3))
        across = self._scroll.horizontalScrollBar()
        across.setMaximum(max(0, self._canvas.width() - self._scroll.viewport().width()))
        across.setValue(round(left - _AIR * factor))

    def _set_zoom(self, zoom: float | None) -> None:
        self._zoom = zoom
        bar = self._scroll.verticalScrollBar()
        place = bar.value() / max(1, self._canvas.height())
        self._resize_canvas()
        bar.setMaximum(max(0, self._canvas.height() - self._scroll.viewport().height()))
        bar.setValue(round(place * self._canvas.height()))
        self._show_state()
        self._ask_for_sharper()

    def _ask_for_sharper(self) -> None:
        if self._image is not None and self.wanted_scale() > self._image.scale:
            self.sharper_wanted.emit(self.wanted_scale())

    def _show_state(self) -> None:
        image = self._image
        self._scroll.setVisible(image is not None)
        self._waiting.setVisible(image is None)
        self._page.setText(f"Page {image.page} of {image.pages}" if image is not None else "")
        self._previous.setEnabled(image is not None and image.page > 1)
        self._next.setEnabled(image is not None and image.page < image.pages)
        self._percent.setText(f"{self.zoom:.0%}" if image is not None else "")
        self._fit.setChecked(self._zoom is None and self._whole_width)
        for button in (self._in, self._out, self._fit):
            button.setEnabled(image is not None)

    @Slot()
    def _on_previous(self) -> None:
        if self._image is not None and self._image.page > 1:
            self.page_wanted.emit(self._image.page - 1)

    @Slot()
    def _on_next(self) -> None:
        if self._image is not None and self._image.page < self._image.pages:
            self.page_wanted.emit(self._image.page + 1)

    @Slot()
    def _on_zoom_in(self) -> None:
        self._set_zoom(next((zoom for zoom in _ZOOMS if zoom > self.zoom + 0.01), _ZOOMS[-1]))

    @Slot()
    def _on_zoom_out(self) -> None:
        self._set_zoom(next((zoom for zoom in reversed(_ZOOMS) if zoom < self.zoom - 0.01), _ZOOMS[0]))

    @Slot()
    def _on_fit(self) -> None:
        self._whole_width = True
        self._set_zoom(None)

    @Slot()
    def _on_theme_changed(self) -> None:
        for button, icon in self._buttons.items():
            button.setIcon(self._theme.icon(icon))
        self._canvas.update()
