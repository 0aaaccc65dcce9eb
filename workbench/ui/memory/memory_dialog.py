"""Dialog of conversation memories: switch, and a table in which each memory can be edited or removed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from workbench.language import mark, tr, translate, trn
from workbench.model.memory import Memory, MemoryKind
from workbench.ui.controls import button, label
from workbench.ui.dialog import LibraryDialog
from workbench.ui.localisation import ago, days_left
from workbench.ui.memory.presenter import MemoryPresenter
from workbench.ui.messages import Toast
from workbench.ui.theme import Theme

SWITCH = mark("Remember facts about me and my work")
ABOUT = mark(
    "After each answer, the model writes up to three short notes, which are used for later "
    "questions. Notes are stored in this library, but a search does not find them. Answers "
    "without a model leave no notes."
)
NOTHING = mark("No notes yet")


class MemoryDialog(LibraryDialog):
    """Shows the stored memories. Every change takes effect at once, and a removal can be undone."""

    def __init__(self, presenter: MemoryPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(tr("Memory"), presenter.set_library, theme, parent)
        self._presenter = presenter
        self.resize(1000, 500)
        self._switch = QCheckBox(tr(SWITCH))
        self._switch.setAccessibleDescription(tr(ABOUT))
        self._problem = label("", "caption", wrap=True, tone="warn")
        self._table = MemoryTable()
        nothing = label(tr(NOTHING), "muted")
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(nothing)
        self._stack.addWidget(self._table)
        self._edit = button(tr("Edit"), "secondary", self._table.edit_chosen)
        self._remove = button(tr("Delete"), "secondary", self._on_remove)
        self._clear = button(tr("Delete all"), "ghost", presenter.clear)
        self._lay_out()
        self._toast = Toast(theme, self)
        QShortcut(QKeySequence("Del"), self._table, context=Qt.ShortcutContext.WidgetShortcut).activated.connect(
            self._on_remove
        )
        self._switch.toggled.connect(presenter.switch)
        self._table.edited.connect(presenter.edit)
        self._table.currentItemChanged.connect(self._show_buttons)
        presenter.changed.connect(self._on_changed)
        presenter.notified.connect(self._on_notified)
        presenter.failed.connect(self._banner.show_error)
        self._on_changed()

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        for one in (self._edit, self._remove, self._clear):
            foot.addWidget(one)
        foot.addStretch(1)
        foot.addWidget(button(tr("Close"), "secondary", self.accept))
        layout = self._column
        layout.addWidget(self._banner)
        layout.addWidget(self._switch)
        layout.addWidget(label(tr(ABOUT), "muted", wrap=True))
        layout.addWidget(self._problem)
        layout.addWidget(self._stack, 1)
        layout.addLayout(foot)

    @Slot()
    def _on_changed(self) -> None:
        shelf = self._presenter.shelf
        with QSignalBlocker(self._switch):
            self._switch.setChecked(shelf.is_on)
        problem = translate(shelf.problem)
        self._problem.setText(tr("No notes could be made from the last answer. {problem}", problem=problem))
        self._problem.setVisible(bool(shelf.problem) and shelf.is_on)
        self._table.show_memories(shelf.memories)
        self._stack.setCurrentIndex(int(bool(shelf.memories)))
        self._show_buttons()

    @Slot()
    def _show_buttons(self) -> None:
        chosen = self._table.chosen is not None
        self._edit.setEnabled(chosen)
        self._remove.setEnabled(chosen)
        self._clear.setEnabled(bool(self._presenter.shelf.memories))

    @Slot()
    def _on_remove(self) -> None:
        if (memory := self._table.chosen) is not None:
            self._presenter.remove(memory)

    @Slot(str, bool)
    def _on_notified(self, text: str, undoable: bool) -> None:
        self._toast.show_message(
            text, action=tr("Undo") if undoable else "", on_action=self._presenter.undo if undoable else None
        )


COLUMNS = (mark("Notes"), mark("About"), mark("Mentioned"), mark("Deleted in"), mark("Source question"))
KINDS = {
    MemoryKind.USER_PREFERENCE: mark("Preference"),
    MemoryKind.TASK_RECORD: mark("Task"),
    MemoryKind.TOOL_RESULT: mark("Result of a tool"),
    MemoryKind.CONTEXT_INFO: mark("Context"),
}
BY_HAND = mark("Written by hand, or the answer was deleted")
_TEXT = 0
_WIDTHS = {1: 116, 2: 104, 3: 80, 4: 190}
_MEMORY = Qt.ItemDataRole.UserRole


class MemoryTable(QTreeWidget):
    """Table of memories, the newest first.

    Signals:
        edited: A Memory and its new text.
    """

    edited = Signal(object, str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Notes"))
        self.setHeaderLabels([tr(title) for title in COLUMNS])
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        # Only edit_chosen starts an editor, and only in the first column.
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
        """Memory of the selected row."""
        item = self.currentItem()
        return item.data(_TEXT, _MEMORY) if item is not None else None

    def show_memories(self, memories: Sequence[Memory]) -> None:
        """Show memories and keep the selected row number, so that Del can be pressed again."""
        row = max(0, self.currentIndex().row())
        with QSignalBlocker(self):
            self.clear()
            self.addTopLevelItems([_make_item(memory) for memory in memories])
            if (item := self.topLevelItem(min(row, len(memories) - 1))) is not None:
                self.setCurrentItem(item)

    @Slot()
    def edit_chosen(self) -> None:
        """Edit the text of the selected row."""
        if (item := self.currentItem()) is not None:
            self.editItem(item, _TEXT)

    @Slot(QTreeWidgetItem, int)
    def _on_changed(self, item: QTreeWidgetItem, column: int) -> None:
        memory: Memory = item.data(_TEXT, _MEMORY)
        if column == _TEXT and item.text(_TEXT).strip() != memory.text:
            self.edited.emit(memory, item.text(_TEXT))


def _make_item(memory: Memory) -> QTreeWidgetItem:
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
    return trn("Used {n:,} time", "Used {n:,} times", memory.hits)
