"""The inspector pane: the passages of an answer or of a document above, the chosen one below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Slot
from PySide6.QtWidgets import QFrame, QLabel, QListView, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.model.chunk import Chunk
from workbench.model.document import Document
from workbench.model.hit import Citation
from workbench.model.progress import DocumentChanged, DocumentsRemoved
from workbench.model.run import Run
from workbench.ui.bridge import Bridge
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.chat.step_row import ElidedLabel
from workbench.ui.inspector.document_source import DocumentSource
from workbench.ui.inspector.passage_delegate import PassageDelegate
from workbench.ui.inspector.passage_model import PassageModel
from workbench.ui.inspector.passage_view import PassageView
from workbench.ui.inspector.passages import Passage, of_citation, of_document, of_run
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library


class InspectorPane(QFrame):
    """Shows what an answer rests on, and what a document was cut into."""

    def __init__(self, bridge: Bridge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._run: Run | None = None
        self._source = DocumentSource(bridge, self)
        self._source.chunks_ready.connect(self._on_chunks)
        self._source.missing.connect(self._on_missing)
        self.setProperty("role", "pane")
        self._title = ElidedLabel()
        self._title.setProperty("role", "title")
        self._count = QLabel()
        self._count.setProperty("role", "caption")
        self._model = PassageModel(self)
        self._list = QListView()
        self._list.setModel(self._model)
        self._list.setItemDelegate(PassageDelegate(theme, self))
        self._list.setUniformItemSizes(True)
        self._list.setMouseTracking(True)
        self._list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setAccessibleName("Passages")
        self.setFocusProxy(self._list)
        self._list.selectionModel().currentChanged.connect(self._on_current_changed)
        self._passage = PassageView(bridge, theme, self._source)
        self._choose = EmptyState(theme)
        self._choose.say("quote", "Choose a passage", "Its page is shown here, with the passage marked.")
        self._empty = EmptyState(theme)
        self._empty.say(
            "eye",
            "Nothing to inspect yet",
            "Click a citation or select a document: its passages are shown here, on their pages.",
        )
        self._arrange()
        theme.changed.connect(self._on_theme_changed)
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The rows of the list."""
        return self._model.passages

    @property
    def shown(self) -> Passage | None:
        """The passage that is shown below the list."""
        return self._passage.passage

    @property
    def passage_view(self) -> PassageView:
        """The lower half."""
        return self._passage

    @property
    def title(self) -> str:
        """What the list is of."""
        return self._title.accessibleName()

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none; nothing is shown then."""
        self._source.set_library(library)
        self._passage.set_library(library)
        self.clear()

    def clear(self) -> None:
        """Show nothing."""
        self._run = None
        self._source.drop_chunks()
        self._model.show(())
        self._passage.clear()
        self._whole.setCurrentWidget(self._empty)

    def show_run(self, run: Run) -> None:
        """List what a run found, the cited passages first; what is shown below stays if it belongs to the run."""
        if self._run is not None and self._run == run:
            return
        self._run = run
        self._source.drop_chunks()
        passages = of_run(run)
        cited = sum(passage.cited for passage in passages)
        found = "1 passage found" if len(passages) == 1 else f"{len(passages)} passages found"
        self._fill(f"Evidence for “{run.question}”", f"{found}, {cited} cited" if passages else "Nothing was found")
        self._show_rows(passages)

    def show_citation(self, citation: Citation) -> None:
        """Show the passage of a citation on its page; an invented one has none."""
        if not citation.valid:
            return
        passage = of_citation(citation, self._model.passages)
        self._select(passage)
        self._show_passage(passage)

    def show_document(self, document: Document) -> None:
        """List the chunks of a document and show its beginning."""
        self._run = None
        self._fill(document.name, "Reading its chunks…")
        self._show_rows(())
        self._source.want_chunks(document)

    def _arrange(self) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(12, 10, 12, 6)
        head.setSpacing(2)
        head.addWidget(self._title)
        head.addWidget(self._count)
        top = QWidget()
        upper = QVBoxLayout(top)
        upper.setContentsMargins(0, 0, 0, 0)
        upper.setSpacing(0)
        upper.addLayout(head)
        upper.addWidget(self._list, 1)
        self._lower = QStackedWidget()
        self._lower.addWidget(self._choose)
        self._lower.addWidget(self._passage)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.addWidget(top)
        splitter.addWidget(self._lower)
        splitter.setChildrenCollapsible(False)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([260, 520])
        self._whole = QStackedWidget()
        self._whole.addWidget(self._empty)
        self._whole.addWidget(splitter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._whole)

    def _fill(self, title: str, count: str) -> None:
        self._title.set_whole_text(title)
        self._count.setText(count)
        self._whole.setCurrentIndex(1)

    def _show_rows(self, passages: Sequence[Passage]) -> None:
        self._model.show(passages)
        self._passage.clear()
        self._lower.setCurrentWidget(self._choose)

    def _show_passage(self, passage: Passage) -> None:
        self._whole.setCurrentIndex(1)
        self._lower.setCurrentWidget(self._passage)
        self._passage.show_passage(passage)

    def _select(self, passage: Passage) -> None:
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

    @Slot(object, object)
    def _on_chunks(self, document: Document, chunks: list[Chunk]) -> None:
        passages = of_document(document, chunks)
        pages = f", {document.pages} pages" if document.pages else ""
        self._fill(document.name, f"{len(passages)} chunk{'' if len(passages) == 1 else 's'}{pages}")
        self._show_rows(passages)
        if passages:
            self._select(passages[0])
            self._show_passage(passages[0])

    @Slot(int)
    def _on_missing(self, _document: int) -> None:
        if self._run is None and not self._model.passages:
            self._count.setText("This document is no longer in the library.")

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        changed = event.documents if isinstance(event, DocumentsRemoved) else ()
        if isinstance(event, DocumentChanged):
            changed = (event.document.id,)
        for document in changed:
            self._source.forget(document)
        if changed and self.shown is not None and self.shown.document in changed:
            self._passage.forget()

    @Slot()
    def _on_theme_changed(self) -> None:
        self._list.viewport().update()
