"""Charts that compare one or two configurations: dumbbell chart of figures, slope chart of ranks."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.language import mark, tr, trn
from workbench.ui.theme import Theme, Tokens

_DOT = 5.5
_GAP = 10.0
_ROW = 9.0
"""Pixels added to the height of a line of text."""


class DifferenceKind(StrEnum):
    """Direction of a difference between two configurations."""

    BETTER = mark("better")
    WORSE = mark("worse")
    SAME = mark("same")


@dataclass(frozen=True, slots=True)
class ComparisonFigure:
    """Metric of one or two configurations.

    Attributes:
        first: Formatted value of the first configuration.
        second: Formatted value of the second configuration; empty if there is only one.
        first_share: Position of its dot on the track, from 0 to 1.
        difference: Formatted absolute difference; empty if there is none.
        help: Explanation of the metric.
    """

    name: str
    first: str
    first_share: float
    second: str = ""
    second_share: float = 0.0
    difference: str = ""
    change: DifferenceKind = DifferenceKind.SAME
    help: str = ""

    @property
    def spoken(self) -> str:
        """Description of the metric for screen readers."""
        if not self.second:
            return f"{self.name} {self.first}"
        values = {"name": self.name, "first": self.first, "second": self.second, "change": tr(self.change.value)}
        return tr("{name}: A {first}, B {second}, {change}", **values)


class DumbbellChart(QWidget):
    """Chart with a ring for configuration A and a disc for B; arrows and words repeat the meaning of the colours."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._figures: tuple[ComparisonFigure, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Figures"))
        theme.changed.connect(self.update)

    @property
    def figures(self) -> tuple[ComparisonFigure, ...]:
        """Figures that are drawn."""
        return self._figures

    def show_figures(self, figures: tuple[ComparisonFigure, ...]) -> None:
        """Draw the given figures."""
        self._figures = figures
        self.setAccessibleDescription("; ".join(figure.spoken for figure in figures))
        self.setToolTip("\n".join(f"{figure.name}: {figure.help}" for figure in figures if figure.help))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(280, round(len(self._figures) * self._row_height()) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(220, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._figures:
            return
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetricsF(self._theme.font(tokens.caption, bold=True))
        names = max(metrics.horizontalAdvance(figure.name) for figure in self._figures) + _GAP
        values = max(metrics.horizontalAdvance(_format_values(figure)) for figure in self._figures)
        differences = max(metrics.horizontalAdvance(_format_difference(figure)) for figure in self._figures)
        right = self.width() - differences - (_GAP if differences else 0)
        height = self._row_height()
        for number, figure in enumerate(self._figures):
            row = QRectF(0, number * height, self.width(), height)
            track = QRectF(names, row.top(), max(40.0, right - values - _GAP - names), height)
            self._paint_words(painter, row, figure, right, tokens)
            self._paint_track(painter, track, figure, tokens)
        painter.end()

    def _row_height(self) -> float:
        return QFontMetricsF(self._theme.font(self._theme.tokens().caption)).lineSpacing() + _ROW

    def _paint_words(
        self, painter: QPainter, row: QRectF, figure: ComparisonFigure, right: float, tokens: Tokens
    ) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._theme.font(tokens.caption))
        painter.setPen(QColor(tokens.text_muted))
        painter.drawText(row, middle, figure.name)
        painter.setPen(QColor(tokens.text))
        painter.drawText(
            QRectF(0, row.top(), right, row.height()), middle | Qt.AlignmentFlag.AlignRight, _format_values(figure)
        )
        painter.setFont(self._theme.font(tokens.caption, bold=True))
        painter.setPen(QColor(colour_of(figure.change, tokens)))
        painter.drawText(row, middle | Qt.AlignmentFlag.AlignRight, _format_difference(figure))

    def _paint_track(self, painter: QPainter, track: QRectF, figure: ComparisonFigure, tokens: Tokens) -> None:
        middle = track.center().y()
        left, room = track.left() + _DOT, track.width() - 2 * _DOT
        first = QPointF(left + room * figure.first_share, middle)
        second = QPointF(left + room * figure.second_share, middle)
        painter.setPen(QPen(QColor(tokens.border), 3))
        painter.drawLine(QPointF(left, middle), QPointF(left + room, middle))
        if not figure.second:
            painter.setPen(QPen(QColor(tokens.accent), 3))
            painter.drawLine(QPointF(left, middle), first)
            painter.setPen(QPen(QColor(tokens.surface), 1.5))
            painter.setBrush(QColor(tokens.accent))
            painter.drawEllipse(first, _DOT, _DOT)
            return
        painter.setPen(QPen(QColor(colour_of(figure.change, tokens)), 3))
        painter.drawLine(first, second)
        painter.setPen(QPen(QColor(tokens.text_muted), 2))
        painter.setBrush(QColor(tokens.surface))
        painter.drawEllipse(first, _DOT - 1, _DOT - 1)
        painter.setPen(QPen(QColor(tokens.surface), 1.5))
        painter.setBrush(QColor(tokens.accent))
        painter.drawEllipse(second, _DOT, _DOT)


def colour_of(change: DifferenceKind, tokens: Tokens) -> str:
    """Return the colour of a difference."""
    return {DifferenceKind.BETTER: tokens.ok, DifferenceKind.WORSE: tokens.danger}.get(change, tokens.text_muted)


def _format_values(figure: ComparisonFigure) -> str:
    return f"{figure.first} → {figure.second}" if figure.second else figure.first


def _format_difference(figure: ComparisonFigure) -> str:
    if not figure.difference:
        return ""
    arrow = {DifferenceKind.BETTER: "▲ ", DifferenceKind.WORSE: "▼ "}.get(figure.change, "")
    return f"{arrow}{figure.difference}"


_SIDE = 30.0
_PAD = 10.0
_SLOPES_DOT = 3.0
_LABELS = (1, 2, 3, 5, 10, 20, 50, 100)
_NEAR = 8.0
"""Largest distance in pixels between the pointer and the line that it selects."""
MISSED = "–"


@dataclass(frozen=True, slots=True)
class Slope:
    """Group of questions whose best rank changed in the same way; a rank of None means not found.

    Attributes:
        number: Number of questions in the group.
    """

    before: int | None
    after: int | None
    number: int = 1

    @property
    def change(self) -> DifferenceKind:
        """Direction of the change in rank."""
        return change_of(self.before, self.after)

    @property
    def words(self) -> str:
        """Description of the slope for the tooltip and for screen readers."""
        before, after = (
            tr("rank {rank}", rank=rank) if rank is not None else tr("not found") for rank in (self.before, self.after)
        )
        return trn(
            "{n:,} question: {before} → {after}",
            "{n:,} questions: {before} → {after}",
            self.number,
            before=before,
            after=after,
        )


def change_of(before: int | None, after: int | None) -> DifferenceKind:
    """Return the direction of a change in rank; not found is worse than any rank."""
    first, second = (math.inf if rank is None else rank for rank in (before, after))
    return DifferenceKind.SAME if first == second else DifferenceKind.BETTER if second < first else DifferenceKind.WORSE


def rank_words(rank: int | None) -> str:
    """Return a formatted rank; a dash for None."""
    return MISSED if rank is None else str(rank)


def slopes_of(ranks: Sequence[tuple[int | None, int | None]]) -> tuple[Slope, ...]:
    """Return one slope per distinct pair of ranks; changed ranks come last, so that they are painted on top."""
    slopes = [Slope(before, after, number) for (before, after), number in Counter(ranks).items()]
    return tuple(sorted(slopes, key=lambda slope: (slope.change is not DifferenceKind.SAME, -slope.number)))


class SlopeChart(QWidget):
    """Chart with a scale of ranks on each side, rank 1 at the top; lines of more questions are thicker."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._slopes: tuple[Slope, ...] = ()
        self._last = 10
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Ranks before and after"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(260, 150)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)

    def show_slopes(self, slopes: tuple[Slope, ...], last: int) -> None:
        """Draw slopes on a scale that ends at `last` or at the highest rank, with "not found" below it."""
        self._slopes = slopes
        self._last = max(2, last, *(rank for slope in slopes for rank in (slope.before, slope.after) if rank))
        moved = [slope.words for slope in slopes if slope.change is not DifferenceKind.SAME]
        self.setAccessibleDescription("; ".join(moved) or tr("No changes"))
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            slope = self._nearest(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), slope.words if slope else "", self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_scale(painter, tokens)
        for slope in self._slopes:
            start, end = self._ends(slope)
            colour = QColor(
                colour_of(slope.change, tokens) if slope.change is not DifferenceKind.SAME else tokens.border_strong
            )
            pen = QPen(colour, min(7.0, 1.0 + math.log2(slope.number + 1) * 0.8))
            # A line that got worse is also dashed, so that its colour is not the only sign.
            pen.setStyle(Qt.PenStyle.DashLine if slope.change is DifferenceKind.WORSE else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            painter.drawLine(start, end)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            for point in (start, end):
                painter.drawEllipse(point, _SLOPES_DOT, _SLOPES_DOT)
        painter.end()

    def _y(self, rank: int | None) -> float:
        """Return the y coordinate of a rank on a logarithmic scale, which spreads the first ranks the most."""
        line = QFontMetricsF(self._theme.font(self._theme.tokens().caption)).lineSpacing()
        top, bottom = line + _PAD, self.height() - _PAD
        if rank is None:
            return bottom
        share = math.log(rank) / math.log(self._last)
        return top + (bottom - line - top) * share

    def _ends(self, slope: Slope) -> tuple[QPointF, QPointF]:
        return QPointF(_SIDE, self._y(slope.before)), QPointF(self.width() - _SIDE, self._y(slope.after))

    def _nearest(self, point: QPointF) -> Slope | None:
        """Return the slope nearest to a point; of several at the same distance, the one drawn last."""
        best, found = _NEAR, None
        for slope in self._slopes:
            start, end = self._ends(slope)
            share = (point.x() - start.x()) / max(1.0, end.x() - start.x())
            distance = abs(start.y() + (end.y() - start.y()) * share - point.y())
            if 0 <= share <= 1 and distance <= best:
                best, found = distance, slope
        return found

    def _paint_scale(self, painter: QPainter, tokens: Tokens) -> None:
        caption = self._theme.font(tokens.caption)
        line = QFontMetricsF(caption).lineSpacing()
        right = self.width() - _SIDE
        painter.setFont(self._theme.font(tokens.caption, bold=True))
        painter.setPen(QColor(tokens.text))
        painter.drawText(QRectF(0, 0, _SIDE * 2, line), Qt.AlignmentFlag.AlignHCenter, "A")
        painter.drawText(QRectF(right - _SIDE, 0, _SIDE * 2, line), Qt.AlignmentFlag.AlignHCenter, "B")
        painter.setFont(caption)
        above = 0.0
        ranks: list[int | None] = [rank for rank in _LABELS if rank <= self._last]
        for rank in (*ranks, None):
            y = self._y(rank)
            painter.setPen(QPen(QColor(tokens.border), 1))
            painter.drawLine(QPointF(_SIDE, y), QPointF(right, y))
            if rank is not None and (y - above < line or self._y(None) - y < line):
                continue
            above = y
            painter.setPen(QColor(tokens.text_muted))
            left = QRectF(0, y - line / 2, _SIDE - 8, line)
            painter.drawText(left, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, rank_words(rank))
            other = QRectF(right + 8, y - line / 2, _SIDE - 8, line)
            painter.drawText(other, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, rank_words(rank))
