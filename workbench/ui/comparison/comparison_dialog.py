"""Window with two answers side by side, in which the text differences are marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeySequence, QShortcut, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from workbench import operations
from workbench.language import mark, tr, trn
from workbench.model.run import Run
from workbench.model.text_diff import DiffKind, DiffStretch
from workbench.ui.actions import key_words
from workbench.ui.bridge import Bridge
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.comparison.comparison_tables import ComparisonTable, figures, sources, steps, title_of
from workbench.ui.controls import IconButton, button, label
from workbench.ui.dialog import Dialog
from workbench.ui.messages import announce
from workbench.ui.theme import Theme, Tokens

NEXT, PREVIOUS = "F3", "Shift+F3"
_NAMES = (mark("Left answer"), mark("Right answer"))
_GO_ON = (mark("Continue from the left answer"), mark("Continue from the right answer"))
_SHOWN = 160
_ABOVE = 40


class ComparisonDialog(Dialog):
    """Non-modal window that stays open next to the main window.

    Signals:
        citation_activated: The Citation that was pressed in either answer.
        go_on_asked: The Run from which the next question continues.
    """

    citation_activated = Signal(object)
    go_on_asked = Signal(object)

    def __init__(
        self, bridge: Bridge, theme: Theme, runs: Sequence[Run], chosen: Run, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._runs = tuple(runs)
        self._found: list[DifferingPlaces] = []
        self._at = -1
        self._request_number = 0
        self.setWindowTitle(tr("Compare answers"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(1040, 760)
        self._choices = tuple(self._choice(tr(name)) for name in _NAMES)
        self._answers = tuple(ComparedAnswer(theme, is_left=is_left) for is_left in (True, False))
        self._figures, self._sources, self._steps = (ComparisonTable(theme) for _ in range(3))
        self._summary = label("", wrap=True)
        legend_text = tr("Struck through: only in the left one. Underlined: only in the right one.")
        self._legend = label(legend_text, "caption", wrap=True)
        self._previous = IconButton(
            theme, "chevron-up", _with_key(tr("Previous difference"), PREVIOUS), self._on_previous
        )
        self._next = IconButton(theme, "chevron-down", _with_key(tr("Next difference"), NEXT), self._on_next)
        for answer, name in zip(self._answers, _NAMES, strict=True):
            answer.setAccessibleName(tr(name))
            answer.citation_activated.connect(self.citation_activated)
        self._sources.citation_activated.connect(self.citation_activated)
        self._lay_out()
        QShortcut(QKeySequence(NEXT), self, self._on_next)
        QShortcut(QKeySequence(PREVIOUS), self, self._on_previous)
        self._begin(chosen)

    @property
    def shown(self) -> tuple[Run, Run]:
        """The two runs that are compared, left and right."""
        left, right = (self._runs[choice.currentIndex()] for choice in self._choices)
        return left, right

    @property
    def visible_text(self) -> str:
        """Summary of the differences."""
        return self._summary.text()

    @property
    def answers(self) -> tuple[ComparedAnswer, ...]:
        """Views of both answers."""
        return self._answers

    def _choice(self, name: str) -> QComboBox:
        choice = QComboBox()
        choice.setAccessibleName(name)
        choice.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        choice.addItems([title_of(run, number) for number, run in enumerate(self._runs, start=1)])
        return choice

    def _begin(self, chosen: Run) -> None:
        """Show the chosen answer at the right, and the one before it at the left."""
        right = next((place for place, run in enumerate(self._runs) if run.id == chosen.id), len(self._runs) - 1)
        left = right - 1 if right else min(1, len(self._runs) - 1)
        for choice, place in zip(self._choices, (left, right), strict=True):
            choice.setCurrentIndex(place)
            choice.currentIndexChanged.connect(self._on_chosen)
        self._on_chosen()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(16)
        for side in range(len(_NAMES)):
            head.addWidget(self._choices[side], 1)
        differing = QHBoxLayout()
        differing.addWidget(self._summary, 1)
        differing.addWidget(self._previous)
        differing.addWidget(self._next)
        words = QHBoxLayout()
        words.setSpacing(16)
        for answer in self._answers:
            words.addWidget(answer, 1, Qt.AlignmentFlag.AlignTop)
        inside = QWidget()
        self._inside = inside
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        column.addWidget(self._figures)
        column.addLayout(differing)
        column.addWidget(self._legend)
        column.addLayout(words)
        for title, table in ((tr("Sources"), self._sources), (tr("Steps"), self._steps)):
            column.addWidget(label(title, "section"))
            column.addWidget(table)
        column.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName(tr("Both answers"))
        self._scroll.setWidget(inside)
        buttons = (*self._go_on_buttons(), button(tr("Close"), "secondary", self.accept))
        foot = QHBoxLayout()
        foot.setSpacing(16)
        for one in buttons:
            foot.addWidget(one)
        foot.insertStretch(len(buttons) - 1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 14, 14)
        layout.setSpacing(12)
        layout.addLayout(head)
        layout.addWidget(self._scroll, 1)
        layout.addLayout(foot)

    def _go_on_buttons(self) -> list[QPushButton]:
        buttons = [
            button(tr(_GO_ON[0]), "secondary", self._on_go_on_left),
            button(tr(_GO_ON[1]), "secondary", self._on_go_on_right),
        ]
        for one in buttons:
            one.setToolTip(
                tr("The next question continues from this answer; its alternatives are left out of the conversation")
            )
        return buttons

    @Slot()
    def _on_chosen(self) -> None:
        """Show two answers, and submit the comparison of their words to the worker."""
        left, right = self.shown
        for answer, run in zip(self._answers, (left, right), strict=True):
            answer.show_run(run)
        self._figures.show_figures(figures(left, right))
        self._sources.show_sources(sources(left, right))
        self._steps.show_steps(steps(left, right))
        self._show_differences([], tr("Comparing…"))
        self._request_number += 1
        request = self._request_number

        def done(stretches: Sequence[DiffStretch]) -> None:
            # The dialog may have been closed meanwhile, and then deletes itself.
            if isValid(self) and request == self._request_number:
                self._on_compared(stretches)

        self._bridge.submit(operations.compare_texts(*(answer.text for answer in self._answers)), done=done)

    def _on_compared(self, stretches: Sequence[DiffStretch]) -> None:
        found = differences(stretches)
        for side, answer in enumerate(self._answers):
            answer.mark([(one.left, one.right)[side] for one in found])
        if not found:
            self._show_differences([], tr("Both answers are identical."))
            return
        summary = trn("The answers differ in {n:,} place.", "The answers differ in {n:,} places.", len(found))
        self._show_differences(found, summary)

    def _show_differences(self, found: list[DifferingPlaces], said: str) -> None:
        self._found = found
        self._at = -1
        self._summary.setText(said)
        self._legend.setVisible(bool(found))
        self._next.setEnabled(bool(found))
        self._previous.setEnabled(bool(found))

    @Slot()
    def _on_next(self) -> None:
        self._go(1)

    @Slot()
    def _on_previous(self) -> None:
        self._go(-1)

    def _go(self, step: int) -> None:
        """Scroll to the next difference and describe it."""
        if not self._found:
            return
        self._at = (self._at + step) % len(self._found) if self._at >= 0 or step > 0 else len(self._found) - 1
        one = self._found[self._at]
        tops = []
        for answer, place in zip(self._answers, (one.left, one.right), strict=True):
            rect = answer.rect_of(place)
            tops.append(answer.mapTo(self._inside, QPoint(0, rect.top())).y())
        self._scroll.verticalScrollBar().setValue(min(tops) - _ABOVE)
        self._summary.setText(self._words(one))
        announce(self, self._summary.text())

    def _words(self, one: DifferingPlaces) -> str:
        place = {"n": self._at + 1, "total": len(self._found)}
        left, right = _short(one.left.text), _short(one.right.text)
        if not right:
            return tr("Difference {n} of {total}: “{text}” is only in the left one.", text=left, **place)
        if not left:
            return tr("Difference {n} of {total}: “{text}” is only in the right one.", text=right, **place)
        return tr("Difference {n} of {total}: left “{left}”, right “{right}”.", left=left, right=right, **place)

    @Slot()
    def _on_go_on_left(self) -> None:
        self.go_on_asked.emit(self.shown[0])
        self.accept()

    @Slot()
    def _on_go_on_right(self) -> None:
        self.go_on_asked.emit(self.shown[1])
        self.accept()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1].rstrip()}…"


def _with_key(name: str, key: str) -> str:
    return f"{name} ({key_words(key)})"


@dataclass(frozen=True, slots=True)
class ComparedPlace:
    """A span of a text, counted in UTF-16 code units as Qt does; empty if start equals end."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class DifferingPlaces:
    """A difference: text that only one side has, or that is different on the two sides."""

    left: ComparedPlace
    right: ComparedPlace


def differences(stretches: Iterable[DiffStretch]) -> list[DifferingPlaces]:
    """Return the places that differ, in order; places that only white space separates are merged."""
    found: list[DifferingPlaces] = []
    left = right = 0
    is_open = False
    for one in stretches:
        length = len(one.text.encode("utf-16-le")) // 2
        out, new = one.piece is not DiffKind.IN, one.piece is not DiffKind.OUT
        after_left, after_right = left + length * out, right + length * new
        if one.piece is DiffKind.SAME:
            is_open = is_open and not one.text.strip()
        else:
            place = DifferingPlaces(_place(left, after_left, one.text), _place(right, after_right, one.text))
            if is_open:
                place = _join(found.pop(), place)
            found.append(place)
            is_open = True
        left, right = after_left, after_right
    return [one for one in found if one.left.text.strip() or one.right.text.strip()]


def _place(start: int, end: int, text: str) -> ComparedPlace:
    return ComparedPlace(start, end, text if end > start else "")


def _join(first: DifferingPlaces, second: DifferingPlaces) -> DifferingPlaces:
    return DifferingPlaces(_join_places(first.left, second.left), _join_places(first.right, second.right))


def _join_places(first: ComparedPlace, second: ComparedPlace) -> ComparedPlace:
    text = " ".join(part for part in (first.text.strip(), second.text.strip()) if part)
    start = first.start if first.text else second.start
    return ComparedPlace(start, (second if second.text else first).end if text else start, text)


def selections(
    document: QTextDocument, places: Sequence[ComparedPlace], tokens: Tokens, *, is_left: bool
) -> list[QTextEdit.ExtraSelection]:
    """Return the formats of the places: struck through in the left text, underlined in the right one."""
    form = QTextCharFormat()
    form.setBackground(QColor(tokens.danger_soft if is_left else tokens.ok_soft))
    if is_left:
        form.setFontStrikeOut(True)
    else:
        form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        form.setUnderlineColor(QColor(tokens.ok))
    result = []
    last = document.characterCount() - 1
    for place in places:
        if place.end > place.start:
            selection = QTextEdit.ExtraSelection()
            selection.cursor = cursor_of(document, place, last)
            selection.format = form
            result.append(selection)
    return result


def cursor_of(document: QTextDocument, place: ComparedPlace, last: int) -> QTextCursor:
    """Return a cursor that selects a place."""
    cursor = QTextCursor(document)
    cursor.setPosition(min(place.start, last))
    cursor.setPosition(min(place.end, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor


class ComparedAnswer(AnswerView):
    """Answer view that renders the whole answer at once and marks the differences."""

    def __init__(self, theme: Theme, *, is_left: bool, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._colours = theme
        self._is_left = is_left
        self._places: tuple[ComparedPlace, ...] = ()
        # Connected after the handler of the base class, which clears the text and starts to render it again.
        theme.changed.connect(self._on_colours_changed)

    @property
    def text(self) -> str:
        """Plain text of the answer as shown."""
        return self.document().toPlainText()

    @property
    def places(self) -> tuple[ComparedPlace, ...]:
        """The places that are marked."""
        return self._places

    def show_run(self, run: Run) -> None:
        """Show the answer of a run without any marks."""
        self._places = ()
        self.show_answer(run.answer, run.citations)
        self._complete()

    def mark(self, places: Sequence[ComparedPlace]) -> None:
        """Mark exactly these places."""
        self._places = tuple(places)
        self._draw()

    def rect_of(self, place: ComparedPlace) -> QRect:
        """Select a place and return its rectangle in the view."""
        cursor = cursor_of(self.document(), place, self.document().characterCount() - 1)
        self.setTextCursor(cursor)
        return self.cursorRect(cursor)

    def _complete(self) -> None:
        while not self.is_whole:
            self.go_on()
        self._draw()

    def _draw(self) -> None:
        tokens = self._colours.tokens()
        self.setExtraSelections(selections(self.document(), self._places, tokens, is_left=self._is_left))

    @Slot()
    def _on_colours_changed(self) -> None:
        self._complete()
