"""A bundle, or a JSON export, chosen or dropped -> a session of this library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.language import mark, tr, trn
from workbench.model.session import BUNDLE_SUFFIX
from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.session import ImportedSession
    from workbench.operations import Library

FILES = mark("Sessions (*{bundle} *.json);;All files (*)")


def bundles_among(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the bundles among files that were dropped, and the others."""
    bundles = [path for path in paths if path.suffix.lower() == BUNDLE_SUFFIX]
    return bundles, [path for path in paths if path not in bundles]


class SessionIntake(QObject):
    """Takes in one file after the other.

    Signals:
        taken: The number of the new session.
        said: A sentence for a toast.
        offered: A sentence for a toast, and the numbers of the documents that can be added.
        failed: An error and its details.
    """

    taken = Signal(object)
    said = Signal(str)
    offered = Signal(str, object)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge

    def ask(self, library: Library | None, parent: QWidget) -> None:
        """Ask for files and take them in."""
        files = tr(FILES, bundle=BUNDLE_SUFFIX)
        names, _kind = QFileDialog.getOpenFileNames(parent, tr("Import session"), str(Path.home()), files)
        self.take(library, [Path(name) for name in names])

    def take(self, library: Library | None, paths: Sequence[Path]) -> None:
        """Take in these files."""
        if library is None:
            return
        for path in paths:
            self.said.emit(tr("Checking “{name}”…", name=path.name))
            taking = operations.import_session(library, path, keep_originals=True)
            self._bridge.submit(taking, done=self._on_taken, failed=self.failed.emit)

    def _on_taken(self, session: ImportedSession) -> None:
        self.taken.emit(session.info.id)
        missing = len(session.missing)
        if not missing:
            self.said.emit(tr("Imported “{title}”.", title=session.info.title))
            return
        self._tell(
            session.originals,
            trn(
                "Imported “{title}”. {n:,} cited document is not in this library:"
                " their passages and pages are shown as they were kept.",
                "Imported “{title}”. {n:,} cited documents are not in this library:"
                " their passages and pages are shown as they were kept.",
                missing,
                title=session.info.title,
            ),
        )

    def _tell(self, originals: tuple[int, ...], words: str) -> None:
        if originals:
            self.offered.emit(words, originals)
        else:
            self.said.emit(words)
