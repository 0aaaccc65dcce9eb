"""Steps of a run: live list that folds when the answer begins, with meters of the budget used."""

import time
from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QTransform
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.chat.plan_list import PlanList
from workbench.ui.chat.run_progress import Meter, PlanProgress, RunSpending
from workbench.ui.chat.run_wording import duration, steps_title
from workbench.ui.chat.step_row import StepRow
from workbench.ui.chat.transcript import StepLine, Transcript
from workbench.ui.controls import button, label, restyle, set_icon
from workbench.ui.theme import Theme

_TICK = 100
ALL_DETAILS = mark("All details")


class StepsPanel(QFrame):
    """Header and rows; unfolded while the run works, folded when its answer starts, then as the user chooses.

    A step shows its result; its details, such as the reasoning, can be shown for one step or for all.

    Signals:
        decided: The ApprovalWord with the user's decision on a waiting call or plan.
    """

    decided = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[StepRow] = []
        self._steps: tuple[StepLine, ...] = ()
        self._tools = ""
        self._plan = PlanProgress()
        self._plan_list: PlanList | None = None
        self._spending = RunSpending()
        self._seconds = 0.0
        self._meters: BudgetMeters | None = None
        self._user_folded: bool | None = None
        self._folded = False
        self._working = False
        self._since = 0.0
        self._angle = 0
        self._header = QPushButton()
        self._header.setProperty("variant", "ghost")
        self._header.setProperty("flush", True)
        self._header.setCursor(Qt.CursorShape.PointingHandCursor)
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
        self._details = button(tr(ALL_DETAILS), "ghost")
        self._details.setCheckable(True)
        self._details.setAccessibleName(tr("Show the details of all steps"))
        self._details.toggled.connect(self._on_details)
        head = QHBoxLayout()
        head.addWidget(self._header)
        head.addStretch(1)
        head.addWidget(self._details)
        layout.addLayout(head)
        layout.addWidget(self._list)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK)
        self._timer.timeout.connect(self._on_tick)
        theme.changed.connect(self._on_theme_changed)

    @property
    def folded(self) -> bool:
        """True if only the header is shown."""
        return self._folded

    @property
    def title(self) -> str:
        """Text of the header."""
        return self._header.text()

    def show_transcript(self, transcript: Transcript, *, live: bool = True) -> None:
        """Show the steps of a transcript; without live, that is during a replay, they stay unfolded."""
        self._steps = tuple(transcript.steps)
        self._tools = transcript.tools
        self._plan = transcript.plan
        self._spending = transcript.spending
        self._seconds = transcript.seconds
        self._set_working(live and transcript.running and not transcript.answer, transcript.seconds)
        if transcript.waiting:
            self._user_folded = False
        self._folded = live and not self._working if self._user_folded is None else self._user_folded
        if not self._working:
            self._header.setText(steps_title(transcript))
        self.setVisible(self._working or self._has_any)
        self._show_fold()

    def _show_rows(self) -> None:
        """Update the rows; a folded panel has none, which halves the time to open a long session."""
        self._show_meters()
        self._show_plan()
        for index, step in enumerate(self._steps):
            if index == len(self._rows):
                row = StepRow(self._theme, step, self._tools)
                row.decided.connect(self.decided)
                row.show_details(self._details.isChecked())
                self._rows.append(row)
                self._place(row, index)
            elif self._rows[index].step != step:
                self._rows[index].show_step(step)
                if self._details.isChecked():
                    self._rows[index].show_details(True)
        for index, row in enumerate(self._rows):
            # During a replay an earlier moment has fewer steps.
            row.setVisible(index < len(self._steps))

    @property
    def _has_any(self) -> bool:
        return bool(self._steps) or self._plan.is_shown or self._spending.ended is not None

    def _show_meters(self) -> None:
        meters = self._spending.meters(self._seconds)
        if meters and self._meters is None:
            self._meters = BudgetMeters(self._theme)
            self._list_layout.insertWidget(0, self._meters)
        if self._meters is not None:
            self._meters.show_meters(meters)

    def _show_plan(self) -> None:
        if self._plan.is_shown and self._plan_list is None:
            self._plan_list = PlanList(self._theme)
            self._plan_list.decided.connect(self.decided)
            self._list_layout.addWidget(self._plan_list)
        if self._plan_list is not None:
            self._plan_list.show_progress(self._plan)
            self._plan_list.setVisible(self._plan.is_shown)

    def _place(self, row: StepRow, index: int) -> None:
        """Insert a row below the plan step that it belongs to, otherwise above or below the whole plan."""
        inside = self._plan_list.place_of(self._plan.step_of(index)) if self._plan_list is not None else None
        if inside is not None:
            inside.addWidget(row)
        elif self._plan_list is not None and index < self._plan.first:
            self._list_layout.insertWidget(self._list_layout.indexOf(self._plan_list), row)
        else:
            self._list_layout.addWidget(row)

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
        self._seconds = time.monotonic() - self._since
        self._header.setText(tr("Working… {time}", time=duration(self._seconds)))
        if self._meters is not None and not self._folded:
            self._meters.show_meters(self._spending.meters(self._seconds))
        self._angle = 0 if self._theme.reduces_motion else (self._angle + 30) % 360
        spinner = self._theme.pixmap("spinner", self._theme.tokens().accent, 16)
        turned = spinner.transformed(QTransform().rotate(self._angle), Qt.TransformationMode.SmoothTransformation)
        side = (turned.width() - spinner.width()) // 2, (turned.height() - spinner.height()) // 2
        self._header.setIcon(turned.copy(*side, spinner.width(), spinner.height()))

    @Slot()
    def _on_header_clicked(self) -> None:
        self._user_folded = not self._folded
        self._folded = self._user_folded
        self._show_fold()

    @Slot(bool)
    def _on_details(self, shown: bool) -> None:
        for row in self._rows:
            row.show_details(shown)
        if self._plan_list is not None:
            self._plan_list.show_details(shown)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._show_fold()

    def _show_fold(self) -> None:
        if not self._folded:
            self._show_rows()
        self._list.setVisible(not self._folded and self._has_any)
        details = any(step.body for step in self._steps) or any(step.text for step in self._plan.standing.ended)
        self._details.setVisible(not self._folded and details)
        if not self._working:
            set_icon(self._header, self._theme, "chevron-right" if self._folded else "chevron-down")
        name = mark("{title}: show the steps") if self._folded else mark("{title}: hide the steps")
        self._header.setAccessibleName(tr(name, title=self._header.text()))


_HEIGHT = 3
# Share of a limit from which the bar has the warning colour.
_NEAR = 0.8


class BudgetMeters(QWidget):
    """Row of meters that wraps at the available width; hidden if there are none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._meters: dict[str, _MeterView] = {}
        self._flow = FlowLayout(self, spacing=16)
        self.hide()

    @property
    def texts(self) -> list[str]:
        """Texts of the meters, from left to right."""
        return [view.text for view in self._meters.values()]

    def show_meters(self, meters: Sequence[Meter]) -> None:
        """Show the current usage."""
        for kind in [kind for kind in self._meters if kind not in {meter.kind for meter in meters}]:
            removed = self._meters.pop(kind)
            self._flow.removeWidget(removed)
            removed.hide()
            removed.deleteLater()
        for meter in meters:
            if meter.kind not in self._meters:
                self._meters[meter.kind] = _MeterView(self._theme)
                self._flow.addWidget(self._meters[meter.kind])
            self._meters[meter.kind].show_meter(meter)
        self.setVisible(bool(meters))


class _MeterView(QWidget):
    """A text above a bar."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._label = label("", "caption")
        self._bar = _Bar(theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 5)
        layout.setSpacing(2)
        layout.addWidget(self._label)
        layout.addWidget(self._bar)

    @property
    def text(self) -> str:
        """Text of the meter."""
        return self._label.text()

    def show_meter(self, meter: Meter) -> None:
        """Show the current usage."""
        # Called ten times a second while the run works: unchanged values must not cause a repaint.
        if self._label.text() != meter.text:
            self._label.setText(meter.text)
        tone = "warn" if meter.reached else ""
        if self._label.property("tone") != tone:
            restyle(self._label, tone=tone)
        self._bar.show_share(meter.share)


class _Bar(QWidget):
    """A thin bar for the share of a limit; the text above it contains the same information."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._share: float | None = None
        self.setFixedHeight(_HEIGHT)
        theme.changed.connect(self._on_theme_changed)

    def show_share(self, share: float | None) -> None:
        """Set the filled share; None hides the bar."""
        if share != self._share:
            self._share = share
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._share is None:
            return
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(self.rect())
        painter.setBrush(QColor(tokens.border))
        painter.drawRoundedRect(whole, _HEIGHT / 2, _HEIGHT / 2)
        painter.setBrush(QColor(tokens.warn if self._share >= _NEAR else tokens.accent))
        whole.setWidth(whole.width() * self._share)
        painter.drawRoundedRect(whole, _HEIGHT / 2, _HEIGHT / 2)

    @Slot()
    def _on_theme_changed(self) -> None:
        self.update()
