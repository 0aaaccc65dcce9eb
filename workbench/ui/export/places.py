"""Where an export goes: a person is asked for a file, a folder or an archive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.export.base import Exporter
from workbench.export.escaping import safe_file_name
from workbench.language import said, tr
from workbench.ui.asking import agrees
from workbench.ui.export.presenter import Target

ARCHIVE = ".zip"


def ask_for_target(
    exporter: Exporter, titles: Sequence[str], folder: Path, *, as_archive: bool, parent: QWidget
) -> Target | None:
    """Return where one session or several go; None where the person thought better of it."""
    if len(titles) == 1:
        name = safe_file_name(titles[0], exporter.suffix)
        return _ask_for_file(folder / name, tr(exporter.title), exporter.suffix, parent)
    if as_archive:
        proposed = folder / f"{tr('sessions', 'file name')}{ARCHIVE}"
        return _ask_for_file(proposed, tr("ZIP archive"), ARCHIVE, parent)
    chosen = QFileDialog.getExistingDirectory(parent, tr("Folder for the files"), str(folder))
    return Target(Path(chosen), is_folder=True) if chosen else None


def may_replace(question: str, parent: QWidget) -> bool:
    """Return whether what is there may be replaced."""
    return agrees(parent, tr("Replace it?"), tr("{question} Replace it?", question=said(question)))


def _ask_for_file(proposed: Path, title: str, suffix: str, parent: QWidget) -> Target | None:
    name, _kind = QFileDialog.getSaveFileName(parent, tr("Export"), str(proposed), f"{title} (*{suffix})")
    if not name:
        return None
    path = Path(name)
    return Target(path if path.suffix.lower() == suffix else path.with_name(path.name + suffix))
