"""What is drawn over the points: names of regions, a question as a star, its hits by their numbers."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from workbench.ui.map.labels import Label
from workbench.ui.map.overlay import Overlay, Spot
from workbench.ui.map.view import View
from workbench.ui.theme import Theme, Tokens

_PLATE = 205
"""How much the plate behind a name covers: the name has 4.5:1 on whatever dots are below."""

_PAD_X, _PAD_Y = 5.0, 1.5
_STAR, _SEARCH = 17.0, 11.0
"""Radius of the question, and of what else was searched for: around a hit in the same place its corners are seen."""

_HIT = 8.5
_RING = 7.0


def label_font(theme: Theme, text: str) -> QFont:
    """Return the font of a region's name."""
    return theme.font(theme.tokens().caption, bold=True, text=text)


def label_size(theme: Theme, text: str) -> QSizeF:
    """Return the room that a region's name takes, its plate included."""
    metrics = QFontMetricsF(label_font(theme, text))
    return QSizeF(metrics.horizontalAdvance(text) + 2 * _PAD_X, metrics.height() + 2 * _PAD_Y)


def paint_labels(painter: QPainter, theme: Theme, labels: list[Label]) -> None:
    """Write names of regions."""
    tokens = theme.tokens()
    plate = QColor(tokens.surface)
    plate.setAlpha(_PLATE)
    for label in labels:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(plate)
        painter.drawRoundedRect(label.box, 5, 5)
        painter.setFont(label_font(theme, label.text))
        painter.setPen(QColor(tokens.text))
        painter.drawText(label.box, Qt.AlignmentFlag.AlignCenter, label.text)


def paint_overlay(painter: QPainter, theme: Theme, overlay: Overlay, view: View) -> None:
    """Draw lines from each search to what it found, then the stars, then the hits, whose numbers are to be read."""
    tokens = theme.tokens()
    line = QColor(tokens.accent)
    line.setAlpha(120)
    painter.setPen(QPen(line, 1))
    for spot in overlay.spots:
        star = overlay.stars[spot.star]
        if star.x is not None and star.y is not None:
            painter.drawLine(_point(view, star.x, star.y), _point(view, spot.x, spot.y))
    for number, star in enumerate(overlay.stars):
        if star.x is not None and star.y is not None:
            _paint_star(painter, tokens, _point(view, star.x, star.y), _SEARCH if number else _STAR)
    painter.setFont(theme.font(tokens.caption, bold=True))
    # The best is painted last, on top of what stands in the same place; the cited ones above all.
    for spot in sorted(overlay.spots, key=lambda one: (one.cited, -one.number)):
        _paint_hit(painter, tokens, spot, _point(view, spot.x, spot.y))


def paint_ring(painter: QPainter, tokens: Tokens, place: QPointF) -> None:
    """Draw the ring around the point that the pointer is on."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(tokens.surface), 4))
    painter.drawEllipse(place, _RING, _RING)
    painter.setPen(QPen(QColor(tokens.text), 1.8))
    painter.drawEllipse(place, _RING, _RING)


def paint_document(painter: QPainter, tokens: Tokens, places: QPolygonF) -> None:
    """Draw the points of the document that is pointed at."""
    round_cap = Qt.PenCapStyle.RoundCap
    for colour, width in ((tokens.surface, 8.0), (tokens.accent, 5.0)):
        painter.setPen(QPen(QColor(colour), width, Qt.PenStyle.SolidLine, round_cap))
        painter.drawPoints(places)


def spot_at(overlay: Overlay, view: View, left: float, top: float) -> Spot | None:
    """Return the hit that is drawn at a pixel; of several the one on top."""
    near = [
        spot for spot in overlay.spots if math.dist(view.pixel(spot.x, spot.y), (left, top)) <= _width(spot.number) / 2
    ]
    return min(near, key=lambda one: (not one.cited, one.number)) if near else None


def boxes_of(overlay: Overlay, view: View) -> list[QRectF]:
    """Return where hits and stars are drawn: no name is written over them."""
    places = [view.pixel(spot.x, spot.y) for spot in overlay.spots]
    places += [view.pixel(star.x, star.y) for star in overlay.stars if star.x is not None and star.y is not None]
    return [QRectF(x - _HIT, y - _HIT, 2 * _HIT, 2 * _HIT) for x, y in places]


def _point(view: View, x: float, y: float) -> QPointF:
    return QPointF(*view.pixel(x, y))


def _width(number: int) -> float:
    return 2 * _HIT + 6.0 * (len(str(number)) - 1)


def _paint_hit(painter: QPainter, tokens: Tokens, spot: Spot, place: QPointF) -> None:
    """Draw a hit: filled where the answer cites it."""
    width = _width(spot.number)
    box = QRectF(place.x() - width / 2, place.y() - _HIT, width, 2 * _HIT)
    painter.setPen(QPen(QColor(tokens.surface), 3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, _HIT, _HIT)
    painter.setPen(QPen(QColor(tokens.accent), 1.5))
    painter.setBrush(QColor(tokens.accent if spot.cited else tokens.surface))
    painter.drawRoundedRect(box, _HIT, _HIT)
    painter.setPen(QColor(tokens.accent_text if spot.cited else tokens.accent))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(spot.number))


def _paint_star(painter: QPainter, tokens: Tokens, place: QPointF, size: float) -> None:
    corners = [
        QPointF(
            place.x() + math.sin(math.pi * step / 5) * (size if step % 2 == 0 else size * 0.45),
            place.y() - math.cos(math.pi * step / 5) * (size if step % 2 == 0 else size * 0.45),
        )
        for step in range(10)
    ]
    painter.setPen(QPen(QColor(tokens.surface), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    yellow = QColor(tokens.mark)
    yellow.setAlpha(255)
    painter.setBrush(yellow)
    painter.drawPolygon(QPolygonF(corners))
    painter.setPen(QPen(QColor("#1d1f23"), 1.4))
    painter.drawPolygon(QPolygonF(corners))
