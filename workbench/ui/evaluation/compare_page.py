"""Page that runs configurations and shows their results, with the panel that starts a run."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate
from workbench.model.evaluation import EvaluationProgress, EvaluationSummary, NamedConfiguration, SearchSettings
from workbench.model.search_configuration import SearchConfiguration
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.controls import ElidedLabel, IconButton, IconLabel, button, caption_of, frame, label
from workbench.ui.dialog import ask_for_text
from workbench.ui.evaluation.configuration_form import NOW, ChosenConfiguration, ConfigurationForm
from workbench.ui.evaluation.result_view import ResultView
from workbench.ui.evaluation.run_presenter import (
    ConfigurationPresenter,
    RunPresenter,
    ShownEvaluations,
    configuration_words,
    invite,
    seconds_words,
)
from workbench.ui.library.document_wording import join_with_commas
from workbench.ui.theme import Theme

NOT_RUN = (
    "target",
    mark("Not evaluated yet"),
    mark("“Run” asks all golden questions and counts which passages are found."),
)
RUNNING = ("target", mark("Asking all questions…"), mark("You can keep working meanwhile."))


class ComparePage(QWidget):
    """Page with the run panel above, the results below, and a notice between them if the results are out of date.

    Signals:
        question_opened: The QuestionOutcome whose hits are to be shown.
    """

    question_opened = Signal(object)

    def __init__(
        self, measuring: RunPresenter, promoting: ConfigurationPresenter, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._measuring = measuring
        self.panel = RunPanel(measuring, promoting, theme)
        self.result = ResultView(promoting, theme)
        self.result.question_opened.connect(self.question_opened)
        self._outdated_notice = frame("banner", tone="warn")
        self._outdated_label = label("", wrap=True)
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
        """Text of the notice that the results are out of date; empty while it is hidden."""
        return "" if self._outdated_notice.isHidden() else self._outdated_label.text()

    def _arrange(self, theme: Theme) -> None:
        row = QHBoxLayout(self._outdated_notice)
        row.setContentsMargins(10, 6, 6, 6)
        row.addWidget(IconLabel(theme, "clock", colour="warn"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._outdated_label, 1)
        row.addWidget(button(tr("Run again"), "secondary", self.run_again))
        self._outdated_notice.hide()
        top = QVBoxLayout()
        top.setContentsMargins(12, 8, 12, 4)
        top.setSpacing(6)
        top.addWidget(self.panel)
        top.addWidget(self._outdated_notice)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self._stack, 1)

    @Slot()
    def run_again(self) -> None:
        """Repeat the evaluations on show with the same configurations, names and number of hits."""
        shown = self._measuring.on_show
        if shown is not None:
            summaries = [evaluation.summary for evaluation in shown.evaluations]
            self._measuring.run(
                tuple(None if one.as_searched else one.configuration for one in summaries),
                tuple(one.name for one in summaries),
                summaries[0].metrics.k,
            )

    @Slot(object)
    def _on_shown(self, shown: ShownEvaluations | None) -> None:
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
        self._outdated_label.setText(
            tr("Out of date: {changes}.", changes=join_with_commas(map(translate, words))) if words else ""
        )
        self._outdated_notice.setVisible(bool(words))

    @Slot(bool)
    def _on_running_changed(self, running: bool) -> None:
        invite(self._empty, RUNNING if running else NOT_RUN)
        self._outdated_notice.setEnabled(not running)


def _chosen(summary: EvaluationSummary) -> ChosenConfiguration:
    return ChosenConfiguration(None if summary.as_searched else summary.configuration, summary.name)


RUN, STOP = mark("Run"), mark("Stop")
_LOWEST = 76
_SCROLL_BAR = 10


class RunPanel(QFrame):
    """Panel that starts a run; it shows each configuration folded into one line, or all fields."""

    def __init__(
        self, measuring: RunPresenter, promoting: ConfigurationPresenter, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._measuring = measuring
        self._promoting = promoting
        self._questions = 0
        self.setProperty("role", "well")
        self.form = ConfigurationForm()
        self._fields = FieldsArea(self.form)
        self._lines = (ElidedLabel(), ElidedLabel())
        keep = tr("Save or load configurations")
        self._more = IconButton(theme, "more", keep, self._on_more)
        self._fold = button(tr("Change…"), "ghost", self._on_fold)
        self._run = button(tr(RUN), "primary", self._on_run)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Progress of the evaluation"))
        self._words = label("", "caption")
        self._arrange()
        self.setFocusProxy(self._run)
        self.form.changed.connect(self._show_lines)
        measuring.running_changed.connect(self._on_running_changed)
        measuring.progressed.connect(self._on_progressed)
        promoting.in_force_changed.connect(self._on_in_force)
        promoting.configurations_listed.connect(self._on_configurations)
        self.form.offer(promoting.configurations)
        self.form.show_in_force(promoting.in_force)
        self.unfold(True)
        self._on_running_changed(False)

    def unfold(self, unfolded: bool) -> None:
        """Show all fields, or one line per configuration."""
        self._fields.setVisible(unfolded)
        self._fold.setText(tr("Collapse") if unfolded else tr("Change…"))
        self._show_lines()

    def expect(self, questions: int) -> None:
        """Store the number of questions to evaluate, and disable the run button if it is 0."""
        self._questions = questions
        self._run.setEnabled(bool(questions))

    def run(self) -> None:
        """Start an evaluation with the chosen configurations."""
        chosen = self.form.chosen
        self._measuring.run(tuple(one.configuration for one in chosen), tuple(one.name for one in chosen), self.form.k)

    def _arrange(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        buttons.addWidget(self._run)
        buttons.addWidget(self._fold)
        buttons.addWidget(self._words, 1)
        buttons.addWidget(self._more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(5)
        for line in self._lines:
            line.setProperty("role", "caption")
            layout.addWidget(line)
        layout.addWidget(self._fields)
        layout.addLayout(buttons)
        layout.addWidget(self._bar)

    @Slot()
    def _show_lines(self) -> None:
        folded = self._fields.isHidden()
        words = [_words(chosen, one) for chosen, one in zip(self.form.chosen, self.form.configurations, strict=True)]
        for number, line in enumerate(self._lines):
            line.setVisible(folded and number < len(words))
            if number < len(words):
                line.set_whole_text(f"{'○●'[number] if len(words) > 1 else '●'} {'AB'[number]}: {words[number]}")

    @Slot()
    def _on_run(self) -> None:
        if self._measuring.running:
            self._run.setEnabled(False)
            self._measuring.stop()
        else:
            self.run()

    @Slot()
    def _on_fold(self) -> None:
        self.unfold(self._fields.isHidden())

    @Slot(bool)
    def _on_running_changed(self, running: bool) -> None:
        self._run.setText(tr(STOP) if running else tr(RUN))
        self._run.setEnabled(running or bool(self._questions))
        self._bar.setVisible(running)
        self._bar.setRange(0, 0)
        self._words.setText(tr("Starting…") if running else "")
        self.form.setEnabled(not running)

    @Slot(object)
    def _on_progressed(self, progress: EvaluationProgress) -> None:
        self._bar.setRange(0, progress.questions)
        self._bar.setValue(progress.done)
        numbers = {"done": progress.done, "n": progress.questions}
        if progress.seconds_left:
            words = tr("{done:,} of {n:,}, {time} left", **numbers, time=seconds_words(progress.seconds_left))
        else:
            words = tr("{done:,} of {n:,}", **numbers)
        self._words.setText(words)

    @Slot(object)
    def _on_in_force(self, settings: SearchSettings) -> None:
        self.form.show_in_force(settings.configuration)

    @Slot(object)
    def _on_configurations(self, configurations: tuple[NamedConfiguration, ...]) -> None:
        self.form.offer(configurations)

    @Slot()
    def _on_more(self) -> None:
        menu = QMenu(self)
        for letter, _one in zip("AB", self.form.configurations, strict=False):
            menu.addAction(tr("Save {letter} as…", letter=letter), self._on_keep).setData(letter)
        if self._promoting.configurations:
            menu.addSeparator()
        for named in self._promoting.configurations:
            menu.addAction(caption_of(tr("Delete “{name}”", name=named.name)), self._on_forget).setData(named.name)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    @Slot()
    def _on_keep(self) -> None:
        letter = self._data_of_sender()
        prompt = tr("Name of configuration {letter}:", letter=letter)
        name, given = ask_for_text(self, tr("Save configuration"), prompt)
        if given:
            self._promoting.keep(name, self.form.configurations["AB".index(letter)])

    @Slot()
    def _on_forget(self) -> None:
        self._promoting.remove(self._data_of_sender())

    def _data_of_sender(self) -> str:
        action = self.sender()
        return str(action.data()) if action is not None and hasattr(action, "data") else ""


class FieldsArea(QScrollArea):
    """Scroll area of the form; it may become lower than the form, but never narrower."""

    def __init__(self, form: ConfigurationForm) -> None:
        super().__init__()
        self._form = form
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName(tr("Configurations"))
        self.setWidget(form)
        # Only after setWidget(), which turns on the background fill.
        form.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        form.changed.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._form.minimumSizeHint().width() + _SCROLL_BAR, _LOWEST)

    def sizeHint(self) -> QSize:
        return self._form.sizeHint()


def _words(chosen: ChosenConfiguration, configuration: SearchConfiguration) -> str:
    name = chosen.name or (tr(NOW).lower() if chosen.configuration is None else "")
    words = configuration_words(configuration)
    return tr("{name} ({words})", name=name, words=words) if name else words
