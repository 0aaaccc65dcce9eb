"""The backups of the library: listed, made, deleted, put in use again after a question."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QStackedWidget, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.model.integrity_report import Backup
from workbench.model.memory import UNNAMED
from workbench.ui.asking import agrees
from workbench.ui.controls import button, label
from workbench.ui.dates import day_and_time
from workbench.ui.soundness.presenter import SoundnessPresenter
from workbench.ui.soundness.rows import reason_words

BACKUP = Qt.ItemDataRole.UserRole
_HEIGHT = 108


class BackupList(QWidget):
    """A list with its buttons.

    Signals:
        restore_asked: The name of the backup that is to be in use again; the person agreed.
    """

    restore_asked = Signal(str)

    def __init__(self, presenter: SoundnessPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Backups"))
        self._list.setUniformItemSizes(True)
        self._none = label(
            tr("None yet. One is made by itself once a week, and before a repair or a new form of the database."),
            "muted",
            wrap=True,
        )
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedWidget()
        self._pages.setFixedHeight(_HEIGHT)
        for page in (self._none, self._list):
            self._pages.addWidget(page)
        self._make = button(tr("Back up now"), "secondary", presenter.back_up)
        self._restore = button(tr("Put in use…"), "secondary", self._on_restore)
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
        """Let those buttons be pressed that have something to do."""
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
            tr("Put the backup in use"),
            tr("Put the backup of {time} in the place of the database?", time=day_and_time(backup.made)),
            tr("What is in use now is kept as a backup. What was added since then is not in this one."),
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
    """Return a backup's name, and whose questions it holds where somebody gave a name."""
    if not any(backup.users):
        return backup.name
    users = ", ".join(user or tr(UNNAMED) for user in backup.users)
    return f"{backup.name}\n{tr('What was asked by: {users}', users=users)}"


def backup_words(backup: Backup) -> str:
    """Return a backup in one line: when it was made, why, how big it is."""
    size = tr("{n:,} MB", n=max(1, round(backup.size / 1e6)))
    return f"{day_and_time(backup.made)} · {reason_words(backup.reason)} · {size}"
