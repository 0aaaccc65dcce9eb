"""Chart of the scores of a search, and its data classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.language import mark, tr, translate
from workbench.ui.map.colouring import colours
from workbench.ui.theme import Theme, Tokens

if TYPE_CHECKING:
    from workbench.model.hit import NumberedHit, Scores
    from workbench.model.run import Run


_SIDE, _PAD = 14.0, 10.0
_MARK = 3.2
_PENS = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.SolidLine, Qt.PenStyle.DashDotLine)
_KEY = 18.0
NOTHING = mark("Select an answer to see how each step of the search ranked its hits.")
RELEVANCE = "Relevance"


class ScoreChart(QWidget):
    """Chart with a line per step of a search; scores are relative to the best of their step, except the relevance.

    Signals:
        chosen: The index of the hit that was pressed.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._plot = ScorePlot()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Scores of the hits, step by step"))
        self.setAccessibleDescription(tr(NOTHING))
        theme.changed.connect(self.update)

    @property
    def plot(self) -> ScorePlot:
        """Plot that is drawn."""
        return self._plot

    def sizeHint(self) -> QSize:
        return QSize(240, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(150, 120)

    def show_plot(self, plot: ScorePlot) -> None:
        """Draw the plot of another search."""
        self._plot = plot
        descriptions = [plot.words(place).replace("\n", ", ") for place in range(len(plot.hits))]
        self.setAccessibleDescription(f"“{plot.query}”: " + "; ".join(descriptions) if descriptions else tr(NOTHING))
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            place = self._hit_at(event.pos().x())
            QToolTip.showText(event.globalPos(), self._plot.words(place) if place is not None else "", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._hit_at(event.position().x())
        if place is not None:
            self.chosen.emit(place)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font(tokens.caption))
        if not self._plot.hits:
            painter.setPen(QColor(tokens.text_muted))
            inside = QRectF(self.rect()).adjusted(_SIDE, _PAD, -_SIDE, -_PAD)
            painter.drawText(inside, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, tr(NOTHING))
            return
        top = self._paint_key(painter, tokens)
        room = QRectF(_SIDE, top + _PAD, self.width() - 2 * _SIDE, 0)
        room.setBottom(self.height() - _PAD - QFontMetricsF(painter.font()).lineSpacing())
        self._paint_scale(painter, tokens, room)
        for number, line in enumerate(self._plot.lines):
            self._paint_line(painter, line, self._pen(number, line, tokens), room)

    def _paint_key(self, painter: QPainter, tokens: Tokens) -> float:
        """Draw the legend and return its bottom edge."""
        metrics = QFontMetricsF(painter.font())
        x, y = _SIDE, _PAD
        for number, line in enumerate(self._plot.lines):
            width = _KEY + 4 + metrics.horizontalAdvance(tr(line.name))
            if x > _SIDE and x + width > self.width() - _SIDE:
                x, y = _SIDE, y + metrics.lineSpacing()
            middle = y + metrics.lineSpacing() / 2
            painter.setPen(self._pen(number, line, tokens))
            painter.drawLine(QPointF(x, middle), QPointF(x + _KEY - 4, middle))
            painter.setPen(QColor(tokens.text_muted))
            painter.drawText(QPointF(x + _KEY, y + metrics.ascent()), tr(line.name))
            x += width + 10
        return y + metrics.lineSpacing()

    def _paint_scale(self, painter: QPainter, tokens: Tokens, room: QRectF) -> None:
        painter.setPen(QPen(QColor(tokens.border), 1))
        for share in (0.0, 0.5, 1.0):
            y = room.bottom() - share * room.height()
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(QColor(tokens.text_muted))
        end = -1.0
        for place, numbered in enumerate(self._plot.hits):
            text = str(numbered.number)
            left = self._x(place, room) - metrics.horizontalAdvance(text) / 2
            if left > end:
                painter.drawText(QPointF(left, room.bottom() + metrics.lineSpacing()), text)
                end = left + metrics.horizontalAdvance(text) + 4

    def _paint_line(self, painter: QPainter, line: ScoreLine, pen: QPen, room: QRectF) -> None:
        """Draw the line of a step, interrupted at hits that the step did not find."""
        before: QPointF | None = None
        for place, share in enumerate(line.shares):
            point = None if share is None else QPointF(self._x(place, room), room.bottom() - share * room.height())
            if point is not None:
                painter.setPen(pen)
                if before is not None:
                    painter.drawLine(before, point)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(pen.color())
                painter.drawEllipse(point, _MARK, _MARK)
            before = point

    def _pen(self, number: int, line: ScoreLine, tokens: Tokens) -> QPen:
        if line.name == RELEVANCE:
            return QPen(QColor(tokens.warn), 2.4)
        return QPen(QColor(colours(tokens)[number]), 1.6, _PENS[number % len(_PENS)])

    def _x(self, place: int, room: QRectF) -> float:
        return room.left() + room.width() * (place + 0.5) / len(self._plot.hits)

    def _hit_at(self, x: float) -> int | None:
        """Return the index of the hit at a horizontal position."""
        if not self._plot.hits or not _SIDE <= x < self.width() - _SIDE:
            return None
        return min(len(self._plot.hits) - 1, int((x - _SIDE) / (self.width() - 2 * _SIDE) * len(self._plot.hits)))


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """Step of a search.

    Attributes:
        name: Name in the inspector, in English.
        shares: Score of each hit, best first, divided by the best score of the step, 0 to 1; None if the step did not
            find it.
        texts: Formatted scores.
    """

    name: str
    shares: tuple[float | None, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScorePlot:
    """Scores of one search.

    Attributes:
        query: Query of the search.
        hits: Hits in the order of the search.
        lines: Lines of the steps that found anything.
    """

    query: str = ""
    hits: tuple[NumberedHit, ...] = ()
    lines: tuple[ScoreLine, ...] = ()

    def words(self, place: int) -> str:
        """Return a hit with all its scores, one per line."""
        numbered = self.hits[place]
        where = ", ".join(part for part in (numbered.hit.document_name, translate(numbered.hit.place)) if part)
        return "\n".join(
            [f"[{numbered.number}] {where}", *(f"{tr(line.name)}: {line.texts[place]}" for line in self.lines)]
        )


_STEPS: tuple[tuple[str, Callable[[Scores], float | None], int], ...] = (
    (mark("Meaning"), lambda scores: scores.dense, 3),
    (mark("Words"), lambda scores: scores.keyword, 2),
    (mark("Combined"), lambda scores: scores.fused, 4),
    (mark("Reranked"), lambda scores: scores.rerank, 4),
)


def score_plot(run: Run) -> ScorePlot:
    """Return the plot of the search with most cited hits in a run; of several, the first."""
    found = [reference for reference in run.references if any(not one.hit.is_outside for one in reference.hits)]
    if not found:
        return ScorePlot()
    cited = {citation.chunk for citation in run.citations if citation.valid}
    best = max(found, key=lambda one: sum(numbered.hit.chunk.id in cited for numbered in one.hits))
    hits = tuple(numbered for numbered in best.hits if not numbered.hit.is_outside)
    lines = [line for name, score, digits in _STEPS if (line := _line(name, score, digits, hits)) is not None]
    relevances = tuple(numbered.hit.scores.relevance for numbered in hits)
    lines.append(ScoreLine(mark("Relevance"), relevances, tuple(f"{one:.2f}" for one in relevances)))
    return ScorePlot(best.query, hits, tuple(lines))


def _line(
    name: str, score: Callable[[Scores], float | None], digits: int, hits: tuple[NumberedHit, ...]
) -> ScoreLine | None:
    values = [score(numbered.hit.scores) for numbered in hits]
    best = max((value for value in values if value is not None), default=0.0)
    if best <= 0:
        return None
    shares = tuple(None if value is None else min(1.0, max(0.0, value / best)) for value in values)
    return ScoreLine(name, shares, tuple(tr("not found") if one is None else f"{one:.{digits}f}" for one in values))
