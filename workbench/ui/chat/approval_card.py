"""A tool call that waits for the person: what it would do, its arguments to be changed, and the three words to say."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from workbench.language import said, tr
from workbench.model.approval import Decision
from workbench.model.message import ToolSpec
from workbench.model.run import ApprovalAsked
from workbench.ui.chat import approval_words
from workbench.ui.chat.approval_words import Word
from workbench.ui.controls import IconLabel, button, frame, label
from workbench.ui.messages import announce
from workbench.ui.theme import Theme

_MOST_LINES = 8
# Of the style sheet's field: without room for it a scroll bar stands beside three lines.
_PADDING = 28


class ApprovalCard(QWidget):
    """Asks for one call.

    Signals:
        decided: The Word that was said.
    """

    decided = Signal(object)

    def __init__(self, theme: Theme, asked: ApprovalAsked, spec: ToolSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self._spec = spec
        self._question = label(tr("May “{tool}” be called?", tool=asked.tool), "title", wrap=True)
        self._purpose = label(spec.description, "muted", wrap=True)
        self._purpose.setVisible(bool(spec.description))
        self._reason = label(said(asked.reason), "muted", wrap=True)
        self._arguments = QPlainTextEdit(approval_words.readable(asked.arguments))
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
        self.setAccessibleName(f"{self._question.text()} {said(asked.reason)}")
        self._on_edited()

    @property
    def asked(self) -> ApprovalAsked:
        """The call that waits."""
        return self._asked

    def announce(self) -> None:
        """Have a screen reader say that somebody waits."""
        where = tr("Approve or deny it among the steps of the answer.")
        announce(self, f"{self._question.text()} {said(self._asked.reason)} {where}")

    def focus(self) -> None:
        """Put the keyboard on the button that lets the call go on."""
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
        problem = approval_words.problem(text, self._spec)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self._approve.setEnabled(not problem)
        self._always.setEnabled(not problem)
        changed = approval_words.word(self._asked, text).decision is Decision.EDIT
        self._approve.setText(tr("Approve as changed") if changed else tr("Approve"))
        lines = min(_MOST_LINES, max(1, self._arguments.blockCount()))
        self._arguments.setFixedHeight(lines * self._arguments.fontMetrics().lineSpacing() + _PADDING)

    @Slot()
    def _on_approve(self) -> None:
        if self._approve.isEnabled():
            self._say(approval_words.word(self._asked, self._arguments.toPlainText()))

    @Slot()
    def _on_always(self) -> None:
        self._say(approval_words.word(self._asked, self._arguments.toPlainText(), always=True))

    @Slot()
    def _on_deny(self) -> None:
        self._say(Word(self._asked, Decision.DENY))

    def _say(self, word: Word) -> None:
        """Say it once: the run goes on, and this card with it."""
        self.setEnabled(False)
        self.decided.emit(word)
