"""Diagram of the traffic across the border of this machine: one line per host, the wider the more was sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.language import tr, trn
from workbench.model.egress import HostTotal
from workbench.ui.library.document_wording import join_with_commas
from workbench.ui.network.model import bytes_words
from workbench.ui.theme import Theme, Tokens

MOST = 6
"""Maximum number of lines; hosts without one share the last."""
_FEWEST, _LOWEST = 3, 2
"""Minimum number of lines in little space, and number of lines that an empty diagram has space for."""
_PAD = 10.0
_SOURCE = 20.0
"""Distance from the left edge to the start of all lines: the middle of the library icon."""
_ICON = 18
_BORDER = 0.44
"""Share of the width that represents this machine."""
_BEYOND = 26.0
"""Length of a line beyond the border, before its arrow."""
_ARROW = 4.0
_BOTH = 130.0
"""Width for a host and the amount sent; with less only the host is shown, and the line's width shows the amount."""
_THINNEST, _THICKEST, _OF_HERE = 1.4, 9.0, 4.0


@dataclass(frozen=True, slots=True)
class DiagramLayout:
    """Layout of the diagram.

    Attributes:
        width: Width of the diagram in pixels.
        line: Height of a line of text.
        rows: Number of rows, one below the other.
        icon: Width and height of an icon.
    """

    width: float
    line: float
    rows: int
    icon: float

    @property
    def row(self) -> float:
        """Height of a row."""
        return self.line + 8

    @property
    def top(self) -> float:
        """Top of the first row, below the names of both sides."""
        return _PAD + self.line + 6

    @property
    def height(self) -> float:
        """Height of the whole diagram."""
        return self.top + self.rows * self.row + _PAD

    @property
    def border(self) -> float:
        """Horizontal position of the border."""
        return round(self.width * _BORDER) + 0.5

    @property
    def source(self) -> QPointF:
        """Point where all lines begin."""
        return QPointF(_SOURCE, self.top + self.rows * self.row / 2)

    def middle(self, row: int) -> float:
        """Return the vertical position of a row's line."""
        return self.top + (row + 0.5) * self.row

    def band(self, row: int, *, is_here: bool) -> QRectF:
        """Return the area of a host's text, before or beyond the border."""
        left = _SOURCE + self.icon + 14 if is_here else self.border + _BEYOND + 4
        right = self.border - 10 if is_here else self.width - 4
        return QRectF(left, self.middle(row) - self.row / 2, right - left, self.row)


class TrafficDiagram(QWidget):
    """Diagram in which only traffic to other machines crosses the border; local and refused requests end before it.

    Signals:
        host_chosen: A host whose line was pressed.
    """

    host_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._all: tuple[HostTotal, ...] = ()
        self._hosts: tuple[HostTotal, ...] = ()
        self._most, self._more = MOST, 0
        self._is_closed = True
        self._hovered_row = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Traffic between this computer and the network"))
        theme.changed.connect(self._on_theme_changed)

    @property
    def hosts(self) -> tuple[HostTotal, ...]:
        """Hosts that have their own line, from top to bottom."""
        return self._hosts

    def show_hosts(self, hosts: Sequence[HostTotal]) -> None:
        """Draw hosts: first those that received something, the most first; then refused ones; then this machine."""
        self._all = tuple(
            sorted(hosts, key=lambda one: (one.is_here, not one.sent, -one.sent, -one.requests, one.host))
        )
        self._choose()

    def keep_within(self, height: int) -> None:
        """Fit the number of lines to a height, with at least _FEWEST; hide the diagram if not even _LOWEST fit."""
        ground = self._ground
        self.setVisible(height >= ground.top + _LOWEST * ground.row + _PAD)
        most = max(_FEWEST, min(MOST, int((height - ground.top - _PAD) // ground.row)))
        if most != self._most:
            self._most = most
            self._choose()

    def _choose(self) -> None:
        most = self._most if len(self._all) <= self._most else self._most - 1
        self._hosts, self._more = self._all[:most], max(0, len(self._all) - most)
        self._hovered_row = -1
        more = [tr("and {n:,} more", n=self._more)] if self._more else []
        self.setAccessibleDescription("; ".join([*map(host_line, self._hosts), *more]))
        self.updateGeometry()
        self.update()

    def show_closed(self, closed: bool) -> None:
        """Draw the border closed by offline mode, or open."""
        self._is_closed = closed
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, round(self._ground.height))

    def minimumSizeHint(self) -> QSize:
        return QSize(220, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            row = self._row_at(event.pos().y())
            QToolTip.showText(event.globalPos(), host_line(self._hosts[row]) if row >= 0 else "", self)
            return True
        if event.type() == QEvent.Type.Leave:
            self._point_at(-1)
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._row_at(event.position().y()))
        super().mouseMoveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event.position().y())
        if row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.host_chosen.emit(self._hosts[row].host)
        super().mousePressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font(tokens.caption))
        self._paint_machine(painter, tokens)
        if self._hovered_row >= 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.hover))
            painter.drawRoundedRect(self._band(self._hovered_row), 5, 5)
        for row, host in enumerate(self._hosts):
            self._paint_line(painter, tokens, row, host)
            self._paint_words(painter, tokens, row, host)
        if self._more:
            self._paint_more(painter, tokens)
        if self._is_closed and not self._hosts:
            self._paint_blocked_line(painter, QColor(tokens.ok), self._ground.border - 6)
        self._paint_border(painter, tokens)
        painter.end()

    @property
    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self._theme.font(self._theme.tokens().caption))

    @property
    def _icon(self) -> int:
        return self._theme.scaled(_ICON)

    @property
    def _ground(self) -> DiagramLayout:
        return DiagramLayout(
            self.width(), self._metrics.lineSpacing(), max(_LOWEST, len(self._hosts) + bool(self._more)), self._icon
        )

    def _band(self, row: int) -> QRectF:
        return self._ground.band(row, is_here=self._hosts[row].is_here)

    def _row_at(self, y: float) -> int:
        ground = self._ground
        row = int((y - ground.top) // ground.row)
        return row if 0 <= row < len(self._hosts) else -1

    def _point_at(self, row: int) -> None:
        if row != self._hovered_row:
            self._hovered_row = row
            self.setCursor(Qt.CursorShape.PointingHandCursor if row >= 0 else Qt.CursorShape.ArrowCursor)
            self.update()

    def _paint_machine(self, painter: QPainter, tokens: Tokens) -> None:
        """Draw this machine: the area left of the border."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.ok_soft if self._is_closed else tokens.surface_sunken))
        machine = QRectF(0.5, 0.5, self._ground.border, self.height() - 1)
        path = QPainterPath()
        path.addRoundedRect(machine.adjusted(0, 0, 10, 0), tokens.radius, tokens.radius)
        square = QPainterPath()
        square.addRect(machine)
        painter.drawPath(path.intersected(square))
        painter.setPen(QColor(tokens.text_muted))
        line = QRectF(_PAD, _PAD - 2, self._ground.border - _PAD - self._icon, self._metrics.lineSpacing())
        self._write(painter, line, tr("This computer"))
        line.moveLeft(self._ground.border + self._icon)
        line.setRight(self.width() - 4.0)
        self._write(painter, line, tr("The network"))
        place = self._ground.source - QPointF(self._icon / 2, self._icon / 2)
        painter.drawPixmap(place, self._theme.pixmap("library", tokens.text, _ICON))

    def _paint_border(self, painter: QPainter, tokens: Tokens) -> None:
        colour = QColor(tokens.ok if self._is_closed else tokens.border_strong)
        style = Qt.PenStyle.SolidLine if self._is_closed else Qt.PenStyle.DashLine
        painter.setPen(QPen(colour, 2.0 if self._is_closed else 1.4, style))
        x = self._ground.border
        painter.drawLine(QPointF(x, _PAD + self._icon), QPointF(x, self.height() - 2))
        icon = ("shield", tokens.ok) if self._is_closed else ("shield-off", tokens.text_muted)
        painter.drawPixmap(QPointF(x - self._icon / 2, _PAD - 4), self._theme.pixmap(*icon, _ICON))

    def _paint_line(self, painter: QPainter, tokens: Tokens, row: int, host: HostTotal) -> None:
        """Draw the line of a host."""
        most = max(one.sent for one in self._hosts)
        share = sqrt(host.sent / most) if most else 0.0
        # Local traffic is of little interest, however much it is.
        width = _THINNEST + ((_OF_HERE if host.is_here else _THICKEST) - _THINNEST) * share
        is_refused = not host.is_here and host.refused == host.requests
        name = "text_muted" if host.is_here else "ok" if is_refused else "warn"
        colour = QColor(getattr(tokens, name))
        colour.setAlphaF(0.55 if host.is_here else 0.75)
        pen = QPen(colour, _THINNEST if is_refused else width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if is_refused:
            pen.setStyle(Qt.PenStyle.DotLine)
        y, begin = self._ground.middle(row), self._ground.source + QPointF(self._icon / 2 + 3, 0)
        level = begin.x() + 26
        if host.is_here:
            level = end = self._band(row).left() - 4
        else:
            end = self._ground.border - 6 if is_refused else self._ground.border + _BEYOND - 2 * _ARROW
        path = QPainterPath(begin)
        half = (level - begin.x()) / 2
        path.cubicTo(QPointF(begin.x() + half, begin.y()), QPointF(level - half, y), QPointF(level, y))
        path.lineTo(QPointF(end, y))
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        if not host.is_here and not is_refused:
            _paint_arrow(painter, colour, QPointF(end, y), width)

    def _paint_blocked_line(self, painter: QPainter, colour: QColor, end: float) -> None:
        """Draw a line that ends at the border."""
        painter.setPen(QPen(colour, _THINNEST, Qt.PenStyle.DotLine))
        begin = self._ground.source + QPointF(self._icon / 2 + 3, 0)
        painter.drawLine(begin, QPointF(end, begin.y()))

    def _paint_words(self, painter: QPainter, tokens: Tokens, row: int, host: HostTotal) -> None:
        area = self._band(row).adjusted(4, 0, -4, 0)
        if not host.is_here and host.refused == host.requests:
            amount = tr("refused")
        elif host.sent:
            amount = bytes_words(host.sent)
        else:
            # The amount that a program sends cannot be measured.
            amount = trn("{n:,} request", "{n:,} requests", host.requests)
        if area.width() >= _BOTH:
            painter.setPen(QColor(tokens.text_muted))
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, amount)
            area.setRight(area.right() - self._metrics.horizontalAdvance(amount) - 8)
        painter.setPen(QColor(tokens.text))
        self._write(painter, area, host.host)

    def _paint_more(self, painter: QPainter, tokens: Tokens) -> None:
        painter.setPen(QColor(tokens.text_muted))
        area = self._ground.band(len(self._hosts), is_here=False).adjusted(4, 0, -4, 0)
        self._write(painter, area, tr("and {n:,} more", n=self._more))

    def _write(self, painter: QPainter, area: QRectF, text: str) -> None:
        shown = self._metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _on_theme_changed(self) -> None:
        self.updateGeometry()
        self.update()


def host_line(host: HostTotal) -> str:
    """Return all details of a host in one line."""
    parts = [trn("{n:,} request", "{n:,} requests", host.requests)]
    if host.requests > host.refused:
        parts.append(tr("{size} sent", size=bytes_words(host.sent)))
        parts.append(tr("{size} received", size=bytes_words(host.received)))
    if host.refused:
        parts.append(tr("{n:,} refused", n=host.refused))
    return tr("{name}: {words}", name=host.host, words=join_with_commas(parts))


def _paint_arrow(painter: QPainter, colour: QColor, place: QPointF, width: float) -> None:
    high = max(_ARROW, width / 2 + 2)
    head = QPainterPath(place + QPointF(0, -high))
    head.lineTo(place + QPointF(2 * _ARROW, 0))
    head.lineTo(place + QPointF(0, high))
    head.closeSubpath()
    painter.fillPath(head, colour)
