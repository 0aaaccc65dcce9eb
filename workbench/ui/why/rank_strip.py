"""One list of a search, drawn: its head at the left, what was compared, what was given, and the passage in it."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.language import tr
from workbench.ui.theme import Theme, Tokens
from workbench.ui.why.strips import Strip

_BAR = 8.0
_MARK = 7.0
"""Radius of the passage's mark; so much room is kept at both ends."""
_GAP = 5.0


class RankStrip(QWidget):
    """A bar with a tick for each passage given, and a mark where the passage in question stands."""

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
        """Write the list's name at the left and the passage's place at the right."""
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
        """Draw the passage: a dot in its place, a ring beyond the end where the list does not hold it."""
        strip = self._strip
        colour = QColor(tokens.ok if strip.came_through else tokens.warn)
        place = QPointF(self._x(strip.rank) if strip.rank is not None else self.width() - _MARK, middle)
        painter.setPen(QPen(QColor(tokens.surface), 2) if strip.rank is not None else QPen(colour, 2))
        painter.setBrush(colour if strip.rank is not None else QColor(tokens.surface))
        painter.drawEllipse(place, _MARK - 1, _MARK - 1)

    def _paint_scale(self, painter: QPainter, top: float, tokens: Tokens) -> None:
        """Write below the bar how long the list is and where the cut is; what has no room is left out."""
        strip = self._strip
        metrics = QFontMetricsF(painter.font())
        painter.setPen(QColor(tokens.text_muted))
        baseline = top + metrics.ascent()
        if not strip.size:
            painter.drawText(QPointF(0, baseline), tr("This list is empty"))
            return
        whole = strip.cut >= strip.size
        last = strip.all_said if whole else f"{strip.size:,}"
        right = self.width() - metrics.horizontalAdvance(last)
        painter.drawText(QPointF(right, baseline), last)
        left = metrics.horizontalAdvance("1") + 2 * _GAP
        painter.drawText(QPointF(0, baseline), "1")
        if whole:
            return
        words = strip.cut_said
        wide = metrics.horizontalAdvance(words)
        start = max(left, min(self._x(strip.cut) - wide / 2, right - wide - 2 * _GAP))
        if start + wide <= right - _GAP:
            painter.drawText(QPointF(start, baseline), words)
