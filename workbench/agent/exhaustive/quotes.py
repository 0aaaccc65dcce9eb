"""A quote -> where it stands in a passage, or nothing: what does not stand there word for word is no quote.

Models straighten quotation marks and dashes, join words that a line's end divides, and leave out Markdown's marks; all
that is forgiven. A letter, a digit or a sign that differs is not.
"""

import re
import unicodedata
from functools import lru_cache

from workbench.agent.exhaustive.base import Span

LONGEST = 1500
"""Characters; a longer quote is a whole passage, of which nobody sees where to look."""

_ELLIPSIS = re.compile(r"\s*(?:\[(?:…|\.\.\.)\]|…|\.\.\.)\s*")
_SAME = str.maketrans({
    **dict.fromkeys("“”„‟«»＂「」『』", '"'),
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
})  # fmt: skip
_LEFT_OUT = frozenset("*_|\\\u00ad\u200b\u200c\u200d\ufeff")
_AROUND = " \t\r\n\"'“”‘’「」『』.,;:。，；：…"


def find_quote(quote: str, text: str) -> Span | None:
    """Return where a quote stands in a text; one with “…” in it has all its parts there, in order."""
    if not quote.strip() or len(quote) > LONGEST:
        return None
    parts = [part for part in _ELLIPSIS.split(quote.strip()) if part.strip(_AROUND)]
    first: int | None = None
    last = 0
    for part in parts:
        span = _find(part, text, last)
        if span is None:
            return None
        first = span[0] if first is None else first
        last = span[1]
    return None if first is None else (first, last)


def _find(part: str, text: str, after: int) -> Span | None:
    plain, origins = _plain(text)
    for wanted in dict.fromkeys((_plain(part)[0], _plain(part.strip(_AROUND))[0])):
        if not any(character.isalnum() for character in wanted):
            continue
        place = plain.find(wanted)
        while place >= 0:
            start, end = origins[place], origins[place + len(wanted) - 1] + 1
            if start >= after and _is_whole(text, start, end):
                return start, end
            place = plain.find(wanted, place + 1)
    return None


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether the stretch begins and ends between words: “no” does not stand in “note”, nor “5” in “15”."""
    begins = start == 0 or not (_joins(text[start - 1]) and _joins(text[start]))
    ends = end == len(text) or not (_joins(text[end - 1]) and _joins(text[end]))
    return begins and ends and not _cuts_number(text, start, end)


def _joins(character: str) -> bool:
    # Scripts without spaces have no words that one could cut.
    return character.isalnum() and ord(character) < 0x2E80


def _cuts_number(text: str, start: int, end: int) -> bool:
    """Whether the stretch begins or ends within a number: “5 %” does not stand in “1.5 %”."""
    before = re.search(r"\d[.,]\Z", text[max(0, start - 2) : start]) and text[start].isdigit()
    after = re.match(r"[.,]\d", text[end : end + 2]) and text[end - 1].isdigit()
    return bool(before or after)


@lru_cache(maxsize=64)
def _plain(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text as quotes are compared, and where each of its characters stood."""
    characters: list[str] = []
    origins: list[int] = []
    for place, character in enumerate(text):
        if character.isspace() or character in _LEFT_OUT or _divides(text, place):
            continue
        for one in unicodedata.normalize("NFKC", character.translate(_SAME)).translate(_SAME).casefold():
            if not one.isspace():
                characters.append(one)
                origins.append(place)
    return "".join(characters), tuple(origins)


def _divides(text: str, place: int) -> bool:
    """Whether a hyphen divides a word at a line's end."""
    if text[place] not in "-‐":
        return False
    return bool(
        place and text[place - 1].isalpha() and re.match(r"[^\S\n]*\n\s*[^\W\d_A-Z]", text[place + 1 : place + 40])
    )
