"""A passage with its source, copied or dragged into another program."""

from PySide6.QtCore import QMimeData, QObject, QPoint, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QListView

from workbench.ui.actions import pane_action
from workbench.ui.external_programs import DragOut, quote_mime
from workbench.ui.inspector.passage_model import PassageModel


class PassageCopy(QObject):
    """Adds both to a list of passages."""

    def __init__(self, view: QListView, model: PassageModel) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        pane_action(view, "passage.copy", self._on_copy)
        DragOut(view.viewport(), self.data_at)

    def data_at(self, place: QPoint) -> QMimeData | None:
        """Return the passage at a place of the list, None where there is none."""
        passage = self._model.passage(self._view.indexAt(place))
        return quote_mime(passage.marked, passage.place) if passage is not None else None

    @Slot()
    def _on_copy(self) -> None:
        passage = self._model.passage(self._view.currentIndex())
        if passage is not None:
            QGuiApplication.clipboard().setMimeData(quote_mime(passage.marked, passage.place))
