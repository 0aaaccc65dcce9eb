"""What will be in the file: what always is, and what can be left out, with about how much it takes."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLabel, QVBoxLayout

from workbench.language import tr
from workbench.model.session import Inventory, Part, Parts
from workbench.ui.controls import label
from workbench.ui.export.wording import ALWAYS, PARTS, amount, effective, shown_parts
from workbench.ui.library.wording import size_words


class PartRows(QFrame):
    """The rows; made once, and shown as the format offers them.

    Signals:
        chosen: A part, and whether it is wanted.
    """

    chosen = Signal(object, bool)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "well")
        self._grid = QGridLayout()
        self._grid.setColumnStretch(0, 1)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(7)
        self._said = label("", "muted")
        self._grid.addWidget(label(tr(ALWAYS)), 0, 0)
        self._grid.addWidget(self._said, 0, 1, Qt.AlignmentFlag.AlignRight)
        self._rows: dict[Part, tuple[QCheckBox, QLabel]] = {}
        for number, (part, (name, about)) in enumerate(PARTS.items(), start=1):
            check = QCheckBox(tr(name))
            check.setToolTip(tr(about))
            check.setAccessibleDescription(tr(about))
            check.setProperty("part", part.value)
            check.toggled.connect(self._on_toggled)
            size = label("", "muted")
            self._rows[part] = (check, size)
            self._grid.addWidget(check, number, 0)
            self._grid.addWidget(size, number, 1, Qt.AlignmentFlag.AlignRight)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(14, 12, 14, 12)
        inside.addLayout(self._grid)

    def show_parts(self, offered: Parts, parts: Parts, inventory: Inventory | None) -> None:
        """Show what the format offers and what of it is chosen."""
        self._said.setText("" if inventory is None else size_words(inventory.questions.bytes))
        shown = shown_parts(offered, inventory)
        held = effective(parts)
        for part, (check, size) in self._rows.items():
            check.setVisible(part in shown)
            size.setVisible(part in shown)
            with QSignalBlocker(check):
                check.setChecked(part in held)
            # Inside the steps: without those there is no choice left.
            check.setEnabled(part in held or effective(parts | {part}) >= {part})
            size.setText("" if inventory is None else amount(part, inventory))

    @Slot(bool)
    def _on_toggled(self, wanted: bool) -> None:
        self.chosen.emit(Part(str(self.sender().property("part"))), wanted)
