"""Passages of an answer or a document above, the chosen passage below, and updates of the list after an edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QItemSelectionModel, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QListView, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.language import mark, tr, trn
from workbench.model.chunk import Chunk, ChunkEdit, ChunksEdited
from workbench.model.document import Document
from workbench.model.hit import Citation, Hit
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.model.run import Run
from workbench.ui.actions import command, key_of, pane_action
from workbench.ui.bridge import Bridge
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.controls import ElidedLabel, label
from workbench.ui.inspector.citation_uses import HeatBar
from workbench.ui.inspector.document_loader import DocumentLoader
from workbench.ui.inspector.edits_dialog import EditsButton
from workbench.ui.inspector.passage_editing import standing
from workbench.ui.inspector.passage_list import PassageCopy, PassageDelegate, PassageModel, PassageRating
from workbench.ui.inspector.passage_rows import (
    InspectedPassage,
    of_document,
    of_run,
    passage_of_citation,
    passages_of_hits,
)
from workbench.ui.inspector.passage_view import PassageView
from workbench.ui.library.document_wording import join_with_commas, pages
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.ui.evaluation.passage_marks import Marks


CHOOSE = (mark("Select a passage"), mark("Its page appears here with the passage highlighted."))
# Maximum share of the height that the list takes, with a passage below it and without one, and the fewest rows.
_LIST_SHARE = 0.36
_LIST_SHARE_ALONE = 0.7
_FEWEST_ROWS = 2
NOT_CITED = (mark("The answer cites no passage"), mark("Select a passage to see what the search found."))


class EvidenceView(QSplitter):
    """View of the passages that an answer is based on, or of the chunks that a document was split into.

    Signals:
        vanished: The document whose chunks were listed was removed.
        question_asked: A question that finds the shown passage, to be asked of the library.
        session_asked: Session of an answer that cites the shown passage.
        edited: A message about an edit of a passage, and the ChunkEdit to undo, or None.
    """

    vanished = Signal()
    question_asked = Signal(str)
    session_asked = Signal(int)
    edited = Signal(str, object)

    def __init__(self, bridge: Bridge, theme: Theme, source: DocumentLoader, passage: PassageView) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._run: Run | None = None
        self._source = source
        self._source.chunks_ready.connect(self._on_chunks)
        self._source.missing.connect(self._on_missing)
        self._title = ElidedLabel()
        self._title.setProperty("role", "title")
        self._count = label("", "caption")
        self._question = ElidedLabel()
        self._question.setProperty("role", "caption")
        self._model = PassageModel(self)
        self._list = QListView()
        self._list.setModel(self._model)
        self._list.setItemDelegate(PassageDelegate(theme, self))
        self._list.setUniformItemSizes(True)
        self._list.setMouseTracking(True)
        # By whole rows, so that the list never begins with half of one.
        self._list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerItem)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setAccessibleName(tr("Passages"))
        self.setFocusProxy(self._list)
        self._list.selectionModel().currentChanged.connect(self._on_current_changed)
        self._list.clicked.connect(self._on_clicked)
        self._passage = passage
        self._passage.why.question_asked.connect(self.question_asked)
        self._marking = PassageRating(self._list, self._model, self._passage.marks)
        self._offer_why()
        PassageCopy(self._list, self._model)
        self.changes = PassageListUpdates(theme, self, self._list, self._model, self._passage)
        self.changes.wanted.connect(self._on_wanted)
        self.changes.notified.connect(self.edited)
        self._passage.cited.session_asked.connect(self.session_asked)
        self._passage.neighbours.wanted.connect(self._on_other_wanted)
        self._choose = EmptyState(theme, quiet=True)
        self._is_sized_by_user = False
        self._arrange()
        theme.changed.connect(self._on_theme_changed)
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def passages(self) -> tuple[InspectedPassage, ...]:
        """The rows of the list."""
        return self._model.passages

    @property
    def shown(self) -> InspectedPassage | None:
        """The passage that is shown below the list."""
        return self._passage.passage

    @property
    def passage_view(self) -> PassageView:
        """View of the passage, in the lower half."""
        return self._passage

    @property
    def title(self) -> str:
        """Title of the list."""
        return self._title.accessibleName()

    def show_marks(self, marks: Marks) -> None:
        """Show which passages are marked as right or wrong from now on, and allow marking them."""
        self._marking.follow(marks)

    def set_library(self, library: Library | None) -> None:
        """Set the library, or None, and clear the view."""
        self._marking.forget()
        self._source.set_library(library)
        self._passage.set_library(library)
        self.clear()

    def clear(self) -> None:
        """Clear the view."""
        self._run = None
        self.changes.mean(None)
        self._source.drop_chunks()
        self._model.show(())
        self._passage.clear()

    def show_run(self, run: Run, golden_set: str = "") -> None:
        """List what a run found, the cited passages first; nothing changes if the run is listed already.

        Args:
            run: The run.
            golden_set: Set of golden questions that its passages are marked in; the set of the marks if empty.
        """
        if self._run is not None and self._run == run:
            return
        self._run = run
        self.changes.mean(None)
        self._marking.mean(run, golden_set)
        self._passage.why.presenter.follow(run)
        self._source.drop_chunks()
        passages = of_run(run)
        self._fill(tr("Evidence"), _describe_count(passages, is_answer=bool(run.answer)), question=f"“{run.question}”")
        self._show_rows(passages)
        # Show the best passage at once, but only while the view is visible: drawing a page that nobody sees is waste.
        first = next((citation for citation in run.citations if citation.valid), None)
        if first is not None and self.isVisible():
            self._on_wanted(passage_of_citation(first, passages))

    def show_citation(self, citation: Citation) -> None:
        """Show the passage of a citation on its page."""
        passage = passage_of_citation(citation, self._model.passages)
        self._select(passage)
        self._show_passage(passage)

    def show_document(self, document: Document) -> None:
        """List the chunks of a document and show its beginning."""
        self._run = None
        self.changes.mean(document)
        self._fill(document.name, tr("Reading its passages…"))
        self._show_rows(())
        self._source.want_chunks(document)

    def show_hits(self, title: str, about: str, hits: Sequence[Hit]) -> None:
        """List hits that belong to no run, and show the first of them."""
        self._run = None
        self.changes.mean(None)
        self._marking.forget()
        self._source.drop_chunks()
        passages = passages_of_hits(hits)
        self._fill(title, _describe_count(passages, is_answer=False), question=about)
        self._show_rows(passages)
        self._on_wanted(passages[0])

    def saveState(self) -> QByteArray:
        """Return the position of the handle if the user moved it; empty otherwise."""
        return super().saveState() if self._is_sized_by_user else QByteArray()

    def restoreState(self, state: QByteArray | bytes | bytearray | memoryview) -> bool:
        """Restore a position that the user chose."""
        self._is_sized_by_user = super().restoreState(state)
        return self._is_sized_by_user

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_list()

    def _fit_list(self) -> None:
        """Give the list the height of a whole number of rows, as many as there are space and passages for."""
        row, rows = self._list.sizeHintForRow(0), len(self._model.passages)
        if self._is_sized_by_user or row <= 0:
            return
        self._top.ensurePolished()
        above = self._top.sizeHint().height() - self._list.sizeHint().height() + 2 * self._list.frameWidth()
        share = _LIST_SHARE if self._lower.currentWidget() is self._passage else _LIST_SHARE_ALONE
        shown = max(_FEWEST_ROWS, min(rows, int((self.height() * share - above) // row)))
        height = above + shown * row
        self.setSizes([height, self.height() - self.handleWidth() - height])

    def _arrange(self) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(16, 8, 16, 6)
        head.setSpacing(1)
        line = QHBoxLayout()
        line.setSpacing(12)
        line.addWidget(self._title, 1)
        line.addWidget(self.changes.button)
        line.addWidget(self._count)
        head.addLayout(line)
        head.addWidget(self._question)
        top = self._top = QWidget()
        upper = QVBoxLayout(top)
        upper.setContentsMargins(0, 0, 0, 0)
        upper.setSpacing(0)
        upper.addLayout(head)
        rows = QHBoxLayout()
        rows.setSpacing(0)
        rows.addWidget(self._list, 1)
        rows.addWidget(self.changes.heat)
        upper.addLayout(rows, 1)
        self._lower = QStackedWidget()
        self._lower.addWidget(self._choose)
        self._lower.addWidget(self._passage)
        self.addWidget(top)
        self.addWidget(self._lower)
        self.setObjectName("evidence_list")
        self.setChildrenCollapsible(False)
        self.setStretchFactor(0, 0)
        self.setStretchFactor(1, 1)
        self.splitterMoved.connect(self._on_splitter_moved)

    def _fill(self, title: str, counts: str, *, question: str = "") -> None:
        self._title.set_whole_text(title)
        self._count.setText(counts)
        self._question.set_whole_text(question)
        self._question.setVisible(bool(question))
        cites = self._run is None or self._run.citations or not self._run.answer
        self._choose.show_state("quote", *map(tr, CHOOSE if cites else NOT_CITED))

    def _show_rows(self, passages: Sequence[InspectedPassage]) -> None:
        self._model.show(passages)
        self._passage.clear()
        self._lower.setCurrentWidget(self._choose)
        self._fit_list()

    def _offer_why(self) -> None:
        """Add “Why was this found, or not?” to the menu of the list, with its key valid in the whole view."""
        explain = self._passage.why.explain
        pane_action(self, "passage.why", explain, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        # A separate action: Qt treats one action with a key in two places as ambiguous and runs neither.
        why = QAction(f"{command('passage.why').title}\t{key_of('passage.why')}", self._list)
        why.triggered.connect(self._passage.why.explain)
        self._list.addAction(why)
        pane_action(self._list, "passage.why_document", self._passage.why.explain_document)
        self._list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def _show_passage(self, passage: InspectedPassage) -> None:
        query = _query_of(self._run, passage)
        if query:
            self._passage.why.presenter.follow_search(query)
        if self._lower.currentWidget() is not self._passage:
            self._lower.setCurrentWidget(self._passage)
            self._fit_list()
        self._passage.show_passage(passage)
        self._marking.show(passage)

    def _select(self, passage: InspectedPassage) -> None:
        """Select the row of a passage without showing the row's own version of it."""
        selection = self._list.selectionModel()
        selection.blockSignals(True)
        for row, candidate in enumerate(self._model.passages):
            if candidate.number == passage.number and candidate.document == passage.document:
                index = self._model.index(row)
                selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
                self._list.scrollTo(index)
        selection.blockSignals(False)
        self._list.viewport().update()

    @Slot(QModelIndex, QModelIndex)
    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        passage = self._model.passage(current)
        if passage is not None:
            self._show_passage(passage)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        """Show the row again if a citation of it is shown, perhaps on another page."""
        passage = self._model.passage(index)
        if passage is not None and passage != self.shown:
            self._show_passage(passage)

    @Slot(object, object)
    def _on_chunks(self, document: Document, chunks: list[Chunk]) -> None:
        passages = of_document(document, chunks)
        counts = trn("{n:,} passage", "{n:,} passages", len(passages))
        if document.pages:
            counts = join_with_commas([counts, pages(document.pages, document.page_kind)])
        self._fill(document.name, counts)
        self._model.show(passages)
        self._fit_list()
        shown = self.changes.listed(document, passages)
        if shown is not None:
            self._on_wanted(shown)

    @Slot(object)
    def _on_missing(self, _document: int) -> None:
        if self._run is None and not self._model.passages:
            self._count.setText(tr("This document is no longer in the library."))

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        changed = event.documents if isinstance(event, DocumentsRemoved) else ()
        if isinstance(event, DocumentChanged):
            changed = (event.document.id,)
        for document in changed:
            self._source.forget(document)
        if isinstance(event, DocumentChanged):
            self.changes.follow(event.document)
        if isinstance(event, ChunksEdited) and self.changes.takes(event) and self.changes.document is not None:
            self._source.want_chunks(self.changes.document)
        rows = self._model.passages
        if self._run is None and rows and isinstance(event, DocumentsRemoved) and rows[0].document in changed:
            self.vanished.emit()
        elif changed and self.shown is not None and self.shown.document in changed:
            self._passage.forget()

    @Slot(object)
    def _on_wanted(self, passage: InspectedPassage) -> None:
        self._select(passage)
        self._show_passage(passage)

    @Slot(object)
    def _on_other_wanted(self, passage: InspectedPassage) -> None:
        """Show a passage of the same document, even if the list does not contain it."""
        chunk = passage.chunk.id if passage.chunk is not None else 0
        row = next((row for row in self._model.passages if row.chunk is not None and row.chunk.id == chunk), None)
        if row is not None:
            self._on_wanted(row)
        else:
            selection = self._list.selectionModel()
            selection.blockSignals(True)
            selection.setCurrentIndex(QModelIndex(), QItemSelectionModel.SelectionFlag.Clear)
            selection.blockSignals(False)
            self._list.viewport().update()
            self._show_passage(passage)

    @Slot(int, int)
    def _on_splitter_moved(self, _position: int, _handle: int) -> None:
        self._is_sized_by_user = True

    @Slot()
    def _on_theme_changed(self) -> None:
        self._list.viewport().update()
        self._fit_list()


def _query_of(run: Run | None, passage: InspectedPassage) -> str:
    """Return the query with which a run found a passage; empty for a passage of no run."""
    found = (ref for ref in (run.references if run else ()) if any(hit.number == passage.number for hit in ref.hits))
    return next((reference.query for reference in found), "")


def _describe_count(passages: Sequence[InspectedPassage], *, is_answer: bool) -> str:
    """Return how much a run found and how much of it the answer cites; a golden question has no answer."""
    found = trn("{n:,} passage", "{n:,} passages", len(passages))
    if not is_answer or not passages:
        return found
    cited = sum(passage.cited for passage in passages)
    if not cited:
        return tr("{passages}, none cited", passages=found)
    return tr("{passages}, {n} cited", passages=found, n=cited)


CHANGED_SINCE = mark(
    "You edited this passage after this answer. The text that the answer used is shown here; the document "
    "shows the current text."
)


class PassageListUpdates(QObject):
    """Coordinator of the passage list and the passage view after edits and clicks.

    Attributes:
        button: Button that shows the number of edits of the document.
        heat: Bar that shows how often its passages were cited.

    Signals:
        notified: A message about an edit, and the ChunkEdit to undo, or None.
        wanted: An InspectedPassage of the list that is to be shown.
    """

    notified = Signal(str, object)
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
        editing.notified.connect(self.notified)
        self.button = EditsButton(theme, editing)
        self.heat = HeatBar(theme)
        self.heat.row_pressed.connect(self._on_row_pressed)
        shown.uses.changed.connect(self._on_uses)
        shown.changes.provenance_changed.connect(self._on_provenance)
        shown.layer.chunk_pressed.connect(self._on_chunk_pressed)
        context = Qt.ShortcutContext.WidgetWithChildrenShortcut
        pane_action(owner, "passage.outlines", shown.layer.action.trigger, context=context)

    @property
    def document(self) -> Document | None:
        """The document whose chunks are listed; None while the passages of an answer are listed."""
        return self._document

    def mean(self, document: Document | None) -> None:
        """Set the document whose chunks are listed; None if there is none."""
        self._document, self._follow = document, ()
        self._shown.uses.mean(None)  # another answer may have cited it since
        self.heat.show_weights(())

    def undo(self, edit: ChunkEdit) -> None:
        """Undo an edit of a passage."""
        self._shown.changes.editing.go_back(edit)

    def takes(self, event: ChunksEdited) -> bool:
        """Process an edit event; return True if the list must be reloaded. The list of an answer never is."""
        self._shown.outlines.look()
        if self._document is not None and self._document.id == event.edit.document:
            self._follow = event.chunks
            return True
        passage = self._shown.passage
        if passage is not None and _began_with(event.edit, passage):
            self._shown.changes.notified.emit(standing(passage))  # the previous notice is outdated
        return False

    def follow(self, document: Document) -> None:
        """Store the new state of the document that is listed."""
        if self._document is not None and self._document.id == document.id:
            self._document = document

    def listed(self, document: Document, passages: Sequence[InspectedPassage]) -> InspectedPassage | None:
        """Process the new rows of a document and return the row to show.

        After an edit this is the row at the position of the edited chunks, otherwise the first row.
        """
        self._shown.outlines.grey(row.chunk.id for row in passages if row.chunk is not None and row.chunk.disabled)
        self._shown.uses.mean(document.id)
        places, self._follow = [chunk.start for chunk in self._follow], ()
        matching = (row for row in passages if any(row.start <= place < row.end for place in places))
        return next(matching, next(iter(passages), None))

    @Slot(object)
    def _on_provenance(self, _edits: object) -> None:
        """Show that an answer's passage was changed since, unless a more urgent notice is shown."""
        passage, changes = self._shown.passage, self._shown.changes
        if passage is None or self._document is not None or self._shown.notice != standing(passage):
            return
        if any(_began_with(edit, passage) for edit in changes.editing.edits if not edit.undone and not edit.lost):
            changes.notified.emit(tr(CHANGED_SINCE))

    @Slot(object)
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


def _began_with(edit: ChunkEdit, passage: InspectedPassage) -> bool:
    """Return whether an edit changed the passage in the state that is shown."""
    chunk = passage.chunk
    return chunk is not None and any((one.id, one.text) == (chunk.id, chunk.text) for one in edit.before)
