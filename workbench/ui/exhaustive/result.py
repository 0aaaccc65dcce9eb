"""One reading: how far it is, what is concluded, the table, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QScrollArea, QSplitter, QVBoxLayout, QWidget

from workbench.language import said, tr
from workbench.model.exhaustive import DocumentReading, Reading, ReadingMeter, ReadingProgress
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.controls import ElidedLabel, IconLabel, button, frame, label
from workbench.ui.exhaustive.table import ReadingTable
from workbench.ui.exhaustive.wording import progress_line, scope_line, status_line, summary_line, why_paused
from workbench.ui.network.air_gap_button import AirGapButton
from workbench.ui.theme import Theme

_CONCLUSION_HEIGHT = 110
_LOWEST = 48
_LOW = 270
_ANY = 10_000


class ReadingResult(QWidget):
    """Shows one reading, live or as it is kept.

    Signals:
        stop_asked: Read no further.
        continue_asked: Read what is left; True reads what was unreadable once more.
        citation_activated: A Citation that was pressed.
    """

    stop_asked = Signal()
    continue_asked = Signal(bool)
    citation_activated = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._question = label("", "title", wrap=True)
        self._scope = ElidedLabel()
        self._scope.setProperty("role", "caption")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("How much was read"))
        self._meter = label("", wrap=True)
        self._meter.setAccessibleName(tr("Coverage"))
        self._summary = label("", "muted", wrap=True)
        self._why = label("", wrap=True, tone="warn")
        self._why_icon = IconLabel(theme, "alert", colour="warn")
        self._switch = AirGapButton()
        self._stop = button(tr("Stop"), "secondary", self.stop_asked)
        self._continue = button(tr("Continue"), "primary", self._on_continue)
        self._again = button(tr("Read unreadable ones again"), "ghost", self._on_again)
        self.conclusion = AnswerView(theme)
        self.conclusion.setAccessibleName(tr("Conclusion"))
        self.table = ReadingTable(theme)
        self._well = self._conclusion_well()
        self._parts = QSplitter(Qt.Orientation.Vertical)
        self._lay_out()
        # What is not there yet must not ask for room: the chat stands above.
        for widget in (self._question, self._summary, self._why, self._why_icon, self._well):
            widget.hide()
        self.setFocusProxy(self.table)
        self.table.citation_activated.connect(self.citation_activated)
        self.conclusion.citation_activated.connect(self.citation_activated)

    def show_reading(self, reading: Reading, *, running: bool, busy: bool) -> None:
        """Show a reading.

        Args:
            reading: It.
            running: It is being read just now.
            busy: Another one is: this one cannot be continued meanwhile.
        """
        info = reading.info
        # The list above names it already, mostly by its question.
        self._question.setText(info.question)
        self._question.setVisible(info.question != info.name)
        self._scope.set_whole_text(scope_line(info))
        self.table.show_rows(reading.documents, offline=info.is_offline)
        self._show_meter(info.meter, status_line(info, running=running))
        self._summary.setText(summary_line(reading) if reading.documents and not running else "")
        self._meter.setToolTip("\n".join([scope_line(info), self._summary.text()]).strip())
        self._well.setVisible(bool(reading.conclusion) and not info.is_offline)
        self._parts.setSizes([_CONCLUSION_HEIGHT, max(_CONCLUSION_HEIGHT, self._parts.height() - _CONCLUSION_HEIGHT)])
        self._fit()
        told = [] if running else [why_paused(info)]
        self._say([*told, *map(said, reading.notes)])
        self._switch.follow("" if running else info.hint)
        self.conclusion.show_answer(reading.conclusion, reading.citations)
        self._stop.setVisible(running)
        self._stop.setEnabled(True)
        self._continue.setVisible(not running and (not info.is_complete or reading.outdated))
        self._again.setVisible(not running and bool(info.meter.unreadable))
        for one in (self._continue, self._again):
            one.setEnabled(not busy)

    @Slot(object)
    def show_progress(self, event: ReadingProgress) -> None:
        """Show how far it is."""
        self._show_meter(event.meter, progress_line(event))

    @Slot(object)
    def show_row(self, row: DocumentReading) -> None:
        """Show what was read of a document so far."""
        self.table.put_row(row)

    def show_stopping(self) -> None:
        """Say that it ends."""
        self._stop.setEnabled(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where there is little room the table gets it: the tool tip of the meter says the rest."""
        is_low = self.height() < _LOW
        self._scope.setVisible(not is_low)
        self._summary.setVisible(not is_low and bool(self._summary.text()))
        if is_low:
            self._parts.setSizes([_LOWEST, _ANY])

    def _show_meter(self, meter: ReadingMeter, line: str) -> None:
        self._bar.setMaximum(max(1, meter.passages))
        self._bar.setValue(meter.read)
        self._meter.setText(line)

    def _say(self, sentences: list[str]) -> None:
        text = "\n".join(sentence for sentence in sentences if sentence)
        self._why.setText(text)
        for one in (self._why, self._why_icon):
            one.setVisible(bool(text))

    def _conclusion_well(self) -> QScrollArea:
        well = QScrollArea()
        well.setWidgetResizable(True)
        well.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        well.setAccessibleName(tr("Conclusion"))
        well.setMinimumHeight(_LOWEST)
        inside = frame("pane")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.conclusion)
        column.addStretch(1)
        well.setWidget(inside)
        return well

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self._meter, 1)
        for one in (self._again, self._continue, self._stop):
            buttons.addWidget(one)
        why = QHBoxLayout()
        why.setSpacing(8)
        why.addWidget(self._why_icon, 0, Qt.AlignmentFlag.AlignTop)
        why.addWidget(self._why, 1)
        why.addWidget(self._switch, 0, Qt.AlignmentFlag.AlignTop)
        self._parts.setChildrenCollapsible(False)
        self._parts.addWidget(self._well)
        self._parts.addWidget(self.table)
        self._parts.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 4, 16, 8)
        layout.setSpacing(5)
        for widget in (self._question, self._scope):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        layout.addWidget(self._bar)
        layout.addWidget(self._summary)
        layout.addLayout(why)
        layout.addWidget(self._parts, 1)

    @Slot()
    def _on_continue(self) -> None:
        self.continue_asked.emit(False)

    @Slot()
    def _on_again(self) -> None:
        self.continue_asked.emit(True)
