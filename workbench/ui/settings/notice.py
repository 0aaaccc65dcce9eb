"""The bar that says that documents keep what a setting had before, and has them indexed again."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.language import tr, trn
from workbench.ui.announcing import announce
from workbench.ui.controls import button, frame, label
from workbench.ui.settings.outdated import Outdated


class OutdatedNotice(QWidget):
    """Hidden while every document follows the settings."""

    def __init__(self, outdated: Outdated) -> None:
        super().__init__()
        self._text = label("", wrap=True)
        box = frame("banner", tone="warn")
        row = QHBoxLayout(box)
        row.setContentsMargins(12, 6, 8, 6)
        row.addWidget(self._text, 1)
        row.addWidget(button(tr("Re-index them now"), "secondary", outdated.reindex))
        row.addWidget(button(tr("Later"), "ghost", self.hide))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 12, 20, 0)
        layout.addWidget(box)
        outdated.found.connect(self._on_found)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    @Slot(int)
    def _on_found(self, documents: int) -> None:
        text = trn(
            "{n:,} document keeps what you had set before until it is indexed again.",
            "{n:,} documents keep what you had set before until they are indexed again.",
            documents,
        )
        self._text.setText(text)
        self.setVisible(documents > 0)
        if documents > 0:
            announce(self, text)
