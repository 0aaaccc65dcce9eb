"""What is typed in a session and not asked: kept when another is opened, put back on coming to it again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.model.session import Session
    from workbench.ui.app_controller import AppController


class Drafts(QObject):
    """Drafts of sessions stand in the library; that of a new one, and the last one at the end, with the window's state.

    At the end nothing can be left to the worker, which is being stopped. Until then what was kept is known here: the
    library may be asked for a draft before it has written it down.
    """

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._field = shell.chat.question_field
        self._session: int | None = None
        self._of_new = ""
        self._known: dict[int, str] = {}
        self._is_restored = False
        shell.sessions.opened.connect(self._on_opened)
        shell.chat.session_changed.connect(self._on_session_changed)

    def restore(self) -> None:
        """Put back what stood in the field when the library's window was closed; what was typed meanwhile stays."""
        state = self._shell.state
        self._session, text = state.draft
        self._of_new = state.new_draft
        self._known.clear()
        if self._is_restored or not self._typed:
            self._field.put(text if self._session is not None else self._of_new)
        self._is_restored = True

    def save(self) -> None:
        """Keep what stands in the field with the window's state."""
        state, text = self._shell.state, self._typed
        state.draft = (self._session, text)
        state.new_draft = text if self._session is None else self._of_new

    @property
    def _typed(self) -> str:
        return self._field.toPlainText()

    @Slot(object)
    def _on_opened(self, session: Session | None) -> None:
        number = session.info.id if session is not None else None
        if number != self._session:
            self._leave()
            self._enter(number)
        else:
            # The one of the last time: what the window's state had of it is newer than what the library has.
            self._keep()

    @Slot(object)
    def _on_session_changed(self, number: int) -> None:
        if self._session is None:
            # What is typed while the first answer comes belongs to the session that it began.
            self._session, self._of_new = number, ""
            self._known[number] = ""

    def _leave(self) -> None:
        if self._session is None:
            self._of_new = self._typed
        elif self._typed or self._session in self._known:
            self._keep()

    def _enter(self, number: int | None) -> None:
        self._session = number
        self._field.put(self._of_new if number is None else self._known.get(number, ""))
        if number is not None and number not in self._known and self._shell.library is not None:
            self._shell.bridge.submit(
                operations.session_draft(self._shell.library, number), done=partial(self._on_draft, number)
            )

    def _keep(self) -> None:
        number, text, library = self._session, self._typed, self._shell.library
        if number is not None and library is not None and self._known.get(number) != text:
            self._known[number] = text
            self._shell.bridge.submit(operations.keep_draft(library, number, text))

    def _on_draft(self, number: int, text: str) -> None:
        if number not in self._known:
            self._known[number] = text
            if number == self._session and not self._typed:
                self._field.put(text)
