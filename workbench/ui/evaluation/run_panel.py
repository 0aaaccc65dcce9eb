"""What is to be evaluated, the button that begins it, and how far it is."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr
from workbench.model.evaluation import EvaluationProgress, NamedConfiguration, SearchSettings
from workbench.model.search_configuration import SearchConfiguration
from workbench.ui.asking import ask_for_text
from workbench.ui.controls import ElidedLabel, IconButton, button, caption_of, label
from workbench.ui.evaluation.configuration_form import NOW, Chosen, ConfigurationForm
from workbench.ui.evaluation.measuring import MeasuringPresenter
from workbench.ui.evaluation.promoting import PromotingPresenter
from workbench.ui.evaluation.wording import configuration_words, seconds_words
from workbench.ui.theme import Theme

RUN, STOP = mark("Run"), mark("Stop")
_LOWEST = 76
_SCROLL_BAR = 10


class RunPanel(QFrame):
    """The configurations folded into a line each, or all their fields."""

    def __init__(
        self, measuring: MeasuringPresenter, promoting: PromotingPresenter, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._measuring = measuring
        self._promoting = promoting
        self._questions = 0
        self.setProperty("role", "well")
        self.form = ConfigurationForm()
        self._fields = FieldsArea(self.form)
        self._lines = (ElidedLabel(), ElidedLabel())
        keep = tr("Keep these configurations, or take kept ones")
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
        """Show all fields, or a line a configuration."""
        self._fields.setVisible(unfolded)
        self._fold.setText(tr("Fold") if unfolded else tr("Change…"))
        self._show_lines()

    def expect(self, questions: int) -> None:
        """Say how many questions there are to ask; without any there is nothing to run."""
        self._questions = questions
        self._run.setEnabled(bool(questions))

    def run(self) -> None:
        """Begin with what is chosen."""
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
            menu.addAction(tr("Keep {letter} under a name…", letter=letter), self._on_keep).setData(letter)
        if self._promoting.configurations:
            menu.addSeparator()
        for named in self._promoting.configurations:
            menu.addAction(caption_of(tr("Forget “{name}”", name=named.name)), self._on_forget).setData(named.name)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    @Slot()
    def _on_keep(self) -> None:
        letter = self._data_of_sender()
        asked = tr("Name of configuration {letter}:", letter=letter)
        name, given = ask_for_text(self, tr("Keep a configuration"), asked)
        if given:
            self._promoting.keep(name, self.form.configurations["AB".index(letter)])

    @Slot()
    def _on_forget(self) -> None:
        self._promoting.remove(self._data_of_sender())

    def _data_of_sender(self) -> str:
        action = self.sender()
        return str(action.data()) if action is not None and hasattr(action, "data") else ""


class FieldsArea(QScrollArea):
    """The fields in a frame that gives way where the window is low, never where it is narrow."""

    def __init__(self, form: ConfigurationForm) -> None:
        super().__init__()
        self._form = form
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName(tr("Configurations"))
        self.setWidget(form)
        # Only now: setWidget lets it paint a ground of its own.
        form.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        form.changed.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._form.minimumSizeHint().width() + _SCROLL_BAR, _LOWEST)

    def sizeHint(self) -> QSize:
        return self._form.sizeHint()


def _words(chosen: Chosen, configuration: SearchConfiguration) -> str:
    name = chosen.name or (tr(NOW).lower() if chosen.configuration is None else "")
    words = configuration_words(configuration)
    return tr("{name} ({words})", name=name, words=words) if name else words
