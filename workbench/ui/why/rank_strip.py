"""Rank diagram of one list of a search: its data from an explanation, and the widget that paints it."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.language import mark, tr
from workbench.model.explanation import Account, Explanation, ListKind, ListPlace
from workbench.ui.theme import Theme, Tokens

COMPARED = "compared"
GIVEN = "given"
_NAMES = {ListKind.MEANING: mark("By meaning"), ListKind.WORDS: mark("By words")}


@dataclass(frozen=True, slots=True)
class Strip:
    """A list of the search, from rank 1 at the left to its last rank at the right.

    Attributes:
        name: Name of the list.
        rank: Rank of the passage, 1-based; None if the list does not contain it.
        size: Length of the list.
        cut: Number of passages, from rank 1, that reached the next step.
        cut_words: Name of that next step: COMPARED or GIVEN.
        given: The ranks of the passages that were given.
        detail: Scores, for the tooltip.
    """

    name: str
    rank: int | None
    size: int
    cut: int
    cut_words: str
    given: tuple[int, ...] = ()
    detail: str = ""

    @property
    def came_through(self) -> bool:
        """True if the passage is among those that reached the next step."""
        return self.rank is not None and self.rank <= self.cut

    @property
    def place(self) -> str:
        """Rank of the passage, in words."""
        if self.rank is None:
            return tr("not in this list")
        return tr("{rank:,} of {size:,}", rank=self.rank, size=self.size)

    @property
    def cut_text(self) -> str:
        """Number of passages that reached the next step, in words."""
        return tr("{n:,} returned", n=self.cut) if self.cut_words == GIVEN else tr("{n:,} compared", n=self.cut)

    @property
    def all_text(self) -> str:
        """The same for a list of which all passages reached the next step."""
        given = self.cut_words == GIVEN
        return tr("all {n:,} returned", n=self.size) if given else tr("all {n:,} compared", n=self.size)

    @property
    def spoken(self) -> str:
        """Text equivalent of the whole diagram."""
        given = self.cut_words == GIVEN
        cut = tr("the first {n:,} returned", n=self.cut) if given else tr("the first {n:,} compared", n=self.cut)
        text = tr("{name}: {place}; {cut}. {detail}", name=self.name, place=self.place, cut=cut, detail=self.detail)
        return text.strip()

    def share(self, rank: int) -> float:
        """Return the horizontal position of a rank, 0 to 1, on a logarithmic scale."""
        return math.log(max(1, rank)) / math.log(self.size) if self.size > 1 else 0.0


def build_strips(explanation: Explanation, account: Account) -> list[Strip]:
    """Return the strips of a passage: one for each list that was searched, and one for the combined order."""
    strips = [_make_strip(one) for one in account.lists]
    if account.rank is not None:
        size = max(account.compared, account.rank)
        given = min(explanation.given, size)
        strips.append(
            Strip(tr("Combined"), account.rank, size, given, GIVEN, tuple(range(1, given + 1)), _score_text(account))
        )
    return strips


def _make_strip(one: ListPlace) -> Strip:
    own = f"{one.score:.3f}" if one.score is not None else tr("none", "score")
    kind = tr("Cosine") if one.kind is ListKind.MEANING else "BM25"
    score = f"{kind} {own}"
    if one.best is not None:
        score = tr("{score}, best {best:.3f}", score=score, best=one.best)
    detail = tr("{score}. Weight of this list: {share:.0%}.", score=score, share=one.weight)
    return Strip(tr(_NAMES[one.kind]), one.rank, one.size, one.looked_at, COMPARED, one.given, detail)


def _score_text(account: Account) -> str:
    if account.fused is None:
        return ""
    if account.fused_last is not None:
        score = tr(
            "Score {score:.3f}; lowest score returned: {last:.3f}.", score=account.fused, last=account.fused_last
        )
    else:
        score = tr("Score {score:.3f}.", score=account.fused)
    named = tr("Raised because the question names this document.") if account.named else ""
    rerank = tr("Reranker score: {score:.3f}.", score=account.rerank) if account.rerank is not None else ""
    return " ".join(part for part in (score, named, rerank) if part)


_BAR = 8.0
_MARK = 7.0
"""Radius of the mark of the passage; the same margin is kept at both ends."""
_GAP = 5.0


class RankStrip(QWidget):
    """A bar with a tick for each passage that was given, and a mark at the passage in question."""

    def __init__(self, theme: Theme, strip: Strip, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._strip = strip
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(strip.name)
        self.setAccessibleDescription(strip.spoken)
        self.setToolTip(strip.detail)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        line = QFontMetricsF(self._theme.font(self._theme.tokens().caption)).lineSpacing()
        return QSize(260, round(2 * line + 2 * _GAP + 2 * _MARK) + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = self._theme.font(tokens.caption)
        line = QFontMetricsF(font).lineSpacing()
        middle = line + _GAP + _MARK
        self._paint_head(painter, line, tokens)
        self._paint_bar(painter, middle, tokens)
        self._paint_mark(painter, middle, tokens)
        painter.setFont(font)
        self._paint_scale(painter, middle + _MARK + _GAP, tokens)
        painter.end()

    def _x(self, rank: int) -> float:
        return _MARK + (self.width() - 2 * _MARK) * self._strip.share(rank)

    def _paint_head(self, painter: QPainter, line: float, tokens: Tokens) -> None:
        """Write the name of the list at the left and the rank of the passage at the right."""
        row = QRectF(0, 0, self.width(), line)
        painter.setFont(self._theme.font(tokens.caption, bold=True))
        painter.setPen(QColor(tokens.text))
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft, self._strip.name)
        painter.setPen(QColor(tokens.ok if self._strip.came_through else tokens.warn))
        painter.drawText(row, Qt.AlignmentFlag.AlignRight, self._strip.place)

    def _paint_bar(self, painter: QPainter, middle: float, tokens: Tokens) -> None:
        strip = self._strip
        track = QRectF(0, middle - _BAR / 2, self.width(), _BAR)
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.setBrush(QColor(tokens.surface_sunken))
        painter.drawRoundedRect(track.adjusted(0.5, 0.5, -0.5, -0.5), _BAR / 2, _BAR / 2)
        if not strip.size or not strip.cut:
            return
        end = self.width() if strip.cut >= strip.size else self._x(strip.cut)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent_soft))
        painter.drawRoundedRect(QRectF(0, track.top(), end, _BAR), _BAR / 2, _BAR / 2)
        painter.setBrush(QColor(tokens.accent))
        for rank in strip.given:
            painter.drawRect(QRectF(self._x(rank) - 1, track.top(), 2, _BAR))
        if strip.cut < strip.size:
            painter.setPen(QPen(QColor(tokens.text_muted), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(end, middle - _MARK), QPointF(end, middle + _MARK))

    def _paint_mark(self, painter: QPainter, middle: float, tokens: Tokens) -> None:
        """Draw the passage: a dot at its rank, or a ring at the end if the list does not contain it."""
        strip = self._strip
        colour = QColor(tokens.ok if strip.came_through else tokens.warn)
        centre = QPointF(self._x(strip.rank) if strip.rank is not None else self.width() - _MARK, middle)
        painter.setPen(QPen(QColor(tokens.surface), 2) if strip.rank is not None else QPen(colour, 2))
        painter.setBrush(colour if strip.rank is not None else QColor(tokens.surface))
        painter.drawEllipse(centre, _MARK - 1, _MARK - 1)

    def _paint_scale(self, painter: QPainter, top: float, tokens: Tokens) -> None:
        """Write the length of the list and the position of the cut below the bar; omit a text that does not fit."""
        strip = self._strip
        metrics = QFontMetricsF(painter.font())
        painter.setPen(QColor(tokens.text_muted))
        baseline = top + metrics.ascent()
        if not strip.size:
            painter.drawText(QPointF(0, baseline), tr("This list is empty"))
            return
        whole = strip.cut >= strip.size
        last = strip.all_text if whole else f"{strip.size:,}"
        right = self.width() - metrics.horizontalAdvance(last)
        painter.drawText(QPointF(right, baseline), last)
        left = metrics.horizontalAdvance("1") + 2 * _GAP
        painter.drawText(QPointF(0, baseline), "1")
        if whole:
            return
        words = strip.cut_text
        wide = metrics.horizontalAdvance(words)
        start = max(left, min(self._x(strip.cut) - wide / 2, right - wide - 2 * _GAP))
        if start + wide <= right - _GAP:
            painter.drawText(QPointF(start, baseline), words)
