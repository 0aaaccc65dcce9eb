"""Presenter of the vector store; works without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from workbench import operations
from workbench.model.vector_store import StoreChoice, StoreMoved, StoreMoveProgress, StoreState
from workbench.settings import Settings
from workbench.ui.bridge import Bridge

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.worker.job import JobHandle


class StorePresenter(QObject):
    """Presenter that moves the library to another vector store, and back.

    Signals:
        state_changed: A StoreState.
        progress_changed: A StoreMoveProgress, or None when no move is running.
        moved: Name of the store that the library or a knowledge base uses from now on, and the knowledge base.
        ended: A move finished, failed or was cancelled; the settings may have changed.
        key_kept: A key was stored or removed; False if only until the program ends.
        variable_changed: Name of the environment variable with the key.
        settings_changed: The Settings in force.
        failed: An error and its details.
    """

    state_changed = Signal(object)
    progress_changed = Signal(object)
    moved = Signal(str, str)
    ended = Signal()
    key_kept = Signal(bool)
    variable_changed = Signal(str)
    settings_changed = Signal(object)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: StoreState | None = None
        self.progress: StoreMoveProgress | None = None
        self._bridge = bridge
        self._library: Library | None = None
        self._job: JobHandle[StoreState] | None = None
        self._moving = ""
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def is_busy(self) -> bool:
        """True while a move is running, also one that another program asked for."""
        return self._job is not None or self.progress is not None

    @property
    def can_cancel(self) -> bool:
        """True while a move is running that this window asked for."""
        return self._job is not None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, whose store is loaded by refresh()."""
        self._library, self._job, self.state = library, None, None
        self._show_progress(None)

    def title(self, name: str) -> str:
        """Return the name of a store for people."""
        offers = self.state.offers if self.state is not None else ()
        return next((one.title for one in offers if one.name == name), name)

    def refresh(self) -> None:
        """Load the state of the vector store; this opens it."""
        self._ask(operations.vector_store_state)

    def move(self, choice: StoreChoice, knowledge_base: str = "") -> None:
        """Move the library, or a knowledge base, to another store, unless a move is running.

        Args:
            choice: The store; LIBRARY_STORE moves a knowledge base back to that of the library.
            knowledge_base: Name of the knowledge base; empty for the library.
        """
        if self._library is None or self.is_busy:
            return
        if knowledge_base:
            operation = operations.move_base_to_store(self._library, knowledge_base, choice)
        else:
            operation = operations.move_vector_store(self._library, choice)
        self._moving = knowledge_base
        self._job = self._bridge.submit(
            operation, done=self._on_moved, failed=self._on_move_failed, cancelled=self._on_cancelled
        )
        self._show_progress(StoreMoveProgress(choice.name, 0, 0, None, knowledge_base))

    def cancel(self) -> None:
        """Cancel the move and keep the present store."""
        if self._job is not None:
            self._job.cancel()

    def delete_others(self) -> None:
        """Delete the vectors that earlier stores still contain."""
        self._ask(operations.delete_other_stores)

    def put_key(self, url: str, key: str) -> None:
        """Store the password or key of a server; an empty one removes it."""
        if self._library is not None:
            putting = operations.put_vector_store_key(self._library, key, url=url)
            self._bridge.submit(putting, done=self.key_kept.emit, failed=self.failed.emit)

    def put_variable(self, name: str) -> None:
        """Set the environment variable with the key; an empty name removes it."""
        if self._library is not None:
            putting = operations.put_setting(self._library, "vector_store_key_env", name)
            self._bridge.submit(putting, done=self.settings_changed.emit, failed=self.failed.emit)

    def follow(self, settings: Settings) -> None:
        """Show the variable of the settings in force."""
        self.variable_changed.emit(settings.vector_store_key_env)

    def _ask(self, operation: Any) -> None:
        if self._library is not None:
            self._bridge.submit(operation(self._library), done=self._on_state, failed=self.failed.emit)

    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, StoreMoveProgress):
            self._show_progress(event)
        elif isinstance(event, StoreMoved):
            self._on_state(event.state)
            if self._job is None:  # another program asked for the move
                self._end()

    def _on_moved(self, state: StoreState) -> None:
        self._on_state(state)
        self._end()
        self.moved.emit(state.store_of(self._moving).name, self._moving)

    def _on_move_failed(self, error: BaseException, details: str) -> None:
        self._end()
        self.refresh()
        self.failed.emit(error, details)

    def _on_cancelled(self) -> None:
        self._end()
        self.refresh()

    def _end(self) -> None:
        self._job = None
        self._show_progress(None)
        self.ended.emit()

    def _show_progress(self, progress: StoreMoveProgress | None) -> None:
        self.progress = progress
        self.progress_changed.emit(progress)

    def _on_state(self, state: StoreState) -> None:
        self.state = state
        self.state_changed.emit(state)
