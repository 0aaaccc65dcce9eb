"""Comparison of two runs row by row: figures, sources and steps, and the tables that show them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from workbench.language import mark, tr, translate
from workbench.model.agent import BUILT_IN_NAME
from workbench.model.claim import summary
from workbench.model.hit import Citation
from workbench.model.run import CERTAINTY_WORDS, Run, RunStatus, TurnCompleted
from workbench.ui.chat.run_wording import citation_location, duration
from workbench.ui.chat.source_list import SourceChip
from workbench.ui.chat.step_row import step_words
from workbench.ui.chat.transcript import StepLine, Transcript
from workbench.ui.controls import IconLabel, empty, frame, label
from workbench.ui.localisation import time_of_day
from workbench.ui.theme import Theme

T = TypeVar("T")
_STATES = {
    RunStatus.RUNNING: mark("under way"),
    RunStatus.COMPLETED: mark("complete"),
    RunStatus.CANCELLED: mark("stopped"),
    RunStatus.FAILED: mark("failed"),
}


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Values of one row, left and right; an empty text if one side has no value."""

    name: str
    left: str
    right: str

    @property
    def differs(self) -> bool:
        """True if the two values differ."""
        return self.left != self.right


@dataclass(frozen=True, slots=True)
class Pair(Generic[T]):
    """An item that both sides have, or that only one of them has."""

    left: T | None
    right: T | None

    @property
    def is_shared(self) -> bool:
        """True if both sides have the item."""
        return self.left is not None and self.right is not None


def title_of(run: Run, number: int) -> str:
    """Return the title of an answer in the list of answers to compare."""
    question = " ".join(run.question.split())
    shown = {"n": number, "who": answerer_name(run), "time": time_of_day(run.started), "question": question}
    return tr("{n}. {who}, {time} · {question}", **shown)


def answerer_name(run: Run) -> str:
    """Return the name of the agent, unless it is the built-in one, and of the model profile that answered."""
    if run.agent in ("", BUILT_IN_NAME):
        return run.profile
    return tr("{agent} ({profile})", agent=run.agent, profile=run.profile)


def figures(left: Run, right: Run) -> list[ComparisonRow]:
    """Return the properties of both runs that fit in a word or a number."""
    transcripts = [Transcript.of_run(run) for run in (left, right)]
    names: Sequence[tuple[str, Callable[[Run, Transcript], str]]] = (
        (tr("Answered by"), lambda run, _: answerer_name(run)),
        (tr("Ended"), lambda run, _: _outcome(run)),
        (tr("Time"), lambda run, _: duration(run.seconds)),
        (tr("Steps"), lambda _, shown: f"{len(shown.steps):,}"),
        (tr("Tokens"), lambda run, _: _tokens(run)),
        (tr("Checked"), lambda run, _: translate(summary(run.claims)) or tr("not checked")),
    )
    first, second = transcripts
    question_rows = [ComparisonRow(tr("Question"), left.question, right.question)]
    rows = [ComparisonRow(name, value(left, first), value(right, second)) for name, value in names]
    return [*(row for row in question_rows if row.differs), *rows]


def sources(left: Run, right: Run) -> list[Pair[Citation]]:
    """Return the cited passages, each once: first those that both answers cite, then the others."""
    cited = [_cited(run) for run in (left, right)]
    keys = dict.fromkeys([*cited[0], *cited[1]])
    pairs = [Pair(cited[0].get(key), cited[1].get(key)) for key in keys]
    return sorted(pairs, key=lambda pair: not pair.is_shared)


def steps(left: Run, right: Run) -> list[Pair[StepLine]]:
    """Return the steps in order, those that both runs have as pairs."""
    first, second = (Transcript.of_run(run).steps for run in (left, right))
    return list(_align(first, second, lambda step: (step.kind, step.title)))


def _outcome(run: Run) -> str:
    return tr(CERTAINTY_WORDS.get(run.certainty, _STATES[run.status]))


def _tokens(run: Run) -> str:
    turns = [timed.event for timed in run.events if isinstance(timed.event, TurnCompleted)]
    used = sum((turn.usage.input_tokens or 0) + (turn.usage.output_tokens or 0) for turn in turns)
    if not used:
        return tr("not counted")
    is_estimate = any(turn.is_estimate for turn in turns)
    return f"≈ {used:,}" if is_estimate else f"{used:,}"


def _cited(run: Run) -> dict[tuple[object, ...], Citation]:
    found: dict[tuple[object, ...], Citation] = {}
    for citation in run.citations:
        if citation.valid:
            found.setdefault((citation.document, citation.document_name, citation.chunk), citation)
    return found


def _align(first: Sequence[T], second: Sequence[T], key: Callable[[T], object]) -> Iterable[Pair[T]]:
    keys = [[key(one) for one in side] for side in (first, second)]
    for kind, a, b, c, d in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (Pair(one, other) for one, other in zip(first[a:b], second[c:d], strict=True))
        else:
            yield from (Pair(one, None) for one in first[a:b])
            yield from (Pair(None, one) for one in second[c:d])


_SIDES = 2


class ComparisonTable(QWidget):
    """Rows of two columns of equal width, rebuilt for each comparison.

    Signals:
        citation_activated: The Citation whose number was pressed.
    """

    citation_activated = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._well = frame("well")
        self._grid = QGridLayout(self._well)
        self._grid.setContentsMargins(12, 8, 12, 8)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._well)

    def show_figures(self, rows: Sequence[ComparisonRow]) -> None:
        """Show the figures of both sides next to their names, in bold if they differ."""
        empty(self._grid)
        names = [label(row.name, "muted") for row in rows]
        widest = max((name.sizeHint().width() for name in names), default=0)
        for number, (row, name) in enumerate(zip(rows, names, strict=True)):
            name.setFixedWidth(widest)
            left = _put_in_row(name, _value(row.left, bold=row.differs))
            self._put(number, 0, left)
            self._put(number, 1, _value(row.right, bold=row.differs))
        self._fill(len(rows), "")

    def show_sources(self, pairs: Sequence[Pair[Citation]]) -> None:
        """Show the cited passages, with a note on those that only one answer cites."""
        empty(self._grid)
        for number, pair in enumerate(pairs):
            for side, citation in enumerate((pair.left, pair.right)):
                if citation is not None:
                    self._put(number, side, self._source(citation, alone=not pair.is_shared))
        self._fill(len(pairs), tr("Neither cites a source"))

    def show_steps(self, pairs: Sequence[Pair[StepLine]]) -> None:
        """Show the steps, with a note on those that only one answer took."""
        empty(self._grid)
        for number, pair in enumerate(pairs):
            for side, step in enumerate((pair.left, pair.right)):
                if step is not None:
                    self._put(number, side, self._step(step, alone=not pair.is_shared))
        self._fill(len(pairs), tr("Neither has any steps"))

    def _source(self, citation: Citation, *, alone: bool) -> QWidget:
        chip = SourceChip(citation)
        chip.activated.connect(self.citation_activated)
        return self._line(citation_location(citation), "", alone=alone, before=chip)

    def _step(self, step: StepLine, *, alone: bool) -> QWidget:
        words, facts = step_words(step)
        return self._line(words, facts, alone=alone)

    def _line(self, text: str, facts: str, *, alone: bool, before: QWidget | None = None) -> QWidget:
        """Return a row with a text, facts about it, and a note and an icon if the other side does not have it."""
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop
        if alone:
            row.addWidget(IconLabel(self._theme, "plus", colour="accent"), 0, top)
        if before is not None:
            row.addWidget(before, 0, top)
        row.addWidget(_value(text, bold=alone), 1)
        caption = " · ".join(part for part in (facts, tr("only here") if alone else "") if part)
        row.addWidget(label(caption, "caption"), 0, top)
        return line

    def _put(self, row: int, side: int, widget: QWidget) -> None:
        self._grid.addWidget(widget, row, side)

    def _fill(self, rows: int, nothing: str) -> None:
        """Give both columns the same width, and show a text if neither has a row."""
        if not rows:
            self._grid.addWidget(label(nothing, "muted"), 0, 0, 1, _SIDES)
        for side in range(_SIDES):
            self._grid.setColumnStretch(side, 1)


def _put_in_row(*widgets: QWidget) -> QWidget:
    """Return the widgets in one row, of which the last one takes the remaining width."""
    row_widget = QWidget()
    row = QHBoxLayout(row_widget)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(12)
    for widget in widgets:
        row.addWidget(widget, int(widget is widgets[-1]), Qt.AlignmentFlag.AlignTop)
    return row_widget


def _value(text: str, *, bold: bool) -> QLabel:
    value = label(text, wrap=True)
    value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    font = value.font()
    font.setBold(bold)
    value.setFont(font)
    return value
