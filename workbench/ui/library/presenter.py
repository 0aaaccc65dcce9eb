"""The decisions of the library pane; works without a window."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench.model.document import Document
from workbench.model.progress import DocumentChanged, DocumentsRemoved, FileFinished
from workbench.resources import resource
from workbench.ui.bridge import Bridge
from workbench.ui.library.model import DocumentModel
from workbench.ui.library.running import ImportState, RunningImport
from workbench.ui.library.wording import count, summary
from workbench.ui.verbs import operations

logger = logging.getLogger(__name__)
BATCH_MS = 50
"""Changes are shown together that often: 200 files make 1,000 events, the eye sees 20 pictures a second."""
DEFAULT_KNOWLEDGE_BASE = "default"


class LibraryPresenter(QObject):
    """Turns what the user does into operations, and what operations say into rows.

    Signals:
        import_changed: An ImportState.
        documents_changed: The rows are others now.
        knowledge_bases_changed: Their names.
        said: A sentence for a toast, and whether it can be undone.
        failed: An error and its details, for the banner.
        library_changed: Whether a library is open.
    """

    import_changed = Signal(object)
    documents_changed = Signal()
    knowledge_bases_changed = Signal(list)
    said = Signal(str, bool)
    failed = Signal(object, str)
    library_changed = Signal(bool)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.model = DocumentModel(self)
        self.knowledge_base = DEFAULT_KNOWLEDGE_BASE
        self.loaded = False
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._imports: list[RunningImport] = []
        self._pending: dict[int, Document] = {}
        self._early: list[Path] = []
        self._undoable: tuple[int, ...] = ()
        self._batch = QTimer(self)
        self._batch.setSingleShot(True)
        self._batch.setInterval(BATCH_MS)
        self._batch.timeout.connect(self.flush)
        bridge.domain_event.connect(self._on_domain_event)

    def set_library(self, library: "operations.Library | None") -> None:
        """Show another library; what a kill left unfinished goes on by itself."""
        self._library = library
        self.loaded = False
        self._pending.clear()
        self.model.replace_all(())
        self.library_changed.emit(library is not None)
        self.documents_changed.emit()
        if library is not None:
            self._bridge.submit(operations.list_documents(library), done=self._on_listed)
            self._bridge.submit(operations.list_knowledge_bases(library), done=self._on_knowledge_bases)

    def add(self, paths: Sequence[Path], *, password: str | None = None) -> None:
        """Add files and folders to the chosen knowledge base; before the library is open, as soon as it is."""
        if not paths:
            return
        if self._library is None:
            self._early.extend(paths)
            return
        base = self.knowledge_base or DEFAULT_KNOWLEDGE_BASE
        self._run(operations.add_documents(self._library, paths, knowledge_base=base, password=password))

    def add_samples(self) -> None:
        """Add the documents that come with the program."""
        # The questions beside them are the tour's.
        self.add([path for path in sorted(resource("sample").iterdir()) if path.suffix != ".jsonl"])

    def reindex(self, numbers: Sequence[int]) -> None:
        """Read documents anew."""
        if self._library is not None and numbers:
            self._run(operations.reindex_documents(self._library, numbers))

    def resume(self) -> None:
        """Go on with what a stop, or a change of the embedding model, left unfinished."""
        if self._library is not None:
            unfinished = RunningImport(moved=self._on_moved, ended=self._on_resumed, failed=self._on_import_failed)
            self._imports.append(unfinished)
            unfinished.start(self._bridge, operations.resume_import(self._library))

    def cancel(self) -> None:
        """Stop every import; what is done stays done."""
        for running in self._imports:
            running.cancel()

    def remove(self, numbers: Sequence[int]) -> None:
        """Remove documents and offer to bring them back."""
        if self._library is None or not numbers:
            return
        self._undoable = tuple(numbers)
        self._bridge.submit(operations.remove_documents(self._library, numbers), failed=self._on_failed)
        self.said.emit(f"Removed {count(len(numbers), 'document')}", True)

    @Slot()
    def undo_remove(self) -> None:
        """Bring back what was removed last."""
        numbers, self._undoable = self._undoable, ()
        if self._library is not None and numbers:
            self._bridge.submit(operations.restore_documents(self._library, numbers), failed=self._on_failed)

    def choose_knowledge_base(self, name: str) -> None:
        """Show and add to one knowledge base; an empty name shows all and adds to the default."""
        self.knowledge_base = name
        self.model.filter(knowledge_base=name or None, every=True)
        self.documents_changed.emit()

    def search(self, needle: str) -> None:
        """Show only documents whose name or title holds needle."""
        self.model.filter(needle=needle)
        self.documents_changed.emit()

    @property
    def importing(self) -> ImportState:
        """How far the imports are."""
        return ImportState.of(self._imports)

    @Slot()
    def flush(self) -> None:
        """Show the changes that have come together."""
        pending, self._pending = self._pending, {}
        if pending:
            self.model.put(pending.values())
            self.documents_changed.emit()

    def _run(self, operation: Any) -> None:
        running = RunningImport(moved=self._on_moved, ended=self._on_ended, failed=self._on_import_failed)
        self._imports.append(running)
        running.start(self._bridge, operation)
        self._on_moved()

    def _on_listed(self, documents: list[Document]) -> None:
        self.model.replace_all(documents)
        self.loaded = True
        self.documents_changed.emit()
        early, self._early = self._early, []
        self.add(early)
        self.resume()

    def _on_knowledge_bases(self, names: list[str]) -> None:
        self.knowledge_bases_changed.emit(names)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, DocumentChanged):
            self._pending[event.document.id] = event.document
            if not self._batch.isActive():
                self._batch.start()
        elif isinstance(event, DocumentsRemoved):
            for number in event.documents:
                self._pending.pop(number, None)
            self.model.drop(event.documents)
            self.documents_changed.emit()

    def _on_moved(self) -> None:
        self.import_changed.emit(self.importing)

    def _on_ended(self, running: RunningImport, results: list[FileFinished]) -> None:
        self._on_resumed(running, results)
        self.said.emit(summary(results), False)

    def _on_resumed(self, running: RunningImport, _results: list[FileFinished]) -> None:
        self._imports.remove(running)
        self.flush()
        self._on_moved()

    def _on_import_failed(self, running: RunningImport, error: BaseException, details: str) -> None:
        self._imports.remove(running)
        self._on_moved()
        self._on_failed(error, details)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)
