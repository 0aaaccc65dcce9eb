"""Layer over the points of the map: names of regions, the question, and its hits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from workbench.language import mark, tr
from workbench.model.map import MapRegion
from workbench.ui.map.viewport import View
from workbench.ui.theme import Theme, Tokens

if TYPE_CHECKING:
    from workbench.model.map import LibraryMap
    from workbench.model.run import Run


MOST_SEARCHES = 6
"""Maximum number of searches of one answer that are drawn; later ones mostly find the same passages."""


@dataclass(frozen=True, slots=True)
class Star:
    """Marker of a question, or of a query made to answer it; x and y are None while its position is unknown."""

    text: str
    x: float | None = None
    y: float | None = None


@dataclass(frozen=True, slots=True)
class HitSpot:
    """Marker of a hit.

    Attributes:
        number: Number by which the answer cites it: its rank, if there was one search.
        point: Index in the map's arrays.
        star: Index of the first search that found it, among the stars.
    """

    number: int
    chunk: int
    point: int
    x: float
    y: float
    cited: bool
    star: int


@dataclass(frozen=True, slots=True)
class Overlay:
    """Markers drawn over the points.

    Attributes:
        lost: Number of hits that are not on the map: their documents were removed, or are not embedded yet.
    """

    stars: tuple[Star, ...] = ()
    spots: tuple[HitSpot, ...] = ()
    lost: int = 0

    @property
    def words(self) -> str:
        """Description for screen readers."""
        if not self.stars:
            return ""
        cited = sum(spot.cited for spot in self.spots)
        found = {"question": self.stars[0].text, "hits": len(self.spots), "cited": cited}
        if self.lost:
            text = mark("“{question}”: {hits} hits on the map, {cited} cited, {lost} not on the map")
            return tr(text, **found, lost=self.lost)
        return tr("“{question}”: {hits} hits on the map, {cited} cited", **found)


def queries_of(run: Run) -> tuple[str, ...]:
    """Return the first MOST_SEARCHES distinct queries of a run, or its question if there are none."""
    searched = dict.fromkeys(reference.query for reference in run.references)
    return tuple(searched)[:MOST_SEARCHES] or (run.question,)


def overlay_of(run: Run, map: LibraryMap, places: tuple[tuple[float, float], ...] = ()) -> Overlay:
    """Return the markers of a run.

    Args:
        run: The run with the question and the hits.
        map: The map with their positions.
        places: The positions of queries_of(run), in the same order; empty while they are unknown.
    """
    # Imported late to keep it out of the start of the window; the map's arrays exist by now, so numpy is loaded.
    import numpy as np

    queries = queries_of(run)
    known = len(places) == len(queries)
    stars = tuple(Star(text, *(places[number] if known else (None, None))) for number, text in enumerate(queries))
    cited = {citation.chunk for citation in run.citations if citation.valid}
    spots: dict[int, HitSpot] = {}
    seen: set[int] = set()
    for reference in run.references:
        star = queries.index(reference.query) if reference.query in queries else 0
        for numbered in reference.hits:
            chunk = numbered.hit.chunk.id
            if chunk in seen or numbered.hit.is_outside:
                continue
            seen.add(chunk)
            point = int(np.searchsorted(map.ids, chunk))
            if point < len(map.ids) and map.ids[point] == chunk:
                x, y = map.points[point].tolist()
                spots[chunk] = HitSpot(numbered.number, chunk, point, x, y, chunk in cited, star)
    return Overlay(stars, tuple(spots.values()), len(seen) - len(spots))


_PLATE = 205
"""Opacity of the plate behind a name, which gives the name a contrast of 4.5:1 over any dots."""

_PAD_X, _PAD_Y = 5.0, 1.5
_STAR, _SEARCH = 17.0, 11.0
"""Radius of the question and of other queries: around a hit in the same place the corners stay visible."""

_HIT = 8.5
_RING = 7.0


def label_font(theme: Theme, text: str) -> QFont:
    """Return the font of a region's name."""
    return theme.font(theme.tokens().caption, bold=True, text=text)


def label_size(theme: Theme, text: str) -> QSizeF:
    """Return the size of a region's name, including its plate."""
    metrics = QFontMetricsF(label_font(theme, text))
    return QSizeF(metrics.horizontalAdvance(text) + 2 * _PAD_X, metrics.height() + 2 * _PAD_Y)


def paint_labels(painter: QPainter, theme: Theme, labels: list[Label]) -> None:
    """Draw names of regions."""
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
    """Draw lines from each query to its hits, then the stars, then the hits, whose numbers must be readable."""
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
    # Among hits in the same place the best is painted last; cited hits are painted after all others.
    for spot in sorted(overlay.spots, key=lambda one: (one.cited, -one.number)):
        _paint_hit(painter, tokens, spot, _point(view, spot.x, spot.y))


def paint_ring(painter: QPainter, tokens: Tokens, place: QPointF) -> None:
    """Draw a ring around the point under the pointer."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(tokens.surface), 4))
    painter.drawEllipse(place, _RING, _RING)
    painter.setPen(QPen(QColor(tokens.text), 1.8))
    painter.drawEllipse(place, _RING, _RING)


def paint_document(painter: QPainter, tokens: Tokens, places: QPolygonF) -> None:
    """Draw the points of the marked document."""
    round_cap = Qt.PenCapStyle.RoundCap
    for colour, width in ((tokens.surface, 8.0), (tokens.accent, 5.0)):
        painter.setPen(QPen(QColor(colour), width, Qt.PenStyle.SolidLine, round_cap))
        painter.drawPoints(places)


def spot_at(overlay: Overlay, view: View, left: float, top: float) -> HitSpot | None:
    """Return the hit that is drawn at a pixel; of several, the one on top."""
    near = [
        spot for spot in overlay.spots if math.dist(view.pixel(spot.x, spot.y), (left, top)) <= _width(spot.number) / 2
    ]
    return min(near, key=lambda one: (not one.cited, one.number)) if near else None


def boxes_of(overlay: Overlay, view: View) -> list[QRectF]:
    """Return the boxes of hits and stars, which no name may cover."""
    places = [view.pixel(spot.x, spot.y) for spot in overlay.spots]
    places += [view.pixel(star.x, star.y) for star in overlay.stars if star.x is not None and star.y is not None]
    return [QRectF(x - _HIT, y - _HIT, 2 * _HIT, 2 * _HIT) for x, y in places]


def _point(view: View, x: float, y: float) -> QPointF:
    return QPointF(*view.pixel(x, y))


def _width(number: int) -> float:
    return 2 * _HIT + 6.0 * (len(str(number)) - 1)


def _paint_hit(painter: QPainter, tokens: Tokens, spot: HitSpot, place: QPointF) -> None:
    """Draw a hit, filled if the answer cites it."""
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


_GAP = 6.0
_MARGIN = 4.0


@dataclass(frozen=True, slots=True)
class Label:
    """Name of a region with the box that it is drawn in."""

    text: str
    box: QRectF


def labels_of(
    regions: Sequence[MapRegion], view: View, measure: Callable[[str], QSizeF], taken: Sequence[QRectF] = ()
) -> list[Label]:
    """Return the names that have enough space, the largest regions first; a higher zoom shows more of them.

    Args:
        regions: The regions, the largest first.
        view: The visible part.
        measure: Function that returns the size of a text.
        taken: Boxes where nothing may be drawn.
    """
    window = QRectF(0, 0, view.width, view.height)
    boxes, found = list(taken), []
    for region in regions:
        x, y = view.pixel(region.x, region.y)
        if not window.contains(x, y):
            continue
        size = measure(region.label)
        left = min(max(_MARGIN, x - size.width() / 2), max(_MARGIN, view.width - size.width() - _MARGIN))
        box = QRectF(left, y - size.height() / 2, size.width(), size.height())
        if not window.contains(box) or any(box.adjusted(-_GAP, -_GAP, _GAP, _GAP).intersects(one) for one in boxes):
            continue
        boxes.append(box)
        found.append(Label(region.label, box))
    return found
