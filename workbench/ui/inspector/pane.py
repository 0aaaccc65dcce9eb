"""The inspector pane: nothing to inspect yet, or the evidence."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from workbench.language import mark, said, tr
from workbench.ui.bridge import Bridge
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.chunk import ChunkEdit
    from workbench.model.document import Document
    from workbench.model.hit import Citation, Hit
    from workbench.model.run import Run
    from workbench.operations import Library
    from workbench.ui.evaluation.passage_marks import Marks
    from workbench.ui.inspector.document_loader import DocumentLoader
    from workbench.ui.inspector.evidence_view import EvidenceView
    from workbench.ui.inspector.passage_rows import InspectedPassage
    from workbench.ui.inspector.passage_view import PassageView


NOTHING_YET = (
    "eye",
    mark("Nothing to inspect yet"),
    mark("Press a citation or choose a document: its passages are shown here, on their pages."),
)
NOTHING_FOUND = ("search", mark("Nothing was found"), mark("This answer looked at no passage."))


class InspectorPane(QFrame):
    """Shows what an answer rests on, and what a document was cut into, once there is either.

    Signals:
        question_asked: A question that finds the passage shown, to be put to the library.
        session_asked: The session of an answer that cites the passage shown.
        edited: What was done to a passage, and the ChunkEdit to undo, or None.
    """

    question_asked = Signal(str)
    session_asked = Signal(int)
    edited = Signal(str, object)

    def __init__(self, bridge: Bridge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._theme = theme
        self.setProperty("role", "pane")
        self._empty = EmptyState(theme, quiet=True)
        self._empty.say(*_in_words(NOTHING_YET))
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)

    @cached_property
    def _source(self) -> DocumentLoader:
        from workbench.ui.inspector.document_loader import DocumentLoader

        return DocumentLoader(self._bridge, self)

    @cached_property
    def _passage(self) -> PassageView:
        from workbench.ui.inspector.passage_view import PassageView

        return PassageView(self._bridge, self._theme, self._source)

    @cached_property
    def _evidence(self) -> EvidenceView:
        # Made when first asked for, and imported here: the window's first paint comes 60 ms sooner without it.
        from workbench.ui.inspector.evidence_view import EvidenceView

        view = EvidenceView(self._bridge, self._theme, self._source, self._passage)
        view.vanished.connect(self.clear)
        view.question_asked.connect(self.question_asked)
        view.session_asked.connect(self.session_asked)
        view.edited.connect(self.edited)
        self._stack.addWidget(view)
        self.setFocusProxy(view)
        return view

    def prepare_passage(self) -> None:
        """Make the view of one passage ahead of the first; 13 ms."""
        _ = self._passage

    def prepare(self) -> None:
        """Make what else evidence needs ahead of the first piece; 12 ms."""
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
        """The lower half."""
        return self._evidence.passage_view

    @property
    def title(self) -> str:
        """What the list is of."""
        return self._evidence.title

    def show_marks(self, marks: Marks) -> None:
        """Show from now on which passages are marked as right or wrong, and let them be marked."""
        self._evidence.show_marks(marks)

    def undo(self, edit: ChunkEdit) -> None:
        """Undo an edit of a passage."""
        self._evidence.changes.undo(edit)

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none; nothing is shown then."""
        self._evidence.set_library(library)
        self._empty.say(*_in_words(NOTHING_YET))
        self._stack.setCurrentWidget(self._empty)

    @Slot()
    def clear(self) -> None:
        """Show nothing."""
        self._tell(*_in_words(NOTHING_YET))

    def show_run(self, run: Run, golden_set: str = "") -> None:
        """List what a run found, the cited passages first; what is shown below stays if it belongs to the run."""
        if not run.references:
            self._tell(*_in_words(NOTHING_FOUND))
            return
        # First the view, then what it shows: it draws the page of the best passage only where it is seen.
        self._stack.setCurrentWidget(self._evidence)
        self._evidence.show_run(run, golden_set)

    def show_citation(self, citation: Citation) -> None:
        """Show the passage of a citation on its page; an invented one has none."""
        if citation.valid:
            self._evidence.show_citation(citation)
            self._stack.setCurrentWidget(self._evidence)

    def show_hits(self, title: str, about: str, hits: Sequence[Hit]) -> None:
        """List passages that no question found, as those that were sent somewhere, and show the first of them."""
        self._stack.setCurrentWidget(self._evidence)
        self._evidence.show_hits(title, about, hits)

    def show_document(self, document: Document) -> None:
        """List the chunks of a document and show its beginning; of one that could not be read, say why."""
        if document.reason and not document.chunks:
            self._tell("alert", said(document.reason), f"{document.name}\n{said(document.hint)}".strip())
            return
        self._evidence.show_document(document)
        self._stack.setCurrentWidget(self._evidence)

    def _tell(self, icon: str, title: str, text: str) -> None:
        self._evidence.clear()
        self._empty.say(icon, title, text)
        self._stack.setCurrentWidget(self._empty)


def _in_words(state: tuple[str, str, str]) -> tuple[str, str, str]:
    icon, title, text = state
    return icon, tr(title), tr(text)
