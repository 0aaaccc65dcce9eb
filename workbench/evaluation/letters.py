"""Texts compared by their letters and digits alone: spaces, line ends, hyphens, case and markup do not matter."""

import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

_LETTERS = re.compile(r"[^\W_]+")

# Of a passage whose whole is not found the ends are looked for: so long that they stand in one place only.
_END = 48
_LONGEST = 2.0

_SHINGLE = 8
_SAME = 0.8
_FEWEST = 16  # a heading stands in many texts that say something else


@dataclass(frozen=True, slots=True)
class Letters:
    """A text's letters, and where each run of them came from.

    Attributes:
        text: Letters and digits, lower case, nothing between them.
        runs: Where in it each run of letters begins.
        sources: Where the run begins in the text it came from.
    """

    text: str
    runs: "array[int]"
    sources: "array[int]"

    def source(self, place: int) -> int:
        """Return where a letter stands in the text it came from."""
        run = bisect_left(self.runs, place + 1) - 1
        return self.sources[run] + place - self.runs[run]


def letters_of(text: str) -> Letters:
    """Return a text's letters."""
    parts: list[str] = []
    runs, sources = array("q"), array("q")
    length = 0
    for match in _LETTERS.finditer(text):
        # lower, not casefold: each character stays one, but for one Turkish letter that is left as it is.
        part = match[0].lower() if len(match[0].lower()) == len(match[0]) else match[0]
        parts.append(part)
        runs.append(length)
        sources.append(match.start())
        length += len(part)
    return Letters("".join(parts), runs, sources)


def find(passage: str, text: Letters, near: int = 0) -> tuple[int, int] | None:
    """Return where a passage stands in a text; of several places the one nearest to where it once stood.

    Where the whole passage is not there (a line was added, a word is read differently), its beginning and its end
    are looked for.

    Args:
        passage: Its words.
        text: The letters of the whole text.
        near: Where it stood in the source text.

    Returns:
        Its first character in the source text and one past its last; None where it is not there.
    """
    wanted = letters_of(passage).text
    if not wanted:
        return None
    if (start := _nearest(wanted, text, near)) is not None:
        return text.source(start), text.source(start + len(wanted) - 1) + 1
    if len(wanted) < 2 * _END:
        return None
    head, tail = _nearest(wanted[:_END], text, near), _nearest(wanted[-_END:], text, near + len(passage) - _END)
    if head is None and tail is None:
        return None
    first = head if head is not None else max((tail or 0) + _END - len(wanted), 0)
    last = tail + _END if tail is not None else min(first + len(wanted), len(text.text))
    if not 0 < last - first <= _LONGEST * len(wanted):
        return None
    return text.source(first), text.source(last - 1) + 1


def _nearest(wanted: str, text: Letters, near: int) -> int | None:
    places: list[int] = []
    place = text.text.find(wanted)
    while place >= 0:
        places.append(place)
        place = text.text.find(wanted, place + 1)
    return min(places, key=lambda one: abs(text.source(one) - near), default=None)


@lru_cache(64)
def shingles(text: str) -> frozenset[str]:
    """Return every run of eight letters; of a shorter text all of it."""
    letters = letters_of(text).text
    return frozenset(letters[at : at + _SHINGLE] for at in range(max(len(letters) - _SHINGLE, 0) + 1)) - {""}


def say_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell by their shingles whether most of the shorter of two texts stands in the other."""
    shorter = min(len(one), len(other))
    return shorter > 0 and (one == other or (shorter >= _FEWEST and len(one & other) >= _SAME * shorter))


def holds(text: str, words: str) -> bool:
    """Tell whether these words stand in a text: whole words, whatever spaces are between; "3" is not in "1933"."""
    parts = [re.escape(part) for part in words.split()]
    if not parts:
        return False
    # Only Latin letters and digits make words that must end: Chinese has no spaces.
    before = r"(?<![A-Za-z0-9])" if words.strip()[0].isascii() and words.strip()[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if words.strip()[-1].isascii() and words.strip()[-1].isalnum() else ""
    return re.search(before + r"\s*".join(parts) + after, text, re.IGNORECASE) is not None
