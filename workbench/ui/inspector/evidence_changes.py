"""The passages of the list, changed: what is said of it, the list made anew, and which answers cited them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QListView, QWidget

from workbench.language import mark, tr
from workbench.model.chunk import Chunk, ChunkEdit, ChunksEdited
from workbench.model.document import Document
from workbench.ui.actions import pane_action
from workbench.ui.inspector.citation_uses import HeatBar
from workbench.ui.inspector.edits_button import EditsButton
from workbench.ui.inspector.passage_changes import standing
from workbench.ui.inspector.passage_model import PassageModel
from workbench.ui.inspector.passage_view import PassageView
from workbench.ui.inspector.passages import Passage
from workbench.ui.theme import Theme

CHANGED_SINCE = mark(
    "You changed this passage; what the answer was given stays here. The document shows it as it is now."
)


class EvidenceChanges(QObject):
    """Between the list of passages and the one that is shown.

    Attributes:
        button: How much of the document was changed.
        heat: How often its passages were cited.

    Signals:
        said: What was done, and the ChunkEdit to undo, or None.
        wanted: A Passage of the list that is to be shown.
    """

    said = Signal(str, object)
    wanted = Signal(object)

    def __init__(self, theme: Theme, owner: QWidget, view: QListView, model: PassageModel, shown: PassageView) -> None:
        super().__init__(owner)
        self._view = view
        self._model = model
        self._shown = shown
        self._document: Document | None = None
        self._follow: tuple[Chunk, ...] = ()
        editing = shown.changes.editing
        shown.changes.tools.offer(view)
        editing.said.connect(self.said)
        self.button = EditsButton(theme, editing)
        self.heat = HeatBar(theme)
        self.heat.row_pressed.connect(self._on_row_pressed)
        shown.uses.changed.connect(self._on_uses)
        shown.changes.provenance_changed.connect(self._on_provenance)
        shown.layer.chunk_pressed.connect(self._on_chunk_pressed)
        context = Qt.ShortcutContext.WidgetWithChildrenShortcut
        pane_action(owner, "passage.outlines", shown.layer.button.click, context=context)

    @property
    def document(self) -> Document | None:
        """The document whose chunks are listed; None while the passages of an answer are."""
        return self._document

    def mean(self, document: Document | None) -> None:
        """List the chunks of another document, or none's."""
        self._document, self._follow = document, ()
        self._shown.uses.mean(None)  # another answer may have cited it since
        self.heat.show_weights(())

    def undo(self, edit: ChunkEdit) -> None:
        """Undo an edit of a passage."""
        self._shown.changes.editing.go_back(edit)

    def takes(self, event: ChunksEdited) -> bool:
        """Take the news of an edit; whether the list is to be made anew, which an answer's never is."""
        self._shown.outlines.look()
        if self._document is not None and self._document.id == event.edit.document:
            self._follow = event.chunks
            return True
        passage = self._shown.passage
        if passage is not None and _began_with(event.edit, passage):
            self._shown.changes.told.emit(standing(passage))  # what was said before it is over
        return False

    def follow(self, document: Document) -> None:
        """Take a document as it is now."""
        if self._document is not None and self._document.id == document.id:
            self._document = document

    def listed(self, document: Document, passages: Sequence[Passage]) -> Passage | None:
        """Take the rows of a document as they are now; returns the one that is to be shown.

        After an edit that is what stands where it was; else the first.
        """
        self._shown.outlines.grey(row.chunk.id for row in passages if row.chunk is not None and row.chunk.disabled)
        self._shown.uses.mean(document.id)
        places, self._follow = [chunk.start for chunk in self._follow], ()
        there = (row for row in passages if any(row.start <= place < row.end for place in places))
        return next(there, next(iter(passages), None))

    @Slot(object)
    def _on_provenance(self, _edits: object) -> None:
        """Say of an answer's passage that it was changed since, where nothing more urgent is said of it."""
        passage, changes = self._shown.passage, self._shown.changes
        if passage is None or self._document is not None or self._shown.notice != standing(passage):
            return
        if any(_began_with(edit, passage) for edit in changes.editing.edits if not edit.undone and not edit.lost):
            changes.told.emit(tr(CHANGED_SINCE))

    @Slot(int)
    def _on_chunk_pressed(self, chunk: int) -> None:
        found = [row for row in self._model.passages if row.chunk is not None and row.chunk.id == chunk]
        if found:
            self.wanted.emit(found[0])
        else:
            self._shown.neighbours.show(chunk)

    @Slot(int)
    def _on_row_pressed(self, row: int) -> None:
        if row < len(self._model.passages):
            self.wanted.emit(self._model.passages[row])

    @Slot()
    def _on_uses(self) -> None:
        if self._document is not None:
            weights = self._shown.uses.weights(self._model.passages)
            self.heat.show_weights(weights, self._view.sizeHintForRow(0))


def _began_with(edit: ChunkEdit, passage: Passage) -> bool:
    """Return whether the passage, as it is shown, is what an edit changed."""
    chunk = passage.chunk
    return chunk is not None and any((one.id, one.text) == (chunk.id, chunk.text) for one in edit.before)
