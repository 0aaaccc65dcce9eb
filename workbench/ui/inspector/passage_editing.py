"""Editing controls of the shown passage: buttons, menu, keys, tags dialog, and the editor in place of the tabs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QMenu,
    QStackedWidget,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from workbench.errors import MetadataError
from workbench.language import mark, tr
from workbench.model.chunk import Chunk
from workbench.model.metadata import checked_tags
from workbench.ui.actions import command, key_of, pane_action
from workbench.ui.bridge import Bridge
from workbench.ui.controls import IconButton, button, dialog_foot, label
from workbench.ui.dialog import Dialog
from workbench.ui.inspector.chunk_edit_presenter import ChunkEditPresenter
from workbench.ui.inspector.chunk_editor import ChunkEditor
from workbench.ui.inspector.passage_rows import InspectedPassage
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library


KEPT = mark("Your text is not saved yet. It will be there when you edit this passage again.")
EDITED = mark("You edited this passage. Searches and quotes use your text; the highlighted text is the original.")
DISABLED = mark("This passage is disabled: no search finds it.")


def standing(passage: InspectedPassage) -> str:
    """Return the notice that a passage was changed by the user; empty if it was not."""
    parts = ((DISABLED, passage.is_disabled), (EDITED, passage.edited))
    return " ".join(tr(words) for words, is_shown in parts if is_shown)


class PassageEditing(QObject):
    """Coordinator of the controls that change a passage.

    Attributes:
        editing: Presenter of the edits.
        tools: Buttons next to the passage's title.
        editor: Editor of its text.
        stack: The tabs, or the editor in their place.

    Signals:
        notified: A message to be shown with the passage.
        provenance_changed: The edits that produced the passage's current state, oldest first.
    """

    notified = Signal(str)
    provenance_changed = Signal(object)

    def __init__(self, bridge: Bridge, theme: Theme, tabs: QTabWidget, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tabs = tabs
        self._focused_before: QWidget | None = None
        self.editing = ChunkEditPresenter(bridge, self)
        self.tools = ChunkTools(theme, self.editing)
        self.editor = ChunkEditor(bridge, theme)
        self.stack = QStackedWidget()
        self.stack.addWidget(tabs)
        self.stack.addWidget(self.editor)
        self.tools.edit_asked.connect(self.edit)
        self.editor.saved.connect(self.editing.write)
        self.editor.split_asked.connect(self.editing.split)
        self.editor.closed.connect(self._on_closed)
        self.editing.started.connect(self._on_started)
        self.editing.finished.connect(self._on_finished)
        self.editing.failed.connect(self.notified)
        self.editing.edits_changed.connect(self._on_edits)
        self.editing.offer_changed.connect(self._on_offer)

    def set_library(self, library: Library | None) -> None:
        """Set the library."""
        self.editor.set_library(library)
        self.stack.setCurrentWidget(self._tabs)
        self.editing.set_library(library)

    def mean(self, passage: InspectedPassage | None) -> None:
        """Set the passage that edits apply to; a draft of the previous one is kept."""
        if self.editor.leave():
            self.notified.emit(tr(KEPT))
        self.editing.mean(passage)
        self.tools.show_chunk(self.editing.chunk)
        self._on_edits(self.editing.edits)

    @Slot()
    def edit(self) -> None:
        """Open the editor with the text of the passage."""
        if self.editing.chunk is not None:
            if not self.editor.is_open:
                self._focused_before = self.stack.window().focusWidget()
            self.stack.setCurrentWidget(self.editor)
            self.editor.open(self.editing.chunk)
            self.tools.pause()

    @Slot()
    def _on_closed(self) -> None:
        had_focus = self.editor.isAncestorOf(self.editor.focusWidget()) if self.editor.focusWidget() else False
        self.stack.setCurrentWidget(self._tabs)
        self.tools.show_chunk(self.editing.chunk)
        if had_focus:
            self._restore_focus()
        self.editing.edits_changed.emit(self.editing.edits)

    def _restore_focus(self) -> None:
        """Return the keyboard focus to the control from which the editor was opened."""
        before, self._focused_before = self._focused_before, None
        is_usable = before is not None and isValid(before) and before.isVisible() and before.isEnabled()
        (before if before is not None and is_usable else self._tabs).setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_started(self) -> None:
        if self.editor.is_open:
            self.editor.wait(is_busy=True)

    @Slot(bool)
    def _on_finished(self, is_done: bool) -> None:
        if self.editor.is_open:
            self.editor.wait(is_busy=False)
            if is_done:
                self.editor.is_saved()

    @Slot()
    def _on_offer(self) -> None:
        if not self.editor.is_open:
            self.tools.show_chunk(self.editing.chunk)

    @Slot(object)
    def _on_edits(self, _edits: object) -> None:
        chunk = self.editing.chunk
        self.provenance_changed.emit(self.editing.provenance(chunk) if chunk is not None else ())
        if self.editor.is_open:
            self.tools.pause()


_NAMES = ("edit", "split", "merge_next", "merge_previous", "disable", "tags", "reset")
_HISTORY = ("undo", "redo")


class ChunkTools(QWidget):
    """Menu button next to the title of the passage; the menu of the list has the same actions, with their keys.

    Signals:
        edit_asked: The text is to be edited or split.
    """

    edit_asked = Signal()

    def __init__(self, theme: Theme, editing: ChunkEditPresenter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._editing = editing
        self._chunk: Chunk | None = None
        self._actions: dict[str, list[QAction]] = {name: [] for name in (*_NAMES, *_HISTORY)}
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
        self._more = IconButton(theme, "more", tr("More actions for this passage"))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._others: list[QAction] = []
        self._menu = QMenu(self)
        self._fill(self._menu)
        self._more.setMenu(self._menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._more)
        editing.edits_changed.connect(self._on_edits)
        self.show_chunk(None)

    def add(self, action: QAction) -> None:
        """Add an action that changes nothing, above the others."""
        first = self._menu.actions()[0]
        self._menu.insertAction(first, action)
        self._menu.insertSeparator(first)
        self._others.append(action)
        action.changed.connect(self._fit)

    def offer(self, view: QListView) -> None:
        """Add the actions to the menu of a list, with their keys."""
        view.addActions(self._others)
        divider = QAction(view)
        divider.setSeparator(True)
        view.addAction(divider)
        for name, slot in self._slots.items():
            self._actions[name].append(pane_action(view, f"passage.{name}", slot))
        self.show_chunk(self._editing.chunk)

    def show_chunk(self, chunk: Chunk | None) -> None:
        """Enable the edits that are offered for a chunk; None disables them all."""
        self._chunk = chunk
        offered = self._editing.offered
        self.setEnabled(True)
        for name in _NAMES:
            for action in self._actions[name]:
                action.setEnabled(name in offered)
        is_off = chunk is not None and chunk.disabled
        for action in self._actions["disable"]:
            _, tab, key = action.text().partition("\t")
            action.setText((tr("Enable", "a passage") if is_off else command("passage.disable").title) + tab + key)
        self._on_edits(self._editing.edits)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        """Hide the button while its menu has nothing for the passage."""
        self.setVisible(self._chunk is not None or any(action.isEnabled() for action in self._others))

    def pause(self) -> None:
        """Disable everything while the text is being edited: unsaved text would be lost."""
        for actions in self._actions.values():
            for action in actions:
                action.setEnabled(False)
        self.setEnabled(False)

    @Slot()
    def ask_for_tags(self) -> None:
        """Ask for the tags of the passage."""
        chunk = self._editing.chunk
        if chunk is None:
            return
        dialog = ChunkTagsDialog(chunk, self._theme, self.window())
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self._editing.tag(dialog.tags)
        dialog.deleteLater()

    @Slot(object)
    def _on_edits(self, _edits: object) -> None:
        edits, offered = self._editing.edits, self._editing.offered
        for action in self._actions["undo"]:
            action.setEnabled("undo" in offered and any(edit.can_undo for edit in edits))
        for action in self._actions["redo"]:
            action.setEnabled("redo" in offered and any(edit.can_redo for edit in edits))

    def _fill(self, menu: QMenu) -> None:
        menu.setToolTipsVisible(True)
        for name, slot in self._slots.items():
            one = command(f"passage.{name}")
            # The key is only shown, not set: the list has it, and Qt runs neither of two actions with one key.
            action = menu.addAction(f"{one.title}\t{key_of(one.name)}" if one.key else one.title)
            action.triggered.connect(slot)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self._actions[name].append(action)
            if name in ("merge_previous", "reset"):
                menu.addSeparator()


class ChunkTagsDialog(Dialog):
    """Dialog that asks for new tags of a passage, which replace its current ones.

    Attributes:
        tags: The new tags, once the dialog was accepted.
    """

    def __init__(self, chunk: Chunk, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Tags of the passage"))
        self.resize(380, 0)
        self.tags: tuple[str, ...] = chunk.tags
        self._banner = Banner(theme)
        self._field = QLineEdit(", ".join(chunk.tags))
        self._field.setPlaceholderText(tr("Tags, separated by commas"))
        self._field.setAccessibleName(tr("Tags of the passage"))
        save = button(tr("Save"), "primary", self.accept)
        save.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        layout.addWidget(label(tr("Tags of passage {n}", n=chunk.ordinal + 1), "title"))
        layout.addWidget(self._banner)
        layout.addWidget(self._field)
        layout.addWidget(
            label(tr("Use passage_tag:key in a filter to find passages tagged “key”."), "caption", wrap=True)
        )
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), save))

    def accept(self) -> None:
        """Validate the tags and close; an invalid tag is reported in the dialog."""
        try:
            self.tags = checked_tags(part for part in self._field.text().split(",") if part.strip())
        except MetadataError as error:
            self._banner.show_error(error)
            return
        super().accept()
