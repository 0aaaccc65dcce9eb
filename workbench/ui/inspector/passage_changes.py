"""The passage that is shown, changed: its buttons, its editor in the place of its tabs, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QTabWidget

from workbench.language import mark, tr
from workbench.ui.bridge import Bridge
from workbench.ui.inspector.chunk_editing import ChunkEditing
from workbench.ui.inspector.chunk_editor import ChunkEditor
from workbench.ui.inspector.chunk_tools import ChunkTools
from workbench.ui.inspector.passages import Passage
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library

KEPT = mark("What you typed is not saved. It is there again when you edit that passage again.")
EDITED = mark("You edited this passage: it is searched and quoted as you wrote it. Marked is what the document says.")
DISABLED = mark("This passage is disabled: no search finds it.")


def standing(passage: Passage) -> str:
    """Return what is to be said of a passage because the user changed it."""
    parts = ((DISABLED, passage.is_disabled), (EDITED, passage.edited))
    return " ".join(tr(words) for words, is_so in parts if is_so)


class PassageChanges(QObject):
    """Holds what changes a passage together.

    Attributes:
        editing: The verbs.
        tools: The buttons beside its title.
        editor: Where its text is written.
        stack: The tabs, or the editor in their place.

    Signals:
        told: A sentence to be shown with the passage.
        provenance_changed: The edits that made the passage what it is, oldest first.
    """

    told = Signal(str)
    provenance_changed = Signal(object)

    def __init__(self, bridge: Bridge, theme: Theme, tabs: QTabWidget, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tabs = tabs
        self.editing = ChunkEditing(bridge, self)
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
        self.editing.failed.connect(self.told)
        self.editing.edits_changed.connect(self._on_edits)

    def set_library(self, library: Library | None) -> None:
        """Take another library."""
        self.editor.set_library(library)
        self.stack.setCurrentWidget(self._tabs)
        self.editing.set_library(library)

    def mean(self, passage: Passage | None) -> None:
        """Mean another passage from now on; what is typed of the one before is kept."""
        if self.editor.leave():
            self.told.emit(tr(KEPT))
        self.editing.mean(passage)
        self.tools.show_chunk(self.editing.chunk)
        self._on_edits(self.editing.edits)

    @Slot()
    def edit(self) -> None:
        """Edit the text of the passage."""
        if self.editing.chunk is not None:
            self.stack.setCurrentWidget(self.editor)
            self.editor.open(self.editing.chunk)
            self.tools.pause()

    @Slot()
    def _on_closed(self) -> None:
        had_focus = self.editor.isAncestorOf(self.editor.focusWidget()) if self.editor.focusWidget() else False
        self.stack.setCurrentWidget(self._tabs)
        if had_focus:
            self._tabs.setFocus()
        self.tools.show_chunk(self.editing.chunk)
        self.editing.edits_changed.emit(self.editing.edits)

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

    @Slot(object)
    def _on_edits(self, _edits: object) -> None:
        chunk = self.editing.chunk
        self.provenance_changed.emit(self.editing.provenance(chunk) if chunk is not None else ())
        if self.editor.is_open:
            self.tools.pause()
