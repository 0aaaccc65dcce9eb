"""One memory a row: its text, changed in place, what it is about, its times, and the answer that it is from."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

from workbench.language import mark, tr, trn
from workbench.model.memory import Memory, MemoryKind
from workbench.ui.localisation import ago, days_left

COLUMNS = (mark("What is remembered"), mark("About"), mark("Said"), mark("Kept for"), mark("From the answer to"))
KINDS = {
    MemoryKind.USER_PREFERENCE: mark("Preference"),
    MemoryKind.TASK_RECORD: mark("Task"),
    MemoryKind.TOOL_RESULT: mark("Result of a tool"),
    MemoryKind.CONTEXT_INFO: mark("Context"),
}
BY_HAND = mark("Written by hand, or the answer is gone")
_TEXT = 0
_WIDTHS = {1: 116, 2: 104, 3: 80, 4: 190}
_MEMORY = Qt.ItemDataRole.UserRole


class MemoryTable(QTreeWidget):
    """The memories, the newest first.

    Signals:
        edited: A Memory and the text that it is to have.
    """

    edited = Signal(object, str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("What is remembered"))
        self.setHeaderLabels([tr(title) for title in COLUMNS])
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        # Only the first column, by edit_chosen.
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_TEXT, QHeaderView.ResizeMode.Stretch)
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, width)
        self.itemChanged.connect(self._on_changed)
        self.itemActivated.connect(self.edit_chosen)

    @property
    def chosen(self) -> Memory | None:
        """The memory of the chosen row."""
        item = self.currentItem()
        return item.data(_TEXT, _MEMORY) if item is not None else None

    def show_memories(self, memories: Sequence[Memory]) -> None:
        """Show memories; the same row stays chosen, so that Del can be pressed again."""
        row = max(0, self.currentIndex().row())
        with QSignalBlocker(self):
            self.clear()
            self.addTopLevelItems([_item(memory) for memory in memories])
            if (item := self.topLevelItem(min(row, len(memories) - 1))) is not None:
                self.setCurrentItem(item)

    @Slot()
    def edit_chosen(self) -> None:
        """Change the text of the chosen row."""
        if (item := self.currentItem()) is not None:
            self.editItem(item, _TEXT)

    @Slot(QTreeWidgetItem, int)
    def _on_changed(self, item: QTreeWidgetItem, column: int) -> None:
        memory: Memory = item.data(_TEXT, _MEMORY)
        if column == _TEXT and item.text(_TEXT).strip() != memory.text:
            self.edited.emit(memory, item.text(_TEXT))


def _item(memory: Memory) -> QTreeWidgetItem:
    days = days_left(memory.expires, 0)
    texts = (
        memory.text,
        tr(KINDS[memory.kind]),
        ago(memory.created),
        trn("{n:,} day", "{n:,} days", days),
        memory.question or "–",
    )
    tips = (memory.text, _use(memory), memory.created, memory.expires, memory.question or tr(BY_HAND))
    item = QTreeWidgetItem([" ".join(text.split()) for text in texts])
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
    item.setData(_TEXT, _MEMORY, memory)
    for column, tip in enumerate(tips):
        item.setToolTip(column, tip)
    return item


def _use(memory: Memory) -> str:
    return trn("Handed to a model {n:,} time", "Handed to a model {n:,} times", memory.hits)
