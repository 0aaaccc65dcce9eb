"""Compression of passages into verbatim excerpts that fit a model's token budget.

The best pieces are joined into verbatim excerpts.

Two sentences count as repetitions if they have the same words in the same order, apart from typography, articles and
connecting words. Any other different word makes another statement: a number, a name, a "not", but also "rose" for
"fell", which vectors rate as near as a paraphrase (cosine 0.9 and more). Vectors are therefore not compared.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from workbench.retrieval.answer_sentences import SentenceRanker
from workbench.retrieval.deduplication import fold_passage
from workbench.retrieval.quotable_spans import QuotableSpan, quotables


@dataclass(frozen=True, slots=True)
class PassagePiece:
    """Piece text[start:end] of a passage: a sentence with its bullet, a line of a table, or a listing.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
        quoted: Start and end of the quotable words in it, as answer_sentences.py ranks them.
        header: For a table row: index of the piece with the column names, without which the row has no meaning.
    """

    start: int
    end: int
    quoted: tuple[int, int]
    header: int | None = None


@lru_cache(maxsize=256)
def pieces_of(text: str) -> tuple[PassagePiece, ...]:
    """Return the pieces of a passage, in order."""
    spans = quotables(text)
    made: list[PassagePiece] = []
    header: int | None = None
    end = 0
    for number, span in enumerate(spans):
        start = _next_character(text, end)
        end = max(_find_end(text, span, spans[number + 1] if number + 1 < len(spans) else None), start)
        if not span.header:
            header = number if span.cells else None
        made.append(PassagePiece(start, end, (span.start, span.end), header if span.header else None))
    if not made and text.strip():
        made.append(PassagePiece(_next_character(text, 0), len(text.rstrip()), (0, len(text))))
    return tuple(made)


def _find_end(text: str, span: QuotableSpan, following: QuotableSpan | None) -> int:
    """Return the end of a piece; the text up to the next piece belongs to one of the two.

    A bullet belongs to the piece after it; the rest of a table line and a ruler below it belong to the line.
    """
    if following is None:
        return len(text.rstrip())
    if not span.cells:
        return span.end
    line = text.rfind("\n", span.end, following.start)
    return len(text[: line if line >= 0 else span.end].rstrip())


def _next_character(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


ELISION = "[…]"
"""Mark in place of omitted text."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Verbatim spans of one passage, in order.

    Attributes:
        number: Number of the passage.
        spans: (start, end) characters of its text; the text between two spans was omitted.
        text: Spans joined by the mark.
        left_out: Number of omitted pieces.
    """

    number: int
    spans: tuple[tuple[int, int], ...]
    text: str
    left_out: int = 0


def excerpt(number: int, text: str, pieces: Sequence[PassagePiece], kept: Sequence[int]) -> Excerpt:
    """Return the excerpt made of these pieces; kept holds their indices, ascending, at least one."""
    runs: list[list[int]] = []
    for index in kept:
        if runs and runs[-1][1] == index - 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    spans = tuple((pieces[first].start, pieces[last].end) for first, last in runs)
    parts = [f"{ELISION} "] if kept[0] > 0 else []
    for number_of_span, (start, end) in enumerate(spans):
        if number_of_span:
            before = spans[number_of_span - 1][1]
            parts.append(f"\n{ELISION}\n" if "\n" in text[before:start] else f" {ELISION} ")
        parts.append(text[start:end])
    if kept[-1] < len(pieces) - 1:
        parts.append(f"\n{ELISION}" if "\n" in text[spans[-1][1] :] else f" {ELISION}")
    return Excerpt(number, spans, "".join(parts), len(pieces) - len(kept))


# Score that a sentence lends to its neighbours, reduced by this amount, so that they are kept together while the budget
# lasts: a "this" or a "he" refers to the sentence before.
_BEFORE = 0.35
_AFTER = 0.45

# The rank of a passage counts in addition to its sentences: a deduction per rank, and an advantage of the first passage
# over the second. Without it, at half the tokens, as much evidence of long texts is kept as by cutting off (0.957;
# 0.967 with it); with larger values, less is kept at a tenth of the tokens (0.68 instead of 0.70).
_A_PLACE = 0.06
_FIRST = 0.3


# Number of a passage, and index of a piece in it.
_PieceKey = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CompressiblePassage:
    """Passage that a search found.

    Attributes:
        number: Identifies it among the others.
        text: Its whole text.
        above: Its title and headings; their words count as part of it.
        document: Id of its document.
    """

    number: int
    text: str
    above: str = ""
    document: int = 0


@dataclass(frozen=True, slots=True)
class Compressed:
    """Kept excerpts, in the order of the passages; passages without a kept piece are left out.

    Attributes:
        excerpts: One for each remaining passage.
        left_out: Number of omitted pieces of all passages.
        repeated: Number of pieces that repeat a better one.
    """

    excerpts: tuple[Excerpt, ...]
    left_out: int
    repeated: int


class Compression:
    """Passages of one search, scored once; they can then be fitted to any token budget."""

    def __init__(self, question: str, passages: Sequence[CompressiblePassage], ranker: SentenceRanker) -> None:
        """Score every sentence; takes the time of embedding sixty sentences.

        Args:
            question: Question that was searched.
            passages: Best passage first.
            ranker: Scores the sentences.
        """
        self._texts = {passage.number: passage.text for passage in passages}
        self._pieces = {passage.number: pieces_of(passage.text) for passage in passages}
        self._worth = _worth(question, passages, self._pieces, ranker)
        by_worth = sorted(self._worth, key=lambda one: (-self._worth[one], one))
        self._repeated = _repeated(passages, self._pieces, by_worth)

    def fitted(self, room: float, tokens: Callable[[str], float], *, frame: float = 0.0) -> Compressed:
        """Omit repetitions, and the pieces with the lowest scores, until everything fits into the budget.

        Args:
            room: Token budget for everything.
            tokens: Counts the tokens of a text.
            frame: Tokens that each passage takes in addition to its text.
        """
        offers = [
            OfferedPiece(
                number, index, self._worth[number, index], tokens(self._text_up_to_next(number, index)), piece.header
            )
            for number, found in self._pieces.items()
            for index, piece in enumerate(found)
            if (number, index) not in self._repeated
        ]
        lengths = {number: len(found) for number, found in self._pieces.items()}
        kept = chosen(offers, lengths=lengths, costs=Costs(frame, tokens(f"\n{ELISION}\n")), room=room)
        excerpts = []
        for number, found in self._pieces.items():
            if indices := [index for index in range(len(found)) if (number, index) in kept]:
                excerpts.append(excerpt(number, self._texts[number], found, indices))
        left_out = sum(map(len, self._pieces.values())) - len(kept)
        return Compressed(tuple(excerpts), left_out, len(self._repeated))

    def _text_up_to_next(self, number: int, index: int) -> str:
        """Return a piece with the white space after it."""
        found = self._pieces[number]
        end = found[index + 1].start if index + 1 < len(found) else found[index].end
        return self._texts[number][found[index].start : end]


def _repeated(
    passages: Sequence[CompressiblePassage], pieces: Mapping[int, Sequence[PassagePiece]], by_worth: Sequence[_PieceKey]
) -> set[_PieceKey]:
    """Return the pieces that repeat a better one.

    In another document the same sentence may have another subject ("The company has no debts."). There a piece counts
    as a repetition only if a neighbouring piece is repeated as well.
    """
    texts = {passage.number: passage.text for passage in passages}
    documents = {passage.number: passage.document for passage in passages}
    headers = {(number, piece.header) for number, found in pieces.items() for piece in found}
    repeated = repeats((one, _text_with_header(texts, pieces, one)) for one in by_worth if one not in headers)
    return {
        (number, index)
        for (number, index), (first, _) in repeated.items()
        if documents[number] == documents[first] or (number, index - 1) in repeated or (number, index + 1) in repeated
    }


def _text_with_header(texts: Mapping[int, str], pieces: Mapping[int, Sequence[PassagePiece]], one: _PieceKey) -> str:
    """Return a piece's text; for a table row with the column names above it, since "3 | 4" alone means nothing."""
    number, index = one
    piece = pieces[number][index]
    above = [] if piece.header is None else [pieces[number][piece.header]]
    return "\n".join(texts[number][part.start : part.end] for part in (*above, piece))


def _worth(
    question: str,
    passages: Sequence[CompressiblePassage],
    pieces: Mapping[int, Sequence[PassagePiece]],
    ranker: SentenceRanker,
) -> dict[_PieceKey, float]:
    """Return the score of each piece: its own, or a reduced score of a neighbour if that is higher."""
    ranking = ranker.rank(
        question,
        [(passage.number, passage.text) for passage in passages],
        headings={passage.number: passage.above for passage in passages},
    )
    scores = {(one.number, one.start, one.end): one.score for one in ranking.sentences}
    worth: dict[_PieceKey, float] = {}
    for place, passage in enumerate(passages):
        found = pieces[passage.number]
        rank = _FIRST / (1 + place) - _A_PLACE * place
        own = [scores.get((passage.number, *piece.quoted), 0.0) + rank for piece in found]
        for index, score in enumerate(own):
            neighbours = [own[index + 1] - _BEFORE] if index + 1 < len(own) else []
            neighbours += [own[index - 1] - _AFTER] if index else []
            worth[passage.number, index] = max(score, *neighbours) if neighbours else score
    return worth


T = TypeVar("T")

_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+|[%$€£¥+−<>=]")
_LEADING_ON = frozenset({
    "the", "a", "an", "also", "however", "moreover", "furthermore", "thus", "therefore", "additionally", "indeed",
})  # fmt: skip
_LEADING_ON_ZH = re.compile(r"(?:此外|另外|而且|并且|並且|同时|同時|因此|所以|然而|但是)[，,]?")

# A shorter text is a heading or a cell, which may legitimately occur twice.
_FEWEST_WORDS = 4
_FEWEST_LETTERS = 12


def statement_of(sentence: str) -> str | None:
    """Return a normalised form that is equal for repetitions; None if a sentence is too short to compare."""
    words = [word for word in _WORD.findall(_LEADING_ON_ZH.sub("", fold_passage(sentence))) if word not in _LEADING_ON]
    if len(words) < _FEWEST_WORDS and sum(map(len, words)) < _FEWEST_LETTERS:
        return None
    return " ".join(words)


def repeats(sentences: Iterable[tuple[T, str]]) -> dict[T, T]:
    """Return the sentences that repeat an earlier one, each with the first one that it repeats.

    Args:
        sentences: (key, text), best first: the first of several repetitions is kept.
    """
    first: dict[str, T] = {}
    found: dict[T, T] = {}
    for which, text in sentences:
        statement = statement_of(text)
        if statement is not None and first.setdefault(statement, which) != which:
            found[which] = first[statement]
    return found


@dataclass(frozen=True, slots=True)
class OfferedPiece:
    """Piece that may be kept.

    Attributes:
        passage: Number of its passage, in the order of the passages.
        piece: Index of the piece in its passage.
        worth: Score, comparable with that of all others.
        cost: Number of tokens.
        header: Piece of the same passage that must be kept above it.
    """

    passage: int
    piece: int
    worth: float
    cost: float
    header: int | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """Token costs in addition to the pieces: the frame of a passage, and the mark of each gap in it."""

    frame: float
    mark: float


class _KeptPieces:
    """Pieces kept so far; computes the cost of the gaps between them."""

    def __init__(self, lengths: Mapping[int, int]) -> None:
        self._lengths = lengths
        self.pieces: set[tuple[int, int]] = set()
        self.opened: set[int] = set()

    def add(self, passage: int, piece: int) -> None:
        """Add a piece."""
        self.pieces.add((passage, piece))
        self.opened.add(passage)

    def remove(self, passage: int, pieces: Sequence[int], *, opened: bool) -> None:
        """Remove pieces; opened is True if other pieces of the passage were kept before."""
        self.pieces.difference_update((passage, piece) for piece in pieces)
        if not opened:
            self.opened.discard(passage)

    def extra(self, passage: int, piece: int, costs: Costs) -> float:
        """Return the additional cost of keeping a piece: it splits the gap that it is in, or closes it."""
        before = piece > 0 and (passage, piece - 1) not in self.pieces
        after = piece + 1 < self._lengths[passage] and (passage, piece + 1) not in self.pieces
        if passage in self.opened:
            return costs.mark * (before + after - 1)
        return costs.frame + costs.mark * (before + after)


def chosen(
    offers: Sequence[OfferedPiece], *, lengths: Mapping[int, int], costs: Costs, room: float
) -> set[tuple[int, int]]:
    """Return the kept pieces as (passage, piece).

    Args:
        offers: All pieces; a piece that others name as their header is in it with its own cost.
        lengths: Passage -> number of its pieces.
        costs: Additional costs.
        room: Token budget.
    """
    own = {(offer.passage, offer.piece): offer.cost for offer in offers}
    kept = _KeptPieces(lengths)
    for offer in sorted(offers, key=lambda one: (-one.worth, one.passage, one.piece)):
        needed = [offer.piece] if offer.header is None else [offer.header, offer.piece]
        needed = [piece for piece in needed if (offer.passage, piece) not in kept.pieces]
        opened = offer.passage in kept.opened
        cost = 0.0
        for piece in needed:
            cost += own[offer.passage, piece] + kept.extra(offer.passage, piece, costs)
            kept.add(offer.passage, piece)
        if cost <= room:
            room -= cost
        else:
            kept.remove(offer.passage, needed, opened=opened)
    return kept.pieces
