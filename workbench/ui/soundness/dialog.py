"""The window “Library check”: what was found in the library, its repair, its backups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from workbench.language import mark, said, tr, trn
from workbench.model.integrity_report import Fault, Repair, Soundness
from workbench.ui.asking import agrees
from workbench.ui.controls import bring_up, button, empty, frame, label
from workbench.ui.dialog import Dialog
from workbench.ui.soundness.backup_list import BackupList
from workbench.ui.soundness.presenter import SoundnessPresenter
from workbench.ui.soundness.rows import DONE, LOST, SoundnessRow, fault_row, progress_words
from workbench.ui.theme import Theme
from workbench.ui.toast import Banner

if TYPE_CHECKING:
    from workbench.operations import Library

ABOUT = mark(
    "Everything that the library holds is read and compared: its database, indexes, vectors, files, answers and"
    " settings. Nothing is changed by that. It is done by itself once a week, too, when nothing else is to be done."
)
SOUND = mark("The library is sound.")
_ASKED = mark(
    "The database is backed up first. What can be made anew is made anew; what cannot be read is set aside, and nothing"
    " is deleted. The library cannot be used meanwhile."
)
_STEPS = 1000


class SoundnessDialog(Dialog):
    """Checks when it is asked to; while no library can be opened, repair and backups are offered all the same.

    Signals:
        repair_asked: The library is to be repaired; the person agreed.
        restore_asked: The name of a backup that is to be in use again; the person agreed.
    """

    repair_asked = Signal()
    restore_asked = Signal(str)

    def __init__(self, presenter: SoundnessPresenter, theme: Theme, parent: QWidget | None = None) -> None:
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
        """Show the dialog for a library; with what was found in it already, if that is known."""
        self._banner.hide()
        self._presenter.take(library, folder)
        if faults:
            self._on_checked(Soundness(tuple(faults)))
        elif not self._presenter.is_busy:
            self._show_rows([], "" if library is not None else tr("The library cannot be opened."))
        self._on_busy(self._presenter.is_busy)
        bring_up(self)

    def show_repair(self, repair: Repair) -> None:
        """Show what a repair did, what was lost, and what is still wrong."""
        theme = self._theme
        rows: list[QWidget] = [SoundnessRow(theme, DONE, said(one)) for one in repair.done]
        rows += [SoundnessRow(theme, LOST, said(one)) for one in repair.lost]
        rows += [fault_row(theme, fault) for fault in repair.left]
        if repair.aside:
            rows.append(SoundnessRow(theme, DONE, tr("What was set aside is in “{folder}”.", folder=repair.aside)))
        if repair.lost:
            summary = tr("The library was repaired; not everything could be had back.")
        else:
            summary = tr("The library was repaired; nothing was lost.")
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
        scroll.setAccessibleName(tr("What was found"))
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
        count = trn("{n:,} thing is wrong.", "{n:,} things are wrong.", len(found.faults))
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
