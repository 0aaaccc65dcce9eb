"""The buttons, the menu and the keys by which the passage that is shown is changed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListView, QMenu, QToolButton, QWidget

from workbench.language import tr
from workbench.model.chunk import Chunk
from workbench.ui.actions import command, key_of, pane_action
from workbench.ui.controls import IconButton
from workbench.ui.inspector.chunk_editing import ChunkEditing
from workbench.ui.inspector.chunk_tags import ChunkTagsDialog
from workbench.ui.theme import Theme

_NAMES = ("edit", "split", "merge_next", "merge_previous", "disable", "tags", "reset")
_BACK = ("undo", "redo")


class ChunkTools(QWidget):
    """Stands beside the title of the passage; the same verbs are in the menu of the list, with their keys.

    Signals:
        edit_asked: The text is to be edited, or split.
    """

    edit_asked = Signal()

    def __init__(self, theme: Theme, editing: ChunkEditing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._editing = editing
        self._actions: dict[str, list[QAction]] = {name: [] for name in (*_NAMES, *_BACK)}
        self._slots: dict[str, Callable[[], object]] = {
            "edit": self.edit_asked.emit,
            "split": self.edit_asked.emit,
            "merge_next": editing.merge_next,
            "merge_previous": editing.merge_previous,
            "disable": editing.switch,
            "tags": self.ask_for_tags,
            "reset": editing.reset,
            "undo": editing.undo,
            "redo": editing.redo,
        }
        self._edit = IconButton(theme, "edit", tr("Edit the text ({key})", key=key_of("passage.edit")), self.edit_asked)
        self._more = IconButton(theme, "more", tr("Change this passage"))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self._fill(self._menu)
        self._more.setMenu(self._menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._edit)
        row.addWidget(self._more)
        editing.edits_changed.connect(self._on_edits)
        self.show_chunk(None)

    def offer(self, view: QListView) -> None:
        """Put the verbs into the menu of a list and their keys in place for it."""
        divider = QAction(view)
        divider.setSeparator(True)
        view.addAction(divider)
        for name, slot in self._slots.items():
            self._actions[name].append(pane_action(view, f"passage.{name}", slot))
        self.show_chunk(self._editing.chunk)
        self._on_edits(self._editing.edits)

    def show_chunk(self, chunk: Chunk | None) -> None:
        """Offer what can be done with a chunk; nothing for None."""
        self.setVisible(chunk is not None)
        self.setEnabled(True)
        for name in _NAMES:
            for action in self._actions[name]:
                action.setEnabled(chunk is not None)
        is_off = chunk is not None and chunk.disabled
        for action in self._actions["disable"]:
            _, tab, key = action.text().partition("\t")
            action.setText((tr("Enable", "a passage") if is_off else command("passage.disable").title) + tab + key)
        for action in self._actions["reset"]:
            action.setEnabled(chunk is not None and chunk.is_changed)

    def pause(self) -> None:
        """Offer nothing while the text is being edited: what is typed would be lost."""
        for actions in self._actions.values():
            for action in actions:
                action.setEnabled(False)
        self.setEnabled(False)

    @Slot()
    def ask_for_tags(self) -> None:
        """Ask which tags the passage is to have."""
        chunk = self._editing.chunk
        if chunk is None:
            return
        dialog = ChunkTagsDialog(chunk, self._theme, self.window())
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self._editing.tag(dialog.tags)
        dialog.deleteLater()

    @Slot(object)
    def _on_edits(self, _edits: object) -> None:
        edits = self._editing.edits
        for action in self._actions["undo"]:
            action.setEnabled(any(edit.can_undo for edit in edits))
        for action in self._actions["redo"]:
            action.setEnabled(any(edit.can_redo for edit in edits))

    def _fill(self, menu: QMenu) -> None:
        menu.setToolTipsVisible(True)
        for name, slot in self._slots.items():
            one = command(f"passage.{name}")
            # The key is said, not set: the list has it, and one key of two actions does nothing.
            action = menu.addAction(f"{one.title}\t{key_of(one.name)}" if one.key else one.title)
            action.triggered.connect(slot)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self._actions[name].append(action)
            if name in ("merge_previous", "reset"):
                menu.addSeparator()
