"""Units that are packed into chunks: sentences and pieces of long ones, measured by the token offsets of a text."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from workbench.chunking.sentences import sentence_spans
from workbench.model.embedder import TokenCounter, token_starts


class TokenOffsets:
    """Counts the tokens of slices by start offsets: a tokenizer call per sentence would take several times longer."""

    def __init__(self, text: str, tokenizer: TokenCounter) -> None:
        self._text = text
        self._tokenizer = tokenizer
        self._starts = token_starts(tokenizer, text)

    def count(self, start: int, end: int) -> int:
        """Return the number of tokens that start in text[start:end]."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def alone(self, start: int, end: int) -> int:
        """Return the number of tokens of text[start:end] on its own: a part of a token may be many tokens."""
        return self._tokenizer.count(self._text[start:end])

    def token_starts(self, start: int, end: int) -> Sequence[int]:
        """Return the start offsets of the tokens in text[start:end]."""
        return self._starts[bisect_left(self._starts, start) : bisect_left(self._starts, end)]


_CLAUSE_END = re.compile(r"[,;:)\]](?=\s)|\s[-–—](?=\s)|—|[，；：、）】]|\n")

# Some tokenizers treat a "word" of thousands of characters as one unknown token; a chunk of such words would be
# unreadable.
_CHARACTERS_PER_TOKEN = 12


class CutQuality(IntEnum):
    """Quality of a cut at the end of a unit."""

    NEVER = 0
    TOKEN = 1
    CLAUSE = 2
    SENTENCE = 3
    PARAGRAPH = 4
    SECTION = 5


class Unit(NamedTuple):
    """Slice of the text that is not cut further; a named tuple, because a long text has a million of them.

    Attributes:
        tokens: Number of tokens as computed by weight().
        headings: Heading path at its start.
        cut: Quality of a cut at its end.
    """

    start: int
    end: int
    tokens: int
    headings: tuple[str, ...]
    cut: CutQuality


def prose_units(
    text: str, start: int, end: int, headings: tuple[str, ...], ruler: TokenOffsets, *, last: CutQuality
) -> list[Unit]:
    """Return the sentences of text[start:end]; `last` is the quality of the cut after the last one."""
    # Counted within this part: a search through the tokens of a whole document takes three times as long.
    near = ruler.token_starts(start, end)
    units: list[Unit] = []
    before, seen = start, 0
    for a, b in sentence_spans(text[start:end]):
        a, b = start + a, start + b
        if units and a - before > 1 and text.count("\n", before, a) > 1:
            units[-1] = units[-1]._replace(cut=CutQuality.PARAGRAPH)
        first = bisect_left(near, a, seen)
        seen = bisect_left(near, b, first)
        units.append(Unit(a, b, _weight_of(seen - first, b - a), headings, CutQuality.SENTENCE))
        before = b
    if units:
        units[-1] = units[-1]._replace(cut=last)
    return units


def fit(unit: Unit, text: str, ruler: TokenOffsets, *, limit: int) -> list[Unit]:
    """Return the unit itself, or its pieces if it exceeds the limit: clauses, and parts of those that are too long."""
    if unit.tokens <= limit:
        return [unit]
    ends = [match.end() for match in _CLAUSE_END.finditer(text, unit.start, unit.end)]
    pieces: list[Unit] = []
    start = unit.start
    for end in [*ends, unit.end]:
        if text[start:end].strip():
            pieces.extend(_cut_hard(text, start, end, unit.headings, ruler, limit=limit))
        start = end
    pieces[-1] = Unit(pieces[-1].start, pieces[-1].end, pieces[-1].tokens, unit.headings, unit.cut)
    return pieces


def _cut_hard(
    text: str, start: int, end: int, headings: tuple[str, ...], ruler: TokenOffsets, *, limit: int
) -> Iterator[Unit]:
    start, end = _trim(text, start, end)
    tokens = weight(start, end, ruler)
    if tokens <= limit:
        yield Unit(start, end, tokens, headings, CutQuality.CLAUSE)
        return
    # Cut between words if possible, else between tokens, else between characters.
    borders = [at for at in ruler.token_starts(start, end) if at > start]
    for usable in ([at for at in borders if text[at - 1].isspace()], borders):
        parts = _spans_at(start, end, usable, ruler, limit=limit)
        if all(weight(a, b, ruler) <= limit for a, b in parts):
            break
    for a, b in parts:
        for x, y, tokens in _cut_by_characters(text, a, b, ruler, limit=limit):
            yield Unit(x, y, tokens, headings, CutQuality.CLAUSE if y == end else CutQuality.TOKEN)


def _cut_by_characters(
    text: str, start: int, end: int, ruler: TokenOffsets, *, limit: int
) -> Iterator[tuple[int, int, int]]:
    """Yield pieces with their token counts: the whole slice if it is short enough, else pieces of equal length."""
    most = limit * _CHARACTERS_PER_TOKEN
    if end - start <= most:
        yield start, end, weight(start, end, ruler)
        return
    for x, y in _even_pieces(text, start, end, most):
        tokens = ruler.alone(x, y)
        if tokens <= limit:
            yield x, y, max(weight(x, y, ruler), tokens)
            continue
        # The end of a word of 7,000 digits, which was one unknown token, may be one token per digit.
        for a, b in _even_pieces(text, x, y, limit):
            yield a, b, max(weight(a, b, ruler), ruler.alone(a, b))


def _even_pieces(text: str, start: int, end: int, step: int) -> Iterator[tuple[int, int]]:
    for at in range(start, end, step):
        x, y = _trim(text, at, min(at + step, end))
        if x < y:
            yield x, y


def _spans_at(start: int, end: int, borders: list[int], ruler: TokenOffsets, *, limit: int) -> list[tuple[int, int]]:
    """Return the slice as spans between borders, each as long as the limit allows."""
    spans = []
    begin = previous = start
    for border in [*borders, end]:
        if previous > begin and weight(begin, border, ruler) > limit:
            spans.append((begin, previous))
            begin = previous
        previous = border
    spans.append((begin, end))
    return spans


def weight(start: int, end: int, ruler: TokenOffsets) -> int:
    """Return the number of tokens of a slice, or more if one of its tokens has very many characters."""
    return _weight_of(ruler.count(start, end), end - start)


def _weight_of(tokens: int, characters: int) -> int:
    least = characters // _CHARACTERS_PER_TOKEN
    return tokens if tokens > least else least


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
