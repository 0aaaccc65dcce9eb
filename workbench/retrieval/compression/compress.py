"""Question + passages + room -> what of the passages is worth most to the question, word for word and in its order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workbench.retrieval.compression.excerpt import ELISION, Excerpt, excerpt
from workbench.retrieval.compression.pieces import Piece, pieces_of
from workbench.retrieval.compression.redundancy import repeats
from workbench.retrieval.compression.selection import Costs, Offer, chosen
from workbench.retrieval.sentences import SentenceRanker

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
class Passage:
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

    def __init__(self, question: str, passages: Sequence[Passage], ranker: SentenceRanker) -> None:
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
            Offer(number, index, self._worth[number, index], tokens(self._up_to_next(number, index)), piece.header)
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
    passages: Sequence[Passage], pieces: Mapping[int, Sequence[Piece]], by_worth: Sequence[_Which]
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


def _with_header(texts: Mapping[int, str], pieces: Mapping[int, Sequence[Piece]], one: _Which) -> str:
    """Return a piece's text, of a table's row below the names of its columns: "3 | 4" alone says nothing."""
    number, index = one
    piece = pieces[number][index]
    above = [] if piece.header is None else [pieces[number][piece.header]]
    return "\n".join(texts[number][part.start : part.end] for part in (*above, piece))


def _worth(
    question: str,
    passages: Sequence[Passage],
    pieces: Mapping[int, Sequence[Piece]],
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
