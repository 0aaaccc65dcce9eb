"""Evidence for a claim in the passages that it cites: shared words, missing names, negation and language."""

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from workbench.agent.claims.differences import differences
from workbench.agent.claims.quantities import missing_numbers, numbers_in, values_in
from workbench.model.claim import Difference
from workbench.model.hit import NumberedHit
from workbench.retrieval.embedder_calibration import HAN
from workbench.retrieval.question_words import QuestionWords, words_of
from workbench.retrieval.quotable_spans import quotables
from workbench.store.segmentation import STOP_WORDS

# Letters first: what begins with a digit is a figure.
_TOKEN = re.compile(r"[^\W\d_][^\W_]*(?:['’.&-][^\W_]+)*")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# A capital after these says nothing: something begins there.
_OPENS = re.compile(r"(?:^|[.:!?;“”\"'‘’「『(\[|•–—-]\s*)$")
# So many of the letters of a word have to be the same: Germany and German, Elizabeth and Elizabethan.
_SAME_BEGINNING, _SHORTEST = 0.7, 4


def missing_names(claim: str, held: Set[str], letters: str) -> tuple[str, ...]:
    """Return the names of a claim that are not among the words held, as they are written.

    Args:
        claim: One sentence. In Chinese, whatever stands in Latin letters is a name.
        held: The words of what the claim rests on, as the keyword index has them.
        letters: The first letters of those words in order, to know "WHO" by its words.
    """
    missing: list[str] = []
    end = -2
    for token in _names(claim):
        if _is_held(token.group(), held, letters):
            continue
        if token.start() == end + 1:
            missing[-1] += claim[end : token.end()]
        else:
            missing.append(token.group())
        end = token.end()
    return tuple(dict.fromkeys(missing))


def initials(text: str) -> str:
    """Return the first letters of a text's words, in order."""
    return "".join(match.group()[0].lower() for match in _TOKEN.finditer(text))


def _names(claim: str) -> list[re.Match[str]]:
    tokens = [match for match in _TOKEN.finditer(claim) if _LATIN.match(match.group())]
    if _HAN.search(claim):
        return [one for one in tokens if one.group().lower() not in STOP_WORDS]
    capitals = sum(one.group()[0].isupper() for one in tokens)
    if capitals > max(3, 0.7 * len(tokens)):
        return []  # a line in capitals, a heading
    return [
        one
        for one, following in zip(tokens, [*tokens[1:], None], strict=False)
        if _is_capital(one) and (not _opens(claim, one) or (following is not None and _is_one_name(one, following)))
    ]


def _is_capital(token: re.Match[str]) -> bool:
    return token.group()[0].isupper() and token.group().lower() not in STOP_WORDS


def _opens(claim: str, token: re.Match[str]) -> bool:
    return _OPENS.search(claim, max(0, token.start() - 3), token.start()) is not None


def _is_one_name(first: re.Match[str], second: re.Match[str]) -> bool:
    return _is_capital(second) and second.start() == first.end() + 1


def _is_held(name: str, held: Set[str], letters: str) -> bool:
    words = words_of(name)
    if name.isupper() and len(name) > 2 and name.lower() in letters:
        return True
    return not words or bool(words & held) or any(_begins_one(word, held) for word in words)


def _begins_one(word: str, held: Set[str]) -> bool:
    length = max(_SHORTEST, round(_SAME_BEGINNING * len(word)))
    return len(word) >= length and any(other.startswith(word[:length]) for other in held)


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
class CitedGrounds:
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


def grounds_of(hits: Sequence[NumberedHit], known: str) -> CitedGrounds:
    """Return what claims may rest on: the passages, what stands over them, and what was known beside them."""
    parts = [
        part
        for one in hits
        for part in (one.hit.chunk.text, one.hit.document_name, one.hit.document_title, *one.hit.chunk.headings)
    ]
    words = frozenset[str]().union(*map(words_of, parts))
    text = "\n".join(parts)
    return CitedGrounds(
        tuple(hits),
        tuple((one, window) for one in hits for window in windows_of(one.hit.chunk.text)),
        words,
        words | words_of(known),
        values_in(f"{text}\n{known}"),
        initials(text),
        text,
    )


def evidence_for(claim: str, words: QuestionWords, grounds: CitedGrounds) -> Evidence:
    """Return what of a claim stands in its grounds, by its words; meaning is compared afterwards, for all at once."""
    ranked = sorted(
        ((words.share(window.words), index) for index, (_, window) in enumerate(grounds.windows)),
        key=lambda one: (-one[0], one[1]),
    )
    best = [grounds.windows[index] for _, index in ranked[:COMPARED]]
    own = ranked[0][0] if ranked else 0.0
    figures = missing_numbers(numbers_in(claim), grounds.values)
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


_DENIES = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|cannot|nobody|nothing|hardly|fails? to|failed to)\b|n['’]t\b",
    re.IGNORECASE,
)
_DENIES_HAN = re.compile(r"不|没|沒|未|无|無|非|否")
# In these the sign denies nothing.
_HARMLESS = re.compile(
    r"不同|不[仅僅]|不[断斷]|不久|不[过過]|不少|不得不|不可不|[无無][论論]|[无無][线線]|非常|非洲|未[来來]|是否|能否"
    r"|\b(?:not only|no doubt|no longer than|no later than|nothing but)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
# Of a shorter text nobody can say which language it is.
_FEWEST_WORDS = 10
_OWN_SHARE, _OTHER_SHARE = 0.25, 0.08


def denies(text: str) -> bool:
    """Tell whether a sentence says that something is not so."""
    plain = _HARMLESS.sub(" ", text)
    return bool(_DENIES.search(plain) or (HAN.search(plain) and _DENIES_HAN.search(plain)))


def is_chinese(text: str) -> bool:
    """Tell whether most of a text is written in Chinese characters, of which each counts as half a word."""
    return len(HAN.findall(text)) / 2 > len(_WORD.findall(HAN.sub(" ", text)))


def is_other_language(one: str, other: str) -> bool:
    """Tell whether two texts are in languages that share no words: Chinese and English, English and German."""
    if is_chinese(one) != is_chinese(other):
        return True
    if is_chinese(one):
        return False
    shares = [_english_share(text) for text in (one, other)]
    return None not in shares and min(shares) < _OTHER_SHARE and max(shares) > _OWN_SHARE  # type: ignore[type-var, operator]


def _english_share(text: str) -> float | None:
    words = _WORD.findall(text.lower())
    if len(words) < _FEWEST_WORDS:
        return None
    return sum(word in STOP_WORDS for word in words) / len(words)
