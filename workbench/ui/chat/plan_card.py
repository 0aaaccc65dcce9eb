"""A plan that waits for the person: its steps to be changed as text, and the words to say."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from workbench.agent.planning.plan_format import parsed_plan, plan_json, plan_of_json, plan_text
from workbench.language import mark, said, tr
from workbench.model.approval import Decision
from workbench.model.run import ApprovalAsked
from workbench.ui.chat.approval_words import Word
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.controls import IconLabel, button, frame, label
from workbench.ui.messages import announce
from workbench.ui.theme import Theme

_MOST_LINES = 14
# Of the style sheet's field: without room for it a scroll bar stands beside three lines.
_PADDING = 28
# More than anybody writes by hand: what is typed is never cut.
_MOST_STEPS = 100
QUESTION = mark("Is this plan to be carried out?")
_HELP = mark(
    "Change it as you like: a step begins with STEP and its number, and what follows FINISH says how to conclude."
)
_PROBLEM = mark("There is no step in it: write one as “STEP1: what to do”.")


class PlanCard(QWidget):
    """Asks for a plan.

    Signals:
        decided: The Word that was said.
    """

    decided = Signal(object)

    def __init__(self, theme: Theme, asked: ApprovalAsked, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self._shown = plan_text(plan_of_json(asked.arguments))
        self._text = QPlainTextEdit(self._shown)
        self._text.setAccessibleName(tr("The plan, one step after another"))
        self._text.setAccessibleDescription(tr(_HELP))
        self._text.setTabChangesFocus(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._problem = label("", "caption", wrap=True, tone="danger")
        self._carry_out = button(tr("Carry it out"), "primary", self._on_carry_out)
        self._leave = button(tr("Answer without a plan"), "secondary", self._on_leave)
        self._always = button(tr("Always in this session"), "ghost", self._on_always)
        self._always.setToolTip(tr("Carry it out, and do not ask about plans again in this session"))
        self._lay_out(theme)
        self._text.textChanged.connect(self._on_edited)
        self._text.document().documentLayout().documentSizeChanged.connect(self._fit)
        enter = QShortcut(QKeySequence("Ctrl+Return"), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        enter.activated.connect(self._on_carry_out)
        self.setAccessibleName(tr(QUESTION))
        self._on_edited()
        self._fit()

    def announce(self) -> None:
        """Have a screen reader say that somebody waits."""
        where = tr("It stands among the steps of the answer.")
        announce(self, f"{tr(QUESTION)} {said(self._asked.reason)} {where}")

    def focus(self) -> None:
        """Put the keyboard on the button that lets the plan go on."""
        self._carry_out.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self, theme: Theme) -> None:
        box = frame("banner", tone="warn")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconLabel(theme, "plan"), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(label(tr(QUESTION), "title", wrap=True), 1)
        buttons = QWidget()
        flow = FlowLayout(buttons, spacing=8)
        for one in (self._carry_out, self._leave, self._always):
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
        self._carry_out.setText(tr("Carry it out") if text == self._shown else tr("Carry it out as changed"))

    @Slot()
    def _fit(self) -> None:
        """Be as high as the text; the layout of a plain text document counts in lines."""
        lines = round(self._text.document().documentLayout().documentSize().height())
        lines = min(_MOST_LINES, max(3, lines))
        self._text.setFixedHeight(lines * self._text.fontMetrics().lineSpacing() + _PADDING)

    @Slot()
    def _on_carry_out(self) -> None:
        if self._carry_out.isEnabled():
            self._say(self._word())

    @Slot()
    def _on_always(self) -> None:
        self._say(self._word(always=True))

    @Slot()
    def _on_leave(self) -> None:
        self._say(Word(self._asked, Decision.DENY))

    def _word(self, *, always: bool = False) -> Word:
        text = self._text.toPlainText()
        plan = parsed_plan(text, _MOST_STEPS)
        if text == self._shown or plan is None:
            return Word(self._asked, Decision.APPROVE, always=always)
        return Word(self._asked, Decision.EDIT, plan_json(plan), always=always)

    def _say(self, word: Word) -> None:
        """Say it once: the run goes on, and this card with it."""
        self.setEnabled(False)
        self.decided.emit(word)
