"""The choice of a knowledge base: what is listed, added to and asked."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox

from workbench.language import mark, tr

ALL = mark("All knowledge bases")


class BaseBox(QComboBox):
    """Shown only where there is more than one.

    Signals:
        chosen: The name of one, or nothing for all.
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Knowledge base"))
        self.setToolTip(tr("Knowledge base: what is listed, added to and asked"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setVisible(False)
        self.activated.connect(self._on_activated)

    @property
    def names(self) -> list[str]:
        """The names of the knowledge bases."""
        return [self.itemData(row) for row in range(1, self.count())]

    def show_names(self, names: list[str]) -> None:
        """Offer these; one that was chosen and is gone gives way to all."""
        before = self.currentData() or ""
        self.clear()
        self.addItem(tr(ALL), "")
        for name in names:
            self.addItem(name, name)
        self.setVisible(len(names) > 1)
        self.choose(before)
        if (self.currentData() or "") != before:
            self.chosen.emit("")

    @Slot(str)
    def choose(self, name: str) -> None:
        """Show one as chosen; all, where there is none of that name."""
        self.setCurrentIndex(max(0, self.findData(name)))

    @Slot(int)
    def _on_activated(self, row: int) -> None:
        self.chosen.emit(self.itemData(row))
