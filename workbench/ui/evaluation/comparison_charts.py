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
"""Added to the height of a line of text."""


class DifferenceKind(StrEnum):
    """What a difference is."""

    BETTER = mark("better")
    WORSE = mark("worse")
    SAME = mark("same")


@dataclass(frozen=True, slots=True)
class ComparisonFigure:
    """One figure of one or two configurations.

    Attributes:
        first: Of the first one, as it is written.
        second: Of the second one; empty where there is none.
        first_share: Where its dot stands, 0 to 1.
        difference: As it is written, with its sign; empty for none.
        help: What the figure means.
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
        """All of it in words."""
        if not self.second:
            return f"{self.name} {self.first}"
        said = {"name": self.name, "first": self.first, "second": self.second, "change": tr(self.change.value)}
        return tr("{name}: A {first}, B {second}, {change}", **said)


class DumbbellChart(QWidget):
    """The ring is configuration A, the disc is B; arrows and words say what colours do."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._figures: tuple[ComparisonFigure, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Figures"))
        theme.changed.connect(self.update)

    @property
    def figures(self) -> tuple[ComparisonFigure, ...]:
        """What is drawn."""
        return self._figures

    def show_figures(self, figures: tuple[ComparisonFigure, ...]) -> None:
        """Draw these."""
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
        values = max(metrics.horizontalAdvance(_values(figure)) for figure in self._figures)
        differences = max(metrics.horizontalAdvance(_signed(figure)) for figure in self._figures)
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
            QRectF(0, row.top(), right, row.height()), middle | Qt.AlignmentFlag.AlignRight, _values(figure)
        )
        painter.setFont(self._theme.font(tokens.caption, bold=True))
        painter.setPen(QColor(colour_of(figure.change, tokens)))
        painter.drawText(row, middle | Qt.AlignmentFlag.AlignRight, _signed(figure))

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


def _values(figure: ComparisonFigure) -> str:
    return f"{figure.first} → {figure.second}" if figure.second else figure.first


def _signed(figure: ComparisonFigure) -> str:
    if not figure.difference:
        return ""
    arrow = {DifferenceKind.BETTER: "▲ ", DifferenceKind.WORSE: "▼ "}.get(figure.change, "")
    return f"{arrow}{figure.difference}"


_SIDE = 30.0
_PAD = 10.0
_SLOPES_DOT = 3.0
_LABELS = (1, 2, 3, 5, 10, 20, 50, 100)
_NEAR = 8.0
"""Pixels between the pointer and a line that is meant."""
MISSED = "–"


@dataclass(frozen=True, slots=True)
class Slope:
    """Questions that moved alike; a rank of None is a passage that was not found.

    Attributes:
        number: How many they are.
    """

    before: int | None
    after: int | None
    number: int = 1

    @property
    def change(self) -> DifferenceKind:
        """Whether they moved up or down."""
        return change_of(self.before, self.after)

    @property
    def words(self) -> str:
        """All of it in words."""
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
    """Return whether a rank got better; not found is worse than any rank."""
    first, second = (math.inf if rank is None else rank for rank in (before, after))
    return DifferenceKind.SAME if first == second else DifferenceKind.BETTER if second < first else DifferenceKind.WORSE


def rank_words(rank: int | None) -> str:
    """Return a rank as it is written."""
    return MISSED if rank is None else str(rank)


def slopes_of(ranks: Sequence[tuple[int | None, int | None]]) -> tuple[Slope, ...]:
    """Return the lines of the questions' ranks before and after, those that moved last, so that they are on top."""
    slopes = [Slope(before, after, number) for (before, after), number in Counter(ranks).items()]
    return tuple(sorted(slopes, key=lambda slope: (slope.change is not DifferenceKind.SAME, -slope.number)))


class SlopeChart(QWidget):
    """A scale of ranks at either side, first place on top; a line as thick as it stands for questions."""

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
        """Draw lines on a scale that ends at a last rank, below which stands what was not found."""
        self._slopes = slopes
        self._last = max(2, last, *(rank for slope in slopes for rank in (slope.before, slope.after) if rank))
        moved = [slope.words for slope in slopes if slope.change is not DifferenceKind.SAME]
        self.setAccessibleDescription("; ".join(moved) or tr("Nothing moved"))
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
            # Never by colour alone: what got worse is a broken line.
            pen.setStyle(Qt.PenStyle.DashLine if slope.change is DifferenceKind.WORSE else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            painter.drawLine(start, end)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            for point in (start, end):
                painter.drawEllipse(point, _SLOPES_DOT, _SLOPES_DOT)
        painter.end()

    def _y(self, rank: int | None) -> float:
        """Return the height of a rank: the first places, which matter most, are the farthest apart."""
        line = QFontMetricsF(self._theme.font(self._theme.tokens().caption)).lineSpacing()
        top, bottom = line + _PAD, self.height() - _PAD
        if rank is None:
            return bottom
        share = math.log(rank) / math.log(self._last)
        return top + (bottom - line - top) * share

    def _ends(self, slope: Slope) -> tuple[QPointF, QPointF]:
        return QPointF(_SIDE, self._y(slope.before)), QPointF(self.width() - _SIDE, self._y(slope.after))

    def _nearest(self, point: QPointF) -> Slope | None:
        """Return the line that a point is on; the one drawn last of several."""
        best, found = _NEAR, None
        for slope in self._slopes:
            start, end = self._ends(slope)
            share = (point.x() - start.x()) / max(1.0, end.x() - start.x())
            away = abs(start.y() + (end.y() - start.y()) * share - point.y())
            if 0 <= share <= 1 and away <= best:
                best, found = away, slope
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
