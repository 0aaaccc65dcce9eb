"""A bundle, or a JSON export, chosen or dropped -> a session of this library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.model.export import BUNDLE_SUFFIX
from workbench.ui.bridge import Bridge
from workbench.ui.library.wording import count
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.export import ImportedSession
    from workbench.operations import Library

FILES = f"Sessions (*{BUNDLE_SUFFIX} *.json);;All files (*)"


def bundles_among(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the bundles among files that were dropped, and the others."""
    bundles = [path for path in paths if path.suffix.lower() == BUNDLE_SUFFIX]
    return bundles, [path for path in paths if path not in bundles]


class SessionIntake(QObject):
    """Takes in one file after the other.

    Signals:
        taken: The number of the new session.
        said: A sentence for a toast.
        failed: An error and its details.
    """

    taken = Signal(object)
    said = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge

    def ask(self, library: Library | None, parent: QWidget) -> None:
        """Ask for files and take them in."""
        names, _kind = QFileDialog.getOpenFileNames(parent, "Import session", str(Path.home()), FILES)
        self.take(library, [Path(name) for name in names])

    def take(self, library: Library | None, paths: Sequence[Path]) -> None:
        """Take in these files."""
        if library is None:
            return
        for path in paths:
            self.said.emit(f"Checking “{path.name}”…")
            self._bridge.submit(operations.import_session(library, path), done=self._on_taken, failed=self.failed.emit)

    def _on_taken(self, session: ImportedSession) -> None:
        self.taken.emit(session.info.id)
        missing = len(session.missing)
        if not missing:
            self.said.emit(f"Imported “{session.info.title}”.")
            return
        are = "is" if missing == 1 else "are"
        self.said.emit(
            f"Imported “{session.info.title}”. {count(missing, 'cited document')} {are} not in this library:"
            " their passages and pages are shown as they were kept."
        )
