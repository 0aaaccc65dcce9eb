"""The imports under way: started, summed, cancelled."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from workbench.model.import_progress import FileFinished
from workbench.ui.bridge import Bridge
from workbench.ui.library.running import Asker, Heard, ImportState, RunningImport


class Imports(QObject):
    """Several may run at a time: the user adds files while linked folders are looked through.

    Signals:
        changed: An ImportState.
        locked: An import that the user is told of has read all its files, and some of them need a password.
        ended: What became of the files of one, a list of FileFinished; and whether the user is to be told.
        failed: An error and its details.
    """

    changed = Signal(object)
    locked = Signal()
    ended = Signal(list, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._running: list[RunningImport] = []

    @property
    def state(self) -> ImportState:
        """How far they are."""
        return ImportState.of(self._running)

    def start(self, operation: Any, *, quiet: bool = False, heard: Heard | None = None) -> None:
        """Start one; a quiet one tells nobody when it ends, and heard is told whatever it tells."""
        ended = self._on_quiet_end if quiet else self._on_end
        # A folder that is watched must not put a question before someone who is reading.
        locked = None if quiet else self.locked.emit
        running = RunningImport(moved=self._on_moved, ended=ended, failed=self._on_failed, locked=locked, heard=heard)
        self._begin(running, operation)
        if not quiet:
            self._on_moved()

    def start_for(self, asker: Asker, operation: Any) -> RunningImport:
        """Start one for another program, which is told how it ends; here only its progress is shown."""

        def ended(running: RunningImport, results: list[FileFinished]) -> None:
            self._end(running)
            if running.was_cancelled:
                asker.cancelled()
            else:
                asker.done(results)

        def failed(running: RunningImport, error: BaseException, details: str) -> None:
            self._end(running)
            asker.failed(error, details)

        running = RunningImport(moved=self._on_moved, ended=ended, failed=failed, heard=asker.heard)
        self._begin(running, operation)
        return running

    def cancel(self) -> None:
        """Stop every one; what is done stays done."""
        for running in self._running:
            running.cancel()

    def _begin(self, running: RunningImport, operation: Any) -> None:
        self._running.append(running)
        running.start(self._bridge, operation)

    def _on_moved(self) -> None:
        self.changed.emit(self.state)

    def _on_end(self, running: RunningImport, results: list[FileFinished]) -> None:
        self._end(running)
        self.ended.emit(results, True)

    def _on_quiet_end(self, running: RunningImport, results: list[FileFinished]) -> None:
        self._end(running)
        self.ended.emit(results, False)

    def _on_failed(self, running: RunningImport, error: BaseException, details: str) -> None:
        self._end(running)
        self.failed.emit(error, details)

    def _end(self, running: RunningImport) -> None:
        self._running.remove(running)
        self._on_moved()
