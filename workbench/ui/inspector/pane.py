"""Inspector pane: an empty state until there is something to inspect, then the evidence."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from workbench.language import mark, tr, translate
from workbench.model.run import Run, RunStatus
from workbench.ui.bridge import Bridge
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.chunk import ChunkEdit
    from workbench.model.document import Document
    from workbench.model.hit import Citation, Hit
    from workbench.operations import Library
    from workbench.ui.evaluation.passage_marks import Marks
    from workbench.ui.inspector.document_loader import DocumentLoader
    from workbench.ui.inspector.evidence_view import EvidenceView
    from workbench.ui.inspector.passage_rows import InspectedPassage
    from workbench.ui.inspector.passage_view import PassageView


NOTHING_YET = (
    "eye",
    mark("No passage selected"),
    mark("Click a citation or select a document to see its passages on their pages."),
)
TRY_AGAIN = mark("Try again")
MORE_TIME = mark("Try again with more time")
NOT_USED = ("eye", mark("No passages"), mark("This answer did not use any passages."))
ENDED_EARLY = ("eye", mark("No passages"), mark("The answer ended before a search found any."))
NOTHING_FOUND = ("search", mark("Nothing was found"), mark("The search found no passages for this question."))
NOT_FOUND_YET = (
    "clock",
    mark("Not found in what was read so far"),
    mark("Not everything could be searched, so your documents may still contain an answer."),
)


class InspectorPane(QFrame):
    """Pane that shows the passages that an answer is based on or a document was split into; empty until there are any.

    Signals:
        question_asked: A question that finds the shown passage, to be asked of the library.
        session_asked: Session of an answer that cites the shown passage.
        edited: A message about an edit of a passage, and the ChunkEdit to undo, or None.
        retry_asked: Id of a document whose reading failed, and whether it is to be read again with more time.
    """

    question_asked = Signal(str)
    session_asked = Signal(int)
    edited = Signal(str, object)
    retry_asked = Signal(object, bool)

    def __init__(self, bridge: Bridge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._theme = theme
        self.setProperty("role", "pane")
        self._empty = EmptyState(theme, quiet=True)
        self._empty.show_state(*_translate_state(NOTHING_YET))
        self._empty.chosen.connect(self._on_retry)
        self._retry = (0, False)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)

    @cached_property
    def _loader(self) -> DocumentLoader:
        from workbench.ui.inspector.document_loader import DocumentLoader

        return DocumentLoader(self._bridge, self)

    @cached_property
    def _passage(self) -> PassageView:
        from workbench.ui.inspector.passage_view import PassageView

        return PassageView(self._bridge, self._theme, self._loader)

    @cached_property
    def _evidence(self) -> EvidenceView:
        # Created on first use, and imported here: the window's first paint comes 60 ms sooner without it.
        from workbench.ui.inspector.evidence_view import EvidenceView

        view = EvidenceView(self._bridge, self._theme, self._loader, self._passage)
        view.vanished.connect(self.clear)
        view.question_asked.connect(self.question_asked)
        view.session_asked.connect(self.session_asked)
        view.edited.connect(self.edited)
        self._stack.addWidget(view)
        self.setFocusProxy(view)
        return view

    def prepare_passage(self) -> None:
        """Create the view of one passage before the first is needed; 13 ms."""
        _ = self._passage

    def prepare(self) -> None:
        """Create the rest of the evidence view before it is needed; 12 ms."""
        _ = self._evidence

    @property
    def passages(self) -> tuple[InspectedPassage, ...]:
        """The rows of the list."""
        return self._evidence.passages

    @property
    def shown(self) -> InspectedPassage | None:
        """The passage that is shown below the list."""
        return self._evidence.shown

    @property
    def passage_view(self) -> PassageView:
        """View of the passage, in the lower half."""
        return self._evidence.passage_view

    @property
    def title(self) -> str:
        """Title of the list."""
        return self._evidence.title

    def show_marks(self, marks: Marks) -> None:
        """Show which passages are marked as right or wrong from now on, and allow marking them."""
        self._evidence.show_marks(marks)

    def undo(self, edit: ChunkEdit) -> None:
        """Undo an edit of a passage."""
        self._evidence.changes.undo(edit)

    def set_library(self, library: Library | None) -> None:
        """Set the library, or None, and show the empty state."""
        self._evidence.set_library(library)
        self._empty.show_state(*_translate_state(NOTHING_YET))
        self._empty.offer([])
        self._stack.setCurrentWidget(self._empty)

    @Slot()
    def clear(self) -> None:
        """Show the empty state."""
        self._show_empty(*_translate_state(NOTHING_YET))

    def show_run(self, run: Run, golden_set: str = "") -> None:
        """List what a run found, the cited passages first; nothing changes if the run is listed already."""
        if not run.references:
            self._show_empty(*_translate_state(_state_without_passages(run)))
            return
        # Switch to the view before filling it: it draws the page of the best passage only while it is visible.
        self._stack.setCurrentWidget(self._evidence)
        self._evidence.show_run(run, golden_set)

    def show_citation(self, citation: Citation) -> None:
        """Show the passage of a citation on its page; an invalid citation has none."""
        if citation.valid:
            self._evidence.show_citation(citation)
            self._stack.setCurrentWidget(self._evidence)

    def show_hits(self, title: str, about: str, hits: Sequence[Hit]) -> None:
        """List hits that belong to no run, such as those sent to a service, and show the first of them."""
        self._stack.setCurrentWidget(self._evidence)
        self._evidence.show_hits(title, about, hits)

    def show_document(self, document: Document) -> None:
        """List the chunks of a document and show its beginning; for an unreadable document, show the reason."""
        if document.reason and not document.chunks:
            hint = f"{document.name}\n{translate(document.hint)}".strip()
            self._show_empty("alert", translate(document.reason), hint)
            self._offer_retry(document)
            return
        self._evidence.show_document(document)
        self._stack.setCurrentWidget(self._evidence)

    def _show_empty(self, icon: str, title: str, text: str) -> None:
        self._evidence.clear()
        self._empty.show_state(icon, title, text)
        self._empty.offer([])
        self._stack.setCurrentWidget(self._empty)

    def _offer_retry(self, document: Document) -> None:
        # Imported here because the window's start does not need it: 3 ms.
        from workbench.model.diagnosis import Remedy, to_be_treated

        symptom = to_be_treated(document)
        words = {Remedy.READ_AGAIN: TRY_AGAIN, Remedy.MORE_TIME: MORE_TIME}
        remedy = symptom.remedy if symptom is not None else None
        if remedy in words:
            self._retry = document.id, remedy is Remedy.MORE_TIME
            self._empty.offer([tr(words[remedy])])

    @Slot()
    def _on_retry(self) -> None:
        self._empty.offer([])
        self.retry_asked.emit(*self._retry)


def _state_without_passages(run: Run) -> tuple[str, str, str]:
    """Return the empty state for a run without passages; only a search that worked can have found nothing."""
    if run.status is not RunStatus.COMPLETED:
        return ENDED_EARLY
    if run.coverage is None:
        return NOT_USED
    return NOTHING_FOUND if run.coverage.is_read else NOT_FOUND_YET


def _translate_state(state: tuple[str, str, str]) -> tuple[str, str, str]:
    icon, title, text = state
    return icon, tr(title), tr(text)
