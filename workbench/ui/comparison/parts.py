"""What is compared beside the words of two answers, row by row: figures, sources, steps."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from workbench.language import tr
from workbench.model.hit import Citation
from workbench.ui.chat.source_list import SourceChip
from workbench.ui.chat.step_row import step_words
from workbench.ui.chat.transcript import Step
from workbench.ui.chat.wording import cited_place
from workbench.ui.comparison.facts import Pair, Row
from workbench.ui.controls import IconLabel, empty, frame, label
from workbench.ui.theme import Theme

_SIDES = 2


class Table(QWidget):
    """Rows of two columns that are equally wide, made anew for other answers.

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

    def show_figures(self, rows: Sequence[Row]) -> None:
        """Show numbers and names beside what they are of; those that differ are bold."""
        empty(self._grid)
        names = [label(row.name, "muted") for row in rows]
        widest = max((name.sizeHint().width() for name in names), default=0)
        for number, (row, name) in enumerate(zip(rows, names, strict=True)):
            name.setFixedWidth(widest)
            left = _beside(name, _value(row.left, bold=row.differs))
            self._put(number, 0, left)
            self._put(number, 1, _value(row.right, bold=row.differs))
        self._fill(len(rows), "")

    def show_sources(self, pairs: Sequence[Pair[Citation]]) -> None:
        """Show cited passages; one that only one answer cites says so."""
        empty(self._grid)
        for number, pair in enumerate(pairs):
            for side, citation in enumerate((pair.left, pair.right)):
                if citation is not None:
                    self._put(number, side, self._source(citation, alone=not pair.is_shared))
        self._fill(len(pairs), tr("Neither cites a source"))

    def show_steps(self, pairs: Sequence[Pair[Step]]) -> None:
        """Show steps; one that only one answer took says so."""
        empty(self._grid)
        for number, pair in enumerate(pairs):
            for side, step in enumerate((pair.left, pair.right)):
                if step is not None:
                    self._put(number, side, self._step(step, alone=not pair.is_shared))
        self._fill(len(pairs), tr("Neither took a step"))

    def _source(self, citation: Citation, *, alone: bool) -> QWidget:
        chip = SourceChip(citation)
        chip.activated.connect(self.citation_activated)
        return self._line(cited_place(citation), "", alone=alone, before=chip)

    def _step(self, step: Step, *, alone: bool) -> QWidget:
        words, facts = step_words(step)
        return self._line(words, facts, alone=alone)

    def _line(self, text: str, facts: str, *, alone: bool, before: QWidget | None = None) -> QWidget:
        """Return a text, what is known of it, and whether the other side has it not; in words, and by a sign."""
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
        told = " · ".join(part for part in (facts, tr("only here") if alone else "") if part)
        row.addWidget(label(told, "caption"), 0, top)
        return line

    def _put(self, row: int, side: int, widget: QWidget) -> None:
        self._grid.addWidget(widget, row, side)

    def _fill(self, rows: int, nothing: str) -> None:
        """Keep both columns as wide as each other, and say where there is nothing in either."""
        if not rows:
            self._grid.addWidget(label(nothing, "muted"), 0, 0, 1, _SIDES)
        for side in range(_SIDES):
            self._grid.setColumnStretch(side, 1)


def _beside(*widgets: QWidget) -> QWidget:
    """Return widgets beside one another, the last one as wide as there is room."""
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(12)
    for widget in widgets:
        row.addWidget(widget, int(widget is widgets[-1]), Qt.AlignmentFlag.AlignTop)
    return made


def _value(text: str, *, bold: bool) -> QLabel:
    made = label(text, wrap=True)
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    font = made.font()
    font.setBold(bold)
    made.setFont(font)
    return made
