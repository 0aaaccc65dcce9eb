"""The strip at the foot of the library while an import runs: how far, how long, Pause and Cancel."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from workbench.language import tr, trn
from workbench.ui.controls import ElidedLabel, button, frame
from workbench.ui.library.running import ImportState
from workbench.ui.library.wording import time_left


class ProgressStrip(QWidget):
    """Hidden while nothing runs.

    Signals:
        cancel_asked: "Cancel" was pressed.
        pause_asked: "Pause" or "Resume" was pressed: whether imports are to pause.
    """

    cancel_asked = Signal()
    pause_asked = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._state = ImportState()
        self._paused = False
        # Both grow while an import runs; the dock must not grow with them.
        self._text = ElidedLabel()
        self._left = ElidedLabel()
        self._left.setProperty("role", "caption")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName(tr("Import progress"))
        self._pause = button(tr("Pause"), "ghost", self._on_pause)
        cancel = button(tr("Cancel"), "ghost", self.cancel_asked)
        cancel.setAccessibleName(tr("Cancel every import"))
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self._left, 1)
        row.addWidget(self._pause)
        row.addWidget(cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(frame("divider"))
        inside = QVBoxLayout()
        inside.setContentsMargins(16, 2, 10, 12)
        inside.setSpacing(4)
        # A line of its own: beside the two buttons "1,180 of 1,180 files done" was cut at the width of the dock.
        inside.addWidget(self._text)
        inside.addLayout(row)
        inside.addWidget(self._bar)
        layout.addLayout(inside)
        self.show_paused(False)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return f"{self._text.accessibleName()} {self._left.accessibleName()}".strip()

    @Slot(object)
    def show_state(self, state: ImportState) -> None:
        """Show how far the imports are; nothing to tell hides the strip."""
        self._state = state
        self.setVisible(state.files > 0 and state.running > 0)
        self._text.set_whole_text(state.words)
        left = time_left(state.seconds_left)
        going = left[:1].upper() + left[1:] or tr("Reading…")
        self._left.set_whole_text(tr("Paused") if self._paused else going)
        done, total = state.chunks_done, state.chunks
        embedded = trn("{done:,} of {n:,} chunk embedded", "{done:,} of {n:,} chunks embedded", total, done=done)
        self.setToolTip(embedded if state.chunks else "")
        self._bar.setValue(state.thousandths)

    @Slot(bool)
    def show_paused(self, paused: bool) -> None:
        """Show whether imports pause."""
        self._paused = paused
        self._pause.setText(tr("Resume") if paused else tr("Pause"))
        self._pause.setMinimumWidth(self._pause.sizeHint().width())
        self._pause.setAccessibleName(tr("Go on with every import") if paused else tr("Pause every import"))
        self.show_state(self._state)

    @Slot()
    def _on_pause(self) -> None:
        self.pause_asked.emit(not self._paused)
