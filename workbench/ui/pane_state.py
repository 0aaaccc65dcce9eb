"""Saves the state of the panes and the drafts of the question field, and restores both at the next start."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from workbench import operations

if TYPE_CHECKING:
    from workbench.model.session import Session
    from workbench.ui.app_controller import AppController


class Drafts(QObject):
    """Drafts of the sessions, stored in the library and in the window state.

    The library stores the drafts of saved sessions. The window state stores the draft of a new session and the current
    draft at exit, when the worker is being stopped and can write nothing. Drafts are also cached here, because the
    library may be asked for a draft before it has written it.
    """

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._field = shell.chat.question_field
        self._session: int | None = None
        self._new_draft = ""
        self._cached_drafts: dict[int, str] = {}
        self._is_restored = False
        shell.sessions.opened.connect(self._on_opened)
        shell.chat.session_changed.connect(self._on_session_changed)

    def restore(self) -> None:
        """Restore the draft saved when the window was closed; the first time, text typed meanwhile is kept."""
        state = self._shell.state
        self._session, text = state.draft
        self._new_draft = state.new_draft
        self._cached_drafts.clear()
        if self._is_restored or not self._text:
            self._field.put(text if self._session is not None else self._new_draft)
        self._is_restored = True

    def save(self) -> None:
        """Save the current text of the question field in the window state."""
        state, text = self._shell.state, self._text
        state.draft = (self._session, text)
        state.new_draft = text if self._session is None else self._new_draft

    @property
    def _text(self) -> str:
        return self._field.toPlainText()

    @Slot(object)
    def _on_opened(self, session: Session | None) -> None:
        number = session.info.id if session is not None else None
        if number != self._session:
            self._leave()
            self._enter(number)
        else:
            # The session of the last run is open again: its draft in the window state is newer than that in the
            # library.
            self._save_draft()

    @Slot(object)
    def _on_session_changed(self, number: int) -> None:
        if self._session is None:
            # Text typed while the first answer arrives belongs to the session that the answer started.
            self._session, self._new_draft = number, ""
            self._cached_drafts[number] = ""

    def _leave(self) -> None:
        if self._session is None:
            self._new_draft = self._text
        elif self._text or self._session in self._cached_drafts:
            self._save_draft()

    def _enter(self, number: int | None) -> None:
        self._session = number
        self._field.put(self._new_draft if number is None else self._cached_drafts.get(number, ""))
        if number is not None and number not in self._cached_drafts and self._shell.library is not None:
            self._shell.bridge.submit(
                operations.session_draft(self._shell.library, number), done=partial(self._on_draft, number)
            )

    def _save_draft(self) -> None:
        number, text, library = self._session, self._text, self._shell.library
        if number is not None and library is not None and self._cached_drafts.get(number) != text:
            self._cached_drafts[number] = text
            self._shell.bridge.submit(operations.keep_draft(library, number, text))

    def _on_draft(self, number: int, text: str) -> None:
        if number not in self._cached_drafts:
            self._cached_drafts[number] = text
            if number == self._session and not self._text:
                self._field.put(text)


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
