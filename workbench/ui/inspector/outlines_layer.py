"""Over the pages: the outlines of all their passages, the button that shows them, and the click that chooses one."""

from PySide6.QtCore import QObject, QPointF, Signal, Slot

from workbench.ui.actions import command, key_of
from workbench.ui.controls import IconButton
from workbench.ui.inspector.page_outlines import PageOutlines
from workbench.ui.inspector.page_view import PageView
from workbench.ui.theme import Theme


class OutlinesLayer(QObject):
    """Between the pages and the outlines.

    Attributes:
        button: Shows and hides the outlines.

    Signals:
        chunk_pressed: A chunk whose outline was clicked.
    """

    chunk_pressed = Signal(int)

    def __init__(self, theme: Theme, outlines: PageOutlines, view: PageView) -> None:
        super().__init__(view)
        self._outlines = outlines
        self._view = view
        name = command("passage.outlines").title
        self.button = IconButton(theme, "outlines", f"{name} ({key_of('passage.outlines')})")
        self.button.setAccessibleName(name)
        self.button.setCheckable(True)
        self.button.toggled.connect(outlines.switch)
        view.bar.tools.addWidget(self.button)
        view.canvas.overlay = outlines.paint
        view.canvas.clicked.connect(self.press)
        view.turned.connect(self._on_turned)
        outlines.changed.connect(view.canvas.viewport().update)

    @Slot(int, QPointF)
    def press(self, page: int, place: QPointF) -> None:
        """Choose the passage at a place of a page, in points from its top left corner."""
        chunk = self._outlines.at(page, place)
        if chunk:
            self.chunk_pressed.emit(chunk)

    @Slot()
    def _on_turned(self) -> None:
        self._outlines.show_pages(self._view.in_sight)
