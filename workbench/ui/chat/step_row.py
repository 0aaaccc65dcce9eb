"""Row of one step of a run with its details, and the card of a tool call that waits for approval."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate, trn
from workbench.model.approval import Decision
from workbench.model.message import ToolSpec
from workbench.model.run import ApprovalAsked
from workbench.ui.actions import pane_action
from workbench.ui.chat import presenter
from workbench.ui.chat.presenter import ApprovalWord, spec_of
from workbench.ui.chat.run_wording import milliseconds
from workbench.ui.chat.transcript import StepKind, StepLine
from workbench.ui.controls import ElidedLabel, IconLabel, button, frame, label, restyle, set_icon
from workbench.ui.messages import announce
from workbench.ui.theme import Theme

_MOST_LINES = 8
# Padding of the field in the style sheet: without it a scroll bar appears next to three lines.
_PADDING = 28


class ApprovalCard(QWidget):
    """Card on which the user approves, changes or denies one tool call.

    Signals:
        decided: The ApprovalWord with the decision.
    """

    decided = Signal(object)

    def __init__(self, theme: Theme, asked: ApprovalAsked, spec: ToolSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self._spec = spec
        self._question = label(tr("Allow the call of “{tool}”?", tool=asked.tool), "title", wrap=True)
        self._purpose = label(spec.description, "muted", wrap=True)
        self._purpose.setVisible(bool(spec.description))
        self._reason = label(translate(asked.reason), "muted", wrap=True)
        self._arguments = QPlainTextEdit(presenter.readable(asked.arguments))
        self._arguments.setAccessibleName(tr("Arguments of {tool}, as JSON", tool=asked.tool))
        self._arguments.setTabChangesFocus(True)
        self._arguments.setFont(theme.monospace())
        self._problem = label("", "caption", wrap=True, tone="danger")
        self._approve = button(tr("Approve"), "primary", self._on_approve)
        self._deny = button(tr("Deny"), "secondary", self._on_deny)
        self._always = button(tr("Always in this session"), "ghost", self._on_always)
        never_again = tr("Approve, and do not ask about {tool} again in this session", tool=asked.tool)
        self._always.setToolTip(never_again)
        self._lay_out(theme)
        self._arguments.textChanged.connect(self._on_edited)
        enter = QShortcut(QKeySequence("Ctrl+Return"), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        enter.activated.connect(self._on_approve)
        self.setAccessibleName(f"{self._question.text()} {translate(asked.reason)}")
        self._on_edited()

    @property
    def asked(self) -> ApprovalAsked:
        """The call that waits."""
        return self._asked

    def announce(self) -> None:
        """Let a screen reader announce that the run waits for the user."""
        where = tr("Approve or deny it among the steps of the answer.")
        announce(self, f"{self._question.text()} {translate(self._asked.reason)} {where}")

    def focus(self) -> None:
        """Give the keyboard focus to the button that approves the call."""
        self._approve.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self, theme: Theme) -> None:
        box = frame("banner", tone="warn")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconLabel(theme, "shield"), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._question, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for one in (self._approve, self._deny, self._always):
            buttons.addWidget(one)
        buttons.addStretch(1)
        inside = QVBoxLayout(box)
        inside.setContentsMargins(12, 10, 12, 10)
        inside.setSpacing(6)
        inside.addLayout(head)
        for part in (self._purpose, self._reason, self._arguments, self._problem):
            inside.addWidget(part)
        inside.addLayout(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 8, 6)
        layout.addWidget(box)
        self._arguments.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @Slot()
    def _on_edited(self) -> None:
        text = self._arguments.toPlainText()
        problem = presenter.problem(text, self._spec)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self._approve.setEnabled(not problem)
        self._always.setEnabled(not problem)
        changed = presenter.word(self._asked, text).decision is Decision.EDIT
        self._approve.setText(tr("Approve as changed") if changed else tr("Approve"))
        lines = min(_MOST_LINES, max(1, self._arguments.blockCount()))
        self._arguments.setFixedHeight(lines * self._arguments.fontMetrics().lineSpacing() + _PADDING)

    @Slot()
    def _on_approve(self) -> None:
        if self._approve.isEnabled():
            self._submit(presenter.word(self._asked, self._arguments.toPlainText()))

    @Slot()
    def _on_always(self) -> None:
        self._submit(presenter.word(self._asked, self._arguments.toPlainText(), always=True))

    @Slot()
    def _on_deny(self) -> None:
        self._submit(ApprovalWord(self._asked, Decision.DENY))

    def _submit(self, word: ApprovalWord) -> None:
        """Submit the decision and disable the card, which can be used only once."""
        self.setEnabled(False)
        self.decided.emit(word)


_ICONS = {
    StepKind.THINK: "think",
    StepKind.ANALYZE: "analyze",
    StepKind.SEARCH: "search",
    StepKind.TOOL: "tool",
    StepKind.REMARK: "quote",
}
_NAMES = {
    StepKind.THINK: mark("Think"),
    StepKind.ANALYZE: mark("Analyze"),
    StepKind.SEARCH: mark("Search"),
    StepKind.TOOL: mark("Tool"),
    StepKind.REMARK: mark("Remark"),
}
_THOUGHTS = (StepKind.THINK, StepKind.ANALYZE)
# A tool may return a whole page; the panel shows its beginning.
_LONGEST_BODY = 4000


class StepRow(QFrame):
    """A step of the steps panel, updated while the run goes on.

    Signals:
        decided: The ApprovalWord with the user's decision on a waiting call.
    """

    decided = Signal(object)

    def __init__(self, theme: Theme, step: StepLine, tools: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._step = step
        self._icon = label()
        self._kind = label("", "muted")
        self._title = ElidedLabel()
        self._facts = label("", "caption")
        self._toggle = QToolButton()
        self._toggle.setAutoRaise(True)
        self._toggle.setCheckable(True)
        self._toggle.toggled.connect(self._on_toggled)
        self._tools = tools
        self._card: ApprovalCard | None = None
        self._summary = _make_text_label()
        self._body = _make_text_label()
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(self._icon)
        line.addWidget(self._kind)
        line.addWidget(self._title, 1)
        line.addWidget(self._facts)
        line.addWidget(self._toggle)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(line)
        layout.addWidget(self._summary)
        layout.addWidget(self._body)
        theme.changed.connect(self._on_theme_changed)
        within = Qt.ShortcutContext.WidgetWithChildrenShortcut
        self._details = pane_action(self, "step.details", self._toggle.toggle, context=within)
        pane_action(self, "step.copy", self._on_copy, context=within)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.show_step(step)

    @property
    def step(self) -> StepLine:
        """The step that was shown last."""
        return self._step

    @property
    def card(self) -> ApprovalCard | None:
        """The card of a call that waits for approval; None otherwise."""
        return self._card

    def show_details(self, shown: bool) -> None:
        """Unfold the details of the step, or fold them."""
        if self._step.body:
            self._toggle.setChecked(shown)

    def show_step(self, step: StepLine) -> None:
        """Show a step, or a newer version of it."""
        self._step = step
        tokens = self._theme.tokens()
        colour = tokens.warn if step.failed else tokens.accent if step.running else tokens.text_muted
        self._icon.setFixedWidth(self._theme.scaled(18))
        self._toggle.setFixedSize(self._theme.scaled(22), self._theme.scaled(22))
        self._icon.setPixmap(self._theme.pixmap("alert" if step.failed else _ICONS[step.kind], colour, 16))
        self._kind.setText(tr(_NAMES[step.kind]))
        self._title.set_whole_text(_title(step))
        self._facts.setText(_facts(step))
        restyle(self._facts, tone="warn" if step.failed or step.asked is not None else "")
        self._summary.setText(cut("\n".join(part for part in (step.note, _thought_text(step, step.summary)) if part)))
        self._summary.setVisible(bool(self._summary.text()))
        self._body.setText(cut(_thought_text(step, step.body)))
        self._toggle.setVisible(bool(step.body))
        self._details.setEnabled(bool(step.body))
        if not step.body:
            self._toggle.setChecked(False)
        self._show_toggle()
        self._show_card()
        kind = tr(_NAMES[step.kind])
        self.setAccessibleName(tr("{kind}: {title}. {facts}", kind=kind, title=_title(step), facts=_facts(step)))

    def _show_card(self) -> None:
        asked = self._step.asked
        if asked is not None and self._card is None:
            self._card = ApprovalCard(self._theme, asked, spec_of(asked.tool, self._tools))
            self._card.decided.connect(self.decided)
            layout = self.layout()
            assert layout is not None
            layout.addWidget(self._card)
            self._card.announce()
        elif asked is None and self._card is not None:
            self._card.hide()
            self._card.deleteLater()
            self._card = None
        # While a call waits, the card shows its arguments, which are not repeated below.
        self._toggle.setVisible(bool(self._step.body) and asked is None)
        self._body.setVisible(self._toggle.isChecked() and asked is None)

    @Slot(bool)
    def _on_toggled(self, opened: bool) -> None:
        self._body.setVisible(opened and self._step.asked is None)
        self._show_toggle()

    @Slot()
    def _on_copy(self) -> None:
        step = self._step
        parts = (*step_words(step), step.note, _thought_text(step, step.summary), _thought_text(step, step.body))
        QGuiApplication.clipboard().setText("\n".join(part for part in parts if part))

    @Slot()
    def _on_theme_changed(self) -> None:
        self.show_step(self._step)

    def _show_toggle(self) -> None:
        opened = self._toggle.isChecked()
        set_icon(self._toggle, self._theme, "chevron-down" if opened else "chevron-right")
        name = mark("Hide the details of “{title}”") if opened else mark("Show the details of “{title}”")
        self._toggle.setAccessibleName(tr(name, title=_title(self._step)))


def _make_text_label() -> QLabel:
    """Return a label for text below the line of a step."""
    text_label = label("", "muted", wrap=True)
    text_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    text_label.setContentsMargins(26, 0, 8, 6)
    text_label.hide()
    return text_label


def step_words(step: StepLine) -> tuple[str, str]:
    """Return the action of a step, and its results or duration."""
    return tr("{kind}: {title}", kind=tr(_NAMES[step.kind]), title=_title(step)), _facts(step)


def _title(step: StepLine) -> str:
    """Return the title for display: translated for a thought, unchanged for a query or the name of a tool."""
    return translate(step.title) if step.kind in _THOUGHTS else step.title


def _thought_text(step: StepLine, text: str) -> str:
    """Return text of a step for display; thoughts are translated if the offline answerer wrote them."""
    return "\n".join(map(translate, text.split("\n"))) if step.kind in _THOUGHTS else text


def _facts(step: StepLine) -> str:
    if step.failed:
        return tr("failed")
    if step.asked is not None:
        return tr("waiting for you")
    if step.running:
        return "…"
    parts = []
    if step.hits is not None:
        parts.append(trn("{n} passage", "{n} passages", step.hits))
    # The duration of a thought is that of the model, not of the step, which would always be 0 ms.
    if step.milliseconds is not None and step.kind in (StepKind.SEARCH, StepKind.TOOL):
        parts.append(milliseconds(step.milliseconds))
    return " · ".join(parts)


def cut(text: str) -> str:
    """Return a text cut to the length that is shown."""
    return text if len(text) <= _LONGEST_BODY else text[:_LONGEST_BODY].rstrip() + "\n…"
