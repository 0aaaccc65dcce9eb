"""The steps of a run: a live list while it works, folded to one line when the answer begins."""

import time

from PySide6.QtCore import QSize, Qt, QTimer, Slot
from PySide6.QtGui import QTransform
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from workbench.ui.chat.step_row import StepRow
from workbench.ui.chat.transcript import Step, Transcript
from workbench.ui.chat.wording import duration, steps_title
from workbench.ui.theme import Theme

_TICK = 100


class StepsPanel(QFrame):
    """Header and rows; unfolded while the run works, folded when its answer starts, after that as the reader likes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[StepRow] = []
        self._steps: tuple[Step, ...] = ()
        self._chosen: bool | None = None
        self._folded = False
        self._working = False
        self._since = 0.0
        self._angle = 0
        self._header = QPushButton()
        self._header.setProperty("variant", "ghost")
        self._header.setProperty("flush", True)
        self._header.setCursor(Qt.CursorShape.PointingHandCursor)
        self._header.setIconSize(QSize(16, 16))
        self._header.clicked.connect(self._on_header_clicked)
        self._list = QFrame()
        self._list.setProperty("role", "well")
        self._list_layout = QVBoxLayout(self._list)
        self._list_layout.setContentsMargins(12, 6, 6, 6)
        self._list_layout.setSpacing(2)
        self._list.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._header, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self._list)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK)
        self._timer.timeout.connect(self._on_tick)
        theme.changed.connect(self._on_theme_changed)

    @property
    def folded(self) -> bool:
        """Whether only the header is shown."""
        return self._folded

    @property
    def title(self) -> str:
        """The header's text."""
        return self._header.text()

    def show_transcript(self, transcript: Transcript) -> None:
        """Show the steps as they stand."""
        self._steps = tuple(transcript.steps)
        self._set_working(transcript.running and not transcript.answer, transcript.seconds)
        self._folded = not self._working if self._chosen is None else self._chosen
        if not self._working:
            self._header.setText(steps_title(transcript))
        self.setVisible(self._working or bool(self._steps))
        self._show_fold()

    def _show_rows(self) -> None:
        """Bring the rows up to date; a folded panel has none, which halves the time to open a long session."""
        for index, step in enumerate(self._steps):
            if index == len(self._rows):
                row = StepRow(self._theme, step)
                self._rows.append(row)
                self._list_layout.addWidget(row)
            elif self._rows[index].step != step:
                self._rows[index].show_step(step)

    def _set_working(self, working: bool, seconds: float) -> None:
        if working and not self._working:
            self._since = time.monotonic() - seconds
            self._timer.start()
        elif not working:
            self._timer.stop()
        self._working = working
        if working:
            self._on_tick()

    @Slot()
    def _on_tick(self) -> None:
        self._header.setText(f"Working… {duration(time.monotonic() - self._since)}")
        self._angle = (self._angle + 30) % 360
        spinner = self._theme.pixmap("spinner", self._theme.tokens().accent, 16)
        turned = spinner.transformed(QTransform().rotate(self._angle), Qt.TransformationMode.SmoothTransformation)
        side = (turned.width() - spinner.width()) // 2, (turned.height() - spinner.height()) // 2
        self._header.setIcon(turned.copy(*side, spinner.width(), spinner.height()))

    @Slot()
    def _on_header_clicked(self) -> None:
        self._chosen = not self._folded
        self._folded = self._chosen
        self._show_fold()

    @Slot()
    def _on_theme_changed(self) -> None:
        self._show_fold()

    def _show_fold(self) -> None:
        if not self._folded:
            self._show_rows()
        self._list.setVisible(not self._folded and bool(self._steps))
        if not self._working:
            self._header.setIcon(self._theme.icon("chevron-right" if self._folded else "chevron-down"))
        self._header.setAccessibleName(f"{self._header.text()}: {'show' if self._folded else 'hide'} the steps")
