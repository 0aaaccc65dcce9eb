"""Comparison of two folders of screenshots: which pictures changed, by how much and where, with a page that shows it.

python packaging/screenshots --compare BEFORE [AFTER] [--report FOLDER]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

INDEX = "index.html"
"""Page of the report; it lists the changed pictures."""
NOISE = 16
"""Largest difference of a pixel, out of 255, that is not counted: each picture is stored with its own 128 colours."""
SAME, NEW, MISSING = "same", "new", "missing now"
_KINDS = (".webp", ".png")
_MOST_SLIGHT = 0.01
"""Share of the picture that may differ by less than that: more is another colour of a surface."""
_SUFFIX = ".compared.png"
_GAP = 12
_MARK = (230, 0, 120)
_BACKGROUND = (128, 128, 128)
_FADED = 0.75
"""Share of white in the picture on which the difference is marked."""
Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference between two pictures of one name.

    Attributes:
        name: File name of the picture.
        text: The result in words: SAME, NEW, MISSING, or what changed.
        box: The smallest rectangle with all changes: left, top, right, bottom; None if there are none, or if one of
            the pictures is missing.
        share: Share of changed pixels, from 0 to 1.
        slight: Share of pixels that differ too little to count, or only in the smoothing of an edge.
        changed: Whether the pictures count as different.
    """

    name: str
    text: str
    box: Box | None = None
    share: float = 0.0
    slight: float = 0.0
    changed: bool = True


def compare_folders(before: Path, after: Path, report: Path) -> list[Difference]:
    """Compare the pictures of two folders, and write the changed ones side by side into a report with an index.

    Args:
        before: The folder of the earlier pictures.
        after: The folder of the later ones.
        report: The folder for the report; pictures of an earlier report in it are deleted.

    Returns:
        All differences by name of the picture, those without a change too.

    Raises:
        FileNotFoundError: One of the two folders does not exist, or has no pictures.
    """
    named = [_pictures(folder) for folder in (before, after)]
    report.mkdir(parents=True, exist_ok=True)
    for old in report.glob(f"*{_SUFFIX}"):
        old.unlink()
    found = []
    for name in sorted(named[0].keys() | named[1].keys()):
        if name not in named[1]:
            found.append(Difference(name, MISSING))
        elif name not in named[0]:
            found.append(Difference(name, NEW))
        else:
            with Image.open(named[0][name]) as old, Image.open(named[1][name]) as new:
                found.append(_compare(name, old.convert("RGB"), new.convert("RGB"), report))
    (report / INDEX).write_text(_index(found, before, after), "utf-8")
    return found


def _pictures(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {folder}.")
    found = {path.name: path for path in folder.iterdir() if path.suffix in _KINDS}
    if not found:
        raise FileNotFoundError(f"There are no pictures in {folder}.")
    return found


def _compare(name: str, before: Image.Image, after: Image.Image, report: Path) -> Difference:
    resized = "" if before.size == after.size else f"{_size(before)} pixels became {_size(after)}; "
    size = (max(before.width, after.width), max(before.height, after.height))
    old, new = (_padded(picture, size) for picture in (before, after))
    by_pixel = np.asarray(ImageChops.difference(old, new)).max(axis=2)
    if not resized and not by_pixel.any():
        return Difference(name, SAME, changed=False)
    changed = (by_pixel > NOISE) & ~(_is_smoothing(old, new) & _is_smoothing(new, old))
    slight = float(((by_pixel > 0) & ~changed).mean())
    if slight > _MOST_SLIGHT:
        changed, slight = by_pixel > 0, 0.0
    share = float(changed.mean())
    box = Image.fromarray(changed).getbbox()
    if not resized and box is None:
        return Difference(name, f"{SAME}, {slight:.2%} slightly different", slight=slight, changed=False)
    marked = _mark(new, changed, box)
    _side_by_side(old, new, marked).save(report / f"{name}{_SUFFIX}", compress_level=1)
    where = f" at {box[0]}, {box[1]}, {box[2] - box[0]} × {box[3] - box[1]}" if box is not None else ""
    return Difference(name, f"{resized}{share:.2%} changed{where}", box, share, slight)


def _size(picture: Image.Image) -> str:
    return f"{picture.width} × {picture.height}"


def _padded(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    whole = Image.new("RGB", size, _BACKGROUND)
    whole.paste(picture)
    return whole


def _is_smoothing(picture: Image.Image, other: Image.Image) -> np.ndarray:
    """Return the pixels that are a tone between their neighbours, and whose tone the other picture has there too.

    An edge that is only smoothed in another way is no change; a line or letter that moved by a pixel is one.
    """
    grey = picture.convert("L")
    tone = np.asarray(grey).astype(int)
    low, high = _range(grey)
    other_low, other_high = _range(other.convert("L"))
    between = (tone > low + NOISE) & (tone < high - NOISE)
    return between & (tone >= other_low - NOISE) & (tone <= other_high + NOISE)


def _range(grey: Image.Image) -> tuple[np.ndarray, np.ndarray]:
    """Return the darkest and the brightest tone of each pixel and its eight neighbours."""
    low, high = (np.asarray(grey.filter(one(3))).astype(int) for one in (ImageFilter.MinFilter, ImageFilter.MaxFilter))
    return low, high


def _mark(picture: Image.Image, changed: np.ndarray, box: Box | None) -> Image.Image:
    """Return a faded picture with the changed pixels in a strong colour, and a rectangle around them."""
    faded = Image.blend(picture, Image.new("RGB", picture.size, "white"), _FADED)
    faded.paste(_MARK, mask=Image.fromarray(changed))
    if box is not None:
        left, top, right, bottom = box
        ImageDraw.Draw(faded).rectangle((left - 3, top - 3, right + 2, bottom + 2), outline=_MARK, width=2)
    return faded


def _side_by_side(*pictures: Image.Image) -> Image.Image:
    width, height = pictures[0].size
    whole = Image.new("RGB", (len(pictures) * (width + _GAP) - _GAP, height), _BACKGROUND)
    for place, picture in enumerate(pictures):
        whole.paste(picture, (place * (width + _GAP), 0))
    return whole


def _index(found: list[Difference], before: Path, after: Path) -> str:
    """Return the page with the changed pictures: before, after, and the difference."""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Changed screenshots</title>',
            "<style>body{font:15px sans-serif;margin:2em}img{max-width:100%}</style>",
            f"<h1>{escape(summary(found))}</h1>",
            f"<p>From left to right: {escape(str(before))}, {escape(str(after))}, and the difference.</p>",
            *_sections(found),
            "</html>\n",
        ]
    )


def _sections(found: list[Difference]) -> Iterator[str]:
    for one in found:
        if one.changed:
            name = escape(one.name)
            yield f"<h2>{name}</h2><p>{escape(one.text)}</p>"
            if one.text not in (NEW, MISSING):
                yield f'<a href="{name}{_SUFFIX}"><img src="{name}{_SUFFIX}" alt="{name}"></a>'


def summary(found: list[Difference]) -> str:
    """Return the result in one line: "3 of 75 pictures changed"."""
    return f"{sum(one.changed for one in found)} of {len(found)} pictures changed"
