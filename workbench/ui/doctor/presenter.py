"""Presenter of the document check, and the job that reads pages again by OCR or the layout model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench import operations
from workbench.model.diagnosis import Diagnosis, Patient, Remedy, Symptom
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, PageRead
from workbench.ui.bridge import Bridge

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.ui.library.presenter import LibraryPresenter


AGAIN_MS = 300
"""Delay of a new check after a document changed: an import changes it several times a second."""
_DONE = (DocumentStatus.READY, DocumentStatus.FAILED, DocumentStatus.INDEXED, DocumentStatus.LOCKED)


class DocumentCheckPresenter(QObject):
    """Checks one document or all, and applies remedies; treated documents are checked again.

    Signals:
        diagnosed: A Diagnosis.
        listed: The documents that have problems, a list of Patient.
        gone: The shown document was removed.
        unlock_asked: A Document that needs its password.
        progressed: A PageRead of the shown document.
        failed: An error and its details.
    """

    diagnosed = Signal(object)
    listed = Signal(list)
    gone = Signal()
    unlock_asked = Signal(object)
    progressed = Signal(object)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, documents: LibraryPresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._documents = documents
        self._library: Library | None = None
        self._document: int | None = None
        self._lists = False
        self._readings: dict[int, RemedyJob] = {}
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(AGAIN_MS)
        self._again.timeout.connect(self.check_again)
        bridge.domain_event.connect(self._on_domain_event)

    def check(self, library: Library | None, document: int | None, *, all_documents: bool = False) -> None:
        """Check one document, or list all that have problems."""
        self._library = library
        self._document = document
        self._lists = all_documents
        self.check_again()

    def look_at(self, document: int | None) -> None:
        """Check another document; None for none."""
        self._document = document
        if self._library is not None and document is not None:
            self._submit(operations.diagnose(self._library, document), self._on_diagnosed)

    @Slot()
    def rest(self) -> None:
        """Stop checking until check() is called again, because the dialog is closed."""
        self._again.stop()
        self._document = None
        self._lists = False

    @Slot()
    def check_again(self) -> None:
        """Repeat the last check."""
        if self._library is not None and self._lists:
            self._submit(operations.diagnose_library(self._library), self._on_listed)
        self.look_at(self._document)

    def cure(self, diagnosis: Diagnosis, symptom: Symptom) -> None:
        """Apply the remedy of a symptom."""
        document = diagnosis.document
        match symptom.remedy:
            case Remedy.READ_AGAIN:
                self._documents.reindex([document.id])
            case Remedy.MORE_TIME:
                self._documents.reindex([document.id], more_time=True)
            case Remedy.EMBED:
                self._documents.resume()
            case Remedy.UNLOCK:
                self.unlock_asked.emit(document)
            case Remedy.OCR | Remedy.TABLES if self._library is not None and not self.reads(document.id):
                if symptom.remedy is Remedy.TABLES:
                    read = operations.read_tables(self._library, document.id)
                else:
                    read = operations.ocr_pages(self._library, document.id, symptom.pages or None)
                reading = self._readings[document.id] = RemedyJob(document.id, self)
                reading.progressed.connect(self._on_page_read)
                reading.failed.connect(self.failed)
                reading.ended.connect(self._on_reading_ended)
                reading.start(self._bridge, read)

    def reads(self, document: int) -> bool:
        """Return whether this presenter is having pages of a document read by OCR or by the layout model."""
        return document in self._readings

    def stop_reading(self, document: int) -> None:
        """Stop reading pages of a document; stored pages are kept."""
        if document in self._readings:
            self._readings[document].stop()

    def _submit(self, operation: Any, done: Any) -> None:
        self._bridge.submit(operation, done=done, failed=self._on_failed)

    def _on_diagnosed(self, diagnosis: Diagnosis) -> None:
        if diagnosis.document.id == self._document:
            self.diagnosed.emit(diagnosis)

    def _on_listed(self, patients: list[Patient]) -> None:
        self.listed.emit(patients)

    @Slot(object)
    def _on_page_read(self, event: object) -> None:
        if isinstance(event, PageRead) and event.document == self._document:
            self.progressed.emit(event)

    @Slot(int)
    def _on_reading_ended(self, document: int) -> None:
        self._readings.pop(document).deleteLater()
        # Replaces the row, whose button still shows “Stop”.
        self.check_again()

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, DocumentChanged):
            is_relevant = event.document.id == self._document or self._lists
            if is_relevant and event.document.status in _DONE and not self._again.isActive():
                self._again.start()
        elif isinstance(event, DocumentsRemoved) and self._document in event.documents:
            self._document = None
            self.gone.emit()

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)


class RemedyJob(QObject):
    """Job that reads the pages of a document; pages stored before a stop are kept.

    Signals:
        progressed: A PageRead.
        failed: An error and its details.
        ended: The document's id, after success, failure or cancellation.
    """

    progressed = Signal(object)
    failed = Signal(object, str)
    ended = Signal(int)

    def __init__(self, document: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._job: Any = None

    def start(self, bridge: Bridge, operation: Any) -> None:
        """Start the job."""
        self._job = bridge.submit(
            operation, done=self._on_done, event=self._on_event, failed=self._on_failed, cancelled=self._on_cancelled
        )

    def stop(self) -> None:
        """Stop reading pages."""
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
