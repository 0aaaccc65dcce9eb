"""Which passages of a question are marked right or wrong: asked for once, told to whoever shows them, taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import mark, tr
from workbench.model.evaluation import MARKS
from workbench.ui.bridge import Bridge
from workbench.ui.evaluation.part import Part
from workbench.ui.evaluation.spots import Spot, mark_of
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.evaluation import Judgement, Mark
    from workbench.model.hit import Hit
    from workbench.model.run import Run
    from workbench.operations import Library

_TITLE = 40
OTHERWISE = mark("This passage is known by its page or document, not by a mark. Remove the question to forget that.")


class Scope(NamedTuple):
    """A question with what it was restricted to, in a set: what a golden question is known by.

    An empty set is that of the marks.
    """

    question: str
    knowledge_base: str = ""
    filter: str = ""
    set: str = ""

    @property
    def options(self) -> dict[str, str]:
        """All but the question, as operations take it."""
        where = {"knowledge_base": self.knowledge_base, "filter": self.filter}
        return where | ({"set": self.set} if self.set else {})

    @classmethod
    def of_run(cls, run: Run, golden_set: str = "") -> Scope:
        """Return the question of a run as the user asked it."""
        return cls(run.question.strip(), run.knowledge_base, run.filter, golden_set)


class _Request:
    """The marks of one question on their way."""

    def __init__(self, marks: Marks, scope: Scope) -> None:
        self._marks = marks
        self._scope = scope

    def done(self, judgements: tuple[Judgement, ...]) -> None:
        """Pass them on."""
        self._marks.receive(self._scope, judgements)


class Marks(Part):
    """The marks of the questions that are shown.

    Signals:
        changed: The marks of a question are others now: its Scope.
        kept: A mark was set or taken back in the library.
    """

    changed = Signal(object)
    kept = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(bridge, parent)
        self._known: dict[Scope, tuple[Judgement, ...]] = {}
        self._asked: set[Scope] = set()
        self._last: Mark | None = None

    def set_library(self, library: Library | None) -> None:
        """Take another library and forget the marks of the old one."""
        self._library = library
        self._known.clear()
        self._asked.clear()
        self._last = None

    def of(self, scope: Scope, spot: Spot) -> bool | None:
        """Return whether a passage is right or wrong; None where it is not marked, or that is not known yet."""
        if scope not in self._asked:
            self._fetch(scope)
        return mark_of(self._known.get(scope, ()), spot)

    def mark(self, scope: Scope, passage: Hit | int, right: bool | None) -> None:
        """Mark a passage as right or wrong for a question; None takes its mark back."""
        if self._library is None:
            return
        if right is None:
            operation = operations.remove_mark(self._library, scope.question, passage, **scope.options)
            self._ask(operation, self._on_removed)
        else:
            marking = operations.mark_passage(self._library, scope.question, passage, right, **scope.options)
            self._ask(marking, self._on_marked)

    @Slot()
    def undo(self) -> None:
        """Take back what was marked last, or put back the mark that was taken away."""
        mark, self._last = self._last, None
        if self._library is not None and mark is not None:
            self._ask(operations.unmark_passage(self._library, mark), self._on_undone)

    @Slot()
    def refresh(self) -> None:
        """Ask anew for all that is known: golden questions were added or removed."""
        for scope in tuple(self._asked):
            self._fetch(scope)

    def receive(self, scope: Scope, judgements: tuple[Judgement, ...]) -> None:
        """Take the marks of a question."""
        if self._known.get(scope, ()) != judgements:
            self._known[scope] = judgements
            self.changed.emit(scope)

    def _fetch(self, scope: Scope) -> None:
        if self._library is None:
            return
        self._asked.add(scope)
        request = _Request(self, scope)
        wanted = operations.marks_of(self._library, scope.question, **scope.options)
        self._ask(wanted, request.done)

    def _on_marked(self, mark: Mark) -> None:
        question = _short(mark.question.question)
        if mark.judgement.right:
            self._take(mark, tr("Marked as right for “{question}”", question=question))
        else:
            self._take(mark, tr("Marked as wrong for “{question}”", question=question))

    def _on_removed(self, mark: Mark | None) -> None:
        if mark is None:
            self.said.emit(tr(OTHERWISE), False)
            self._show_again()
        else:
            self._take(mark, tr("The mark was taken back"))

    def _take(self, mark: Mark, said: str) -> None:
        self._last = mark
        golden_set = "" if mark.set == MARKS else mark.set
        self.receive(Scope(*mark.question.key, golden_set), mark.question.judgements)
        self.said.emit(said, True)
        self.kept.emit()

    def _on_undone(self, _nothing: object) -> None:
        self.refresh()
        self.kept.emit()

    def _on_failed(self, error: BaseException, details: str) -> None:
        super()._on_failed(error, details)
        self._show_again()

    def _show_again(self) -> None:
        """Let the buttons show what is kept, not what was pressed."""
        for scope in tuple(self._asked):
            self.changed.emit(scope)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else line[:_TITLE].rstrip() + "…"
