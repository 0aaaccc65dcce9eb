"""Where each question's first right passage moved from one configuration to the other, drawn as lines."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.language import tr, trn
from workbench.ui.evaluation.dumbbells import Change, colour_of
from workbench.ui.theme import Theme, Tokens

_SIDE = 30.0
_PAD = 10.0
_DOT = 3.0
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
    def change(self) -> Change:
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


def change_of(before: int | None, after: int | None) -> Change:
    """Return whether a rank got better; not found is worse than any rank."""
    first, second = (math.inf if rank is None else rank for rank in (before, after))
    return Change.SAME if first == second else Change.BETTER if second < first else Change.WORSE


def rank_words(rank: int | None) -> str:
    """Return a rank as it is written."""
    return MISSED if rank is None else str(rank)


def slopes_of(ranks: Sequence[tuple[int | None, int | None]]) -> tuple[Slope, ...]:
    """Return the lines of the questions' ranks before and after, those that moved last, so that they are on top."""
    slopes = [Slope(before, after, number) for (before, after), number in Counter(ranks).items()]
    return tuple(sorted(slopes, key=lambda slope: (slope.change is not Change.SAME, -slope.number)))


class Slopes(QWidget):
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
        moved = [slope.words for slope in slopes if slope.change is not Change.SAME]
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
                colour_of(slope.change, tokens) if slope.change is not Change.SAME else tokens.border_strong
            )
            pen = QPen(colour, min(7.0, 1.0 + math.log2(slope.number + 1) * 0.8))
            # Never by colour alone: what got worse is a broken line.
            pen.setStyle(Qt.PenStyle.DashLine if slope.change is Change.WORSE else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            painter.drawLine(start, end)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            for point in (start, end):
                painter.drawEllipse(point, _DOT, _DOT)
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
