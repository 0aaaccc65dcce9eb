"""The strip at the foot of the library while an import runs: how far, how long, Cancel."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from workbench.ui.controls import ElidedLabel, button, frame, label
from workbench.ui.library.running import ImportState
from workbench.ui.library.wording import time_left


class ProgressStrip(QWidget):
    """Hidden while nothing runs.

    Signals:
        cancel_asked: "Cancel" was pressed.
    """

    cancel_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._text = label("")
        self._left = ElidedLabel()
        self._left.setProperty("role", "caption")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName("Import progress")
        cancel = button("Cancel", "ghost", self.cancel_asked)
        # The words grow while an import runs; the dock must not grow with them.
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._text)
        words.addWidget(self._left)
        row = QHBoxLayout()
        row.addLayout(words, 1)
        row.addWidget(cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(frame("divider"))
        inside = QVBoxLayout()
        inside.setContentsMargins(16, 2, 10, 12)
        inside.setSpacing(8)
        inside.addLayout(row)
        inside.addWidget(self._bar)
        layout.addLayout(inside)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return f"{self._text.text()} {self._left.accessibleName()}".strip()

    @Slot(object)
    def show_state(self, state: ImportState) -> None:
        """Show how far the imports are; nothing to tell hides the strip."""
        self.setVisible(state.files > 0 and state.running > 0)
        self._text.setText(f"{state.files_done:,} of {state.files:,} files done")
        left = time_left(state.seconds_left)
        self._left.set_whole_text(left[:1].upper() + left[1:] or "Reading…")
        embedded = f"{state.chunks_done:,} of {state.chunks:,} chunks embedded" if state.chunks else ""
        self.setToolTip(embedded)
        self._bar.setValue(state.thousandths)
