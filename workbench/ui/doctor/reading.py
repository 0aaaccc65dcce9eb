"""A document's pages on their way through OCR or the layout model: a long job that can be stopped between two pages."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from workbench.ui.bridge import Bridge


class Reading(QObject):
    """One job; what was stored when it is stopped stays.

    Signals:
        progressed: A PageRead.
        failed: An error and its details.
        ended: The document's id, however it ended.
    """

    progressed = Signal(object)
    failed = Signal(object, str)
    ended = Signal(int)

    def __init__(self, document: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._job: Any = None

    def start(self, bridge: Bridge, operation: Any) -> None:
        """Begin."""
        self._job = bridge.submit(
            operation, done=self._on_done, event=self._on_event, failed=self._on_failed, cancelled=self._on_cancelled
        )

    def stop(self) -> None:
        """Read no further page."""
        if self._job is not None:
            self._job.cancel()

    def _on_event(self, event: object) -> None:
        self.progressed.emit(event)

    def _on_done(self, _document: object) -> None:
        self.ended.emit(self._document)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)
        self.ended.emit(self._document)

    def _on_cancelled(self) -> None:
        self.ended.emit(self._document)
