"""The pictures of the pages that were looked at last, within a bound of memory."""

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass

from PySide6.QtGui import QImage, QPixmap

MOST_BYTES = 64 * 2**20
"""All pictures together: 40 pages at the width of the pane, 10 on a screen of two pixels a point; what is in sight is
kept even beyond that."""
_PPM = b"P6\n"


@dataclass(frozen=True, slots=True)
class Picture:
    """A page drawn.

    Attributes:
        pixels: The picture.
        scale: Pixels of it for each point that were asked for.
    """

    pixels: QPixmap
    scale: float

    @property
    def bytes(self) -> int:
        """Memory that it takes."""
        return 4 * self.pixels.width() * self.pixels.height()


class PagePictures:
    """Keeps pictures by page; those not looked at for longest go first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[int, Picture] = OrderedDict()
        self.bytes = 0

    def get(self, page: int) -> Picture | None:
        """Return the picture of a page, and keep it for longer."""
        if page in self._kept:
            self._kept.move_to_end(page)
        return self._kept.get(page)

    def scale(self, page: int) -> float:
        """Return the scale that a page was drawn with; 0 where it was not."""
        kept = self._kept.get(page)
        return kept.scale if kept is not None else 0.0

    def put(self, page: int, picture: Picture, needed: Collection[int]) -> None:
        """Keep a picture, and drop others for it but those of the pages that are needed."""
        self._drop(page)
        self._kept[page] = picture
        self.bytes += picture.bytes
        for other in [one for one in self._kept if one not in needed and one != page]:
            if self.bytes <= self._most:
                break
            self._drop(other)

    def clear(self) -> None:
        """Drop all."""
        self._kept.clear()
        self.bytes = 0

    def _drop(self, page: int) -> None:
        dropped = self._kept.pop(page, None)
        if dropped is not None:
            self.bytes -= dropped.bytes


def pixels_of(data: bytes) -> QPixmap:
    """Return a picture: PPM, which is only copied (1 ms a page), or any other format that Qt reads (20 ms for PNG)."""
    if data.startswith(_PPM):
        size, _most, start = _header(data)
        image = QImage(data[start:], size[0], size[1], 3 * size[0], QImage.Format.Format_RGB888)
        return QPixmap.fromImage(image)
    picture = QPixmap()
    picture.loadFromData(data)
    return picture


def _header(data: bytes) -> tuple[tuple[int, int], int, int]:
    """Return width and height, the highest value, and where the pixels begin."""
    lines = data[:40].split(b"\n", 3)
    width, height = lines[1].split()
    return (int(width), int(height)), int(lines[2]), sum(len(line) + 1 for line in lines[:3])
