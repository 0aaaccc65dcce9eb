"""The result of an evaluation: figures and what to make of them, where the ranks moved, the questions one by one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QPushButton, QScrollArea, QSplitter, QVBoxLayout, QWidget

from workbench.language import mark, tr, trn
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.controls import button, frame, label
from workbench.ui.dates import ago
from workbench.ui.evaluation.dumbbells import Dumbbells
from workbench.ui.evaluation.measuring import Shown
from workbench.ui.evaluation.promote_row import PromoteRow
from workbench.ui.evaluation.promoting import PromotingPresenter
from workbench.ui.evaluation.results import (
    Sieve,
    figures_of,
    notes_of,
    rows_of,
    sentence_of,
    sieves_of,
    slopes_of_comparison,
)
from workbench.ui.evaluation.row_view import RowView
from workbench.ui.evaluation.slopes import Slopes
from workbench.ui.theme import Theme

_WIDE = 640
"""From this width on the questions stand beside the figures."""
NOTHING = {
    Sieve.ALL: mark("No question could be measured."),
    Sieve.BETTER: mark("No question got better."),
    Sieve.WORSE: mark("No question got worse."),
    Sieve.MISSED: mark("Every question found a right passage."),
}


class ResultView(QSplitter):
    """Figures above, questions below; side by side where there is room.

    Signals:
        question_opened: The QuestionOutcome whose hits are to be shown.
    """

    question_opened = Signal(object)

    def __init__(self, promoting: PromotingPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._shown: Shown | None = None
        self._sieve = Sieve.ALL
        self._when = label("", "caption", wrap=True)
        self._sentence = label("", wrap=True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._notes = label("", "caption", wrap=True)
        self.dumbbells = Dumbbells(theme)
        self.slopes = Slopes(theme)
        self._promote = PromoteRow(promoting, theme)
        self._sieves: dict[Sieve, QPushButton] = {}
        self._group = QButtonGroup(self)
        self._flow = QWidget()
        flow = FlowLayout(self._flow, spacing=2)
        for sieve in Sieve:
            made = button(tr(sieve.value), "ghost")
            made.setCheckable(True)
            self._sieves[sieve] = made
            self._group.addButton(made)
            flow.addWidget(made)
        self._group.buttonClicked.connect(self._on_sieve)
        self.list = RowView(theme, tr("Questions of the evaluation"))
        self.list.offer_open(tr("Show its hits"))
        self.list.opened.connect(self.question_opened)
        self._none = label("", "muted", wrap=True)
        self._none.setContentsMargins(14, 6, 14, 6)
        self._arrange()

    def show_result(self, shown: Shown) -> None:
        """Show one evaluation, or two side by side."""
        self._shown = shown
        summary = shown.evaluations[-1].summary
        asked = trn("{n:,} question", "{n:,} questions", summary.metrics.questions)
        self._when.setText(tr("{asked}, {when}", asked=asked, when=ago(summary.began)))
        self._sentence.setText(sentence_of(shown))
        self._notes.setText(notes_of(shown))
        self._notes.setVisible(bool(self._notes.text()))
        self.dumbbells.show_figures(figures_of(shown))
        self.slopes.setVisible(shown.comparison is not None)
        if shown.comparison is not None:
            self.slopes.show_slopes(slopes_of_comparison(shown.comparison), summary.metrics.k)
        self._promote.show_result(shown)
        found = sieves_of(shown)
        for sieve, made in self._sieves.items():
            made.setVisible(sieve in found)
            made.setText(f"{tr(sieve.value)} {found.get(sieve, 0):,}")
        self._sieve = self._sieve if self._sieve in found else Sieve.ALL
        self._sieves[self._sieve].setChecked(True)
        self._list_rows()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = event.size().width() >= _WIDE
        self.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def _arrange(self) -> None:
        page = frame("pane")
        inside = QVBoxLayout(page)
        inside.setContentsMargins(14, 8, 12, 8)
        inside.setSpacing(8)
        for widget in (self._when, self.dumbbells, self._sentence, self.slopes, self._promote, self._notes):
            inside.addWidget(widget, 1 if widget is self.slopes else 0)
        inside.addStretch(0)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setAccessibleName(tr("Result of the evaluation"))
        scroll.setWidget(page)
        below = QWidget()
        layout = QVBoxLayout(below)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(2)
        self._flow.setContentsMargins(8, 0, 8, 0)
        layout.addWidget(self._flow)
        layout.addWidget(self._none)
        layout.addWidget(self.list, 1)
        self.addWidget(scroll)
        self.addWidget(below)
        self.setChildrenCollapsible(False)
        self.setStretchFactor(0, 2)
        self.setStretchFactor(1, 1)
        self.setSizes([460, 200])

    def _list_rows(self) -> None:
        if self._shown is None:
            return
        rows = rows_of(self._shown, self._sieve)
        self.list.rows.show(rows)
        self._none.setText("" if rows else tr(NOTHING[self._sieve]))
        self._none.setVisible(not rows)
        self.list.setVisible(bool(rows))

    @Slot()
    def _on_sieve(self) -> None:
        checked = self._group.checkedButton()
        self._sieve = next(sieve for sieve, made in self._sieves.items() if made is checked)
        self._list_rows()
