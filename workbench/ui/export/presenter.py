"""Presenter of an export, texts of its parts, and the dialog for the target file or folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from workbench import operations
from workbench.errors import FileIsThere
from workbench.export.base import Exporter
from workbench.export.escaping import safe_file_name
from workbench.export.format_registry import EXPORTERS, exporter_for
from workbench.language import mark, tr, translate, trn
from workbench.model.session import ExportProgress, Inventory, Part, Parts
from workbench.ui.bridge import Bridge
from workbench.ui.dialog import agrees
from workbench.ui.library.document_wording import join_with_commas, size_words

if TYPE_CHECKING:
    from workbench.model.session import SessionInfo
    from workbench.operations import Library
    from workbench.worker.job import JobHandle, Operation


@dataclass(frozen=True, slots=True)
class ExportTarget:
    """Target path of an export; with is_folder, each session is written to a file in it."""

    path: Path
    is_folder: bool = False


class ExportPresenter(QObject):
    """Holds the chosen sessions, format and parts, and runs the export.

    Signals:
        changed: The choice changed, or the inventory of the sessions arrived.
        begun: The export started.
        progressed: An ExportProgress.
        ended: The export finished, failed or was cancelled.
        written: The paths of the files.
        replace_asked: A file exists already; the message.
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
        self._target: ExportTarget | None = None
        self._handle: JobHandle[Any] | None = None
        self._asked = 0
        self.all: tuple[SessionInfo, ...] = ()
        self.sessions: tuple[int, ...] = ()
        self.inventory: Inventory | None = None

    @property
    def formats(self) -> list[Exporter]:
        """All exporters."""
        return list(EXPORTERS)

    @property
    def exporter(self) -> Exporter:
        """Exporter of the chosen format."""
        return exporter_for(self._format)

    @property
    def parts(self) -> Parts:
        """Parts to include."""
        usual = self.exporter.usual - self._left_out.get(self._format, frozenset())
        return usual | self._added.get(self._format, frozenset())

    @property
    def titles(self) -> list[str]:
        """Titles of the chosen sessions."""
        return [info.title for info in self.all if info.id in self.sessions]

    @property
    def is_writing(self) -> bool:
        """True while an export is running."""
        return self._handle is not None

    def begin(self, library: Library | None, sessions: Sequence[SessionInfo], chosen: Sequence[int]) -> None:
        """Set the available sessions, and choose some of them."""
        self._library = library
        self.all = tuple(sessions)
        self.choose_sessions(chosen)

    def choose_sessions(self, chosen: Sequence[int]) -> None:
        """Choose the sessions to export."""
        self.sessions = tuple(info.id for info in self.all if info.id in chosen)
        self.inventory = None
        self._asked += 1
        if self._library is not None and self.sessions:
            self._bridge.submit(
                operations.export_inventory(self._library, self.sessions),
                done=_InventoryRequest(self, self._asked).receive,
                failed=self.failed.emit,
            )
        self.changed.emit()

    def choose_format(self, format: str) -> None:
        """Choose the format."""
        if format != self._format:
            self._format = format
            self.changed.emit()

    def choose_parts(self, parts: Parts, wanted: bool) -> None:
        """Include or exclude parts; the choice is stored per format."""
        left_out = self._left_out.get(self._format, frozenset())
        added = self._added.get(self._format, frozenset())
        self._left_out[self._format] = left_out - parts if wanted else left_out | parts
        self._added[self._format] = added | parts if wanted else added - parts
        self.changed.emit()

    def write(self, target: ExportTarget, *, replace: bool) -> None:
        """Start writing the file or files."""
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
        """Repeat the export, and replace existing files."""
        if self._target is not None:
            self.write(self._target, replace=True)

    @Slot()
    def cancel(self) -> None:
        """Cancel the export; no partial file remains."""
        if self._handle is not None:
            self._handle.cancel()

    def receive(self, asked: int, inventory: Inventory) -> None:
        """Take the inventory of the sessions; a reply to an earlier choice is ignored."""
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


class _InventoryRequest:
    """Request for an inventory; a separate object, so that a late reply can be matched to its request."""

    def __init__(self, presenter: ExportPresenter, asked: int) -> None:
        self._presenter = presenter
        self._asked = asked

    def receive(self, inventory: Inventory) -> None:
        """Pass the reply to the presenter."""
        self._presenter.receive(self._asked, inventory)


ALWAYS = mark("Questions, answers and the cited passages")

PARTS: dict[Part, tuple[str, str]] = {
    Part.PAGES: (mark("Pictures of the cited pages"), mark("Each page once, with the cited passages highlighted.")),
    Part.STEPS: (mark("Steps"), mark("How each answer was made, step by step.")),
    Part.TOOLS: (mark("Tool calls"), mark("Arguments and results of every tool call.")),
    Part.REASONING: (mark("Reasoning"), mark("The reasoning that the model returned.")),
    Part.SEARCHES: (mark("Searches"), mark("Every passage found, with scores and hashes.")),
    Part.PROMPTS: (mark("Prompts"), mark("The exact text sent to the model.")),
    Part.ORIGINALS: (
        mark("Original documents"),
        mark("The unchanged files. Anyone who receives the bundle can open them."),
    ),
}
"""Optional parts: name and description."""

APPENDIX = (Part.STEPS, Part.TOOLS, Part.REASONING, Part.SEARCHES, Part.PROMPTS)
"""Parts that show how the answers were made; they are chosen together or one by one."""

_NAMED: dict[Part, str] = {
    Part.PAGES: mark("pictures of their pages"),
    Part.STEPS: mark("steps"),
    Part.TOOLS: mark("tool results"),
    Part.REASONING: mark("the model's reasoning"),
    Part.SEARCHES: mark("all passages found"),
    Part.PROMPTS: mark("the prompts"),
    Part.ORIGINALS: mark("the original documents"),
}
_INSIDE_STEPS = (Part.TOOLS, Part.REASONING)


def shown_parts(offered: Parts, inventory: Inventory | None) -> list[Part]:
    """Return the parts that the sessions contain, in display order."""
    known = inventory.parts if inventory is not None else {}
    return [part for part in PARTS if part in offered and (inventory is None or known[part].count)]


def amount(part: Part, inventory: Inventory) -> str:
    """Return the amount of a part as text: "12, about 1.8 MB"."""
    size = inventory.parts[part]
    if part is Part.ORIGINALS:
        return tr("{n:,}, {size}", n=size.count, size=size_words(size.bytes))
    return tr("{n:,}, about {size}", n=size.count, size=size_words(size.bytes))


def appendix_amount(shown: Iterable[Part], inventory: Inventory) -> str:
    """Return the amount of the parts of the technical appendix among the shown ones as text."""
    bytes = sum(inventory.parts[part].bytes for part in shown if part in APPENDIX)
    return tr("about {size}", size=size_words(bytes))


def total(inventory: Inventory, parts: Parts) -> str:
    """Return the approximate size of the file as text."""
    held = sum(size.bytes for part, size in inventory.parts.items() if part in effective(parts))
    return tr("About {size}, often less", size=size_words(inventory.questions.bytes + held))


def effective(parts: Parts) -> Parts:
    """Return the parts that are included in fact: without the steps, the parts inside them are left out."""
    return parts if Part.STEPS in parts else parts - set(_INSIDE_STEPS)


def what_leaves(inventory: Inventory, parts: Parts) -> str:
    """Return one sentence that lists what a recipient of the file can read."""
    questions = inventory.questions.count
    contents = [
        trn("{n:,} question with the answers", "{n:,} questions with the answers", questions),
        *([_cited(inventory)] if inventory.passages else []),
        *(tr(_NAMED[part]) for part in PARTS if part in effective(parts) and inventory.parts[part].count),
    ]
    *first, last = contents
    things = tr("{things} and {last}", things=join_with_commas(first), last=last) if first else last
    return tr("The file contains {things}. Nothing is sent anywhere.", things=things)


def _cited(inventory: Inventory) -> str:
    documents = trn("{n:,} document", "{n:,} documents", len(inventory.documents))
    return trn(
        "{n:,} passage from {documents}, with names",
        "{n:,} passages from {documents}, with names",
        inventory.passages,
        documents=documents,
    )


ARCHIVE = ".zip"


def ask_for_target(
    exporter: Exporter, titles: Sequence[str], folder: Path, *, as_archive: bool, parent: QWidget
) -> ExportTarget | None:
    """Ask for the target of one session or several; None if the user cancelled."""
    if len(titles) == 1:
        name = safe_file_name(titles[0], exporter.suffix)
        return _ask_for_file(folder / name, tr(exporter.title), exporter.suffix, parent)
    if as_archive:
        proposed = folder / f"{tr('sessions', 'file name')}{ARCHIVE}"
        return _ask_for_file(proposed, tr("ZIP archive"), ARCHIVE, parent)
    chosen = QFileDialog.getExistingDirectory(parent, tr("Folder for the files"), str(folder))
    return ExportTarget(Path(chosen), is_folder=True) if chosen else None


def may_replace(question: str, parent: QWidget) -> bool:
    """Ask whether existing files may be replaced."""
    return agrees(parent, tr("Replace it?"), tr("{question} Replace it?", question=translate(question)))


def _ask_for_file(proposed: Path, title: str, suffix: str, parent: QWidget) -> ExportTarget | None:
    name, _kind = QFileDialog.getSaveFileName(parent, tr("Export"), str(proposed), f"{title} (*{suffix})")
    if not name:
        return None
    path = Path(name)
    return ExportTarget(path if path.suffix.lower() == suffix else path.with_name(path.name + suffix))
