"""What was found in a library and what was done, as rows; and the words for its parts."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.language import mark, said, tr
from workbench.model.import_progress import ImportProgress
from workbench.model.integrity_report import BackupProgress, BackupReason, CheckProgress, Fault, Part
from workbench.ui.controls import IconLabel, label
from workbench.ui.theme import Theme

_PARTS = {
    Part.DATABASE: mark("The database file"),
    Part.TEXTS: mark("Documents and their texts"),
    Part.KEYWORDS: mark("The keyword index"),
    Part.VECTORS: mark("Vectors"),
    Part.INDEX: mark("The search index"),
    Part.FILES: mark("The library's copies of files"),
    Part.SESSIONS: mark("Sessions and answers"),
    Part.SETTINGS: mark("Settings"),
}
_REASONS = {
    BackupReason.MIGRATION: mark("before an update of the program"),
    BackupReason.REPAIR: mark("before a repair"),
    BackupReason.RESTORE: mark("in use before another backup"),
    BackupReason.WEEKLY: mark("by itself, the library being sound"),
    BackupReason.BY_HAND: mark("made by you"),
}
FOUND, DONE, LOST = ("alert", "warn"), ("check-circle", "ok"), ("error", "danger")
"""Icons of rows, with the colours that they are drawn in."""


class SoundnessRow(QWidget):
    """One sentence with its icon, and a second one below it where there is more to say."""

    def __init__(self, theme: Theme, icon: tuple[str, str], text: str, detail: str = "") -> None:
        super().__init__()
        self.setAccessibleName(f"{text} {detail}".strip())
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(text, wrap=True))
        if detail:
            words.addWidget(label(detail, "muted", wrap=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 9, 12, 9)
        row.setSpacing(12)
        row.addWidget(IconLabel(theme, icon[0], colour=icon[1], size=18), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)


def fault_row(theme: Theme, fault: Fault) -> SoundnessRow:
    """Return a row that says what is wrong, and what repair would do."""
    return SoundnessRow(theme, LOST if fault.is_loss else FOUND, said(fault.message), said(fault.remedy))


def progress_words(event: object) -> tuple[str, float | None]:
    """Return what an event of a check or a repair says of how far it is, and the share; None where nobody knows."""
    if isinstance(event, CheckProgress):
        part = tr(_PARTS[event.part])
        if not event.total:
            return part, None
        far = tr("{n:,} of {total:,}", n=event.done, total=event.total)
        return f"{part}: {far}", event.done / event.total
    if isinstance(event, BackupProgress) and event.total:
        return tr("Backing up the database"), event.done / event.total
    if isinstance(event, ImportProgress) and event.files:
        return tr("Reading files again"), event.files_done / event.files
    return "", None


def reason_words(reason: BackupReason) -> str:
    """Return why a backup was made."""
    return tr(_REASONS[reason])
