"""Histogram of a document's chunk lengths, with a line at the embedding model's input limit."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.language import tr, trn
from workbench.model.diagnosis import Bar, Diagnosis
from workbench.ui.theme import Theme

_GAP = 3
_TOP = 38
"""Space for the count above a bar, and for the label of the limit line."""
_FOOT = 20


class Histogram(QWidget):
    """Histogram whose bars beyond the model's input limit are drawn in the warning colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._bars: tuple[Bar, ...] = ()
        self._window = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Lengths of the chunks"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(420, 150)

    def show_diagnosis(self, diagnosis: Diagnosis) -> None:
        """Draw the chunk lengths of a document."""
        self._bars = diagnosis.bars
        self._window = diagnosis.window
        self.setAccessibleDescription("; ".join(_bar_words(bar) for bar in self._bars if bar.chunks))
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            bar = next((bar for bar, place in self._places() if place.contains(event.pos().x(), place.y())), None)
            QToolTip.showText(event.globalPos(), _bar_words(bar) if bar else "", self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font(tokens.caption))
        floor = self.height() - _FOOT
        painter.setPen(Qt.PenStyle.NoPen)
        for bar, place in self._places():
            painter.setBrush(QColor(tokens.warn if self._window and bar.high > self._window else tokens.accent))
            painter.drawRoundedRect(place, 2, 2)
        painter.setPen(QColor(tokens.border_strong))
        painter.drawLine(0, floor, self.width(), floor)
        self._paint_scale(painter, floor)
        self._paint_counts(painter)
        self._paint_window(painter, floor)
        painter.end()

    def _places(self) -> list[tuple[Bar, QRectF]]:
        if not self._bars:
            return []
        highest = max(bar.chunks for bar in self._bars) or 1
        width = self.width() / len(self._bars)
        room = self.height() - _FOOT - _TOP
        places = []
        for number, bar in enumerate(self._bars):
            # A single chunk among thousands must still be visible.
            height = max(2.0, room * bar.chunks / highest) if bar.chunks else 0.0
            left = number * width + _GAP / 2
            places.append((bar, QRectF(left, self.height() - _FOOT - height, width - _GAP, height)))
        return places

    def _paint_scale(self, painter: QPainter, floor: int) -> None:
        painter.setPen(QColor(self._theme.tokens().text_muted))
        metrics = QFontMetrics(painter.font())
        width = self.width() / max(1, len(self._bars))
        last = -100.0
        for number, bar in enumerate(self._bars):
            text = f"{bar.high:,}"
            right = (number + 1) * width
            text_width = metrics.horizontalAdvance(text)
            if right - text_width / 2 < last + 10 or right + text_width / 2 > self.width():
                continue
            painter.drawText(QPointF(right - text_width / 2, floor + metrics.ascent() + 4), text)
            last = right + text_width / 2

    def _paint_counts(self, painter: QPainter) -> None:
        metrics = QFontMetrics(painter.font())
        for bar, place in self._places():
            text = f"{bar.chunks:,}"
            text_width = metrics.horizontalAdvance(text)
            if bar.chunks and text_width <= place.width() + _GAP:
                painter.drawText(QPointF(place.center().x() - text_width / 2, place.top() - 4), text)

    def _paint_window(self, painter: QPainter, floor: int) -> None:
        if not self._window or not self._bars or self._window > self._bars[-1].high:
            return
        x = self.width() * self._window / self._bars[-1].high
        x = min(x, self.width() - 1)
        tokens = self._theme.tokens()
        painter.setPen(QPen(QColor(tokens.text_muted), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, 4), QPointF(x, floor))
        text = tr("model limit: {n:,}", n=self._window)
        metrics = QFontMetrics(painter.font())
        text_width = metrics.horizontalAdvance(text)
        left = x - text_width - 6 if x - text_width - 6 > 0 else x + 6
        painter.drawText(QPointF(left, metrics.ascent() + 1), text)


def _bar_words(bar: Bar) -> str:
    return trn(
        "{n:,} chunk of {low:,} to {high:,} tokens",
        "{n:,} chunks of {low:,} to {high:,} tokens",
        bar.chunks,
        low=bar.low,
        high=bar.high,
    )
