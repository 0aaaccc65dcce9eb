"""The decisions about the change of the embedding model; works without a window."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from workbench.model.embedder import EmbedderChanged, EmbedderChangeProgress, EmbedderState
from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations
from workbench.worker.job import JobHandle


class EmbedderPresenter(QObject):
    """Goes over to the embedding model that the settings ask for, and back.

    Signals:
        state_changed: An EmbedderState.
        progress_changed: An EmbedderChangeProgress, or None when no change is under way.
        ended: A change is over, in whatever way: the settings and the documents may be others.
        recut_asked: Documents are to be cut anew.
        failed: An error and its details.
    """

    state_changed = Signal(object)
    progress_changed = Signal(object)
    ended = Signal()
    recut_asked = Signal()
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: EmbedderState | None = None
        self.progress: EmbedderChangeProgress | None = None
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._job: JobHandle[EmbedderState] | None = None
        bridge.domain_event.connect(self._on_domain_event)

    def set_library(self, library: "operations.Library | None") -> None:
        """Show how another library stands; a change that a stop interrupted goes on."""
        self._library, self._job, self.state = library, None, None
        self._show_progress(None)
        if library is not None:
            self.start()

    def start(self) -> None:
        """Go over to what the settings ask for; a change under way is given up for it."""
        if self._library is not None:
            self.cancel()
            self._run(operations.change_embedder(self._library))

    def cancel(self) -> None:
        """Stay with the present model."""
        if self._job is not None:
            self._job.cancel()

    def revert(self) -> None:
        """Go back to the model before."""
        if self._library is not None:
            self._run(operations.revert_embedder(self._library))

    def confirm(self) -> None:
        """Keep the present model and delete the vectors of the one before."""
        if self._library is not None:
            self._bridge.submit(operations.confirm_embedder(self._library), done=self._on_state, failed=self._on_failed)

    def refresh(self) -> None:
        """Ask how things stand."""
        if self._library is not None:
            self._bridge.submit(operations.embedder_state(self._library), done=self._on_state, failed=self._on_failed)

    def recut(self) -> None:
        """Cut the documents anew that the model cannot see whole."""
        self.recut_asked.emit()

    def _run(self, operation: Any) -> None:
        self._job = self._bridge.submit(
            operation, done=self._on_done, failed=self._on_change_failed, cancelled=self._on_cancelled
        )

    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, EmbedderChangeProgress):
            self._show_progress(event)
        elif isinstance(event, EmbedderChanged):
            self._on_state(event.state)

    def _on_done(self, state: EmbedderState | None) -> None:
        self._end()
        if state is not None:
            self._on_state(state)
            self.ended.emit()

    def _on_change_failed(self, error: BaseException, details: str) -> None:
        self._end()
        self.ended.emit()
        self.refresh()
        self._on_failed(error, details)

    def _on_cancelled(self) -> None:
        self._end()
        self.ended.emit()
        self.refresh()

    def _end(self) -> None:
        self._job = None
        self._show_progress(None)

    def _show_progress(self, progress: EmbedderChangeProgress | None) -> None:
        self.progress = progress
        self.progress_changed.emit(progress)

    def _on_state(self, state: EmbedderState) -> None:
        self.state = state
        self.state_changed.emit(state)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)
