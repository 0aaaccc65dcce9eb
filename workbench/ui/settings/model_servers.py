"""Tries what model servers can do, lists their models, and looks which run on this machine; works without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench.model.profile import ConnectionReport, FoundServer, ModelAbility, ModelProfile
from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.worker.job import JobHandle


class ModelServers(QObject):
    """Asks servers, only when it is told to, and one question at a time.

    Signals:
        found_out: A ModelAbility that was just tried.
        examined: The ConnectionReport of everything that was tried.
        listed: The models of a server, a tuple of names.
        servers_found: The servers of this machine, a tuple of FoundServer.
        busy_changed: Whether a server is being asked.
        failed: Why it could not be asked: the error and its details.
    """

    found_out = Signal(object)
    examined = Signal(object)
    listed = Signal(tuple)
    servers_found = Signal(tuple)
    busy_changed = Signal(bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._job: JobHandle[Any] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a server is being asked."""
        return self._job is not None

    def set_library(self, library: Library | None) -> None:
        """Take another library."""
        self.cancel()
        self._library = library

    def examine(self, profile: ModelProfile, key: str | None) -> None:
        """Try what a profile's server and model can do; key None takes the stored one."""
        if self._library is not None:
            self._ask(operations.examine_profile(self._library, profile, key=key), self._on_examined)

    def list_models(self, profile: ModelProfile, key: str | None) -> None:
        """Ask a profile's server which models it has."""
        if self._library is not None:
            self._ask(operations.list_server_models(self._library, profile, key=key), self._on_listed)

    @Slot()
    def look_around(self) -> None:
        """Look which of the usual servers run on this machine."""
        if self._library is not None:
            self._ask(operations.find_model_servers(self._library), self._on_servers)

    @Slot()
    def cancel(self) -> None:
        """Wait for no answer any more."""
        if self._job is not None:
            self._job.cancel()

    def _ask(self, operation: Any, done: Any) -> None:
        if self._job is not None:
            return
        self._job = self._bridge.submit(
            operation, done=done, event=self._on_event, failed=self._on_failed, cancelled=self._end
        )
        self.busy_changed.emit(True)

    def _end(self) -> None:
        self._job = None
        self.busy_changed.emit(False)

    def _on_event(self, event: object) -> None:
        if isinstance(event, ModelAbility):
            self.found_out.emit(event)

    def _on_examined(self, report: ConnectionReport) -> None:
        self._end()
        self.examined.emit(report)

    def _on_listed(self, models: tuple[str, ...]) -> None:
        self._end()
        self.listed.emit(models)

    def _on_servers(self, servers: tuple[FoundServer, ...]) -> None:
        self._end()
        self.servers_found.emit(servers)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._end()
        self.failed.emit(error, details)
