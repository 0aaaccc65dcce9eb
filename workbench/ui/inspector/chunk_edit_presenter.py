"""Presenter of chunk edits.

Applies and undoes edits, lists the edits of a document, and computes text differences on the worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench import operations
from workbench.errors import WorkbenchError
from workbench.language import mark, tr, translate
from workbench.model.chunk import Chunk, ChunkEdit, ChunksEdited, Neighbours
from workbench.model.import_progress import DocumentChanged
from workbench.model.shared_library import is_in_shared_library
from workbench.model.text_diff import DiffStretch
from workbench.ui.bridge import Bridge
from workbench.ui.inspector.passage_rows import InspectedPassage
from workbench.ui.messages import error_words

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.worker.job import Operation


NOTHING = mark("There is nothing to change.")
FAILED = mark("The passage could not be changed.")


EDITS = frozenset({"edit", "split", "merge_next", "merge_previous", "disable", "tags", "reset", "undo", "redo"})
"""Names of all edits."""
_OF_DOCUMENT = frozenset({"undo", "redo"})


def offered_edits(
    passage: InspectedPassage | None, *, first: bool, last: bool, read_only: bool, reading: bool
) -> frozenset[str]:
    """Return the names of the edits that can be offered for a passage, because they would not be refused.

    Args:
        passage: The passage; None if none is shown.
        first: Whether it is the first one of its document.
        last: Whether it is the last one.
        read_only: Whether the library is open for reading only.
        reading: Whether its document is being read.
    """
    if passage is None or passage.document <= 0 or is_in_shared_library(passage.document) or read_only or reading:
        return frozenset()
    if not passage.is_editable or passage.chunk is None:
        return _OF_DOCUMENT
    refused = {"merge_previous": first, "merge_next": last, "reset": not passage.chunk.is_changed}
    return EDITS - {name for name, is_refused in refused.items() if is_refused}


class _EditsRequest:
    """Request for the edits of one document; it holds the document so that a late reply can be recognised."""

    def __init__(self, editing: ChunkEditPresenter, document: int) -> None:
        self._editing = editing
        self._document = document

    def done(self, edits: list[ChunkEdit]) -> None:
        """Pass the edits on."""
        self._editing.receive(self._document, edits)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Leave the list unchanged: the document was deleted, or the library is being closed."""


class ChunkEditPresenter(QObject):
    """Presenter that applies edits to the passage that is shown.

    Attributes:
        edits: Edits of the document that is shown.
        document_name: Name of that document.

    Signals:
        notified: A message about what was done, and the edit that can be undone, or None.
        failed: An error message.
        edits_changed: The edits of the document that is shown.
        offer_changed: Other edits can be offered now.
        started: A change was submitted.
        finished: A change ended; True if it succeeded.
    """

    notified = Signal(str, object)
    failed = Signal(str)
    edits_changed = Signal(object)
    offer_changed = Signal()
    started = Signal()
    finished = Signal(bool)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._passage: InspectedPassage | None = None
        self._document: int | None = None
        self._neighbours: Neighbours | None = None
        self.document_name = ""
        self._is_busy = False
        self.edits: tuple[ChunkEdit, ...] = ()
        self.differences = TextDifferences(bridge, self)
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def chunk(self) -> Chunk | None:
        """The chunk that edits apply to; None if no chunk of the library is shown."""
        passage = self._passage
        return passage.chunk if passage is not None and passage.is_editable else None

    @property
    def offered(self) -> frozenset[str]:
        """The names of the edits that can be offered now."""
        library, passage, beside = self._library, self._passage, self._neighbours
        if library is None or passage is None:
            return frozenset()
        return offered_edits(
            passage,
            first=beside.before is None if beside else passage.chunk is not None and passage.chunk.ordinal == 0,
            last=beside is not None and beside.after is None,
            read_only=library.is_read_only,
            reading=library.is_reading(passage.document),
        )

    def set_library(self, library: Library | None) -> None:
        """Set the library."""
        self._library = library
        self._is_busy = False
        self.mean(None)

    def mean(self, passage: InspectedPassage | None) -> None:
        """Set the passage that edits apply to."""
        self._passage = passage
        self._neighbours = None
        document = passage.document if passage is not None and passage.document > 0 else None
        self.document_name = passage.document_name if passage is not None else ""
        if document != self._document:
            self._document = document
            self.differences.forget()
            self._set_edits(())
            self.look()

    @Slot(object)
    def show_neighbours(self, neighbours: Neighbours | None) -> None:
        """Set the neighbours of the passage; None if they are unknown."""
        self._neighbours = neighbours
        self.offer_changed.emit()

    def look(self) -> None:
        """Request the edits of the document."""
        if self._library is not None and self._document is not None:
            request = _EditsRequest(self, self._document)
            edits = operations.list_chunk_edits(self._library, self._document)
            self._bridge.submit(edits, done=request.done, failed=request.failed)

    def receive(self, document: int, edits: list[ChunkEdit]) -> None:
        """Store the edits of a document; ignored if another document is shown by now."""
        if document == self._document:
            self._set_edits(tuple(edits))

    def provenance(self, chunk: Chunk) -> tuple[ChunkEdit, ...]:
        """Return the edits that produced a chunk's current state, oldest first."""
        return tuple(edit for edit in self.edits if not edit.undone and chunk.id in {one.id for one in edit.after})

    def write(self, text: str) -> None:
        """Replace the text of the passage."""
        if self._library is not None and self.chunk is not None:
            self._submit(operations.edit_chunk(self._library, self.chunk.id, text))

    def split(self, at: int) -> None:
        """Split the passage before a character offset of its text."""
        if self._library is not None and self.chunk is not None:
            self._submit(operations.split_chunk(self._library, self.chunk.id, at))

    @Slot()
    def merge_next(self) -> None:
        """Merge the passage with the one after it."""
        self._merge(1)

    @Slot()
    def merge_previous(self) -> None:
        """Merge the passage with the one before it."""
        self._merge(-1)

    @Slot()
    def switch(self) -> None:
        """Disable the passage, or enable it again."""
        if self._library is not None and self.chunk is not None:
            self._submit(operations.disable_chunk(self._library, self.chunk.id, disabled=not self.chunk.disabled))

    def tag(self, tags: Sequence[str]) -> None:
        """Set the tags of the passage."""
        if self._library is not None and self.chunk is not None:
            self._submit(operations.tag_chunk(self._library, self.chunk.id, tags))

    @Slot()
    def reset(self) -> None:
        """Restore the passage to its original text and boundaries."""
        if self._library is not None and self.chunk is not None:
            self._submit(operations.reset_chunk(self._library, self.chunk.id))

    @Slot()
    def undo(self) -> None:
        """Undo the last edit of the document."""
        self.go_back(None)

    @Slot()
    def redo(self) -> None:
        """Redo the edit that was undone last."""
        self.go_back(None, redo=True)

    def go_back(self, edit: ChunkEdit | None, *, redo: bool = False) -> None:
        """Undo or redo an edit; the last one of the document if none is given."""
        document = edit.document if edit is not None else self._document
        if self._library is not None and document is not None:
            back = operations.redo_chunk_edit if redo else operations.undo_chunk_edit
            self._submit(back(self._library, document, edit.id if edit is not None else None))

    @Slot()
    def dismiss(self) -> None:
        """Forget the edits that could not be applied again."""
        if self._library is not None and self._document is not None:
            dismissal = operations.dismiss_lost_edits(self._library, self._document)
            self._bridge.submit(dismissal, done=self._on_dismissed, failed=self._on_failed)

    def _merge(self, other: int) -> None:
        if self._library is not None and self.chunk is not None:
            self._submit(operations.merge_chunks(self._library, self.chunk.id, other=other))

    def _submit(self, operation: Operation[ChunkEdit | None] | Operation[ChunkEdit]) -> None:
        if self._is_busy:
            return  # a key that is held down must not merge the whole document
        self._is_busy = True
        self.started.emit()
        self._bridge.submit(operation, done=self._on_done, failed=self._on_failed)

    def _set_edits(self, edits: tuple[ChunkEdit, ...]) -> None:
        self.edits = edits
        self.edits_changed.emit(edits)

    def _on_done(self, edit: ChunkEdit | None) -> None:
        self._is_busy = False
        self.finished.emit(True)
        if edit is None:
            self.notified.emit(tr(NOTHING), None)
        else:
            name = translate(edit.words)
            self.notified.emit(tr("Undone: {edit}.", edit=name) if edit.undone else tr("{edit}.", edit=name), edit)

    def _on_dismissed(self, _count: int) -> None:
        self.look()

    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._is_busy = False
        self.finished.emit(False)
        self.failed.emit(error_words(error) if isinstance(error, WorkbenchError) else tr(FAILED))

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, ChunksEdited) and event.edit.document == self._document:
            self.look()
        elif isinstance(event, DocumentChanged) and event.document.id == self._document:
            # Its import may have begun or ended.
            self.offer_changed.emit()


class TextDifferences(QObject):
    """Cache of text differences. A passage of 800 characters takes 20 ms to compare, long ones up to a second.

    Signals:
        compared: A requested difference is available.
    """

    compared = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._cache: dict[tuple[str, str], Sequence[DiffStretch] | None] = {}

    def of(self, before: str, after: str) -> Sequence[DiffStretch] | None:
        """Return the difference between two texts; None while it is being computed."""
        pair = (before, after)
        if pair not in self._cache:
            self._cache[pair] = None

            def done(stretches: Sequence[DiffStretch]) -> None:
                if pair in self._cache:
                    self._cache[pair] = stretches
                    self.compared.emit()

            self._bridge.submit(operations.compare_texts(before, after), done=done)
        return self._cache[pair]

    def forget(self) -> None:
        """Clear the cache, because another passage is shown."""
        self._cache.clear()
