"""The window of an export: which sessions, as what, with what in it; and how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from workbench.language import mark, said, tr, trn
from workbench.model.session import ExportProgress, Part
from workbench.ui.controls import button, dialog_foot, frame, label
from workbench.ui.dialog import Dialog
from workbench.ui.export.format_card import FormatCard
from workbench.ui.export.part_rows import PartRows
from workbench.ui.export.places import ask_for_target, may_replace
from workbench.ui.export.presenter import ExportPresenter
from workbench.ui.export.session_rows import SessionRows
from workbench.ui.export.wording import total, what_leaves
from workbench.ui.theme import Theme
from workbench.ui.toast import Banner

if TYPE_CHECKING:
    from workbench.model.session import SessionInfo
    from workbench.operations import Library

ALL, NONE = mark("All"), mark("None")
ONE_ARCHIVE = mark("As one ZIP file")


class ExportDialog(Dialog):
    """Formats on the left, what is in the file on the right, what leaves the machine below.

    Signals:
        said: A sentence for a toast: it was written.
    """

    said = Signal(str)

    def __init__(self, presenter: ExportPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._folder = Path.home()
        self.setWindowTitle(tr("Export"))
        self.resize(880, 620)
        self._banner = Banner(theme)
        self._cards = [FormatCard(theme, one.format, tr(one.title), tr(one.description)) for one in presenter.formats]
        self._parts = PartRows()
        self._total = label("", "caption")
        self._leaves = label("", "", wrap=True)
        self._sessions = SessionRows()
        self._count = label("", "section")
        self._all = button(tr(ALL), "link", self._on_all)
        self._none = button(tr(NONE), "link", self._on_none)
        self._archive = QCheckBox(tr(ONE_ARCHIVE))
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName(tr("How far the export is"))
        self._doing = label("", "caption")
        self._cancel = button(tr("Cancel"), "secondary", self.reject)
        self._export = button(tr("Export…"), "primary", self._on_export)
        self._export.setDefault(True)
        self._lay_out()
        self._connect()
        self._show_running(False)

    def begin(self, library: Library | None, sessions: Sequence[SessionInfo], chosen: Sequence[int]) -> None:
        """Show the dialog with sessions to choose from; an export under way goes on being shown."""
        self._banner.hide()
        if not self._presenter.is_writing:
            self._presenter.begin(library, sessions, chosen)
            self._sessions.show_sessions(sessions, self._presenter.sessions)
        self.show()
        self.raise_()
        checked = next((card for card in self._cards if card.isChecked()), None)
        if checked is not None:
            checked.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def reject(self) -> None:
        """Stop what is under way; else close."""
        if self._presenter.is_writing:
            self._presenter.cancel()
        else:
            super().reject()

    def _lay_out(self) -> None:
        formats = QVBoxLayout()
        formats.setSpacing(6)
        for card in self._cards:
            formats.addWidget(card)
        formats.addStretch(1)
        head = QHBoxLayout()
        head.addWidget(self._count, 1)
        head.addWidget(self._archive)
        head.addWidget(self._all)
        head.addWidget(self._none)
        right = QVBoxLayout()
        right.setSpacing(8)
        inside = QHBoxLayout()
        inside.addWidget(label(tr("In the file"), "section"), 1)
        inside.addWidget(self._total)
        right.addLayout(inside)
        right.addWidget(self._parts)
        right.addSpacing(4)
        right.addLayout(head)
        right.addWidget(self._sessions, 1)
        middle = QHBoxLayout()
        middle.setSpacing(20)
        middle.addLayout(formats, 5)
        middle.addLayout(right, 6)
        note = frame("banner")
        said = QHBoxLayout(note)
        said.setContentsMargins(12, 9, 12, 9)
        said.addWidget(self._leaves)
        under = QVBoxLayout()
        under.setSpacing(4)
        under.addWidget(self._doing)
        under.addWidget(self._progress)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(label(tr("Export"), "heading"))
        layout.addWidget(self._banner)
        layout.addLayout(middle, 1)
        layout.addWidget(note)
        layout.addLayout(under)
        layout.addLayout(dialog_foot(self._cancel, self._export))

    def _connect(self) -> None:
        presenter = self._presenter
        for card in self._cards:
            card.toggled.connect(self._on_format)
        self._parts.chosen.connect(self._on_part)
        self._sessions.chosen.connect(presenter.choose_sessions)
        presenter.changed.connect(self._show)
        presenter.begun.connect(self._on_begun)
        presenter.ended.connect(self._on_ended)
        presenter.progressed.connect(self._on_progress)
        presenter.written.connect(self._on_written)
        presenter.replace_asked.connect(self._on_replace_asked)
        presenter.failed.connect(self._banner.show_error)
        self._show()

    @Slot()
    def _show(self) -> None:
        presenter = self._presenter
        exporter, inventory = presenter.exporter, presenter.inventory
        for card in self._cards:
            card.setChecked(card.format == exporter.format)
        self._parts.show_parts(exporter.offered, presenter.parts, inventory)
        held = presenter.parts & exporter.offered
        self._total.setText("" if inventory is None else total(inventory, held))
        chosen = len(presenter.sessions)
        self._leaves.setText("" if inventory is None else what_leaves(inventory, held))
        self._count.setText(
            trn("{n:,} session of {all:,}", "{n:,} sessions of {all:,}", chosen, all=len(presenter.all))
        )
        self._archive.setVisible(chosen > 1)
        self._export.setEnabled(chosen > 0 and not presenter.is_writing)

    def _show_running(self, running: bool) -> None:
        for widget in (*self._cards, self._parts, self._sessions, self._all, self._none, self._archive):
            widget.setEnabled(not running)
        self._progress.setVisible(running)
        self._doing.setVisible(running)
        self._cancel.setText(tr("Stop") if running else tr("Cancel"))
        self._export.setEnabled(not running and bool(self._presenter.sessions))

    @Slot(bool)
    def _on_format(self, chosen: bool) -> None:
        card = self.sender()
        if chosen and isinstance(card, FormatCard):
            self._presenter.choose_format(card.format)

    @Slot(object, bool)
    def _on_part(self, part: Part, wanted: bool) -> None:
        self._presenter.choose_part(part, wanted)

    @Slot()
    def _on_all(self) -> None:
        self._sessions.tick_all(True)

    @Slot()
    def _on_none(self) -> None:
        self._sessions.tick_all(False)

    @Slot()
    def _on_export(self) -> None:
        presenter = self._presenter
        target = ask_for_target(
            presenter.exporter,
            presenter.titles,
            self._folder,
            as_archive=self._archive.isChecked(),
            parent=self,
        )
        if target is None:
            return
        self._folder = target.path if target.is_folder else target.path.parent
        self._banner.hide()
        # For one file the system's own dialog has asked already.
        presenter.write(target, replace=not target.is_folder)

    @Slot()
    def _on_begun(self) -> None:
        self._progress.setRange(0, 0)
        self._doing.setText(tr("Reading the session"))
        self._show_running(True)

    @Slot()
    def _on_ended(self) -> None:
        self._show_running(False)

    @Slot(object)
    def _on_progress(self, progress: ExportProgress) -> None:
        self._progress.setRange(0, progress.total)
        self._progress.setValue(progress.done)
        self._doing.setText(said(progress.doing))

    @Slot(object)
    def _on_written(self, paths: tuple[Path, ...]) -> None:
        if len(paths) == 1:
            self.said.emit(tr("Exported to {path}", path=paths[0]))
        else:
            self.said.emit(trn("{n:,} file in {folder}", "{n:,} files in {folder}", len(paths), folder=paths[0].parent))
        self.accept()

    @Slot(str)
    def _on_replace_asked(self, question: str) -> None:
        if may_replace(question, self):
            self._presenter.replace()
