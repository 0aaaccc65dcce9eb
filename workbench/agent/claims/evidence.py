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

# The first character must be a letter: a token that begins with a digit is a number.
_TOKEN = re.compile(r"[^\W\d_][^\W_]*(?:['’.&-][^\W_]+)*")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# A capital letter after these does not indicate a name: a sentence or a quote begins there.
_OPENS = re.compile(r"(?:^|[.:!?;“”\"'‘’「『(\[|•–—-]\s*)$")
# Share and minimum number of a word's first letters that must match: Germany and German, Elizabeth and Elizabethan.
_SAME_BEGINNING, _SHORTEST = 0.7, 4


def missing_names(claim: str, held: Set[str], letters: str) -> tuple[str, ...]:
    """Return the names of a claim that are not among the given words, as they are written.

    Args:
        claim: A sentence. In a Chinese one, every word in Latin letters is a name.
        held: Words of the text that the claim rests on, in the form of the keyword index.
        letters: First letters of those words in order, to recognize an abbreviation such as "WHO".
    """
    missing: list[str] = []
    end = -2
    for token in _names(claim):
        if _occurs(token.group(), held, letters):
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


def _occurs(name: str, held: Set[str], letters: str) -> bool:
    words = words_of(name)
    if name.isupper() and len(name) > 2 and name.lower() in letters:
        return True
    return not words or bool(words & held) or any(_shares_beginning(word, held) for word in words)


def _shares_beginning(word: str, held: Set[str]) -> bool:
    length = max(_SHORTEST, round(_SAME_BEGINNING * len(word)))
    return len(word) >= length and any(other.startswith(word[:length]) for other in held)


# Number of a claim's best windows that are compared by meaning.
COMPARED = 3
# From this share of the claim in a window on, both are about the same subject, and a different negation counts.
_SAME_THING = 0.6
# From this share on, the claim is compared with the window word for word.
_COMPARABLE = 0.5
# A changed name may make another sentence the best match, so the next one is compared too if its share is close.
_MOST_SENTENCES, _CLOSE = 2, 0.1


@dataclass(frozen=True, slots=True)
class Window:
    """A sentence, two sentences or a table row of a passage: text[start:end] of its chunk."""

    start: int
    end: int
    text: str
    words: frozenset[str]
    is_pair: bool = False


@dataclass(frozen=True, slots=True)
class CitedGrounds:
    """The text that claims rest on, prepared once for all claims that rest on the same passages.

    Attributes:
        hits: The passages.
        windows: Windows of the passages.
        words: Words of the passages, and of their document names, titles and headings.
        named: These words, and those of the question and of the results of tools.
        values: Values of the numbers in all of this text.
        initials: See initials().
        text: The passages with their document names, titles and headings.
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
    """Evidence for a claim in the text that it rests on.

    Attributes:
        own: Share of the claim's weight in the best window.
        whole: Share of the claim's weight in all of the text.
        cosine: Best cosine similarity of the claim and a window, on the embedder's own scale; 0 if not compared.
        best: Windows with the largest share of the claim, best first.
        figures: Numbers of the claim that occur nowhere in the text.
        names: Names of the claim that occur nowhere in the text.
        differences: Contradictions between the claim and the best sentences.
        negation_differs: True if either the claim or the best window is a denial, but not both.
        gap: Maximum number of consecutive words that occur nowhere in the text.
        pairs: Share of the claim that is divided into pairs of characters.
        degree: Degree to which the embedder understands the claim, 0 to 1; 0 if meaning was not compared.
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
    """Return the text that claims may rest on: the passages with their titles and headings, and the known text."""
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
    """Return the evidence for a claim by its words; its meaning is compared later, for all claims at once."""
    ranked = sorted(
        ((words.share(window.words), index) for index, (_, window) in enumerate(grounds.windows)),
        key=lambda one: (-one[0], one[1]),
    )
    best = [grounds.windows[index] for _, index in ranked[:COMPARED]]
    own = ranked[0][0] if ranked else 0.0
    figures = missing_numbers(numbers_in(claim), grounds.values)
    names = missing_names(claim, grounds.named, grounds.initials)
    is_same_thing = own >= _SAME_THING
    # In a pair of sentences a changed word may be found in the other sentence, which would hide the change.
    alone = [(share, grounds.windows[index][1]) for share, index in ranked if not grounds.windows[index][1].is_pair]
    compared = [one.text for share, one in alone[:_MOST_SENTENCES] if share >= max(_COMPARABLE, alone[0][0] - _CLOSE)]
    if not compared and own >= _COMPARABLE:
        compared = [best[0][1].text]
    comparisons = (differences(claim, text, (*figures, *names), grounds.words) for text in compared)
    return Evidence(
        own=own,
        whole=words.share(grounds.words),
        best=best,
        figures=figures,
        names=names,
        differences=next(filter(None, comparisons), ()),
        negation_differs=is_same_thing and denies(claim) != denies(best[0][1].text),
        gap=_longest_gap(words.weights, grounds.words),
        pairs=words.pairs,
    )


@lru_cache(maxsize=128)
def windows_of(text: str) -> tuple[Window, ...]:
    """Return a passage's sentences and table rows, followed by each pair of consecutive ones."""
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
# Words in which the character or the expression is not a negation.
_HARMLESS = re.compile(
    r"不同|不[仅僅]|不[断斷]|不久|不[过過]|不少|不得不|不可不|[无無][论論]|[无無][线線]|非常|非洲|未[来來]|是否|能否"
    r"|\b(?:not only|no doubt|no longer than|no later than|nothing but)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
# The language of a text with fewer words cannot be detected.
_FEWEST_WORDS = 10
_OWN_SHARE, _OTHER_SHARE = 0.25, 0.08


def denies(text: str) -> bool:
    """Return whether a sentence is a denial."""
    plain = _HARMLESS.sub(" ", text)
    return bool(_DENIES.search(plain) or (HAN.search(plain) and _DENIES_HAN.search(plain)))


def is_chinese(text: str) -> bool:
    """Return whether most of a text is written in Chinese characters, each of which counts as half a word."""
    return len(HAN.findall(text)) / 2 > len(_WORD.findall(HAN.sub(" ", text)))


def is_other_language(one: str, other: str) -> bool:
    """Return whether two texts are in languages that share no words: Chinese and English, English and German."""
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
