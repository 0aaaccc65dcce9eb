"""Scrolling and zooming view of the pages of a document, and the bar with page number and zoom above it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractSlider, QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.model.chunk import Box
from workbench.model.document import Page
from workbench.ui.controls import label, set_icon
from workbench.ui.inspector.page_canvas import PageCanvas, PageLayout, Picture, pixels_of
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import PagePicture


# Pixels per point at 100 %: 96 dots per inch.
_FULL_SIZE = 96 / 72
_ZOOMS = (0.25, 0.33, 0.5, 0.67, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)
_MARGIN = 6
# Margin around the frame that contains the pages.
_EDGE = 12
# Points left and right of a passage when the view is zoomed to it.
_PASSAGE_MARGIN = 18.0
_SHARPEST = 6.0
"""Maximum pixels per point: a sharper picture makes no visible difference."""
_TOLERANCE = 1e-4
"""Pixels per point by which two equal scales may differ: less than a pixel of the largest page."""
_AHEAD = 2
"""Pages that are drawn in advance in the direction of reading; in the other direction it is one page."""
_PAUSE = 100
"""Milliseconds until pages are drawn again while the edge of the pane is dragged."""


class PageView(QFrame):
    """Toolbar and pages, fitted to the width until the user chooses a zoom.

    In a narrow pane such a page is shown at 45 %, too small to read; Fit then zooms to the marked passage and back.

    Signals:
        pages_wanted: Pages to draw, each with its scale in pixels per point, in order of priority.
        turned: Other pages are visible.

    Attributes:
        canvas: View of the pages.
        bar: Toolbar above them.
        row: Layout with space for a widget next to the scroll bar.
    """

    pages_wanted = Signal(object)
    turned = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pages: Sequence[Page] = ()
        self._zoom: float | None = None
        self._whole_width = True
        self._focus: tuple[int, Sequence[Box]] = (0, ())
        self._before, self._is_upward = 0, False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self._request_pages)
        self.bar = PageBar(theme, _EDGE)
        self.bar.turned.connect(self._on_turned)
        self.bar.zoomed.connect(self._on_zoomed)
        self.bar.fitted.connect(self._on_fit)
        self.row = QHBoxLayout()
        self.canvas = PageCanvas(theme)
        self.canvas.setAccessibleName(tr("Page"))
        self.canvas.moved.connect(self._on_moved)
        self.canvas.zoom_asked.connect(self._on_zoomed)
        self._waiting = label("", "muted")
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._arrange()
        self.clear()

    @property
    def zoom(self) -> float:
        """Zoom of the current page; 1 is the size of paper."""
        return self.canvas.stack.factor(self.canvas.page) / _FULL_SIZE if self._pages else 1.0

    @property
    def page(self) -> int | None:
        """Number of the current page; None if there are no pages."""
        return self.canvas.page if self._pages else None

    @property
    def in_sight(self) -> range:
        """The pages that are at least partly visible."""
        return self.canvas.in_sight if self._pages and self.isVisible() else range(0)

    def is_sharp(self, page: int) -> bool:
        """Return True if the picture of a page is available and as sharp as the zoom requires."""
        return bool(self._pages) and abs(self.canvas.pictures.scale(page) - self._scale(page)) < _TOLERANCE

    def show_pages(self, pages: Sequence[Page], at: int = 0, *, keeps_zoom: bool = False) -> None:
        """Show a document's pages from a given page on; blank paper is shown until the pictures arrive.

        Args:
            pages: The pages.
            at: Number of the page at the top.
            keeps_zoom: True if the document was shown before; any other one is fitted to the width.
        """
        self.canvas.forget()
        if not keeps_zoom:
            self._zoom, self._whole_width = None, True
        self._pages = pages
        self._focus = (pages[0].number, ())
        # Signals are blocked until the right page is visible: the first one would be drawn before it.
        self.canvas.blockSignals(True)
        self._lay_out()
        self.canvas.show_place(max(at, pages[0].number), None)
        self.canvas.blockSignals(False)
        self._before, self._is_upward = self.canvas.in_sight[0], False
        self._on_moved()

    def turn_to(self, page: int) -> None:
        """Scroll to the top of a page."""
        if self._pages and self.canvas.stack.first <= page <= self.canvas.stack.last:
            self.canvas.show_place(page, None)
            self._on_moved()

    def go_to(self, page: int, marks: Sequence[Box] = ()) -> None:
        """Scroll to a page and its marks."""
        if not self._pages or not self.canvas.stack.first <= page <= self.canvas.stack.last:
            return
        self._focus = (page, marks)
        self.canvas.mark(page, marks)
        if self._zoom is None:
            self._lay_out()
        left = min((mark[0] for mark in marks), default=0.0)
        top = min((mark[1] for mark in marks), default=0.0)
        self.canvas.show_place(page, (left, top, left, top) if marks else None, _PASSAGE_MARGIN)
        self._on_moved()

    def take(self, page: int, scale: float, picture: PagePicture) -> None:
        """Store the picture of a page and repaint."""
        self.canvas.pictures.put(page, Picture(pixels_of(picture.data), scale), self._draw_order())
        self.canvas.viewport().update()

    def clear(self, reason: str = "") -> None:
        """Remove all pages and show the reason; without a reason, show that the page is being drawn."""
        self._waiting.setText(reason or tr("Drawing the page…"))
        self._pages = ()
        self.canvas.forget()
        self.canvas.set_stack(PageLayout(()))
        self._show_state()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._zoom is None and self._pages:
            self._pause.start()  # pages keep their pictures until the edge stops moving
            self._lay_out()
            self._show_state()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._request_pages()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        act = QAbstractSlider.SliderAction
        scrolls = {
            Qt.Key.Key_PageDown: act.SliderPageStepAdd,
            Qt.Key.Key_PageUp: act.SliderPageStepSub,
            Qt.Key.Key_Home: act.SliderToMinimum,
            Qt.Key.Key_End: act.SliderToMaximum,
        }
        zooms = {Qt.Key.Key_Plus: 1, Qt.Key.Key_Minus: -1}
        key = Qt.Key(event.key())
        if key in scrolls:
            self.canvas.verticalScrollBar().triggerAction(scrolls[key])
        elif key in zooms:
            self._on_zoomed(zooms[key])
        elif key == Qt.Key.Key_0:
            self._on_fit()
        else:
            super().keyPressEvent(event)

    def _arrange(self) -> None:
        well = QFrame()
        well.setProperty("role", "well")
        inside = QVBoxLayout(well)
        inside.setContentsMargins(1, 1, 1, 1)
        self.row.setSpacing(0)
        self.row.addWidget(self.canvas)
        inside.addLayout(self.row)
        inside.addWidget(self._waiting, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        edge = QHBoxLayout()
        edge.setContentsMargins(_EDGE, 0, _EDGE, _EDGE)
        edge.addWidget(well)
        layout.addLayout(edge, 1)

    def _lay_out(self) -> None:
        """Lay the pages out below one another at the current zoom: fitted to the width, or larger."""
        if self._zoom is not None:
            self.canvas.set_stack(PageLayout(self._pages, factor=self._zoom * _FULL_SIZE))
            return
        # Space for the scroll bar is always reserved: fitting would otherwise show and hide it in turn.
        bar = self.canvas.verticalScrollBar().sizeHint().width()
        space = width = max(60.0, float(self.width() - 2 * _EDGE - 2 - bar - 2 * _MARGIN))
        page, marks = self._focus
        if marks and not self._whole_width:
            whole = PageLayout(self._pages, width=space)
            left, right = min(mark[0] for mark in marks), max(mark[2] for mark in marks)
            near = min(space / (right - left + 2 * _PASSAGE_MARGIN), _FULL_SIZE)
            width = whole.points(page)[0] * max(whole.factor(page), near)
        self.canvas.set_stack(PageLayout(self._pages, width=width))

    def _scale(self, page: int) -> float:
        return min(_SHARPEST, self.canvas.stack.factor(page) * self.devicePixelRatioF())

    def _draw_order(self) -> list[int]:
        """Return the visible pages and those next to them, in order of priority."""
        stack, visible = self.canvas.stack, self.canvas.in_sight
        if not self._pages or not visible:
            return []
        down = range(visible[-1] + 1, min(stack.last, visible[-1] + _AHEAD) + 1)
        up = range(visible[0] - 1, max(stack.first, visible[0] - _AHEAD) - 1, -1)
        first, then = (up, down[:1]) if self._is_upward else (down, up[:1])
        return [*visible, *first, *then]

    @Slot()
    def _request_pages(self) -> None:
        """Request the pictures of visible and nearby pages that are not as sharp as they should be."""
        if self.isVisible() and self._pages:
            near = [page for page in self._draw_order() if not self.is_sharp(page) and not self.canvas.has_note(page)]
            self.pages_wanted.emit([(page, self._scale(page)) for page in near])

    def _set_zoom(self, zoom: float | None) -> None:
        self._zoom = zoom
        self._lay_out()
        self._show_state()
        self._request_pages()

    def _show_state(self) -> None:
        page, stack = self.page, self.canvas.stack
        self.canvas.setVisible(page is not None)
        self._waiting.setVisible(page is None)
        is_fitted = self._zoom is None and self._whole_width
        self.bar.show_state(page, (stack.first, stack.last), self.zoom, is_fitted=is_fitted)

    @Slot()
    def _on_moved(self) -> None:
        if not self._pages:
            return
        first = self.canvas.in_sight[0]
        if first != self._before:
            self._before, self._is_upward = first, first < self._before
        self._show_state()
        if not self._pause.isActive():
            self._request_pages()
        self.turned.emit()

    @Slot(int)
    def _on_turned(self, way: int) -> None:
        if self.page is not None:
            self.turn_to(self.page + way)

    @Slot(int)
    def _on_zoomed(self, way: int) -> None:
        """Change to the next zoom step: larger for 1, smaller for -1."""
        if not self._pages:
            return
        if way > 0:
            self._set_zoom(next((zoom for zoom in _ZOOMS if zoom > self.zoom + 0.01), _ZOOMS[-1]))
        else:
            self._set_zoom(next((zoom for zoom in reversed(_ZOOMS) if zoom < self.zoom - 0.01), _ZOOMS[0]))

    @Slot()
    def _on_fit(self) -> None:
        """Fit the page to the width; if it is fitted, zoom to the marked passage, so that it can be read."""
        is_fitted = self._zoom is None and self._whole_width
        self._whole_width = not (is_fitted and self._focus[1])
        self._set_zoom(None)
        if not self._whole_width:
            self.go_to(*self._focus)


class FitButton(QToolButton):
    """Button “Fit” whose menu, opened by its arrow or the key Down, holds whatever else changes the view of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.setText(tr("Fit"))
        self.setToolTip(tr("Fit the page to the width, or zoom to the marked passage (0)"))
        self.setAccessibleName(tr("Fit the page to the width"))
        self.setAccessibleDescription(tr("Press Down for a menu with more views of the page"))
        self.setCheckable(True)
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.showMenu()
        else:
            super().keyPressEvent(event)


class PageBar(QWidget):
    """Toolbar that shows the current page and zoom, and controls that change them.

    Attributes:
        fit: Button that fits the page; its menu zooms in and out.
        nearer: Action that zooms in.
        farther: Action that zooms out.

    Signals:
        turned: 1 for the next page, -1 for the previous one.
        zoomed: 1 to zoom in, -1 to zoom out.
        fitted: The page is to be fitted to the width.
    """

    turned = Signal(int)
    zoomed = Signal(int)
    fitted = Signal()

    def __init__(self, theme: Theme, edge: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons: dict[QToolButton | QAction, str] = {}
        self.previous = self._button("chevron-left", tr("Previous page"))
        self.next = self._button("chevron-right", tr("Next page"))
        self.previous.clicked.connect(self._on_previous)
        self.next.clicked.connect(self._on_next)
        self.fit = FitButton()
        self.fit.clicked.connect(self.fitted)
        self.nearer = self.fit.menu().addAction(tr("Zoom in (Ctrl+wheel)"), self._on_nearer)
        self.farther = self.fit.menu().addAction(tr("Zoom out (Ctrl+wheel)"), self._on_farther)
        self._icons |= {self.nearer: "zoom-in", self.farther: "zoom-out"}
        self._number = label("", "muted")
        self._percent = label("", "caption")
        row = QHBoxLayout(self)
        row.setContentsMargins(edge - 4, 4, edge - 4, 4)
        row.setSpacing(2)
        for widget in (self.previous, self._number, self.next):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self._percent)
        row.addSpacing(4)
        row.addWidget(self.fit)
        theme.changed.connect(self._paint)
        self._paint()

    def show_state(self, page: int | None, ends: tuple[int, int], zoom: float, *, is_fitted: bool) -> None:
        """Show the current page, the first and last page, and the zoom; None for no page."""
        first, last = ends
        self._number.setText(tr("Page {n} of {pages}", n=page, pages=last) if page is not None else "")
        self.previous.setEnabled(page is not None and page > first)
        self.next.setEnabled(page is not None and page < last)
        self._percent.setText(f"{zoom:.0%}" if page is not None else "")
        self.fit.setChecked(is_fitted)
        for control in (self.nearer, self.farther, self.fit):
            control.setEnabled(page is not None)

    def _button(self, icon: str, name: str) -> QToolButton:
        button = QToolButton()
        button.setToolTip(name)
        button.setAccessibleName(name.partition(" (")[0])
        self._icons[button] = icon
        return button

    @Slot()
    def _on_previous(self) -> None:
        self.turned.emit(-1)

    @Slot()
    def _on_next(self) -> None:
        self.turned.emit(1)

    @Slot()
    def _on_farther(self) -> None:
        self.zoomed.emit(-1)

    @Slot()
    def _on_nearer(self) -> None:
        self.zoomed.emit(1)

    @Slot()
    def _paint(self) -> None:
        for control, icon in self._icons.items():
            if isinstance(control, QToolButton):
                set_icon(control, self._theme, icon)
            else:
                control.setIcon(self._theme.icon(icon))
