"""Plan among the steps of an answer: checklist, row of one plan step, and the card on which a plan is approved."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from workbench.agent.planning.plan_format import parsed_plan, plan_json, plan_of_json, plan_text
from workbench.language import mark, tr, translate
from workbench.model.approval import Decision
from workbench.model.plan_state import StepResult
from workbench.model.run import ApprovalAsked, StepState
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.chat.presenter import ApprovalWord
from workbench.ui.chat.run_progress import PlanProgress
from workbench.ui.chat.run_wording import milliseconds
from workbench.ui.chat.step_row import cut
from workbench.ui.controls import IconLabel, button, frame, label, restyle, set_icon
from workbench.ui.messages import announce
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
# Height of the button that unfolds the result; the other widgets are centred on the first line of the text.
_LINE = 22


class PlanRow(QFrame):
    """A step of the checklist, updated while the run goes on.

    The text of a step is shown while it streams and folded when the step is done; the reason of a failure is always
    shown.
    """

    def __init__(self, theme: Theme, number: int, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._result = StepResult(number)
        self._icon = label()
        self._number = label(f"{number}.", "muted")
        self._text = label(text, wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._facts = label("", "caption")
        self._toggle = QToolButton()
        self._toggle.setAutoRaise(True)
        self._toggle.setCheckable(True)
        policy = self._toggle.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._toggle.setSizePolicy(policy)
        self._toggle.toggled.connect(self._on_toggled)
        self._result_label = label("", "muted", wrap=True)
        self._result_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._result_label.setContentsMargins(_INDENT, 0, 8, 6)
        self._steps = QVBoxLayout()
        self._steps.setContentsMargins(_INDENT, 0, 0, 0)
        self._steps.setSpacing(2)
        self._lay_out()
        theme.changed.connect(self._on_theme_changed)
        self.show_result(self._result)

    @property
    def steps(self) -> QVBoxLayout:
        """Layout for the rows of the step's tool calls."""
        return self._steps

    @property
    def result(self) -> StepResult:
        """The result that was shown last."""
        return self._result

    @property
    def visible_text(self) -> str:
        """Text that is shown below the step; empty while it is folded."""
        return self._result_label.text() if self._result_label.isVisibleTo(self) else ""

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setContentsMargins(0, 2, 0, 2)
        line.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop
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
        layout.addWidget(self._result_label)

    def rename(self, text: str) -> None:
        """Change the text of the step, if the user changed the plan."""
        if self._text.text() != text:
            self._text.setText(text)
            self._show()

    def show_result(self, result: StepResult) -> None:
        """Show the current state of the step."""
        self._result = result
        self._show()

    def show_details(self, shown: bool) -> None:
        """Unfold the result of the step, or fold it."""
        self._toggle.setChecked(shown)

    def _show(self) -> None:
        result = self._result
        icon, colour = _ICONS[result.state]
        line = self._theme.scaled(_LINE)
        for part in (self._icon, self._number, self._facts, self._toggle):
            part.setFixedHeight(line)
        self._toggle.setFixedWidth(line)
        self._icon.setFixedWidth(self._theme.scaled(18))
        self._icon.setPixmap(self._theme.pixmap(icon, getattr(self._theme.tokens(), colour), 16))
        facts = _facts(result)
        self._facts.setText(facts)
        restyle(self._facts, tone="warn" if result.state is StepState.FAILED else "")
        # The text of a step that did not succeed comes from the program and is translated; all else is the model's.
        self._result_label.setText(cut(result.text if result.state is StepState.DONE else translate(result.text)))
        self._toggle.setVisible(result.state is StepState.DONE and bool(result.text))
        self._show_result_text()
        name = tr("Step {n}: {step}. {state}", n=result.step, step=self._text.text(), state=facts)
        self.setAccessibleName(name)

    def _show_result_text(self) -> None:
        is_open = self._result.state is not StepState.DONE or self._toggle.isChecked()
        self._result_label.setVisible(is_open and bool(self._result_label.text()))
        set_icon(self._toggle, self._theme, "chevron-down" if is_open else "chevron-right")
        name = mark("Hide the result of step {n}") if is_open else mark("Show the result of step {n}")
        name = tr(name, n=self._result.step)
        self._toggle.setAccessibleName(name)
        self._toggle.setToolTip(name)

    @Slot(bool)
    def _on_toggled(self, _opened: bool) -> None:
        self._show_result_text()

    @Slot()
    def _on_theme_changed(self) -> None:
        self._show()


def _facts(result: StepResult) -> str:
    """Return the state of a step or its duration, in a few words."""
    word = tr(_STATES[result.state])
    if result.state in (StepState.RUNNING, StepState.WAITING):
        return word
    time = milliseconds(result.milliseconds) if result.milliseconds else ""
    if result.state is StepState.DONE and time:
        return time
    return " · ".join(part for part in (word, time) if part)


_MOST_LINES = 14
# Padding of the field in the style sheet: without it a scroll bar appears next to three lines.
_PADDING = 28
# More steps than a person writes by hand, so that typed text is never cut.
_MOST_STEPS = 100
QUESTION = mark("Run this plan?")
_HELP = mark(
    "You can edit the plan: each step begins with STEP and its number; the text after FINISH describes "
    "the final answer."
)
_PROBLEM = mark("The plan has no steps. Write one as “STEP1: what to do”.")


class PlanCard(QWidget):
    """Card on which the user approves, changes or rejects a plan.

    Signals:
        decided: The ApprovalWord with the decision.
    """

    decided = Signal(object)

    def __init__(self, theme: Theme, asked: ApprovalAsked, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self._shown = plan_text(plan_of_json(asked.arguments))
        self._text = QPlainTextEdit(self._shown)
        self._text.setAccessibleName(tr("Plan, step by step"))
        self._text.setAccessibleDescription(tr(_HELP))
        self._text.setTabChangesFocus(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._problem = label("", "caption", wrap=True, tone="danger")
        self._carry_out = button(tr("Run the plan"), "primary", self._on_carry_out)
        self._skip_plan = button(tr("Answer without a plan"), "secondary", self._on_skip_plan)
        self._always = button(tr("Always in this session"), "ghost", self._on_always)
        self._always.setToolTip(tr("Run it, and do not ask about plans again in this session"))
        self._lay_out(theme)
        self._text.textChanged.connect(self._on_edited)
        self._text.document().documentLayout().documentSizeChanged.connect(self._fit)
        enter = QShortcut(QKeySequence("Ctrl+Return"), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        enter.activated.connect(self._on_carry_out)
        self.setAccessibleName(tr(QUESTION))
        self._on_edited()
        self._fit()

    def announce(self) -> None:
        """Let a screen reader announce that the run waits for the user."""
        where = tr("It is shown in the steps of the answer.")
        announce(self, f"{tr(QUESTION)} {translate(self._asked.reason)} {where}")

    def focus(self) -> None:
        """Give the keyboard focus to the button that approves the plan."""
        self._carry_out.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self, theme: Theme) -> None:
        box = frame("banner", tone="warn")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconLabel(theme, "plan"), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(label(tr(QUESTION), "title", wrap=True), 1)
        buttons = QWidget()
        flow = FlowLayout(buttons, spacing=8)
        for one in (self._carry_out, self._skip_plan, self._always):
            flow.addWidget(one)
        inside = QVBoxLayout(box)
        inside.setContentsMargins(12, 10, 12, 10)
        inside.setSpacing(6)
        inside.addLayout(head)
        inside.addWidget(label(tr(_HELP), "muted", wrap=True))
        inside.addWidget(self._text)
        inside.addWidget(self._problem)
        inside.addWidget(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 8, 6)
        layout.addWidget(box)

    @Slot()
    def _on_edited(self) -> None:
        text = self._text.toPlainText()
        is_plan = parsed_plan(text, _MOST_STEPS) is not None
        self._problem.setText("" if is_plan else tr(_PROBLEM))
        self._problem.setVisible(not is_plan)
        self._carry_out.setEnabled(is_plan)
        self._always.setEnabled(is_plan)
        self._carry_out.setText(tr("Run the plan") if text == self._shown else tr("Run the edited plan"))

    @Slot()
    def _fit(self) -> None:
        """Set the height to that of the text; a plain text document reports its size in lines."""
        lines = round(self._text.document().documentLayout().documentSize().height())
        lines = min(_MOST_LINES, max(3, lines))
        self._text.setFixedHeight(lines * self._text.fontMetrics().lineSpacing() + _PADDING)

    @Slot()
    def _on_carry_out(self) -> None:
        if self._carry_out.isEnabled():
            self._submit(self._approval())

    @Slot()
    def _on_always(self) -> None:
        self._submit(self._approval(always=True))

    @Slot()
    def _on_skip_plan(self) -> None:
        self._submit(ApprovalWord(self._asked, Decision.DENY))

    def _approval(self, *, always: bool = False) -> ApprovalWord:
        text = self._text.toPlainText()
        plan = parsed_plan(text, _MOST_STEPS)
        if text == self._shown or plan is None:
            return ApprovalWord(self._asked, Decision.APPROVE, always=always)
        return ApprovalWord(self._asked, Decision.EDIT, plan_json(plan), always=always)

    def _submit(self, word: ApprovalWord) -> None:
        """Submit the decision and disable the card, which can be used only once."""
        self.setEnabled(False)
        self.decided.emit(word)


class PlanList(QFrame):
    """Title and steps of a plan, with a PlanCard while the plan waits for approval.

    Signals:
        decided: The ApprovalWord with the user's decision on the plan.
    """

    decided = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[PlanRow] = []
        self._card: PlanCard | None = None
        self._title = label("", wrap=True)
        head = QHBoxLayout()
        head.setContentsMargins(0, 2, 0, 4)
        head.setSpacing(8)
        head.addWidget(IconLabel(theme, "plan", colour="accent"), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 4)
        self._layout.setSpacing(2)
        self._layout.addLayout(head)

    @property
    def rows(self) -> tuple[PlanRow, ...]:
        """The rows of the steps, in order."""
        return tuple(self._rows)

    @property
    def card(self) -> PlanCard | None:
        """The card of a plan that waits for approval; None otherwise."""
        return self._card

    def place_of(self, step: int) -> QVBoxLayout | None:
        """Return the layout for the tool calls of a step; None if there is no such step."""
        return self._rows[step - 1].steps if 0 < step <= len(self._rows) else None

    def show_progress(self, progress: PlanProgress) -> None:
        """Show a plan and the progress of its steps."""
        standing = progress.standing
        texts = standing.plan.steps if standing.plan is not None else ()
        self._title.setText(progress.title)
        self.setAccessibleName(tr("Plan: {title}", title=progress.title))
        for index, (text, result) in enumerate(zip(texts, standing.steps, strict=True)):
            if index == len(self._rows):
                self._rows.append(PlanRow(self._theme, index + 1, text))
                self._layout.addWidget(self._rows[-1])
            self._rows[index].rename(text)
            if self._rows[index].result != result:
                self._rows[index].show_result(result)
        for index, row in enumerate(self._rows):
            # While the card is shown it contains the steps, which are not repeated below it.
            row.setVisible(index < len(texts) and progress.asked is None)
        self._show_card(progress)

    def show_details(self, shown: bool) -> None:
        """Unfold the results of all steps, or fold them."""
        for row in self._rows:
            row.show_details(shown)

    def _show_card(self, progress: PlanProgress) -> None:
        if progress.asked is not None and self._card is None:
            self._card = PlanCard(self._theme, progress.asked)
            self._card.decided.connect(self.decided)
            self._layout.addWidget(self._card)
            self._card.announce()
        elif progress.asked is None and self._card is not None:
            self._card.hide()
            self._card.deleteLater()
            self._card = None
