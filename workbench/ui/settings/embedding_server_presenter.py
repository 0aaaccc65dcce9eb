"""Presenter of embedding servers: what one would receive, the consent to send it, a trial, and the key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from workbench import operations
from workbench.ui.bridge import Bridge

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.worker.job import JobHandle


class EmbeddingServerPresenter(QObject):
    """Presenter that asks embedding servers on demand; works without a window.

    Signals:
        planned: An EmbeddingPlan.
        allowed: The user's consent to a server was stored; the value for the setting “embedder”.
        tried: An EmbeddingTrial.
        key_stored: The key was stored or removed; False if only until the program ends.
        answered: The server that documents wait for answers again.
        failed: The error of a request and its details.
    """

    planned = Signal(object)
    allowed = Signal(str)
    tried = Signal(object)
    key_stored = Signal(bool)
    answered = Signal()
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._trial: JobHandle[Any] | None = None
        self._waiting: JobHandle[bool] | None = None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library."""
        self.cancel()
        if self._waiting is not None:
            self._waiting.cancel()
        self._library, self._trial, self._waiting = library, None, None

    def plan(self, model: str, price: float | None = None) -> None:
        """Load what a server would receive if it embedded the library; nothing is sent.

        Args:
            model: Value for the setting “embedder”.
            price: Price in US dollars per million tokens; None for the known one.
        """
        if self._library is not None:
            planning = operations.plan_embedding_server(self._library, model, price=price)
            self._bridge.submit(planning, done=self._on_planned, failed=self.failed.emit)

    def allow(self, model: str) -> None:
        """Store the user's consent to send the texts of the library to a server."""
        if self._library is not None:
            allowing = operations.allow_embedding_server(self._library, model)
            self._bridge.submit(allowing, done=self.allowed.emit, failed=self.failed.emit)

    def try_out(self, model: str) -> None:
        """Have a server embed test sentences; an earlier trial is cancelled."""
        if self._library is not None:
            self.cancel()
            trying = operations.try_embedding_server(self._library, model)
            self._trial = self._bridge.submit(trying, done=self.tried.emit, failed=self.failed.emit)

    def cancel(self) -> None:
        """Cancel the trial."""
        if self._trial is not None:
            self._trial.cancel()
            self._trial = None

    def put_key(self, model: str, key: str) -> None:
        """Store the key of a server; an empty one removes it."""
        if self._library is not None:
            putting = operations.put_embedding_server_key(self._library, model, key)
            self._bridge.submit(putting, done=self.key_stored.emit, failed=self.failed.emit)

    def wait(self) -> None:
        """Wait for the server if documents could not be embedded, unless this is done already."""
        if self._library is not None and self._waiting is None:
            waiting = operations.wait_for_embedding_server(self._library)
            self._waiting = self._bridge.submit(
                waiting, done=self._on_waited, failed=self._on_wait_failed, cancelled=self._on_wait_ended
            )

    def _on_planned(self, plan: object) -> None:
        if plan is not None:
            self.planned.emit(plan)

    def _on_waited(self, is_back: bool) -> None:
        self._waiting = None
        if is_back:
            self.answered.emit()

    def _on_wait_failed(self, error: BaseException, details: str) -> None:
        self._waiting = None
        self.failed.emit(error, details)

    def _on_wait_ended(self) -> None:
        self._waiting = None
