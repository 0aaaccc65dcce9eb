"""View of an evaluation result, and the row that puts a configuration into use."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, trn
from workbench.model.search_configuration import SearchConfiguration
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.controls import IconButton, button, caption_of, frame, label
from workbench.ui.evaluation.comparison_charts import DumbbellChart, SlopeChart
from workbench.ui.evaluation.question_list import RowView
from workbench.ui.evaluation.result_summary import (
    RowFilter,
    figures_of,
    notes_of,
    rows_of,
    sentence_of,
    sieves_of,
    slopes_of_comparison,
)
from workbench.ui.evaluation.run_presenter import ConfigurationPresenter, ShownEvaluations, knowledge_base_words
from workbench.ui.localisation import ago
from workbench.ui.theme import Theme

_WIDE = 640
"""Width in pixels from which the questions are shown next to the figures."""
NOTHING = {
    RowFilter.ALL: mark("No question could be measured."),
    RowFilter.BETTER: mark("No question got better."),
    RowFilter.WORSE: mark("No question got worse."),
    RowFilter.MISSED: mark("Every question found a right passage."),
}


class ResultView(QSplitter):
    """View with the figures above the questions, or next to them if there is enough space.

    Signals:
        question_opened: The QuestionOutcome whose hits are to be shown.
    """

    question_opened = Signal(object)

    def __init__(self, promoting: ConfigurationPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._shown: ShownEvaluations | None = None
        self._sieve = RowFilter.ALL
        self._when = label("", "caption", wrap=True)
        self._sentence = label("", wrap=True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._notes = label("", "caption", wrap=True)
        self.dumbbells = DumbbellChart(theme)
        self.slopes = SlopeChart(theme)
        self._promote = PromoteRow(promoting, theme)
        self._sieves: dict[RowFilter, QPushButton] = {}
        self._group = QButtonGroup(self)
        self._flow = QWidget()
        flow = FlowLayout(self._flow, spacing=2)
        for sieve in RowFilter:
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

    def show_result(self, shown: ShownEvaluations) -> None:
        """Show one evaluation, or two side by side."""
        self._shown = shown
        summary = shown.evaluations[-1].summary
        questions = trn("{n:,} question", "{n:,} questions", summary.metrics.questions)
        self._when.setText(tr("{asked}, {when}", asked=questions, when=ago(summary.began)))
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
        self._sieve = self._sieve if self._sieve in found else RowFilter.ALL
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


@dataclass(frozen=True, slots=True)
class ConfigurationChoice:
    """Menu entry: a configuration (None for the default) for a knowledge base (None for all of them)."""

    configuration: SearchConfiguration | None
    knowledge_base: str | None


class PromoteRow(QWidget):
    """Row with the buttons that put a configuration into use or reset it, and a menu for other knowledge bases."""

    def __init__(self, promoting: ConfigurationPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._promoting = promoting
        self._offered: dict[str, SearchConfiguration] = {}
        self._use = button("", "secondary", self._on_use)
        self._reset = button(tr("Reset"), "ghost", self._on_reset)
        words = tr("Use for or reset a knowledge base")
        self._more = IconButton(theme, "more", words, self._on_more)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self._use)
        row.addWidget(self._reset)
        row.addStretch(1)
        row.addWidget(self._more)
        promoting.bases_listed.connect(self._update_buttons)
        promoting.base_chosen.connect(self._update_buttons)
        promoting.in_force_changed.connect(self._update_buttons)
        self._update_buttons()

    def show_result(self, shown: ShownEvaluations) -> None:
        """Offer the configurations of a result; the main button uses the second of two."""
        letters = "AB" if shown.comparison is not None else "A"
        self._offered = {
            letter: evaluation.summary.configuration
            for letter, evaluation in zip(letters, shown.evaluations, strict=True)
        }
        self._update_buttons()

    @Slot()
    def _update_buttons(self) -> None:
        where = knowledge_base_words(self._promoting.target)
        use = (
            tr("Use this for {where}", where=where) if len(self._offered) < 2 else tr("Use B for {where}", where=where)
        )
        is_used = self._promoting.is_own and self._promoting.in_force == self._chosen()
        self._use.setText(caption_of(tr("In use for {where}", where=where) if is_used else use))
        self._use.setEnabled(not is_used)
        self._reset.setEnabled(self._promoting.is_own)
        self._reset.setToolTip(tr("Reset search settings of {where}", where=where))
        self._reset.setAccessibleName(tr("Reset search settings of {where} to the defaults", where=where))

    @Slot()
    def _on_use(self) -> None:
        self._promoting.promote(self._promoting.target, self._chosen())

    def _chosen(self) -> SearchConfiguration | None:
        """Return the configuration that the main button uses: the only one or the second; None without a result."""
        return list(self._offered.values())[-1] if self._offered else None

    @Slot()
    def _on_reset(self) -> None:
        self._promoting.promote(self._promoting.target, None)

    @Slot()
    def _on_more(self) -> None:
        menu = QMenu(self)
        bases = (None, *self._promoting.bases)
        for letter, configuration in self._offered.items():
            part = menu.addMenu(tr("Use {letter} for", letter=letter))
            for base in bases:
                name = caption_of(knowledge_base_words(base))
                part.addAction(name, self._on_chosen).setData(ConfigurationChoice(configuration, base))
        part = menu.addMenu(tr("Reset"))
        for base in bases:
            part.addAction(caption_of(knowledge_base_words(base)), self._on_chosen).setData(
                ConfigurationChoice(None, base)
            )
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    @Slot()
    def _on_chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and isinstance(choice := action.data(), ConfigurationChoice):
            self._promoting.promote(choice.knowledge_base, choice.configuration)
