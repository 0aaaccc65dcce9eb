"""The bar above the pages: which of how many, back and forth, nearer and farther."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from workbench.language import tr
from workbench.ui.controls import label
from workbench.ui.theme import Theme


class PageBar(QWidget):
    """Says where one is, and is pressed to go elsewhere.

    Attributes:
        tools: Where other buttons find room beside those that zoom.

    Signals:
        turned: 1 for the next page, -1 for the one before.
        zoomed: 1 for nearer, -1 for farther.
        fitted: The page is to be as wide as its room.
    """

    turned = Signal(int)
    zoomed = Signal(int)
    fitted = Signal()

    def __init__(self, theme: Theme, edge: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._buttons: dict[QToolButton, str] = {}
        self.previous = self._button("chevron-left", tr("Previous page"))
        self.next = self._button("chevron-right", tr("Next page"))
        self.farther = self._button("zoom-out", tr("Zoom out (Ctrl+wheel)"))
        self.nearer = self._button("zoom-in", tr("Zoom in (Ctrl+wheel)"))
        self.previous.clicked.connect(self._on_previous)
        self.next.clicked.connect(self._on_next)
        self.farther.clicked.connect(self._on_farther)
        self.nearer.clicked.connect(self._on_nearer)
        self.fit = QToolButton()
        self.fit.setText(tr("Fit"))
        self.fit.setToolTip(tr("Fit the page to the width (0)"))
        self.fit.setAccessibleName(tr("Fit the page to the width"))
        self.fit.setCheckable(True)
        self.fit.clicked.connect(self.fitted)
        self._number = label("", "muted")
        self._percent = label("", "caption")
        self.tools = QHBoxLayout()
        row = QHBoxLayout(self)
        row.setContentsMargins(edge - 4, 4, edge - 4, 4)
        row.setSpacing(2)
        for widget in (self.previous, self._number, self.next):
            row.addWidget(widget)
        row.addStretch(1)
        row.addLayout(self.tools)
        for widget in (self.farther, self._percent, self.nearer, self.fit):
            row.addWidget(widget)
        theme.changed.connect(self._paint)
        self._paint()

    def show_state(self, page: int | None, ends: tuple[int, int], zoom: float, *, is_fitted: bool) -> None:
        """Show which page is looked at, of which first and last one, and how large; None for no page."""
        first, last = ends
        self._number.setText(tr("Page {n} of {pages}", n=page, pages=last) if page is not None else "")
        self.previous.setEnabled(page is not None and page > first)
        self.next.setEnabled(page is not None and page < last)
        self._percent.setText(f"{zoom:.0%}" if page is not None else "")
        self.fit.setChecked(is_fitted)
        for button in (self.nearer, self.farther, self.fit):
            button.setEnabled(page is not None)

    def _button(self, icon: str, name: str) -> QToolButton:
        button = QToolButton()
        button.setToolTip(name)
        button.setAccessibleName(name.partition(" (")[0])
        self._buttons[button] = icon
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
        for button, icon in self._buttons.items():
            button.setIcon(self._theme.icon(icon))
