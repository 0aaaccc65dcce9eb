"""The decisions of an export; works without a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench.errors import FileIsThere
from workbench.export.base import Exporter
from workbench.export.registry import EXPORTERS, exporter_for
from workbench.model.session import ExportProgress, Inventory, Part, Parts
from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.session import SessionInfo
    from workbench.operations import Library
    from workbench.worker.job import JobHandle, Operation


@dataclass(frozen=True, slots=True)
class Target:
    """Where an export goes; is_folder says that each session is a file in it."""

    path: Path
    is_folder: bool = False


class ExportPresenter(QObject):
    """Knows the sessions, the format and the parts, and has them written.

    Signals:
        changed: Something else is chosen, or what the sessions hold is known now.
        begun: A file is being written.
        progressed: An ExportProgress.
        ended: It was written, failed or was cancelled.
        written: The paths of the files.
        replace_asked: A file is there already; the sentence.
        failed: An error and its details.
    """

    changed = Signal()
    begun = Signal()
    progressed = Signal(object)
    ended = Signal()
    written = Signal(object)
    replace_asked = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._format = "html"
        self._left_out: dict[str, Parts] = {}
        self._added: dict[str, Parts] = {}
        self._target: Target | None = None
        self._handle: JobHandle[Any] | None = None
        self._asked = 0
        self.all: tuple[SessionInfo, ...] = ()
        self.sessions: tuple[int, ...] = ()
        self.inventory: Inventory | None = None

    @property
    def formats(self) -> list[Exporter]:
        """Every format."""
        return list(EXPORTERS)

    @property
    def exporter(self) -> Exporter:
        """The chosen format."""
        return exporter_for(self._format)

    @property
    def parts(self) -> Parts:
        """The parts that will be in the file."""
        usual = self.exporter.usual - self._left_out.get(self._format, frozenset())
        return usual | self._added.get(self._format, frozenset())

    @property
    def titles(self) -> list[str]:
        """The titles of the chosen sessions."""
        return [info.title for info in self.all if info.id in self.sessions]

    @property
    def is_writing(self) -> bool:
        """Whether a file is being written."""
        return self._handle is not None

    def begin(self, library: Library | None, sessions: Sequence[SessionInfo], chosen: Sequence[int]) -> None:
        """Offer these sessions, some of them chosen."""
        self._library = library
        self.all = tuple(sessions)
        self.choose_sessions(chosen)

    def choose_sessions(self, chosen: Sequence[int]) -> None:
        """Export these sessions."""
        self.sessions = tuple(info.id for info in self.all if info.id in chosen)
        self.inventory = None
        self._asked += 1
        if self._library is not None and self.sessions:
            self._bridge.submit(
                operations.export_inventory(self._library, self.sessions),
                done=_Answer(self, self._asked).receive,
                failed=self.failed.emit,
            )
        self.changed.emit()

    def choose_format(self, format: str) -> None:
        """Export in this format."""
        if format != self._format:
            self._format = format
            self.changed.emit()

    def choose_part(self, part: Part, wanted: bool) -> None:
        """Have a part in the file, or not; each format remembers it for itself."""
        left_out = self._left_out.get(self._format, frozenset())
        added = self._added.get(self._format, frozenset())
        self._left_out[self._format] = left_out - {part} if wanted else left_out | {part}
        self._added[self._format] = added | {part} if wanted else added - {part}
        self.changed.emit()

    def write(self, target: Target, *, replace: bool) -> None:
        """Write the file or files."""
        if self._library is None or not self.sessions or self.is_writing:
            return
        self._target = target
        operation: Operation[Any]
        parts, path = self.parts, target.path
        if target.is_folder or len(self.sessions) > 1:
            operation = operations.export_sessions(
                self._library, self.sessions, self._format, path, parts=parts, replace=replace
            )
        else:
            (session,) = self.sessions
            operation = operations.export_session(
                self._library, session, self._format, path, parts=parts, replace=replace
            )
        self._handle = self._bridge.submit(
            operation,
            done=self._on_written,
            event=self._on_event,
            failed=self._on_failed,
            cancelled=self._on_ended,
        )
        self.begun.emit()

    def replace(self) -> None:
        """Write the same again, over what is there."""
        if self._target is not None:
            self.write(self._target, replace=True)

    @Slot()
    def cancel(self) -> None:
        """Stop writing; nothing is left of the file."""
        if self._handle is not None:
            self._handle.cancel()

    def receive(self, asked: int, inventory: Inventory) -> None:
        """Take what the sessions hold; an answer to an earlier choice is ignored."""
        if asked == self._asked:
            self.inventory = inventory
            self.changed.emit()

    def _on_event(self, event: object) -> None:
        if isinstance(event, ExportProgress):
            self.progressed.emit(event)

    def _on_written(self, paths: Path | tuple[Path, ...]) -> None:
        self._on_ended()
        self.written.emit(paths if isinstance(paths, tuple) else (paths,))

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._on_ended()
        if isinstance(error, FileIsThere):
            self.replace_asked.emit(error.message)
        else:
            self.failed.emit(error, details)

    def _on_ended(self) -> None:
        self._handle = None
        self.ended.emit()


class _Answer:
    """One question for an inventory; its own object, so that a late answer is known by when it was asked."""

    def __init__(self, presenter: ExportPresenter, asked: int) -> None:
        self._presenter = presenter
        self._asked = asked

    def receive(self, inventory: Inventory) -> None:
        """Pass the answer on."""
        self._presenter.receive(self._asked, inventory)
