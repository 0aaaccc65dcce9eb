"""Passages marked right or wrong for a question.

Contains the presenter, the keys of passages, the buttons, and the base class of the evaluation presenters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from workbench import operations
from workbench.language import mark, tr
from workbench.model.evaluation import MARKS, JudgementKind
from workbench.ui.bridge import Bridge
from workbench.ui.controls import set_icon
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.model.evaluation import Judgement, Mark
    from workbench.model.hit import Hit
    from workbench.model.run import Run
    from workbench.operations import Library
    from workbench.worker.job import Operation


_HALF = 0.5
"""Two spans are the same passage, chunked again, if they share more than this part of the shorter one."""


class PassageSpot(NamedTuple):
    """Position and text of a passage."""

    document: str
    start: int
    end: int
    page: int | None = None
    text: str = ""

    @classmethod
    def of_hit(cls, hit: Hit) -> PassageSpot:
        """Return the spot of a hit."""
        return cls(hit.document_name, hit.chunk.start, hit.chunk.end, hit.page, hit.chunk.text)


def mark_of(judgements: Sequence[Judgement], spot: PassageSpot) -> bool | None:
    """Return whether a passage is right or wrong, or None if no judgement covers it.

    A judgement of exactly this passage takes precedence over one of its page or document.
    """
    exact = [one for one in judgements if (one.document, one.start, one.end) == (spot.document, spot.start, spot.end)]
    about = exact or [one for one in judgements if _is_about(one, spot)]
    return about[-1].right if about else None


def _is_about(one: Judgement, spot: PassageSpot) -> bool:
    if one.document and one.document != spot.document:
        return False
    match one.kind:
        case JudgementKind.PASSAGE:
            return _overlaps(one, spot)
        case JudgementKind.PAGE:
            return one.page == spot.page
        case JudgementKind.ANSWER:
            return any(answer.casefold() in spot.text.casefold() for answer in one.answers)
    return bool(one.document)


def _overlaps(one: Judgement, spot: PassageSpot) -> bool:
    if one.start is None or one.end is None:
        return one.text.strip() in spot.text
    common = min(one.end, spot.end) - max(one.start, spot.start)
    return common > _HALF * min(one.end - one.start, spot.end - spot.start)


T = TypeVar("T")


class EvaluationPart(QObject):
    """Base class of the evaluation presenters; its library may be None.

    Signals:
        notified: A message for a toast, and whether it can be undone.
        failed: An error and its details.
    """

    notified = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None

    def _ask(self, operation: Operation[T], done: Callable[[T], None]) -> None:
        """Submit an operation of the library; an error is emitted as `failed`."""
        self._bridge.submit(operation, done=done, failed=self._on_failed)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)


_TITLE = 40
OTHERWISE = mark("This mark comes from a page or document. Remove the question to delete it.")


class Scope(NamedTuple):
    """Key of a golden question: its text, its restrictions and its set.

    An empty set name stands for the set of the marked passages.
    """

    question: str
    knowledge_base: str = ""
    filter: str = ""
    set: str = ""

    @property
    def options(self) -> dict[str, str]:
        """Keyword arguments for operations: all fields but the question."""
        where = {"knowledge_base": self.knowledge_base, "filter": self.filter}
        return where | ({"set": self.set} if self.set else {})

    @classmethod
    def of_run(cls, run: Run, golden_set: str = "") -> Scope:
        """Return the scope of a run's question as the user wrote it."""
        return cls(run.question.strip(), run.knowledge_base, run.filter, golden_set)


class _MarksRequest:
    """Pending request for the marks of one question."""

    def __init__(self, marks: Marks, scope: Scope) -> None:
        self._marks = marks
        self._scope = scope

    def done(self, judgements: tuple[Judgement, ...]) -> None:
        """Pass the judgements to the presenter."""
        self._marks.receive(self._scope, judgements)


class Marks(EvaluationPart):
    """Presenter of the marks of the questions on show.

    Signals:
        changed: The Scope of a question whose marks changed.
        kept: A mark was stored in the library or removed from it.
    """

    changed = Signal(object)
    kept = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(bridge, parent)
        self._known: dict[Scope, tuple[Judgement, ...]] = {}
        self._requested: set[Scope] = set()
        self._last: Mark | None = None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library and forget the marks of the old one."""
        self._library = library
        self._known.clear()
        self._requested.clear()
        self._last = None

    def of(self, scope: Scope, spot: PassageSpot) -> bool | None:
        """Return whether a passage is right or wrong; None if it is not marked or its marks are not loaded yet."""
        if scope not in self._requested:
            self._fetch(scope)
        return mark_of(self._known.get(scope, ()), spot)

    def mark(self, scope: Scope, passage: Hit | int, right: bool | None) -> None:
        """Mark a passage as right or wrong for a question; None removes its mark."""
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
        """Remove the mark that was set last, or restore the one that was removed last."""
        mark, self._last = self._last, None
        if self._library is not None and mark is not None:
            self._ask(operations.unmark_passage(self._library, mark), self._on_undone)

    @Slot()
    def refresh(self) -> None:
        """Fetch all known marks again after golden questions were added or removed."""
        for scope in tuple(self._requested):
            self._fetch(scope)

    def receive(self, scope: Scope, judgements: tuple[Judgement, ...]) -> None:
        """Store the marks of a question."""
        if self._known.get(scope, ()) != judgements:
            self._known[scope] = judgements
            self.changed.emit(scope)

    def _fetch(self, scope: Scope) -> None:
        if self._library is None:
            return
        self._requested.add(scope)
        request = _MarksRequest(self, scope)
        wanted = operations.marks_of(self._library, scope.question, **scope.options)
        self._ask(wanted, request.done)

    def _on_marked(self, mark: Mark) -> None:
        question = _shorten(mark.question.question)
        if mark.judgement.right:
            self._take(mark, tr("Marked as right for “{question}”", question=question))
        else:
            self._take(mark, tr("Marked as wrong for “{question}”", question=question))

    def _on_removed(self, mark: Mark | None) -> None:
        if mark is None:
            self.notified.emit(tr(OTHERWISE), False)
            self._show_again()
        else:
            self._take(mark, tr("Mark removed"))

    def _take(self, mark: Mark, said: str) -> None:
        self._last = mark
        golden_set = "" if mark.set == MARKS else mark.set
        self.receive(Scope(*mark.question.key, golden_set), mark.question.judgements)
        self.notified.emit(said, True)
        self.kept.emit()

    def _on_undone(self, _nothing: object) -> None:
        self.refresh()
        self.kept.emit()

    def _on_failed(self, error: BaseException, details: str) -> None:
        super()._on_failed(error, details)
        self._show_again()

    def _show_again(self) -> None:
        """Reset the buttons to the stored marks."""
        for scope in tuple(self._requested):
            self.changed.emit(scope)


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else line[:_TITLE].rstrip() + "…"


_ICON = 14
WORDS = {True: mark("Right for this question"), False: mark("Wrong for this question")}
_NAMES = {True: mark("Mark {passage} as right"), False: mark("Mark {passage} as wrong")}
_HELP = {
    True: mark("Mark {passage} as right for {question}; press again to remove the mark"),
    False: mark("Mark {passage} as wrong for {question}; press again to remove the mark"),
}


class MarkButton(QToolButton):
    """Button “Right” or “Wrong”, checked while the passage has this mark."""

    def __init__(self, theme: Theme, *, right: bool) -> None:
        super().__init__()
        self._theme = theme
        self._right = right
        self.setCheckable(True)
        self.setAutoRaise(True)
        self.setProperty("variant", "mark")
        self.setProperty("tone", "ok" if right else "danger")
        self.setText(tr("Right", "a passage") if right else tr("Wrong", "a passage"))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme.changed.connect(self.paint)
        self.toggled.connect(self.paint)
        self.paint()

    @Slot()
    def paint(self) -> None:
        """Set the icon in the colour of its state."""
        tokens = self._theme.tokens()
        strong = tokens.ok if self._right else tokens.danger
        color = strong if self.isChecked() else None
        set_icon(self, self._theme, "check" if self._right else "close", color, _ICON)


class MarkButtons(QWidget):
    """Pair of buttons that mark one passage as right or wrong.

    Signals:
        marked: True for right, False for wrong, None to remove the mark.
    """

    marked = Signal(object)

    def __init__(self, theme: Theme, passage: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._right = MarkButton(theme, right=True)
        self._wrong = MarkButton(theme, right=False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for button in (self._right, self._wrong):
            row.addWidget(button)
            # Clicked, not toggled: a mark that the program shows must not start a request.
            button.clicked.connect(self._on_clicked)
        self.name(passage)

    @property
    def mark(self) -> bool | None:
        """Mark that is shown: True for right, False for wrong, None for neither."""
        return True if self._right.isChecked() else False if self._wrong.isChecked() else None

    def name(self, passage: str, question: str = "") -> None:
        """Name the passage that the buttons mark, and its question; an empty one is the question shown next to them."""
        question_text = question or tr("this question")
        for button, right in ((self._right, True), (self._wrong, False)):
            button.setAccessibleName(tr(_NAMES[right], passage=passage))
            button.setToolTip(tr(_HELP[right], passage=passage, question=question_text))

    def show_mark(self, right: bool | None) -> None:
        """Show how the passage is marked; None for not at all."""
        self._right.setChecked(right is True)
        self._wrong.setChecked(right is False)

    @Slot()
    def _on_clicked(self) -> None:
        pressed = self.sender()
        if isinstance(pressed, MarkButton):
            right = (pressed is self._right) if pressed.isChecked() else None
            self.show_mark(right)
            self.marked.emit(right)
