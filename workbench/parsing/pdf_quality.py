"""What a page's text layer is worth: good, missing although there is something to see, or not what people see."""

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import Any

from workbench.parsing.pdf_words import Line

_FEW = 30
"""Characters: a scan often bears a page number or a stamp as text."""

_STAMP = 150
"""Characters: “Digitized by ...”, “This content downloaded from ...” at the foot of each page of a scan."""

_UNSEEN = 3
"""How PDF numbers the way of drawing text that paints nothing."""

_COVERED = 0.5
"""Part of the page under pictures, from which one with few characters counts as a scan."""

_SPECK = 0.01
"""Part of the page under pictures, below which there is nothing to read on a page without text."""

_OUTLINES = 60
"""Pieces of drawings: text that was turned into outlines has hundreds on a page, a frame with a rule has six."""

_JUDGED = 40
"""Characters from which on a text can be told from rubbish."""

_BAD = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
"""Control, replacement and private characters: what a font without a table of its letters gives."""

_BAD_SHARE = 0.2
_VOWEL = re.compile("[AEIOUYaeiouyà-æè-ïò-öø-ýāăąēĕėęěīĭįōŏőœũūŭůűų]")
_LOWER = re.compile("[a-zß-öø-ÿ]")
_LATIN_BYTES, _LOWER_BYTES, _VOWEL_BYTES = (
    bytes(code for code in range(256) if kind.match(chr(code))) for kind in (re.compile("[A-Za-z]"), _LOWER, _VOWEL)
)
_FEWEST_LATIN = 200
_FEWEST_VOWELS = 0.15
"""Of the Latin letters; prose of any language has 0.3 to 0.5."""

_GLYPHS = {code: code + 29 for code in range(3, 98)}
"""Numbers of glyphs -> letters, in the order of most fonts: what is left where a font has no table of its letters."""

_PROSE = (0.7, 0.3)
"""Small letters in a text, and vowels in these."""


class TextLayer(Enum):
    """How far a page's text layer can be used."""

    GOOD = auto()
    BLANK = auto()
    """There is neither text nor anything else."""
    MISSING = auto()
    SPARSE = auto()
    """A few words over a picture: a stamp on a scan, or a slide; see settled."""
    GARBLED = auto()


def text_layer(page: Any, lines: Sequence[Line]) -> TextLayer:
    """Return what a page's text layer is worth; 0.1 ms for a page full of text.

    Args:
        page: As PyMuPDF has it.
        lines: Its lines of words.
    """
    text = "".join([word[4] for line in lines for word in line.words])
    if len(text) >= _JUDGED and _is_garbled(text):
        return TextLayer.GARBLED
    if len(text) >= _STAMP:
        return TextLayer.GOOD
    covered = _covered(page)
    if len(text) >= _FEW:
        return TextLayer.SPARSE if covered >= _COVERED and not _was_read_before(page) else TextLayer.GOOD
    if text:
        return TextLayer.MISSING if covered >= _COVERED else TextLayer.GOOD
    return TextLayer.MISSING if covered >= _SPECK or _has_outlines(page) else TextLayer.BLANK


def settled(layer: TextLayer, *, has_own_picture: bool) -> TextLayer:
    """Return what a page with few words is: each page of a scan has a picture of its own, slides share their ground."""
    if layer is not TextLayer.SPARSE:
        return layer
    return TextLayer.MISSING if has_own_picture else TextLayer.GOOD


def pictures_of(page: Any, layer: TextLayer = TextLayer.GOOD) -> set[int]:
    """Return the numbers of the pictures that a page may show, small ones left out; 0.05 ms.

    Of a page with few words those that it does show, 5 ms: some scans list the pictures of all pages with each of
    them, others have theirs in the page's own instructions, where no list names it; it is numbered by what it shows.
    """
    if layer is not TextLayer.SPARSE:
        return {xref for xref, _, width, height, *_ in page.get_images() if width >= 100 and height >= 100}
    shown = [one for one in page.get_image_info(xrefs=True) if one["width"] >= 100 and one["height"] >= 100]
    return {one["xref"] or -int.from_bytes(one["digest"][:6]) for one in shown}


def _is_garbled(text: str) -> bool:
    if len(_BAD.findall(text)) > _BAD_SHARE * len(text):
        return True
    # Bytes are counted twenty times as fast as characters, and no letter beyond Latin-1 is a Latin or small one here.
    plain = text.encode("latin-1", "replace")
    lower = _count(plain, _LOWER_BYTES)
    if lower < 0.1 * len(text) and _is_prose(text.translate(_GLYPHS)):
        return True
    latin = _count(plain, _LATIN_BYTES)
    # Without small letters it may be a list of part numbers.
    if latin < _FEWEST_LATIN or latin < 0.5 * len(text) or lower < 0.2 * latin:
        return False
    fewest = _FEWEST_VOWELS * latin
    return _count(plain, _VOWEL_BYTES) < fewest and len(_VOWEL.findall(text)) < fewest


def _count(text: bytes, wanted: bytes) -> int:
    return len(text) - len(text.translate(None, wanted))


def _is_prose(text: str) -> bool:
    small = _LOWER.findall(text)
    share, vowels = _PROSE
    return len(small) > share * len(text) and len(_VOWEL.findall("".join(small))) > vowels * len(small)


def _was_read_before(page: Any) -> bool:
    """Tell whether the text is drawn unseen, as programs do that make a scan searchable; asked of few pages."""
    return any(span["type"] == _UNSEEN for span in page.get_texttrace())


def _covered(page: Any) -> float:
    """Return how much of the page lies under pictures, 0 to 1; pictures that overlap count twice."""
    whole = page.rect
    area = float(whole.width * whole.height)
    if area <= 0:
        return 0.0
    found = 0.0
    for picture in page.get_image_info():
        x0, y0, x1, y1 = picture["bbox"]
        width = min(x1, whole.x1) - max(x0, whole.x0)
        height = min(y1, whole.y1) - max(y0, whole.y0)
        found += max(width, 0.0) * max(height, 0.0)
    return float(min(found / area, 1.0))


def _has_outlines(page: Any) -> bool:
    count = 0
    for drawing in page.get_cdrawings():
        count += len(drawing["items"])
        if count >= _OUTLINES:
            return True
    return False
