"""Page with the evaluations of a set over time, and its trend chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSplitter, QStackedWidget, QToolTip, QVBoxLayout, QWidget

from workbench.language import mark, tr, trn
from workbench.model.evaluation import EvaluationSummary
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.controls import ElidedLabel, empty, label
from workbench.ui.evaluation.question_list import EvaluationRow, RowView
from workbench.ui.evaluation.run_presenter import RunPresenter, configuration_words, invite
from workbench.ui.localisation import day_and_time
from workbench.ui.theme import Theme, Tokens

NOTHING = ("clock", mark("No evaluations yet"), mark("Each run is saved, so that you can compare changes."))
_LINES = 5
"""Maximum number of lines that remain distinguishable; the configurations that ran last are drawn."""


class HistoryPage(QStackedWidget):
    """Page with the trend chart above the list of saved evaluations, which can be opened, compared or removed."""

    def __init__(self, measuring: RunPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measuring = measuring
        self._theme = theme
        self.trend = TrendChart(theme)
        self._legend = QVBoxLayout()
        self._legend.setSpacing(2)
        self.list = RowView(theme, tr("Evaluations"))
        self.list.offer_open(tr("Show"))
        self.list.offer(tr("Compare with current"), "Ctrl+Return", self._on_compare)
        self.list.offer(tr("Remove"), "Del", self._on_remove)
        self.list.opened.connect(self._on_opened)
        self.trend.chosen.connect(measuring.open)
        empty = EmptyState(theme, quiet=True)
        invite(empty, NOTHING)
        self.setFocusProxy(self.list)
        self.addWidget(empty)
        self.addWidget(self._make_content())
        measuring.listed.connect(self.show_history)
        self.show_history(measuring.history)

    @Slot(object)
    def show_history(self, history: tuple[EvaluationSummary, ...]) -> None:
        """Show the saved evaluations, newest first."""
        self.setCurrentIndex(1 if history else 0)
        self.list.rows.show([_make_row(one) for one in history])
        lines = lines_of(history)
        self.trend.show_lines(lines)
        empty(self._legend)
        for number, line in enumerate(lines):
            self._legend.addWidget(LegendLine(self._theme, number, line.name))

    def _make_content(self) -> QWidget:
        top = QWidget()
        upper = QVBoxLayout(top)
        upper.setContentsMargins(14, 10, 14, 8)
        upper.setSpacing(6)
        upper.addWidget(label(tr("nDCG@10 over time"), "section"))
        upper.addWidget(self.trend, 1)
        upper.addLayout(self._legend)
        splitter = QSplitter()
        splitter.setOrientation(splitter.orientation().Vertical)
        splitter.addWidget(top)
        splitter.addWidget(self.list)
        splitter.setChildrenCollapsible(False)
        return splitter

    @Slot(object)
    def _on_opened(self, subject: object) -> None:
        if isinstance(subject, EvaluationSummary):
            self._measuring.open(subject.id)

    @Slot()
    def _on_compare(self) -> None:
        subject, shown = self.list.subject, self._measuring.on_show
        if isinstance(subject, EvaluationSummary) and shown is not None:
            self._measuring.compare(subject.id, shown.evaluations[-1].summary.id)

    @Slot()
    def _on_remove(self) -> None:
        subject = self.list.subject
        if isinstance(subject, EvaluationSummary):
            self._measuring.remove(subject.id)


class LegendLine(QWidget):
    """Legend entry: the marker of a line and the name of its configuration."""

    def __init__(self, theme: Theme, number: int, name: str) -> None:
        super().__init__()
        words = ElidedLabel()
        words.setProperty("role", "caption")
        words.set_whole_text(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(LegendMark(theme, number))
        row.addWidget(words, 1)


class LegendMark(QWidget):
    """Marker of a line."""

    def __init__(self, theme: Theme, number: int) -> None:
        super().__init__()
        self._theme = theme
        self._number = number
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(16, 16)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.surface), 1.2))
        painter.setBrush(QColor(colour_of_line(self._number, tokens)))
        paint_mark(painter, QPointF(8, 8), self._number)
        painter.end()


def lines_of(history: tuple[EvaluationSummary, ...]) -> tuple[HistoryLine, ...]:
    """Return one line for each of the configurations that ran last, the latest first."""
    points: dict[str, list[HistoryPoint]] = {}
    for place, one in enumerate(reversed(history)):
        name = _name(one)
        date = day_and_time(one.began, year=False)
        words = tr("{name}: nDCG@10 {value:.2f}, {date}", name=name, value=one.metrics.ndcg, date=date)
        # Removed and inserted again, so that the configuration that ran last comes last.
        earlier = points.pop(name, [])
        points[name] = [*earlier, HistoryPoint(one.id, place, one.metrics.ndcg, date, words)]
    latest = list(points.items())[-_LINES:]
    return tuple(HistoryLine(name, tuple(found)) for name, found in reversed(latest))


def _make_row(one: EvaluationSummary) -> EvaluationRow:
    questions = trn("{n:,} question", "{n:,} questions", one.metrics.questions)
    second = [day_and_time(one.began, year=False), questions, *([tr("automatic")] if one.by_itself else [])]
    warning = tr("{n:,} missing", n=one.lost) if one.lost else ""
    return EvaluationRow(_name(one), " · ".join(second), f"{one.metrics.ndcg:.2f}", warning=warning, subject=one)


def _name(one: EvaluationSummary) -> str:
    return one.name or configuration_words(one.configuration)


_LEFT = 34.0
_PAD = 10.0
_MARK = 4.5
_NEAR = 9.0
_SHAPES = 4
STEPS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5)


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """Point of one evaluation.

    Attributes:
        id: Identifier of the evaluation.
        place: Position from left to right: the index among all evaluations, oldest first.
        value: nDCG@10, from 0 to 1.
        date: Formatted date, drawn below the first and the last point.
        words: Description for the tooltip and for screen readers.
    """

    id: int
    place: int
    value: float
    date: str
    words: str


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """Line of the evaluations of one configuration, oldest first."""

    name: str
    points: tuple[HistoryPoint, ...]


class TrendChart(QWidget):
    """Line chart of nDCG@10 over time; lines differ by colour and by the shape of their markers.

    Signals:
        chosen: Identifier of the evaluation whose point was pressed.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: tuple[HistoryLine, ...] = ()
        self._low, self._high, self._step = 0.0, 1.0, 0.25
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("nDCG over time"))
        theme.changed.connect(self.update)

    @property
    def lines(self) -> tuple[HistoryLine, ...]:
        """Lines that are drawn."""
        return self._lines

    def sizeHint(self) -> QSize:
        return QSize(280, 180)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 120)

    def show_lines(self, lines: tuple[HistoryLine, ...]) -> None:
        """Draw lines on the narrowest scale that fits them, so that small changes are visible."""
        self._lines = lines
        values = [point.value for line in lines for point in line.points]
        self._low, self._high, self._step = scale_of(values)
        self.setAccessibleDescription("; ".join(point.words for line in lines for point in line.points[-1:]))
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            point = self._nearest(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), point.words if point else "", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = self._nearest(event.position())
        if point is not None:
            self.chosen.emit(point.id)
        super().mousePressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font(tokens.caption))
        self._paint_scale(painter, tokens)
        for number, line in enumerate(self._lines):
            colour = QColor(colour_of_line(number, tokens))
            places = [self._place(point) for point in line.points]
            painter.setPen(QPen(colour, 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(QPolygonF(places))
            painter.setPen(QPen(QColor(tokens.surface), 1.2))
            painter.setBrush(colour)
            for place in places:
                paint_mark(painter, place, number)
        painter.end()

    def _line_height(self) -> float:
        return QFontMetricsF(self._theme.font(self._theme.tokens().caption)).lineSpacing()

    def _place(self, point: HistoryPoint) -> QPointF:
        last = max((one.place for line in self._lines for one in line.points), default=0)
        room = self.width() - _LEFT - 2 * _PAD
        x = _LEFT + _PAD + (room * point.place / last if last else room / 2)
        return QPointF(x, self._y(point.value))

    def _y(self, value: float) -> float:
        floor = self.height() - self._line_height() - _PAD
        return floor - (floor - _PAD) * (value - self._low) / (self._high - self._low)

    def _nearest(self, place: QPointF) -> HistoryPoint | None:
        points = [point for line in self._lines for point in line.points]
        distances = {point: (self._place(point) - place).manhattanLength() for point in points}
        found = min(points, key=distances.__getitem__, default=None)
        return found if found is not None and distances[found] <= 2 * _NEAR else None

    def _paint_scale(self, painter: QPainter, tokens: Tokens) -> None:
        height = self._line_height()
        value = self._low
        while value <= self._high + 1e-9:
            y = self._y(value)
            painter.setPen(QPen(QColor(tokens.border), 1))
            painter.drawLine(QPointF(_LEFT, y), QPointF(self.width(), y))
            painter.setPen(QColor(tokens.text_muted))
            area = QRectF(0, y - height / 2, _LEFT - 6, height)
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{value:.2f}")
            value += self._step
        points = sorted((point for line in self._lines for point in line.points), key=lambda point: point.place)
        foot = QRectF(_LEFT, self.height() - height, self.width() - _LEFT, height)
        if points:
            painter.drawText(foot, Qt.AlignmentFlag.AlignLeft, points[0].date)
        if len(points) > 1 and points[-1].date != points[0].date:
            painter.drawText(foot, Qt.AlignmentFlag.AlignRight, points[-1].date)


def scale_of(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the lowest value, the highest value and the step of a scale for values from 0 to 1."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    step = next((step for step in STEPS if (high - low) / step <= 3), STEPS[-1])
    bottom = max(0.0, int(low / step + 1e-9) * step)
    top = bottom
    while top < high - 1e-9 or top - bottom < 2 * step - 1e-9:
        top += step
    if top > 1.0 + 1e-9:
        bottom, top = max(0.0, 1.0 - (top - bottom)), 1.0
    return bottom, top, step


def colour_of_line(number: int, tokens: Tokens) -> str:
    """Return the colour of a line by its number."""
    colours = (tokens.accent, tokens.warn, tokens.ok, tokens.danger, tokens.text_muted)
    return colours[number % len(colours)]


def paint_mark(painter: QPainter, place: QPointF, number: int) -> None:
    """Draw the marker of a line: disc, square, triangle or diamond."""
    shape = number % _SHAPES
    if shape == 0:
        painter.drawEllipse(place, _MARK, _MARK)
        return
    if shape == 1:
        painter.drawRect(QRectF(place.x() - _MARK + 0.5, place.y() - _MARK + 0.5, 2 * _MARK - 1, 2 * _MARK - 1))
        return
    up = QPointF(place.x(), place.y() - _MARK - 1)
    left, right = QPointF(place.x() - _MARK - 0.5, place.y()), QPointF(place.x() + _MARK + 0.5, place.y())
    low = QPointF(0, _MARK)
    corners = [up, right, place + low + QPointF(0, 1), left] if shape == 3 else [up, right + low, left + low]
    painter.drawPolygon(QPolygonF(corners))
