"""The page on which configurations are run and their results shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from workbench.language import mark, said, tr
from workbench.model.evaluation import EvaluationSummary
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.controls import IconLabel, button, frame, label
from workbench.ui.evaluation.configuration_form import Chosen
from workbench.ui.evaluation.measuring import MeasuringPresenter, Shown
from workbench.ui.evaluation.promoting import PromotingPresenter
from workbench.ui.evaluation.result_view import ResultView
from workbench.ui.evaluation.run_panel import RunPanel
from workbench.ui.evaluation.wording import invite
from workbench.ui.library.wording import listed
from workbench.ui.theme import Theme

NOT_RUN = (
    "target",
    mark("Not evaluated yet"),
    mark("Run puts every golden question to your documents and counts what is found."),
)
RUNNING = ("target", mark("Asking every question…"), mark("You can go on working meanwhile."))


class ComparePage(QWidget):
    """Above what is run, below what came of it; between them a notice where the figures do not hold any more.

    Signals:
        question_opened: The QuestionOutcome whose hits are to be shown.
    """

    question_opened = Signal(object)

    def __init__(
        self, measuring: MeasuringPresenter, promoting: PromotingPresenter, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._measuring = measuring
        self.panel = RunPanel(measuring, promoting, theme)
        self.result = ResultView(promoting, theme)
        self.result.question_opened.connect(self.question_opened)
        self._aged = frame("banner", tone="warn")
        self._aged_words = label("", wrap=True)
        self._empty = EmptyState(theme, quiet=True)
        invite(self._empty, NOT_RUN)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.result)
        self._arrange(theme)
        measuring.shown.connect(self._on_shown)
        measuring.aged.connect(self._on_aged)
        measuring.running_changed.connect(self._on_running_changed)
        if measuring.on_show is not None:
            self._on_shown(measuring.on_show)

    @property
    def notice(self) -> str:
        """What is said of figures that do not hold any more; empty while they do."""
        return "" if self._aged.isHidden() else self._aged_words.text()

    def _arrange(self, theme: Theme) -> None:
        row = QHBoxLayout(self._aged)
        row.setContentsMargins(10, 6, 6, 6)
        row.addWidget(IconLabel(theme, "clock", colour="warn"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._aged_words, 1)
        row.addWidget(button(tr("Run again"), "secondary", self.run_again))
        self._aged.hide()
        top = QVBoxLayout()
        top.setContentsMargins(12, 8, 12, 4)
        top.setSpacing(6)
        top.addWidget(self.panel)
        top.addWidget(self._aged)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self._stack, 1)

    @Slot()
    def run_again(self) -> None:
        """Run what is shown once more, as it was run."""
        shown = self._measuring.on_show
        if shown is not None:
            summaries = [evaluation.summary for evaluation in shown.evaluations]
            self._measuring.run(
                tuple(None if one.as_searched else one.configuration for one in summaries),
                tuple(one.name for one in summaries),
                summaries[0].metrics.k,
            )

    @Slot(object)
    def _on_shown(self, shown: Shown | None) -> None:
        if shown is None:
            invite(self._empty, NOT_RUN)
            self._stack.setCurrentWidget(self._empty)
            self.panel.unfold(True)
            return
        self.result.show_result(shown)
        self._stack.setCurrentWidget(self.result)
        chosen = tuple(_chosen(one.summary) for one in shown.evaluations)
        self.panel.form.show_chosen(chosen)
        self.panel.unfold(False)

    @Slot(object)
    def _on_aged(self, words: tuple[str, ...]) -> None:
        self._aged_words.setText(tr("Out of date: {changes}.", changes=listed(map(said, words))) if words else "")
        self._aged.setVisible(bool(words))

    @Slot(bool)
    def _on_running_changed(self, running: bool) -> None:
        invite(self._empty, RUNNING if running else NOT_RUN)
        self._aged.setEnabled(not running)


def _chosen(summary: EvaluationSummary) -> Chosen:
    return Chosen(None if summary.as_searched else summary.configuration, summary.name)
