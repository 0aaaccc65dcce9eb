"""Dialog of the integrity check: findings, repair, and the list of backups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate, trn
from workbench.model.integrity_report import Backup, Fault, Repair, Soundness
from workbench.model.memory import UNNAMED
from workbench.ui.controls import bring_up, button, empty, frame, label
from workbench.ui.dialog import Dialog, agrees
from workbench.ui.localisation import day_and_time
from workbench.ui.messages import Banner
from workbench.ui.soundness.presenter import (
    DONE,
    LOST,
    IntegrityPresenter,
    IntegrityRow,
    fault_row,
    progress_words,
    reason_words,
)
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library


ABOUT = mark(
    "Reads and compares everything in the library: database, indexes, vectors, files, "
    "answers and settings. Nothing is changed. The check also runs automatically once a week "
    "when the program is idle."
)
SOUND = mark("No problems found.")
_ASKED = mark(
    "The database is backed up first. Damaged parts are rebuilt where possible; unreadable "
    "ones are moved aside. Nothing is deleted. You cannot use the library meanwhile."
)
_STEPS = 1000


class IntegrityDialog(Dialog):
    """Dialog of the integrity check; repair and backups are available even if the library cannot be opened.

    Signals:
        repair_asked: The library is to be repaired; the user confirmed.
        restore_asked: The name of a backup to be restored; the user confirmed.
    """

    repair_asked = Signal()
    restore_asked = Signal(str)

    def __init__(self, presenter: IntegrityPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Library check"))
        self.resize(680, 580)
        self._presenter = presenter
        self._theme = theme
        self._banner = Banner(theme)
        self._summary = label("", wrap=True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, _STEPS)
        self._bar.setAccessibleName(tr("Progress of the check"))
        self._rows = QVBoxLayout()
        self._card = frame("card")
        self._check = button(tr("Check now"), "primary", presenter.check)
        self._cancel = button(tr("Cancel"), "secondary", presenter.cancel)
        self._repair = button(tr("Repair…"), "secondary", self._on_repair)
        self._backups = BackupList(presenter)
        self._lay_out()
        self._backups.restore_asked.connect(self._on_restore)
        presenter.checked.connect(self._on_checked)
        presenter.progressed.connect(self._on_progressed)
        presenter.busy_changed.connect(self._on_busy)
        presenter.failed.connect(self._banner.show_error)
        self._on_busy(False)

    def begin(self, library: Library | None, folder: Path, faults: Sequence[Fault] = ()) -> None:
        """Show the dialog for a library, with faults that are already known."""
        self._banner.hide()
        self._presenter.take(library, folder)
        if faults:
            self._on_checked(Soundness(tuple(faults)))
        elif not self._presenter.is_busy:
            self._show_rows([], "" if library is not None else tr("The library cannot be opened."))
        self._on_busy(self._presenter.is_busy)
        bring_up(self)

    def show_repair(self, repair: Repair) -> None:
        """Show the repairs, the losses, and the remaining problems."""
        theme = self._theme
        rows: list[QWidget] = [IntegrityRow(theme, DONE, translate(one)) for one in repair.done]
        rows += [IntegrityRow(theme, LOST, translate(one)) for one in repair.lost]
        rows += [fault_row(theme, fault) for fault in repair.left]
        if repair.aside:
            rows.append(
                IntegrityRow(theme, DONE, tr("Unreadable parts were moved to “{folder}”.", folder=repair.aside))
            )
        if repair.lost:
            summary = tr("The library was repaired, but some data could not be recovered.")
        else:
            summary = tr("The library was repaired. Nothing was lost.")
        self._show_rows(rows, summary if rows else tr(SOUND))
        self._repair.setVisible(bool(repair.left))

    def _lay_out(self) -> None:
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        inside = QVBoxLayout(self._card)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addLayout(self._rows)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._card)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName(tr("Findings"))
        scroll.setWidget(page)
        buttons = QHBoxLayout()
        for one in (self._check, self._cancel, self._repair):
            buttons.addWidget(one)
        buttons.addStretch(1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(button(tr("Close"), "secondary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(label(tr("Library check"), "heading"))
        layout.addWidget(self._banner)
        layout.addWidget(label(tr(ABOUT), "muted", wrap=True))
        layout.addLayout(buttons)
        layout.addWidget(self._summary)
        layout.addWidget(self._bar)
        layout.addWidget(scroll, 1)
        layout.addWidget(frame("divider"))
        layout.addWidget(self._backups)
        layout.addLayout(foot)

    def _show_rows(self, rows: Sequence[QWidget], summary: str) -> None:
        empty(self._rows)
        for number, row in enumerate(rows):
            if number:
                self._rows.addWidget(frame("divider"))
            self._rows.addWidget(row)
        self._card.setVisible(bool(rows))
        self._summary.setText(summary)
        self._summary.setVisible(bool(summary))
        self._repair.setVisible(not self._presenter.is_open)

    @Slot(object)
    def _on_checked(self, found: Soundness) -> None:
        count = trn("{n:,} problem found.", "{n:,} problems found.", len(found.faults))
        self._show_rows([fault_row(self._theme, one) for one in found.faults], count if found.faults else tr(SOUND))
        self._repair.setVisible(not found.is_sound)

    @Slot(object)
    def _on_progressed(self, event: object) -> None:
        words, share = progress_words(event)
        if words:
            self._summary.setText(words)
            self._summary.show()
            self._bar.setRange(0, 0 if share is None else _STEPS)
            self._bar.setValue(round((share or 0.0) * _STEPS))

    @Slot(bool)
    def _on_busy(self, busy: bool) -> None:
        self._check.setVisible(not busy)
        self._check.setEnabled(self._presenter.is_open)
        self._cancel.setVisible(busy)
        self._bar.setVisible(busy)
        if busy:
            self._repair.hide()
        self._backups.show_buttons()

    @Slot()
    def _on_repair(self) -> None:
        if agrees(self, tr("Repair the library"), tr("Repair the library?"), tr(_ASKED)):
            self.accept()
            self.repair_asked.emit()

    @Slot(str)
    def _on_restore(self, name: str) -> None:
        self.accept()
        self.restore_asked.emit(name)


BACKUP = Qt.ItemDataRole.UserRole
_HEIGHT = 108


class BackupList(QWidget):
    """List of backups with its buttons.

    Signals:
        restore_asked: The name of a backup to be restored; the user confirmed.
    """

    restore_asked = Signal(str)

    def __init__(self, presenter: IntegrityPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Backups"))
        self._list.setUniformItemSizes(True)
        self._none = label(
            tr("No backups yet. The program makes one every week, and before repairs and updates of the database."),
            "muted",
            wrap=True,
        )
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedWidget()
        self._pages.setFixedHeight(_HEIGHT)
        for page in (self._none, self._list):
            self._pages.addWidget(page)
        self._make = button(tr("Back up now"), "secondary", presenter.back_up)
        self._restore = button(tr("Restore…"), "secondary", self._on_restore)
        self._delete = button(tr("Delete…"), "ghost", self._on_delete)
        buttons = QHBoxLayout()
        for one in (self._make, self._restore, self._delete):
            buttons.addWidget(one)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(label(tr("Backups of the database"), "section"))
        layout.addWidget(self._pages)
        layout.addLayout(buttons)
        QShortcut(QKeySequence("Del"), self._list, context=Qt.ShortcutContext.WidgetShortcut).activated.connect(
            self._on_delete
        )
        self._list.itemSelectionChanged.connect(self.show_buttons)
        presenter.listed.connect(self._on_listed)
        self.show_buttons()

    @Slot()
    def show_buttons(self) -> None:
        """Enable the buttons that apply to the selection."""
        chosen = self._chosen() is not None
        is_free = not self._presenter.is_busy
        self._make.setEnabled(self._presenter.is_open and is_free)
        self._restore.setEnabled(chosen and is_free)
        self._delete.setEnabled(chosen and is_free)

    def _chosen(self) -> Backup | None:
        items = self._list.selectedItems()
        return items[0].data(BACKUP) if items else None

    @Slot(list)
    def _on_listed(self, backups: list[Backup]) -> None:
        self._list.clear()
        for backup in backups:
            item = QListWidgetItem(backup_words(backup))
            item.setData(BACKUP, backup)
            item.setToolTip(tip_of(backup))
            self._list.addItem(item)
        self._pages.setCurrentWidget(self._list if backups else self._none)
        self.show_buttons()

    @Slot()
    def _on_restore(self) -> None:
        backup = self._chosen()
        if backup is not None and agrees(
            self,
            tr("Restore backup"),
            tr("Restore the backup of {time}?", time=day_and_time(backup.made)),
            tr("The current database is kept as a backup. Anything added since then is not in the restored one."),
        ):
            self.restore_asked.emit(backup.name)

    @Slot()
    def _on_delete(self) -> None:
        backup = self._chosen()
        if backup is not None and agrees(
            self, tr("Delete backup"), tr("Delete the backup of {time}?", time=day_and_time(backup.made))
        ):
            self._presenter.remove(backup)


def tip_of(backup: Backup) -> str:
    """Return a backup's name, and the users whose questions it contains if one of them is named."""
    if not any(backup.users):
        return backup.name
    users = ", ".join(user or tr(UNNAMED) for user in backup.users)
    return f"{backup.name}\n{tr('Questions of: {users}', users=users)}"


def backup_words(backup: Backup) -> str:
    """Return a backup in one line: date, reason and size."""
    size = tr("{n:,} MB", n=max(1, round(backup.size / 1e6)))
    return f"{day_and_time(backup.made)} · {reason_words(backup.reason)} · {size}"
