"""Keyboard navigation between panes, sessions and search fields."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget

from workbench.ui.sessions.model import SESSION_ROLE

if TYPE_CHECKING:
    from workbench.ui.app_controller import AppController
    from workbench.ui.chat.conversation_find import ChatFind
    from workbench.ui.chat.run_card import RunCard
    from workbench.ui.inspector.document_find import DocumentFind


_STEP = 10
"""Percentage points by which the text size changes."""


class KeyboardNavigation(QObject):
    """Moves the focus in a window; commands for "the answer" act on the focused one."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        actions = shell.window.actions_by_name
        for name, slot in (
            ("focus_library", self.go_to_library),
            ("find", self.go_to_library),
            ("focus_inspector", self.go_to_inspector),
            ("focus_sessions", self.go_to_sessions),
            ("next_pane", self._on_next_pane),
            ("previous_pane", self._on_previous_pane),
            ("larger_text", self._on_larger_text),
            ("smaller_text", self._on_smaller_text),
            ("usual_text", self._on_usual_text),
            ("next_session", self._on_next_session),
            ("previous_session", self._on_previous_session),
            ("find_here", self._on_find_here),
            ("copy_answer", self._on_copy_answer),
            ("ask_again", self._on_ask_again),
            ("compare", self._on_compare),
            ("replay", self._on_replay),
            ("prompt", self._on_prompt),
        ):
            actions[name].triggered.connect(slot)

    @Slot()
    def go_to_library(self) -> None:
        """Focus the search field of the library."""
        self._shell.window.library_dock.reveal()
        self._shell.library_pane.focus()

    @Slot()
    def go_to_sessions(self) -> None:
        """Focus the sessions."""
        self._shell.window.sessions_dock.reveal()
        self._shell.sessions_pane.focus()

    @Slot()
    def go_to_inspector(self) -> None:
        """Focus the passages in the inspector."""
        self._shell.window.inspector_dock.reveal()
        self._shell.inspector.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def _on_next_pane(self) -> None:
        self._step_pane(1)

    @Slot()
    def _on_previous_pane(self) -> None:
        self._step_pane(-1)

    def _step_pane(self, step: int) -> None:
        shell, window = self._shell, self._shell.window
        panes = [
            (window.library_dock, self.go_to_library),
            (window.sessions_dock, self.go_to_sessions),
            (shell.chat, shell.chat.focus_composer),
            (window.inspector_dock, self.go_to_inspector),
            (shell.evaluation.dock, shell.evaluation.reveal),
        ]
        # A dock behind another one exists but cannot be seen.
        visible = [(pane, go) for pane, go in panes if not pane.visibleRegion().isEmpty()]
        if visible:
            current = next((place for place, (pane, _go) in enumerate(visible) if _holds_keyboard(pane)), -1)
            visible[(current + step) % len(visible) if current >= 0 else 0][1]()

    @Slot()
    def _on_larger_text(self) -> None:
        self._size_text(self._shell.settings.settings.text_percent + _STEP)

    @Slot()
    def _on_smaller_text(self) -> None:
        self._size_text(self._shell.settings.settings.text_percent - _STEP)

    @Slot()
    def _on_usual_text(self) -> None:
        self._size_text(100)

    def _size_text(self, percent: int) -> None:
        self._shell.settings.put("text_percent", min(200, max(80, percent)))

    @Slot()
    def _on_next_session(self) -> None:
        self._step_session(1)

    @Slot()
    def _on_previous_session(self) -> None:
        self._step_session(-1)

    def _step_session(self, step: int) -> None:
        """Open the session above or below the current one in the list."""
        sessions = self._shell.sessions
        model, current = sessions.model, sessions.current
        row = model.index_of(current).row() if current is not None else -1
        wanted = model.index(row + step if row >= 0 else 0).data(SESSION_ROLE)
        if wanted is not None:
            sessions.open(wanted.id)

    @Slot()
    def _on_find_here(self) -> None:
        if _holds_keyboard(self._shell.window.inspector_dock) and self._document.can_open:
            self._document.open()
        elif not (_holds_keyboard(self._shell.window.sessions_dock) and self._shell.sessions_pane.focus_find()):
            self._conversation.open()

    @cached_property
    def _document(self) -> DocumentFind:
        from workbench.ui.inspector.document_find import DocumentFind

        return DocumentFind(self._shell.bridge, self._shell.theme, self._shell.inspector)

    @cached_property
    def _conversation(self) -> ChatFind:
        from workbench.ui.chat.conversation_find import ChatFind

        return ChatFind(self._shell.chat, self._shell.theme)

    @property
    def answer(self) -> RunCard | None:
        """The answer that has the focus, otherwise the last one."""
        cards = self._shell.chat.cards
        return next((card for card in cards if _holds_keyboard(card)), cards[-1] if cards else None)

    @Slot()
    def _on_copy_answer(self) -> None:
        self._press("Copy")

    @Slot()
    def _on_ask_again(self) -> None:
        self._press("Ask again")

    @Slot()
    def _on_compare(self) -> None:
        self._press("Compare")

    @Slot()
    def _on_replay(self) -> None:
        self._press("Replay")

    @Slot()
    def _on_prompt(self) -> None:
        self._press("Prompt")

    def _press(self, name: str) -> None:
        answer = self.answer
        action = answer.findChild(QAction, name) if answer is not None else None
        if action is not None and action.isVisible():
            action.trigger()


def _holds_keyboard(pane: QWidget) -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and (pane is focused or pane.isAncestorOf(focused))
