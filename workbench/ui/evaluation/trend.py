"""A figure over time, drawn: a line a configuration, a mark an evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.language import tr
from workbench.ui.theme import Theme, Tokens

_LEFT = 34.0
_PAD = 10.0
_MARK = 4.5
_NEAR = 9.0
_SHAPES = 4
STEPS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5)


@dataclass(frozen=True, slots=True)
class Point:
    """One evaluation.

    Attributes:
        id: Of the evaluation.
        place: From left to right: its number among all evaluations, oldest first.
        value: 0 to 1.
        date: As it is written below the first and the last.
        words: All of it in words.
    """

    id: int
    place: int
    value: float
    date: str
    words: str


@dataclass(frozen=True, slots=True)
class Line:
    """The evaluations of one configuration, oldest first."""

    name: str
    points: tuple[Point, ...]


class Trend(QWidget):
    """Colours and shapes tell the lines apart.

    Signals:
        chosen: The id of an evaluation that was pressed.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: tuple[Line, ...] = ()
        self._low, self._high, self._step = 0.0, 1.0, 0.25
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("nDCG over time"))
        theme.changed.connect(self.update)

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is drawn."""
        return self._lines

    def sizeHint(self) -> QSize:
        return QSize(280, 180)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 120)

    def show_lines(self, lines: tuple[Line, ...]) -> None:
        """Draw these; the scale is as narrow as they allow, so that small changes are seen."""
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

    def _place(self, point: Point) -> QPointF:
        last = max((one.place for line in self._lines for one in line.points), default=0)
        room = self.width() - _LEFT - 2 * _PAD
        x = _LEFT + _PAD + (room * point.place / last if last else room / 2)
        return QPointF(x, self._y(point.value))

    def _y(self, value: float) -> float:
        floor = self.height() - self._line_height() - _PAD
        return floor - (floor - _PAD) * (value - self._low) / (self._high - self._low)

    def _nearest(self, place: QPointF) -> Point | None:
        points = [point for line in self._lines for point in line.points]
        away = {point: (self._place(point) - place).manhattanLength() for point in points}
        found = min(points, key=away.__getitem__, default=None)
        return found if found is not None and away[found] <= 2 * _NEAR else None

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
    """Return the lowest and highest line of a scale for values from 0 to 1, and the step between its lines."""
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
    """Draw the mark of a line: disc, square, triangle or diamond."""
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
