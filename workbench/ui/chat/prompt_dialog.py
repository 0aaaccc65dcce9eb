"""The prompt inspector: every part of what was sent to the model for an answer, with its size in tokens."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from workbench.agent.request_builder import QUESTION
from workbench.agent.token_budget import estimate
from workbench.language import mark, tr, translate, trn
from workbench.model.run import PromptAssembled
from workbench.ui.controls import button, label
from workbench.ui.dialog import Dialog


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A row of the list; depth is 1 for a part of the row above it."""

    label: str
    text: str
    depth: int = 1

    @property
    def tokens(self) -> int:
        """Estimated number of tokens."""
        return round(estimate(self.text)) if self.text else 0

    @property
    def size(self) -> str:
        """Estimated number of tokens, in words."""
        return trn("≈ {n:,} token", "≈ {n:,} tokens", self.tokens)


def parts_of(told: PromptAssembled) -> list[PromptPart]:
    """Return the parts of a prompt in the order in which they were sent, each below its group."""
    return [*_prompt(told), *_conversation(told), *_tools(told)]


def turn_names(prompts: Sequence[PromptAssembled]) -> list[str]:
    """Return the names of the prompts of a run, each with the step of the plan that it belongs to."""
    names = [tr("First turn"), *(tr("Change {n}", n=number) for number in range(1, len(prompts)))]
    ends = [told.conversation[-1].label if told.conversation else QUESTION for told in prompts]
    return [
        name if end == QUESTION else tr("{turn}: {part}", turn=name, part=translate(end))
        for name, end in zip(names, ends, strict=False)
    ]


def _prompt(told: PromptAssembled) -> Iterator[PromptPart]:
    whole = "".join(section.text for section in told.sections)
    sent = tr("System prompt") if told.role == "system" else tr("System prompt, sent as {role}", role=told.role)
    yield PromptPart(sent if whole else tr("No system prompt was sent"), whole, 0)
    for section in told.sections:
        yield PromptPart(translate(section.label), section.text.strip("\n"))


def _conversation(told: PromptAssembled) -> Iterator[PromptPart]:
    yield PromptPart(tr("Conversation"), "\n\n".join(spoken.text for spoken in told.conversation), 0)
    for spoken in told.conversation:
        yield PromptPart(translate(spoken.label), spoken.text)


def _tools(told: PromptAssembled) -> Iterator[PromptPart]:
    declared = json.loads(told.tools) if told.tools else []
    yield PromptPart(tr("Tools") if declared else tr("No tools were declared"), told.tools, 0)
    for tool in declared:
        yield PromptPart(str(tool["name"]), json.dumps(tool, indent=2, ensure_ascii=False))


_PART = Qt.ItemDataRole.UserRole
_COPIED_MS = 2000
COPY = mark("Copy this part")


class PromptDialog(Dialog):
    """List of the parts at the left, text of the selected part at the right."""

    def __init__(self, question: str, prompts: Sequence[PromptAssembled], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._prompts = tuple(prompts)
        self.setWindowTitle(tr("Prompt sent to the model"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(900, 600)
        self._turn = QComboBox()
        self._turn.setAccessibleName(tr("Model turn"))
        self._turn.addItems(turn_names(self._prompts))
        self._turn.setVisible(len(self._prompts) > 1)
        self._list = QTreeWidget()
        self._list.setAccessibleName(tr("Parts of the prompt"))
        self._list.setColumnCount(2)
        self._list.setHeaderHidden(True)
        self._list.setRootIsDecorated(False)
        self._list.setUniformRowHeights(True)
        self._list.setIndentation(14)
        header = self._list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self._text = QPlainTextEdit()
        self._text.setAccessibleName(tr("Text of the part"))
        self._text.setReadOnly(True)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._copy = button(tr(COPY), "secondary", self._on_copy)
        self._copied_timer = QTimer(self)
        self._copied_timer.setSingleShot(True)
        self._copied_timer.setInterval(_COPIED_MS)
        self._copied_timer.timeout.connect(self._on_copied_timeout)
        self._lay_out(question)
        self._list.currentItemChanged.connect(self._on_chosen)
        self._turn.currentIndexChanged.connect(self._on_turn)
        self._on_turn(0)
        self._list.setFocus()

    @property
    def part(self) -> PromptPart | None:
        """The selected part."""
        item = self._list.currentItem()
        return item.data(0, _PART) if item is not None else None

    def _lay_out(self, question: str) -> None:
        head = QHBoxLayout()
        head.addWidget(label(tr("Question: {question}", question=question), "muted", wrap=True), 1)
        head.addWidget(self._turn)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.setChildrenCollapsible(False)
        parts.addWidget(self._list)
        parts.addWidget(self._text)
        parts.setSizes([330, 550])
        foot = QHBoxLayout()
        foot.addWidget(label(tr("Sizes are estimates. The text is shown exactly as it was sent."), "caption"))
        foot.addStretch(1)
        foot.addWidget(self._copy)
        close: QPushButton = button(tr("Close"), "primary", self.accept)
        close.setDefault(True)
        foot.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(12)
        layout.addLayout(head)
        layout.addWidget(parts, 1)
        layout.addLayout(foot)

    @Slot(int)
    def _on_turn(self, index: int) -> None:
        self._list.clear()
        above: QTreeWidgetItem | None = None
        for part in parts_of(self._prompts[index]):
            item = QTreeWidgetItem([part.label, part.size if part.text else ""])
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setData(0, _PART, part)
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, tr("{part}, {size}", part=part.label, size=part.size))
            if part.depth == 0 or above is None:
                above = item
                font = item.font(0)
                font.setBold(True)
                item.setFont(0, font)
                self._list.addTopLevelItem(item)
            else:
                above.addChild(item)
        self._list.expandAll()
        first = self._list.topLevelItem(0)
        if first is not None:
            self._list.setCurrentItem(first)

    @Slot()
    def _on_chosen(self) -> None:
        part = self.part
        self._text.setPlainText(part.text if part is not None else "")
        self._copy.setEnabled(part is not None and bool(part.text))

    @Slot()
    def _on_copy(self) -> None:
        part = self.part
        if part is not None:
            QGuiApplication.clipboard().setText(part.text)
            self._copy.setText(tr("Copied"))
            self._copied_timer.start()

    @Slot()
    def _on_copied_timeout(self) -> None:
        self._copy.setText(tr(COPY))
