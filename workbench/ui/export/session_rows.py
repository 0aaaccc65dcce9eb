"""Which sessions are exported: a list with a tick at each that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem

from workbench.language import tr
from workbench.ui.sessions.model import second_line, title_of

if TYPE_CHECKING:
    from workbench.model.session import SessionInfo

_NUMBER = Qt.ItemDataRole.UserRole


class SessionRows(QListWidget):
    """Ticked by a click or the space bar.

    Signals:
        chosen: The numbers of the ticked sessions.
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
        """List sessions, the ticked ones in view."""
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
        """Tick every session, or none."""
        state = Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
        with QSignalBlocker(self):
            for row in range(self.count()):
                self.item(row).setCheckState(state)
        self.viewport().update()
        self.chosen.emit(self.ticked())

    def ticked(self) -> list[int]:
        """Return the numbers of the ticked sessions."""
        items = (self.item(row) for row in range(self.count()))
        return [item.data(_NUMBER) for item in items if item.checkState() is Qt.CheckState.Checked]

    @Slot(QListWidgetItem)
    def _on_changed(self, item: QListWidgetItem) -> None:
        # Of several selected rows, one click on a tick speaks for all.
        with QSignalBlocker(self):
            for other in self.selectedItems() if item.isSelected() else ():
                other.setCheckState(item.checkState())
        self.chosen.emit(self.ticked())
