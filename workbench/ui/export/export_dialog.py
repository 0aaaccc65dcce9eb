"""Export dialog: sessions, format, and parts to include."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate, trn
from workbench.model.session import ExportProgress, Inventory, Part, Parts
from workbench.ui.controls import IconButton, button, dialog_foot, frame, label
from workbench.ui.dialog import Dialog
from workbench.ui.export.presenter import (
    ALWAYS,
    APPENDIX,
    PARTS,
    ExportPresenter,
    amount,
    appendix_amount,
    ask_for_target,
    effective,
    may_replace,
    shown_parts,
    total,
    what_leaves,
)
from workbench.ui.library.document_wording import size_words
from workbench.ui.messages import Banner
from workbench.ui.sessions.model import second_line, title_of
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.session import SessionInfo
    from workbench.operations import Library


ALL, NONE = mark("All"), mark("None")
ONE_ARCHIVE = mark("As one ZIP file")


class ExportDialog(Dialog):
    """Export dialog: formats on the left, parts and sessions on the right, a privacy notice below.

    Signals:
        notified: A message for a toast after the export.
    """

    notified = Signal(str)

    def __init__(self, presenter: ExportPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._folder = Path.home()
        self.setWindowTitle(tr("Export"))
        self.resize(880, 620)
        self._banner = Banner(theme)
        self._cards = [FormatCard(theme, one.format, tr(one.title), tr(one.description)) for one in presenter.formats]
        self._parts = PartRows(theme)
        self._total = label("", "caption")
        self._leaves = label("", "", wrap=True)
        self._sessions = SessionRows()
        self._count = label("", "section")
        self._all = button(tr(ALL), "link", self._on_all)
        self._none = button(tr(NONE), "link", self._on_none)
        self._archive = QCheckBox(tr(ONE_ARCHIVE))
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName(tr("Export progress"))
        self._doing = label("", "caption")
        self._cancel = button(tr("Cancel"), "secondary", self.reject)
        self._export = button(tr("Export…"), "primary", self._on_export)
        self._export.setDefault(True)
        self._lay_out()
        self._connect()
        self._show_running(False)

    def begin(self, library: Library | None, sessions: Sequence[SessionInfo], chosen: Sequence[int]) -> None:
        """Show the dialog with sessions to choose from; a running export stays visible."""
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
        """Stop a running export, otherwise close."""
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
        parts_header = QHBoxLayout()
        parts_header.addWidget(label(tr("Contents"), "section"), 1)
        parts_header.addWidget(self._total)
        right.addLayout(parts_header)
        right.addWidget(self._parts)
        right.addSpacing(4)
        right.addLayout(head)
        right.addWidget(self._sessions, 1)
        middle = QHBoxLayout()
        middle.setSpacing(20)
        middle.addLayout(formats, 5)
        middle.addLayout(right, 6)
        note = frame("banner")
        note_layout = QHBoxLayout(note)
        note_layout.setContentsMargins(12, 9, 12, 9)
        note_layout.addWidget(self._leaves)
        progress_layout = QVBoxLayout()
        progress_layout.setSpacing(4)
        progress_layout.addWidget(self._doing)
        progress_layout.addWidget(self._progress)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(label(tr("Export"), "heading"))
        layout.addWidget(self._banner)
        layout.addLayout(middle, 1)
        layout.addWidget(note)
        layout.addLayout(progress_layout)
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
    def _on_part(self, parts: Parts, wanted: bool) -> None:
        self._presenter.choose_parts(parts, wanted)

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
        # For a single file, the system's file dialog has already asked about replacing it.
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
        self._doing.setText(translate(progress.doing))

    @Slot(object)
    def _on_written(self, paths: tuple[Path, ...]) -> None:
        if len(paths) == 1:
            self.notified.emit(tr("Exported to {path}", path=paths[0]))
        else:
            self.notified.emit(
                trn("{n:,} file in {folder}", "{n:,} files in {folder}", len(paths), folder=paths[0].parent)
            )
        self.accept()

    @Slot(str)
    def _on_replace_asked(self, question: str) -> None:
        if may_replace(question, self):
            self._presenter.replace()


_ICON = 26
_MARGIN = 12
_INDENT = 22
"""Pixels by which the parts of the technical appendix are indented."""


class FormatCard(QAbstractButton):
    """Button for a format, chosen by a click, the space bar, or with the arrow keys."""

    def __init__(self, theme: Theme, format: str, title: str, description: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.format = format
        self._theme = theme
        self._description = description
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(description)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        tokens = self._theme.tokens()
        title = QFontMetrics(self._theme.font(tokens.body)).height()
        words = QFontMetrics(self._theme.font(tokens.caption)).height()
        return QSize(300, title + 2 * words + _MARGIN)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self.rect().adjusted(1, 1, -1, -1)
        marked = self.isChecked() or self.hasFocus()
        painter.setPen(QPen(QColor(tokens.accent if marked else tokens.border), 2 if self.hasFocus() else 1))
        ground = tokens.accent_soft if self.isChecked() else tokens.hover if self.underMouse() else tokens.surface
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(area, 8, 8)
        colour = tokens.accent if self.isChecked() else tokens.text_muted
        icon = self._theme.pixmap(f"format-{self.format}", colour, _ICON)
        painter.drawPixmap(_MARGIN, (self.height() - self._theme.scaled(_ICON)) // 2, icon)
        self._write(painter)
        painter.end()

    def _write(self, painter: QPainter) -> None:
        """Draw title and description next to the icon, vertically centred together."""
        tokens = self._theme.tokens()
        font, small = self._theme.font(tokens.body), self._theme.font(tokens.caption)
        font.setBold(True)
        left = _MARGIN + self._theme.scaled(_ICON) + 12
        room = QRect(left, 0, self.width() - left - _MARGIN, self.height())
        flags = int(Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
        title = QFontMetrics(font).height()
        below = QFontMetrics(small).boundingRect(room, flags, self._description).height()
        top = max(0, (self.height() - title - below) // 2)
        for words, face, colour, place in (
            (self.text(), font, tokens.text, room.adjusted(0, top, 0, 0)),
            (self._description, small, tokens.text_muted, room.adjusted(0, top + title, 0, 0)),
        ):
            painter.setFont(face)
            painter.setPen(QColor(colour))
            painter.drawText(place, flags, words)


APPENDIX_NAME = mark("Technical appendix")
_APPENDIX_ABOUT = mark("How the answers were made: steps, tool calls, reasoning, searches and prompts.")


class PartRows(QFrame):
    """Rows of check boxes for the parts, created once and shown according to the format.

    The parts of the technical appendix have one row together, and rows of their own below it that are folded at first.

    Signals:
        chosen: Parts, and whether they are to be included.
    """

    chosen = Signal(object, bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: list[Part] = []
        self._is_open = False
        self.setProperty("role", "well")
        self._grid = QGridLayout()
        self._grid.setColumnStretch(0, 1)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(7)
        self._questions_size = label("", "muted")
        self._grid.addWidget(label(tr(ALWAYS)), 0, 0)
        self._grid.addWidget(self._questions_size, 0, 1, Qt.AlignmentFlag.AlignRight)
        self._appendix = QCheckBox(tr(APPENDIX_NAME))
        self._appendix.setToolTip(tr(_APPENDIX_ABOUT))
        self._appendix.setAccessibleDescription(tr(_APPENDIX_ABOUT))
        self._appendix.clicked.connect(self._on_appendix)
        self._appendix_size = label("", "muted")
        self._fold = IconButton(theme, "chevron-right", tr("Parts of the technical appendix"), self._on_fold)
        self._rows: dict[Part, tuple[QCheckBox, QLabel]] = {}
        for part in PARTS:
            if part is APPENDIX[0]:
                self._add_appendix()
            self._add_row(part)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.addLayout(self._grid)

    def show_parts(self, offered: Parts, parts: Parts, inventory: Inventory | None) -> None:
        """Show the parts that the format offers, and check the chosen ones."""
        self._questions_size.setText("" if inventory is None else size_words(inventory.questions.bytes))
        self._shown = shown_parts(offered, inventory)
        held = effective(parts)
        for part, (check, size) in self._rows.items():
            with QSignalBlocker(check):
                check.setChecked(part in held)
            # Parts inside the steps can only be chosen together with the steps.
            check.setEnabled(part in held or effective(parts | {part}) >= {part})
            size.setText("" if inventory is None else amount(part, inventory))
        self._appendix_size.setText("" if inventory is None else appendix_amount(self._shown, inventory))
        within = self._within()
        chosen = [part for part in within if part in held]
        state = Qt.CheckState.PartiallyChecked if chosen else Qt.CheckState.Unchecked
        self._appendix.setCheckState(Qt.CheckState.Checked if chosen and chosen == within else state)
        self._show_rows()

    def _add_row(self, part: Part) -> None:
        name, about = PARTS[part]
        check = QCheckBox(tr(name))
        check.setToolTip(tr(about))
        check.setAccessibleDescription(tr(about))
        check.setProperty("part", part.value)
        check.toggled.connect(self._on_toggled)
        size = label("", "muted")
        self._rows[part] = (check, size)
        row = QHBoxLayout()
        row.setContentsMargins(_INDENT if part in APPENDIX else 0, 0, 0, 0)
        row.addWidget(check)
        self._put(row, size)

    def _add_appendix(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self._appendix)
        row.addWidget(self._fold)
        row.addStretch(1)
        self._put(row, self._appendix_size)

    def _put(self, row: QHBoxLayout, size: QLabel) -> None:
        number = self._grid.rowCount()
        self._grid.addLayout(row, number, 0)
        self._grid.addWidget(size, number, 1, Qt.AlignmentFlag.AlignRight)

    def _within(self) -> list[Part]:
        """Return the shown parts of the technical appendix."""
        return [part for part in self._shown if part in APPENDIX]

    def _show_rows(self) -> None:
        for part, row in self._rows.items():
            for widget in row:
                widget.setVisible(part in self._shown and (self._is_open or part not in APPENDIX))
        for one in (self._appendix, self._appendix_size, self._fold):
            one.setVisible(bool(self._within()))
        self._fold.show_icon("chevron-down" if self._is_open else "chevron-right")

    @Slot()
    def _on_fold(self) -> None:
        self._is_open = not self._is_open
        self._show_rows()

    @Slot(bool)
    def _on_appendix(self, wanted: bool) -> None:
        self.chosen.emit(frozenset(APPENDIX), wanted)

    @Slot(bool)
    def _on_toggled(self, wanted: bool) -> None:
        self.chosen.emit(frozenset({Part(str(self.sender().property("part")))}), wanted)


_NUMBER = Qt.ItemDataRole.UserRole


class SessionRows(QListWidget):
    """List of sessions with check boxes, toggled by a click or the space bar.

    Signals:
        chosen: The numbers of the checked sessions.
    """

    chosen = Signal(list)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Sessions to export"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setSpacing(2)
        self.itemChanged.connect(self._on_changed)

    def show_sessions(self, sessions: Sequence[SessionInfo], ticked: Sequence[int]) -> None:
        """List sessions, and scroll to the first checked one."""
        with QSignalBlocker(self):
            self.clear()
            first = None
            for session in sessions:
                item = QListWidgetItem(title_of(session), self)
                item.setToolTip(second_line(session))
                item.setData(_NUMBER, session.id)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                is_ticked = session.id in ticked
                item.setCheckState(Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked)
                first = first or (item if is_ticked else None)
        if first is not None:
            self.setCurrentItem(first)
            self.scrollToItem(first)

    def tick_all(self, ticked: bool) -> None:
        """Check every session, or none."""
        state = Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
        with QSignalBlocker(self):
            for row in range(self.count()):
                self.item(row).setCheckState(state)
        self.viewport().update()
        self.chosen.emit(self.ticked())

    def ticked(self) -> list[int]:
        """Return the numbers of the checked sessions."""
        items = (self.item(row) for row in range(self.count()))
        return [item.data(_NUMBER) for item in items if item.checkState() is Qt.CheckState.Checked]

    @Slot(QListWidgetItem)
    def _on_changed(self, item: QListWidgetItem) -> None:
        # Clicking the check box of one selected row toggles all selected rows.
        with QSignalBlocker(self):
            for other in self.selectedItems() if item.isSelected() else ():
                other.setCheckState(item.checkState())
        self.chosen.emit(self.ticked())
