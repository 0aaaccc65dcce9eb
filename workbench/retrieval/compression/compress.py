"""Compression of passages to the room that a model has.

Pieces are scored, repeated statements dropped, the best chosen and joined into excerpts, word for word.

Two sentences say the same when they have the same words in the same order, but for typography, articles and words that
only lead from one sentence to the next. One other word is another statement: a number, a name, a "not", but also "rose"
for "fell", which vectors hold to be as near as a paraphrase (cosine 0.9 and more); so vectors are not asked.
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
    """text[start:end] of a passage: a sentence with its bullet, a line of a table, a listing.

    Attributes:
        start: First character.
        end: One past the last.
        quoted: Where in it the words stand that may be quoted, as sentences.py ranks them.
        header: Of a table's row: the number of the piece that names its columns, without which it says nothing.
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
        end = max(_end(text, span, spans[number + 1] if number + 1 < len(spans) else None), start)
        if not span.header:
            header = number if span.cells else None
        made.append(PassagePiece(start, end, (span.start, span.end), header if span.header else None))
    if not made and text.strip():
        made.append(PassagePiece(_next_character(text, 0), len(text.rstrip()), (0, len(text))))
    return tuple(made)


def _end(text: str, span: QuotableSpan, following: QuotableSpan | None) -> int:
    """Return where a piece ends; what stands between it and the next one belongs to it or to that one.

    A bullet belongs to what follows it, the rest of a table's line and a ruler below it to the line.
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
"""Stands where something of the passage was left out."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Spans of one passage, in order, word for word.

    Attributes:
        number: Which passage.
        spans: (start, end) characters of its text; what lies between two of them was left out.
        text: The spans, joined by the mark.
        left_out: How many pieces were left out.
    """

    number: int
    spans: tuple[tuple[int, int], ...]
    text: str
    left_out: int = 0


def excerpt(number: int, text: str, pieces: Sequence[PassagePiece], kept: Sequence[int]) -> Excerpt:
    """Return what these pieces, by their ascending numbers, are of a passage; there is at least one."""
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


# What a sentence lends to those beside it, so that they are kept together while there is room: a "this" or a "he" reads
# on from the sentence before. Less than its own score by so much.
_BEFORE = 0.35
_AFTER = 0.45

# A passage's place in the search's order counts besides what its sentences hold: what each place takes from them, and
# what the first has before the second. Without it half of the evidence of long texts is no better kept than by cutting
# off (0.957 of it, with 0.967), and with more a tenth keeps less (0.68 of it for 0.70).
_A_PLACE = 0.06
_FIRST = 0.3


# The number of a passage, and that of a piece in it.
_Which = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CompressiblePassage:
    """A passage that a search found.

    Attributes:
        number: Tells it from the others.
        text: All of it.
        above: Its title and headings: their words count as said.
        document: Which document it is from.
    """

    number: int
    text: str
    above: str = ""
    document: int = 0


@dataclass(frozen=True, slots=True)
class Compressed:
    """The excerpts that are kept, in the order of the passages; passages of which nothing is kept are not in it.

    Attributes:
        excerpts: Of each passage that is left.
        left_out: How many pieces were left out, of all passages.
        repeated: How many of them said what a better one says.
    """

    excerpts: tuple[Excerpt, ...]
    left_out: int
    repeated: int


class Compression:
    """The passages of one search, looked at once; they can then be fitted into any room."""

    def __init__(self, question: str, passages: Sequence[CompressiblePassage], ranker: SentenceRanker) -> None:
        """Judge every sentence; it takes the time of embedding sixty of them.

        Args:
            question: What was searched for.
            passages: Best first.
            ranker: Knows which sentences answer.
        """
        self._texts = {passage.number: passage.text for passage in passages}
        self._pieces = {passage.number: pieces_of(passage.text) for passage in passages}
        self._worth = _worth(question, passages, self._pieces, ranker)
        by_worth = sorted(self._worth, key=lambda one: (-self._worth[one], one))
        self._repeated = _repeated(passages, self._pieces, by_worth)

    def fitted(self, room: float, tokens: Callable[[str], float], *, frame: float = 0.0) -> Compressed:
        """Leave out what says the same again, and of the rest what is worth least, until all fits into the room.

        Args:
            room: How many tokens all of it may take.
            tokens: Counts those of a text.
            frame: Tokens that a passage takes besides its text.
        """
        offers = [
            OfferedPiece(
                number, index, self._worth[number, index], tokens(self._up_to_next(number, index)), piece.header
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

    def _up_to_next(self, number: int, index: int) -> str:
        """Return a piece with the white space behind it."""
        found = self._pieces[number]
        end = found[index + 1].start if index + 1 < len(found) else found[index].end
        return self._texts[number][found[index].start : end]


def _repeated(
    passages: Sequence[CompressiblePassage], pieces: Mapping[int, Sequence[PassagePiece]], by_worth: Sequence[_Which]
) -> set[_Which]:
    """Return what says the same again.

    In another document the same sentence may be about something else ("The company has no debts."): there it only
    counts where the one beside it is said again as well.
    """
    texts = {passage.number: passage.text for passage in passages}
    documents = {passage.number: passage.document for passage in passages}
    headers = {(number, piece.header) for number, found in pieces.items() for piece in found}
    said = repeats((one, _with_header(texts, pieces, one)) for one in by_worth if one not in headers)
    return {
        (number, index)
        for (number, index), (first, _) in said.items()
        if documents[number] == documents[first] or (number, index - 1) in said or (number, index + 1) in said
    }


def _with_header(texts: Mapping[int, str], pieces: Mapping[int, Sequence[PassagePiece]], one: _Which) -> str:
    """Return a piece's text, of a table's row below the names of its columns: "3 | 4" alone says nothing."""
    number, index = one
    piece = pieces[number][index]
    above = [] if piece.header is None else [pieces[number][piece.header]]
    return "\n".join(texts[number][part.start : part.end] for part in (*above, piece))


def _worth(
    question: str,
    passages: Sequence[CompressiblePassage],
    pieces: Mapping[int, Sequence[PassagePiece]],
    ranker: SentenceRanker,
) -> dict[_Which, float]:
    """Return what each piece is worth: its own score, or a part of that of the ones beside it."""
    ranking = ranker.rank(
        question,
        [(passage.number, passage.text) for passage in passages],
        headings={passage.number: passage.above for passage in passages},
    )
    scores = {(one.number, one.start, one.end): one.score for one in ranking.sentences}
    worth: dict[_Which, float] = {}
    for place, passage in enumerate(passages):
        found = pieces[passage.number]
        rank = _FIRST / (1 + place) - _A_PLACE * place
        own = [scores.get((passage.number, *piece.quoted), 0.0) + rank for piece in found]
        for index, score in enumerate(own):
            beside = [own[index + 1] - _BEFORE] if index + 1 < len(own) else []
            beside += [own[index - 1] - _AFTER] if index else []
            worth[passage.number, index] = max(score, *beside) if beside else score
    return worth


T = TypeVar("T")

_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+|[%$€£¥+−<>=]")
_LEADING_ON = frozenset({
    "the", "a", "an", "also", "however", "moreover", "furthermore", "thus", "therefore", "additionally", "indeed",
})  # fmt: skip
_LEADING_ON_ZH = re.compile(r"(?:此外|另外|而且|并且|並且|同时|同時|因此|所以|然而|但是)[，,]?")

# A shorter one is a heading or a cell, which may well stand in two places.
_FEWEST_WORDS = 4
_FEWEST_LETTERS = 12


def statement_of(sentence: str) -> str | None:
    """Return what is equal for sentences that say the same; None where a sentence is too short to tell."""
    words = [word for word in _WORD.findall(_LEADING_ON_ZH.sub("", fold_passage(sentence))) if word not in _LEADING_ON]
    if len(words) < _FEWEST_WORDS and sum(map(len, words)) < _FEWEST_LETTERS:
        return None
    return " ".join(words)


def repeats(sentences: Iterable[tuple[T, str]]) -> dict[T, T]:
    """Return those that say what one before them says, each with the one that says it first.

    Args:
        sentences: (which, text), the best first: of those that say the same it is the one that stays.
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
    """One piece that may be kept.

    Attributes:
        passage: The number of its passage, in the order of the passages.
        piece: Its number there.
        worth: Compares with that of all others.
        cost: Tokens.
        header: The piece of the same passage that it needs above itself.
    """

    passage: int
    piece: int
    worth: float
    cost: float
    header: int | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens beside those of the pieces: of a passage's frame, and of the mark of each gap in it."""

    frame: float
    mark: float


class _KeptPieces:
    """The pieces kept so far, with the number of gaps between them."""

    def __init__(self, lengths: Mapping[int, int]) -> None:
        self._lengths = lengths
        self.pieces: set[tuple[int, int]] = set()
        self.opened: set[int] = set()

    def add(self, passage: int, piece: int) -> None:
        """Keep a piece."""
        self.pieces.add((passage, piece))
        self.opened.add(passage)

    def remove(self, passage: int, pieces: Sequence[int], *, opened: bool) -> None:
        """Take pieces back; opened: others of the passage were kept before."""
        self.pieces.difference_update((passage, piece) for piece in pieces)
        if not opened:
            self.opened.discard(passage)

    def extra(self, passage: int, piece: int, costs: Costs) -> float:
        """Return what keeping a piece costs besides it: it splits the gap in which it stands, or closes it."""
        before = piece > 0 and (passage, piece - 1) not in self.pieces
        after = piece + 1 < self._lengths[passage] and (passage, piece + 1) not in self.pieces
        if passage in self.opened:
            return costs.mark * (before + after - 1)
        return costs.frame + costs.mark * (before + after)


def chosen(
    offers: Sequence[OfferedPiece], *, lengths: Mapping[int, int], costs: Costs, room: float
) -> set[tuple[int, int]]:
    """Return (passage, piece) of those that are kept.

    Args:
        offers: All of them; one that others name as their header has a cost, too.
        lengths: Passage -> how many pieces it has.
        costs: What is paid besides.
        room: How much all may cost.
    """
    own = {(offer.passage, offer.piece): offer.cost for offer in offers}
    kept = _KeptPieces(lengths)
    for offer in sorted(offers, key=lambda one: (-one.worth, one.passage, one.piece)):
        wanted = [offer.piece] if offer.header is None else [offer.header, offer.piece]
        wanted = [piece for piece in wanted if (offer.passage, piece) not in kept.pieces]
        opened = offer.passage in kept.opened
        cost = 0.0
        for piece in wanted:
            cost += own[offer.passage, piece] + kept.extra(offer.passage, piece, costs)
            kept.add(offer.passage, piece)
        if cost <= room:
            room -= cost
        else:
            kept.remove(offer.passage, wanted, opened=opened)
    return kept.pieces
