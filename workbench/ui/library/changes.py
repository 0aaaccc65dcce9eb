"""What happens to documents -> the rows, several changes at a time."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot

from workbench.model.document import Document
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.ui.library.model import DocumentModel

BATCH_MS = 50
"""Changes are shown together that often: 200 files make 1,000 events, the eye sees 20 pictures a second."""
_MANY = 100
"""So many that go at once are a part of more."""


class Changes(QObject):
    """Collects what events tell, and hands it to a model."""

    def __init__(self, model: DocumentModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._pending: dict[int, Document] = {}
        self._removed: list[int] = []
        self._batch = QTimer(self)
        self._batch.setSingleShot(True)
        self._batch.setInterval(BATCH_MS)
        self._batch.timeout.connect(self.flush)
        model.laid.connect(self._on_laid)

    def hear(self, event: object) -> None:
        """Take note of an event."""
        if isinstance(event, DocumentChanged):
            self._drop()
            self._pending[event.document.id] = event.document
        elif isinstance(event, DocumentsRemoved):
            for number in event.documents if self._pending else ():
                self._pending.pop(number, None)
            self._removed += event.documents
            if len(event.documents) < _MANY:
                self._drop()
        if (self._pending or self._removed) and not self._batch.isActive():
            self._batch.start()

    def clear(self) -> None:
        """Forget what was not shown yet."""
        self._pending.clear()
        self._removed.clear()

    @Slot()
    def flush(self) -> None:
        """Show the changes that have come together."""
        self._drop()
        pending, self._pending = self._pending, {}
        if pending:
            self._model.put(pending.values())

    def _drop(self) -> None:
        removed, self._removed = self._removed, []
        if removed:
            self._model.drop(removed)

    @Slot()
    def _on_laid(self) -> None:
        # In a library of 100,000 a rearrangement takes 100 ms: then it comes less often, so that one can scroll.
        self._batch.setInterval(max(BATCH_MS, round(10_000 * self._model.work.seconds)))
