"""Finds citation markers in an answer's Markdown: [1], [1, 2], [1][2], 【1】, [1-3]."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

# At most three digits: [2024] is a year.
_NUMBER = r"\d{1,3}"
_SEPARATOR = r"\s*(?:,|，|、|;|；|-|–|—|~)\s*"
_MARKER = re.compile(
    rf"(?<!\\)[\[【]\s*(?P<numbers>{_NUMBER}(?:{_SEPARATOR}{_NUMBER})*)\s*(?:†[^\]】\n]*)?[\]】](?!\()"
)
_RANGE_SIGNS = ("-", "–", "—", "~")
_LONGEST_RANGE = 20
# Text that is not prose, in order of precedence: fenced code (up to the end of the answer if it is not closed), code
# spans, display formulas, links and images, and the label of a link or footnote definition. Lengths are bounded, so
# that a hostile answer cannot make the search quadratic.
_NOT_PROSE = re.compile(
    r"^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n.*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?<![`\\])(?P<ticks>`++).{1,2000}?(?<!`)(?P=ticks)(?!`)"
    r"|\$\$.{1,2000}?\$\$"
    r"|!?\[(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){0,500}\]\([^)\n]{0,1000}\)"
    r"|^[ ]{0,3}\[[^\]\n]+\]:",
    re.DOTALL | re.MULTILINE,
)

# Maximum distance at which a pattern above ends, except for fenced code.
_FARTHEST = 2_500


@dataclass(frozen=True, slots=True)
class Marker:
    """Number in a marker; answer[start:end] is the whole marker, which both numbers of "[1, 2]" share."""

    number: int
    start: int
    end: int


@lru_cache(maxsize=16)
def find_markers(answer: str) -> tuple[Marker, ...]:
    """Return the markers in order; code, formulas, links and definitions contain none.

    Cached, because the citations, the blanked text and the cleaned text of one answer are made from them.
    """
    return tuple(marker for match in _MARKER.finditer(_prose(answer)) for marker in _split(match))


def standing(answer: str, start: int = 0) -> int:
    """Return the offset of a line start before which no text that follows can change the markers of an answer.

    Args:
        answer: The answer so far.
        start: Such an offset, computed for a shorter prefix of the answer.
    """
    place = answer.rfind("\n", start, max(start, len(answer) - _FARTHEST)) + 1
    for match in _NOT_PROSE.finditer(answer, start):
        if match.start() >= place:
            break
        if match.end() > place:
            place = answer.rfind("\n", start, match.start()) + 1
            break
    return max(start, place)


def without_markers(answer: str) -> str:
    """Return the answer without its markers and the spaces before them."""
    pieces, position = [], 0
    for start, end in dict.fromkeys((marker.start, marker.end) for marker in find_markers(answer)):
        pieces.append(answer[position:start].rstrip(" "))
        position = end
    return "".join([*pieces, answer[position:]])


def blank_markers(answer: str) -> str:
    """Return the answer with each marker overwritten by spaces; the length stays the same."""
    characters = list(answer)
    for marker in find_markers(answer):
        characters[marker.start : marker.end] = " " * (marker.end - marker.start)
    return "".join(characters)


def _prose(answer: str) -> str:
    return _NOT_PROSE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), answer)


def _split(match: "re.Match[str]") -> Iterator[Marker]:
    """Yield a Marker for each number; ranges are expanded."""
    found = list(re.finditer(rf"(?P<sign>{_SEPARATOR})?(?P<number>{_NUMBER})", match["numbers"]))
    numbers = [int(piece["number"]) for piece in found]
    if len(numbers) > 1 and 0 in numbers:
        return  # [0, 1] is an interval of numbers: citations count from 1.
    for index, piece in enumerate(found):
        is_range = index > 0 and (piece["sign"] or "").strip() in _RANGE_SIGNS
        between = range(numbers[index - 1] + 1, numbers[index]) if is_range else range(0)
        if len(between) <= _LONGEST_RANGE:
            yield from (Marker(number, match.start(), match.end()) for number in between)
        yield Marker(numbers[index], match.start(), match.end())
