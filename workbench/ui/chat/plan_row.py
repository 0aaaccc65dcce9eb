"""One step of a plan: how it stands, what is to be done, what it came to; the tool calls that belong to it below."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from workbench.language import mark, said, tr
from workbench.model.plan_state import StepResult
from workbench.model.run import StepState
from workbench.ui.chat.step_row import cut
from workbench.ui.chat.wording import milliseconds
from workbench.ui.controls import label, restyle
from workbench.ui.theme import Theme

_ICONS = {
    StepState.WAITING: ("circle", "text_muted"),
    StepState.RUNNING: ("spinner", "accent"),
    StepState.DONE: ("check-circle", "ok"),
    StepState.FAILED: ("alert", "warn"),
    StepState.SKIPPED: ("stop", "text_muted"),
}
_STATES = {
    StepState.WAITING: mark("waiting"),
    StepState.RUNNING: mark("running…"),
    StepState.DONE: mark("done"),
    StepState.FAILED: mark("failed"),
    StepState.SKIPPED: mark("skipped"),
}
_INDENT = 26
# The height of the button that unfolds: what stands beside it is centred on the first line of the text.
_LINE = 22


class PlanRow(QFrame):
    """A step of the checklist; takes newer states of it while the run goes on.

    What it says is shown while it is said, and folded away when it is done; a reason why there is nothing always stays.
    """

    def __init__(self, theme: Theme, number: int, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._result = StepResult(number)
        self._icon = label()
        self._icon.setFixedWidth(18)
        self._number = label(f"{number}.", "muted")
        self._text = label(text, wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._facts = label("", "caption")
        self._toggle = QToolButton()
        self._toggle.setAutoRaise(True)
        self._toggle.setCheckable(True)
        self._toggle.setFixedSize(_LINE, _LINE)
        policy = self._toggle.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._toggle.setSizePolicy(policy)
        self._toggle.toggled.connect(self._on_toggled)
        self._said = label("", "muted", wrap=True)
        self._said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._said.setContentsMargins(_INDENT, 0, 8, 6)
        self._steps = QVBoxLayout()
        self._steps.setContentsMargins(_INDENT, 0, 0, 0)
        self._steps.setSpacing(2)
        self._lay_out()
        theme.changed.connect(self._on_theme_changed)
        self.show_result(self._result)

    @property
    def steps(self) -> QVBoxLayout:
        """Where the rows of its tool calls stand."""
        return self._steps

    @property
    def result(self) -> StepResult:
        """The step as it was last shown."""
        return self._result

    @property
    def said(self) -> str:
        """What is to be read below the step; empty where that is folded away."""
        return self._said.text() if self._said.isVisibleTo(self) else ""

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setContentsMargins(0, 2, 0, 2)
        line.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop
        for part in (self._icon, self._number, self._facts):
            part.setFixedHeight(_LINE)
        line.addWidget(self._icon, 0, top)
        line.addWidget(self._number, 0, top)
        line.addWidget(self._text, 1)
        line.addWidget(self._facts, 0, top)
        line.addWidget(self._toggle, 0, top)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(line)
        layout.addLayout(self._steps)
        layout.addWidget(self._said)

    def rename(self, text: str) -> None:
        """Say something else to be done, where a person changed the plan."""
        if self._text.text() != text:
            self._text.setText(text)
            self._show()

    def show_result(self, result: StepResult) -> None:
        """Show how the step stands now."""
        self._result = result
        self._show()

    def show_details(self, shown: bool) -> None:
        """Unfold what the step came to, or fold it."""
        self._toggle.setChecked(shown)

    def _show(self) -> None:
        result = self._result
        icon, colour = _ICONS[result.state]
        self._icon.setPixmap(self._theme.pixmap(icon, getattr(self._theme.tokens(), colour), 16))
        told = _facts(result)
        self._facts.setText(told)
        restyle(self._facts, tone="warn" if result.state is StepState.FAILED else "")
        # What came of a step that did not end well is a sentence of ours, all else is the model's.
        self._said.setText(cut(result.text if result.state is StepState.DONE else said(result.text)))
        self._toggle.setVisible(result.state is StepState.DONE and bool(result.text))
        self._show_said()
        name = tr("Step {n}: {step}. {state}", n=result.step, step=self._text.text(), state=told)
        self.setAccessibleName(name)

    def _show_said(self) -> None:
        is_open = self._result.state is not StepState.DONE or self._toggle.isChecked()
        self._said.setVisible(is_open and bool(self._said.text()))
        self._toggle.setIcon(self._theme.icon("chevron-down" if is_open else "chevron-right"))
        name = mark("Hide what step {n} came to") if is_open else mark("Show what step {n} came to")
        name = tr(name, n=self._result.step)
        self._toggle.setAccessibleName(name)
        self._toggle.setToolTip(name)

    @Slot(bool)
    def _on_toggled(self, _opened: bool) -> None:
        self._show_said()

    @Slot()
    def _on_theme_changed(self) -> None:
        self._show()


def _facts(result: StepResult) -> str:
    """Return how a step stands, in a word or two."""
    word = tr(_STATES[result.state])
    if result.state in (StepState.RUNNING, StepState.WAITING):
        return word
    time = milliseconds(result.milliseconds) if result.milliseconds else ""
    if result.state is StepState.DONE and time:
        return time
    return " · ".join(part for part in (word, time) if part)
