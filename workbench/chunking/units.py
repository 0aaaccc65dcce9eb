"""Units that are packed into chunks: sentences and pieces of long ones, measured by the token offsets of a text."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from workbench.chunking.sentences import sentence_spans
from workbench.model.embedder import TokenCounter, token_starts


class TokenOffsets:
    """Counts the tokens of slices by where tokens start: a call per sentence would cost several times as much."""

    def __init__(self, text: str, tokenizer: TokenCounter) -> None:
        self._text = text
        self._tokenizer = tokenizer
        self._starts = token_starts(tokenizer, text)

    def count(self, start: int, end: int) -> int:
        """Return how many tokens start in text[start:end]."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def alone(self, start: int, end: int) -> int:
        """Return how many tokens text[start:end] is by itself: a piece out of a token may be many."""
        return self._tokenizer.count(self._text[start:end])

    def token_starts(self, start: int, end: int) -> Sequence[int]:
        """Return where the tokens of text[start:end] start."""
        return self._starts[bisect_left(self._starts, start) : bisect_left(self._starts, end)]


_CLAUSE_END = re.compile(r"[,;:)\]](?=\s)|\s[-–—](?=\s)|—|[，；：、）】]|\n")

# A "word" of thousands of characters is one unknown token to some tokenizers; a chunk of it would be unreadable.
_CHARACTERS_PER_TOKEN = 12


class CutQuality(IntEnum):
    """How good a place to cut the end of a unit is."""

    NEVER = 0
    TOKEN = 1
    CLAUSE = 2
    SENTENCE = 3
    PARAGRAPH = 4
    SECTION = 5


@dataclass(frozen=True, slots=True)
class Unit:
    """A slice of the text that is not cut again.

    Attributes:
        tokens: As the packing reckons them.
        headings: The heading path at its start.
        cut: How good a place to cut its end is.
    """

    start: int
    end: int
    tokens: int
    headings: tuple[str, ...]
    cut: CutQuality


def prose_units(
    text: str, start: int, end: int, headings: tuple[str, ...], ruler: TokenOffsets, *, last: CutQuality
) -> Iterator[Unit]:
    """Yield the sentences of text[start:end]; `last` is the cut behind the last of them."""
    spans = [(start + a, start + b) for a, b in sentence_spans(text[start:end])]
    for index, (a, b) in enumerate(spans):
        if index + 1 == len(spans):
            cut = last
        else:
            cut = CutQuality.PARAGRAPH if text.count("\n", b, spans[index + 1][0]) > 1 else CutQuality.SENTENCE
        yield Unit(a, b, weight(a, b, ruler), headings, cut)


def fit(unit: Unit, text: str, ruler: TokenOffsets, *, limit: int) -> list[Unit]:
    """Return the unit itself, or its pieces when it is over the limit: clauses, and those too long cut hard."""
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
    # Between words if possible, else between tokens, else by characters.
    borders = [at for at in ruler.token_starts(start, end) if at > start]
    for usable in ([at for at in borders if text[at - 1].isspace()], borders):
        parts = _stretches(start, end, usable, ruler, limit=limit)
        if all(weight(a, b, ruler) <= limit for a, b in parts):
            break
    for a, b in parts:
        for x, y, tokens in _by_characters(text, a, b, ruler, limit=limit):
            yield Unit(x, y, tokens, headings, CutQuality.CLAUSE if y == end else CutQuality.TOKEN)


def _by_characters(
    text: str, start: int, end: int, ruler: TokenOffsets, *, limit: int
) -> Iterator[tuple[int, int, int]]:
    """Yield pieces and their tokens: the slice whole where it is short enough, else cut anywhere."""
    most = limit * _CHARACTERS_PER_TOKEN
    if end - start <= most:
        yield start, end, weight(start, end, ruler)
        return
    for x, y in _even_pieces(text, start, end, most):
        tokens = ruler.alone(x, y)
        if tokens <= limit:
            yield x, y, max(weight(x, y, ruler), tokens)
            continue
        # The end of a word of 7,000 digits, which was one unknown token, may be one token a digit.
        for a, b in _even_pieces(text, x, y, limit):
            yield a, b, max(weight(a, b, ruler), ruler.alone(a, b))


def _even_pieces(text: str, start: int, end: int, step: int) -> Iterator[tuple[int, int]]:
    for at in range(start, end, step):
        x, y = _trim(text, at, min(at + step, end))
        if x < y:
            yield x, y


def _stretches(start: int, end: int, borders: list[int], ruler: TokenOffsets, *, limit: int) -> list[tuple[int, int]]:
    """Return the slice in stretches between borders, each as long as the limit allows."""
    stretches = []
    begin = previous = start
    for border in [*borders, end]:
        if previous > begin and weight(begin, border, ruler) > limit:
            stretches.append((begin, previous))
            begin = previous
        previous = border
    stretches.append((begin, end))
    return stretches


def weight(start: int, end: int, ruler: TokenOffsets) -> int:
    """Return the tokens of a slice, or more where the tokenizer makes one token of very many characters."""
    return max(ruler.count(start, end), (end - start) // _CHARACTERS_PER_TOKEN)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
