"""One step as a line: icon, title, what it found, how long it took; its details below on pressing it."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from workbench.language import mark, said, tr, trn
from workbench.ui.actions import pane_action
from workbench.ui.chat.approval_card import ApprovalCard
from workbench.ui.chat.approval_words import spec_of
from workbench.ui.chat.transcript import Step, StepKind
from workbench.ui.chat.wording import milliseconds
from workbench.ui.controls import ElidedLabel, label, restyle
from workbench.ui.theme import Theme

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
    """A step of the steps panel; takes newer versions of its step while the run goes on.

    Signals:
        decided: The Word that a person said to a call that waits.
    """

    decided = Signal(object)

    def __init__(self, theme: Theme, step: Step, tools: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._step = step
        self._icon = label()
        self._icon.setFixedWidth(18)
        self._kind = label("", "muted")
        self._title = ElidedLabel()
        self._facts = label("", "caption")
        self._toggle = QToolButton()
        self._toggle.setAutoRaise(True)
        self._toggle.setCheckable(True)
        self._toggle.setFixedSize(22, 22)
        self._toggle.toggled.connect(self._on_toggled)
        self._tools = tools
        self._card: ApprovalCard | None = None
        self._summary = _below()
        self._body = _below()
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
    def step(self) -> Step:
        """The step as it was last shown."""
        return self._step

    @property
    def card(self) -> ApprovalCard | None:
        """What asks for the person's word; None where nothing waits."""
        return self._card

    def show_details(self, shown: bool) -> None:
        """Unfold the step, or fold it."""
        if self._step.body:
            self._toggle.setChecked(shown)

    def show_step(self, step: Step) -> None:
        """Show a step, or a newer version of it."""
        self._step = step
        tokens = self._theme.tokens()
        colour = tokens.warn if step.failed else tokens.accent if step.running else tokens.text_muted
        self._icon.setPixmap(self._theme.pixmap("alert" if step.failed else _ICONS[step.kind], colour, 16))
        self._kind.setText(tr(_NAMES[step.kind]))
        self._title.set_whole_text(_title(step))
        self._facts.setText(_facts(step))
        restyle(self._facts, tone="warn" if step.failed or step.asked is not None else "")
        self._summary.setText(cut("\n".join(part for part in (step.note, _told(step, step.summary)) if part)))
        self._summary.setVisible(bool(self._summary.text()))
        self._body.setText(cut(_told(step, step.body)))
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
        # While it waits, the card has the arguments: not twice.
        self._toggle.setVisible(bool(self._step.body) and asked is None)
        self._body.setVisible(self._toggle.isChecked() and asked is None)

    @Slot(bool)
    def _on_toggled(self, opened: bool) -> None:
        self._body.setVisible(opened and self._step.asked is None)
        self._show_toggle()

    @Slot()
    def _on_copy(self) -> None:
        step = self._step
        parts = (*step_words(step), step.note, _told(step, step.summary), _told(step, step.body))
        QGuiApplication.clipboard().setText("\n".join(part for part in parts if part))

    @Slot()
    def _on_theme_changed(self) -> None:
        self.show_step(self._step)

    def _show_toggle(self) -> None:
        opened = self._toggle.isChecked()
        self._toggle.setIcon(self._theme.icon("chevron-down" if opened else "chevron-right"))
        name = mark("Hide the details of “{title}”") if opened else mark("Show the details of “{title}”")
        self._toggle.setAccessibleName(tr(name, title=_title(self._step)))


def _below() -> QLabel:
    """Return a text below the line of a step."""
    made = label("", "muted", wrap=True)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    made.setContentsMargins(26, 0, 8, 6)
    made.hide()
    return made


def step_words(step: Step) -> tuple[str, str]:
    """Return what a step did, and what it found in what time."""
    return tr("{kind}: {title}", kind=tr(_NAMES[step.kind]), title=_title(step)), _facts(step)


def _title(step: Step) -> str:
    """Return the title as it is shown: a query and a tool's name are somebody's own words."""
    return said(step.title) if step.kind in _THOUGHTS else step.title


def _told(step: Step, text: str) -> str:
    """Return a thought's text as it is shown: of the offline answerer's the sentences are ours."""
    return "\n".join(map(said, text.split("\n"))) if step.kind in _THOUGHTS else text


def _facts(step: Step) -> str:
    if step.failed:
        return tr("failed")
    if step.asked is not None:
        return tr("waits for you")
    if step.running:
        return "…"
    parts = []
    if step.hits is not None:
        parts.append(trn("{n} passage", "{n} passages", step.hits))
    # The time of a thought is the model's, not the step's: it would always read 0 ms.
    if step.milliseconds is not None and step.kind in (StepKind.SEARCH, StepKind.TOOL):
        parts.append(milliseconds(step.milliseconds))
    return " · ".join(parts)


def cut(text: str) -> str:
    """Return a text of a step as far as it is shown."""
    return text if len(text) <= _LONGEST_BODY else text[:_LONGEST_BODY].rstrip() + "\n…"
