"""A claim and the passages that it rests on -> what of it stands there."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from workbench.agent.claims.differences import differences
from workbench.agent.claims.figures import figures_in, missing_figures, values_in
from workbench.agent.claims.names import initials, missing_names
from workbench.agent.claims.wording import denies
from workbench.model.claim import Difference
from workbench.model.hit import NumberedHit
from workbench.retrieval.question_words import QuestionWords, words_of
from workbench.retrieval.quotable_spans import quotables

# So many of a claim's best windows are compared by meaning.
COMPARED = 3
# The window's share of a claim from which on it is about the same thing, so that a "not" more or less is a difference.
_SAME_THING = 0.6
# The share from which on it is put beside the window word for word.
_COMPARABLE = 0.5
# A name that was changed may make another sentence the nearest: the next is read too where it holds nearly as much.
_BESIDE, _CLOSE = 2, 0.1


@dataclass(frozen=True, slots=True)
class Window:
    """A sentence, or two, or a row of a table, of a passage: text[start:end] of its chunk."""

    start: int
    end: int
    text: str
    words: frozenset[str]
    is_pair: bool = False


@dataclass(frozen=True, slots=True)
class Grounds:
    """All that a claim rests on, read once for all claims that rest on the same.

    Attributes:
        hits: The passages.
        windows: Theirs.
        words: Of the passages and of what stands over them.
        named: With the words of the question too, and of what tools have said: its names are not invented.
        values: Of the numbers of all that.
        initials: See names.initials.
        text: The passages and what stands over them.
    """

    hits: tuple[NumberedHit, ...]
    windows: tuple[tuple[NumberedHit, Window], ...]
    words: frozenset[str]
    named: frozenset[str]
    values: frozenset[float]
    initials: str
    text: str


@dataclass(slots=True)
class Evidence:
    """What of a claim stands in its grounds.

    Attributes:
        own: Share of the claim's weight in the best window.
        whole: The same of all its grounds together.
        cosine: Of the claim and a window, on the embedder's own scale, where it was compared.
        best: The windows that hold most of it, best first.
        figures: Its numbers that stand nowhere in them.
        names: Its names that stand nowhere in them.
        differences: Where the best window says otherwise.
        negation_differs: It denies what the best window says, or the other way round.
        gap: The most words one after another that stand nowhere in its grounds.
        pairs: Share of the claim that is cut into pairs of characters.
        degree: How far the embedder understands it, 0 to 1; 0 where meaning was not compared.
    """

    own: float
    whole: float
    best: list[tuple[NumberedHit, Window]]
    figures: tuple[str, ...]
    names: tuple[str, ...]
    differences: tuple[Difference, ...]
    negation_differs: bool
    gap: int
    pairs: float
    cosine: float = 0.0
    degree: float = 0.0


def grounds_of(hits: Sequence[NumberedHit], known: str) -> Grounds:
    """Return what claims may rest on: the passages, what stands over them, and what was known beside them."""
    parts = [
        part
        for one in hits
        for part in (one.hit.chunk.text, one.hit.document_name, one.hit.document_title, *one.hit.chunk.headings)
    ]
    words = frozenset[str]().union(*map(words_of, parts))
    text = "\n".join(parts)
    return Grounds(
        tuple(hits),
        tuple((one, window) for one in hits for window in windows_of(one.hit.chunk.text)),
        words,
        words | words_of(known),
        values_in(f"{text}\n{known}"),
        initials(text),
        text,
    )


def evidence_for(claim: str, words: QuestionWords, grounds: Grounds) -> Evidence:
    """Return what of a claim stands in its grounds, by its words; meaning is compared afterwards, for all at once."""
    ranked = sorted(
        ((words.share(window.words), index) for index, (_, window) in enumerate(grounds.windows)),
        key=lambda one: (-one[0], one[1]),
    )
    best = [grounds.windows[index] for _, index in ranked[:COMPARED]]
    own = ranked[0][0] if ranked else 0.0
    figures = missing_figures(figures_in(claim), grounds.values)
    names = missing_names(claim, grounds.named, grounds.initials)
    is_same_thing = own >= _SAME_THING
    # Beside two sentences a word that was changed is found in the other one, and nothing seems changed.
    alone = [(share, grounds.windows[index][1]) for share, index in ranked if not grounds.windows[index][1].is_pair]
    compared = [one.text for share, one in alone[:_BESIDE] if share >= max(_COMPARABLE, alone[0][0] - _CLOSE)]
    if not compared and own >= _COMPARABLE:
        compared = [best[0][1].text]
    told = (differences(claim, text, (*figures, *names), grounds.words) for text in compared)
    return Evidence(
        own=own,
        whole=words.share(grounds.words),
        best=best,
        figures=figures,
        names=names,
        differences=next(filter(None, told), ()),
        negation_differs=is_same_thing and denies(claim) != denies(best[0][1].text),
        gap=_longest_gap(words.weights, grounds.words),
        pairs=words.pairs,
    )


@lru_cache(maxsize=128)
def windows_of(text: str) -> tuple[Window, ...]:
    """Return a passage's sentences and rows, each also together with the next."""
    spans = quotables(text)
    alone = [Window(span.start, span.end, span.text, words_of(span.text) | words_of(span.header)) for span in spans]
    pairs = [
        Window(first.start, second.end, text[first.start : second.end], first.words | second.words, is_pair=True)
        for first, second in pairwise(alone)
    ]
    return (*alone, *pairs)


def _longest_gap(words: Iterable[str], held: Set[str]) -> int:
    longest = gap = 0
    for word in words:
        gap = 0 if word in held else gap + 1
        longest = max(longest, gap)
    return longest
