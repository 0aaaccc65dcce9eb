"""Saves the state of the panes and restores it at the next start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from workbench.ui.sessions.drafts import Drafts

if TYPE_CHECKING:
    from workbench.ui.app_controller import AppController


class PaneState(QObject):
    """State of the panes: document order and columns, splitters, selected document, recent palette entries, drafts."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._document: int | None = None
        self._drafts = Drafts(shell)
        shell.documents.documents_changed.connect(self._on_documents_changed)
        self.restore()

    def restore(self) -> None:
        """Restore the state that was saved for the library."""
        shell = self._shell
        shell.state.restore_splitters(shell.window)
        shell.library_pane.show_view(shell.state.documents_view)
        shell.library_pane.arrange(shell.state.arrangement)
        self._document = shell.state.document
        if shell.dialogs.finder is not None:
            shell.dialogs.finder.recent = shell.state.recent
        self._drafts.restore()

    def save(self) -> None:
        """Save the current state."""
        shell = self._shell
        selected = shell.library_pane.selected()
        shell.state.document = selected[0].id if len(selected) == 1 else None
        shell.state.arrangement = shell.documents.model.arrangement
        shell.state.documents_view = shell.library_pane.view
        self._drafts.save()
        if shell.dialogs.finder is not None:
            shell.state.recent = shell.dialogs.finder.recent

    @Slot()
    def _on_documents_changed(self) -> None:
        if self._shell.documents.loaded and self._document is not None:
            number, self._document = self._document, None
            # A document that was deleted or filtered out has no row: then none is selected.
            self._shell.library_pane.select(number)
