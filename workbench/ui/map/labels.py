"""Which names of regions are written on the map, and where: as many as do not stand in each other's way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSizeF

from workbench.model.map import MapRegion
from workbench.ui.map.view import View

_GAP = 6.0
_MARGIN = 4.0


@dataclass(frozen=True, slots=True)
class Label:
    """A name with the box that it is written in."""

    text: str
    box: QRectF


def labels_of(
    regions: Sequence[MapRegion], view: View, measure: Callable[[str], QSizeF], taken: Sequence[QRectF] = ()
) -> list[Label]:
    """Return the names that find room, the largest regions first; the nearer one comes, the more of them do.

    Args:
        regions: The largest first.
        view: What is seen.
        measure: A text -> the room it takes.
        taken: Where nothing may be written.
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
