"""Presenter of the library pane, which applies changes of documents to the item model in batches.

It works without a window.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench import operations
from workbench.errors import EmbeddingError
from workbench.language import tr, translate, trn
from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileDivided, FileFinished
from workbench.model.knowledge_base import KnowledgeBasesChanged
from workbench.model.shared_library import is_in_shared_library
from workbench.resources import resource
from workbench.ui.bridge import Bridge
from workbench.ui.library.catalogue_presenter import CataloguePresenter
from workbench.ui.library.document_wording import BY_KEYWORD, summary
from workbench.ui.library.import_queue_presenter import QueuePresenter, RequestedImport
from workbench.ui.library.imports import EventHandler, ImportController, ImportRequester, ImportState, RunningImport
from workbench.ui.library.model import DocumentModel

if TYPE_CHECKING:
    from workbench.worker.job import JobHandle

logger = logging.getLogger(__name__)
DEFAULT_KNOWLEDGE_BASE = "default"


class LibraryPresenter(QObject):
    """Presenter that turns user actions into operations, and the results of operations into rows.

    Signals:
        import_changed: An ImportState.
        documents_changed: The rows changed.
        knowledge_bases_changed: Names of the knowledge bases.
        knowledge_base_changed: Name of the knowledge base that was chosen; empty for all.
        notified: A message for a toast, and whether the action can be undone.
        not_fetched: A list of FileFinished: web documents that were not fetched because of offline mode.
        failed: An error and its details, for the banner.
        library_changed: Whether a library is open.
        import_ended: A list of FileFinished.
    """

    import_changed = Signal(object)
    documents_changed = Signal()
    knowledge_bases_changed = Signal(list)
    knowledge_base_changed = Signal(str)
    notified = Signal(str, bool)
    not_fetched = Signal(list)
    failed = Signal(object, str)
    library_changed = Signal(bool)
    import_ended = Signal(list)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.model = DocumentModel(self)
        self.catalogue = CataloguePresenter(bridge, self)
        self.knowledge_base = ""
        self.knowledge_bases: list[str] = []
        self.remembered_base = ""
        self.loaded = False
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._imports = ImportController(bridge, self)
        self.queue = QueuePresenter(bridge, self._imports, self)
        self._changes = LibraryEventCollector(self.model, self)
        self._early_paths: list[Path] = []
        self._undoable: tuple[int, ...] = ()
        self._embedder_trouble = ""
        self._listing_shared: JobHandle[list[Document]] | None = None
        self.model.laid.connect(self.documents_changed)
        self._imports.changed.connect(self.import_changed)
        self._imports.ended.connect(self._on_import_ended)
        self._imports.failed.connect(self.failed)
        self.catalogue.notified.connect(self._on_catalogue_notified)
        self.catalogue.failed.connect(self.failed)
        self.catalogue.base_made.connect(self.choose_knowledge_base)
        self.queue.failed.connect(self.failed)
        self.queue.small.connect(self._on_small)
        self.queue.room_found.connect(self.resume)
        self.queue.unread_first.connect(self._on_unread_first)
        bridge.domain_event.connect(self._on_domain_event)

    def set_library(self, library: operations.Library | None) -> None:
        """Set the library and load its documents; work that was interrupted by a kill is resumed."""
        self._library = library
        self.catalogue.set_library(library)
        self.queue.set_library(library)
        self.loaded = False
        self._listing_shared = None
        self._changes.clear()
        self.model.replace_all(())
        self.choose_knowledge_base("")
        self.library_changed.emit(library is not None)
        if library is not None:
            # First, so that files dropped before the library was open go to the knowledge base that was chosen last
            # time.
            self._bridge.submit(operations.list_knowledge_bases(library), done=self._on_knowledge_bases)
            self._bridge.submit(operations.list_documents(library), done=self._on_listed)

    def list_shared(self) -> None:
        """List all documents and knowledge bases again: those of a shared library have changed."""
        if self._library is not None:
            self._bridge.submit(operations.list_knowledge_bases(self._library), done=self._on_knowledge_bases)
            listing = operations.list_documents(self._library)
            self._listing_shared = self._bridge.submit(listing, done=self._on_listed_again)

    @property
    def is_read_only(self) -> bool:
        """True if the library is open for reading only."""
        return self._library is not None and self._library.is_read_only

    @property
    def is_listing_shared(self) -> bool:
        """True while the documents are listed again."""
        return self._listing_shared is not None and not self._listing_shared.done

    def _on_listed_again(self, documents: list[Document]) -> None:
        """Apply what differs, so that selection and scroll position stay."""
        # Only of shared libraries: a document of the own library may have been changed since the list was made.
        known = {one.id: one for one in self.model.documents() if is_in_shared_library(one.id)}
        listed = {one.id: one for one in documents if is_in_shared_library(one.id)}
        for number, document in listed.items():
            if known.get(number) != document:
                self._changes.handle_event(DocumentChanged(document))
        removed = tuple(known.keys() - listed.keys())
        if removed:
            self._changes.handle_event(DocumentsRemoved(removed))

    def offer(self, paths: Sequence[Path], *, folder: str = "", on_event: EventHandler | None = None) -> None:
        """Add files and folders; a big drop is reviewed first.

        Args:
            paths: Files and folders.
            folder: Target folder of the tree, in the knowledge base of the documents there.
            on_event: Callback that receives the events of the import.
        """
        if self._library is None or not paths:
            self.add(paths)
            return
        inside = (one for one in self.model.documents() if f"{one.folder}/".startswith(f"{folder}/"))
        document = next(inside, None) if folder and not self.knowledge_base else None
        base = document.knowledge_base if document is not None else self.target
        self.queue.review(RequestedImport(paths, base, folder, on_event))

    @Slot(str, bool)
    def add_reviewed(self, knowledge_base: str, follow_links: bool | None = None) -> None:
        """Add the reviewed files to this knowledge base; if follow_links is None, the setting decides on links."""
        offered = self.queue.take_reviewed()
        if offered.paths:
            place: dict[str, Any] = {"folder": offered.folder} if offered.folder else {}
            if follow_links is not None:
                place["follow_links"] = follow_links
            base, on_event = knowledge_base, offered.on_event
            self.import_with("add_documents", offered.paths, on_event=on_event, knowledge_base=base, **place)

    def with_status(self, status: DocumentStatus) -> list[Document]:
        """Return the documents in this state, such as the locked or the failed ones."""
        return [one for one in self.model.documents() if one.status is status]

    def add(self, paths: Sequence[Path], *, password: str | None = None) -> None:
        """Add files and folders to the current knowledge base; if no library is open yet, as soon as one is."""
        if not paths:
            return
        if self._library is None:
            self._early_paths.extend(paths)
            return
        self.import_with("add_documents", paths, knowledge_base=self.target, password=password)

    def add_samples(self) -> None:
        """Add the documents that come with the program."""
        self.add(sorted(resource("sample").iterdir()))

    def reindex(self, numbers: Sequence[int], *, more_time: bool = False) -> None:
        """Read documents again."""
        if self._library is not None and numbers:
            extended = {"more_time": True} if more_time else {}
            self._imports.start(operations.reindex_documents(self._library, numbers, **extended))

    @Slot(object, bool)
    def retry(self, number: int, more_time: bool) -> None:
        """Read a document again whose reading failed."""
        self.reindex([number], more_time=more_time)

    @property
    def target(self) -> str:
        """Knowledge base that documents are added to."""
        return self.knowledge_base or DEFAULT_KNOWLEDGE_BASE

    def import_with(
        self, verb: str, *args: Any, quiet: bool = False, on_event: EventHandler | None = None, **options: Any
    ) -> None:
        """Start an import by the operation of this name; the end of a quiet import is not reported."""
        if self._library is not None:
            operation = getattr(operations, verb)(self._library, *args, **options)
            self._imports.start(operation, quiet=quiet, on_event=on_event)

    def import_for(self, asker: ImportRequester, operation: Any) -> RunningImport:
        """Start an import that another program requested, and return it."""
        return self._imports.start_for(asker, operation)

    def call(self, verb: str, *args: Any, done: Callable[[Any], None]) -> None:
        """Run an operation on the library and pass its result to done; a failure is shown."""
        if self._library is not None:
            self._bridge.submit(getattr(operations, verb)(self._library, *args), done=done, failed=self._on_failed)

    @Slot()
    def resume(self) -> None:
        """Resume work that a stop, or a change of the embedding model, left unfinished."""
        self.import_with("resume_import", quiet=True)

    def cancel(self) -> None:
        """Cancel all imports; finished work is kept."""
        self._imports.cancel()

    def remove(self, numbers: Sequence[int]) -> None:
        """Remove documents and offer to undo that."""
        if self._library is None or not numbers:
            return
        self._undoable = tuple(numbers)
        self._bridge.submit(operations.remove_documents(self._library, numbers), failed=self._on_failed)
        self.notified.emit(trn("Removed {n:,} document", "Removed {n:,} documents", len(numbers)), True)

    @Slot()
    def undo_remove(self) -> None:
        """Undo the last removal, or the last change since."""
        numbers, self._undoable = self._undoable, ()
        if not numbers:
            self.catalogue.undo()
        if self._library is not None and numbers:
            restoring = operations.restore_documents(self._library, numbers)
            self._bridge.submit(restoring, done=self._on_restored, failed=self._on_failed)

    def choose_knowledge_base(self, name: str) -> None:
        """Choose the knowledge base to show and add to; an empty name shows all and adds to the default."""
        self.knowledge_base = name
        self.model.filter(knowledge_base=name or None, every=True)
        self.knowledge_base_changed.emit(name)

    def search(self, needle: str) -> None:
        """Show only the documents that match a query: words, and conditions like tag:law."""
        self.model.filter(needle=needle)

    @property
    def importing(self) -> ImportState:
        """Combined progress of the imports."""
        return self._imports.state

    @Slot()
    def flush(self) -> None:
        """Apply the collected changes."""
        self._changes.flush()

    @Slot(int, str, str)
    def _on_unread_first(self, documents: int, knowledge_base: str, filter: str) -> None:
        told = trn(
            "{n:,} document is read first; ask again when it is done",
            "{n:,} documents are read first; ask again when they are done",
            documents,
        )
        self.notified.emit(
            told if documents else tr("Nothing more is being read. Check the documents to see why."), False
        )
        if documents:
            # Some of them may be left over from an earlier import, or their pages may wait for OCR.
            self.import_with("read_unread", knowledge_base or None, quiet=True, filter=filter)

    def _on_restored(self, _numbers: list[int]) -> None:
        # The removal ended the reading of those that were not read yet.
        self.resume()

    @Slot(str)
    def _on_small(self, knowledge_base: str) -> None:
        self.add_reviewed(knowledge_base)

    def _on_listed(self, documents: list[Document]) -> None:
        self.loaded = True
        self.model.replace_all(documents)
        early, self._early_paths = self._early_paths, []
        self.add(early)
        self.resume()

    def _on_knowledge_bases(self, names: list[str]) -> None:
        self.knowledge_bases = names
        self.knowledge_bases_changed.emit(names)
        remembered, self.remembered_base = self.remembered_base, ""
        if remembered in names and not self.knowledge_base:
            self.choose_knowledge_base(remembered)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        self._changes.handle_event(event)
        if isinstance(event, KnowledgeBasesChanged):
            self._on_knowledge_bases(list(event.names))
        elif isinstance(event, FileDivided):
            self.notified.emit(translate(event.message), False)

    @Slot(str, bool)
    def _on_catalogue_notified(self, text: str, undoable: bool) -> None:
        self._undoable = ()
        self.notified.emit(text, undoable)

    @Slot(list, bool)
    def _on_import_ended(self, results: list[FileFinished], told: bool) -> None:
        self.flush()
        self.import_ended.emit(results)
        from workbench.model.egress import OFFLINE_MODE_HINT  # the window's start does not need it

        not_fetched = [one for one in results if one.document is not None and OFFLINE_MODE_HINT in one.reason]
        self._report_unembedded([one for one in results if one.by_keyword], told)
        if told and not_fetched:
            self.not_fetched.emit(not_fetched)
        elif told:
            self.notified.emit(summary(results), False)

    def _report_unembedded(self, files: list[FileFinished], told: bool) -> None:
        """Report once, for all files, that the embedder cannot be used; a quiet import repeats no reason."""
        reason = files[0].reason.removesuffix(f" {BY_KEYWORD}") if files else ""
        if reason and (told or reason != self._embedder_trouble):
            hint = trn(
                "{n:,} document is found by keyword only, until the model can be used.",
                "{n:,} documents are found by keyword only, until the model can be used.",
                len(files),
            )
            self.failed.emit(EmbeddingError(reason, hint), "")
        self._embedder_trouble = reason

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)


BATCH_MS = 50
"""Interval in which changes are applied: 200 files emit 1,000 events, the eye sees 20 pictures a second."""
_MANY = 100
"""Number of documents in one event from which a removal is taken as part of a larger one."""


class LibraryEventCollector(QObject):
    """Collector that buffers the changes reported by events and applies them to a model."""

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

    def handle_event(self, event: object) -> None:
        """Process an event."""
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
        """Drop the changes that were not applied yet."""
        self._pending.clear()
        self._removed.clear()

    @Slot()
    def flush(self) -> None:
        """Apply the collected changes."""
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
        # A rearrangement of 100,000 documents takes 100 ms: changes are then applied less often, so that scrolling
        # works.
        self._batch.setInterval(max(BATCH_MS, round(10_000 * self._model.work.seconds)))
