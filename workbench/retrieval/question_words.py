"""Words of a question with their weights in this library, and the split of a question that asks for several things.

"What is X, and who founded Y?" gives both questions. "Which is older, A or B?" gives the question with A alone and with
B alone: a passage about A has half of the words of the whole question, and all of its own.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from workbench.retrieval.base import WordCounts
from workbench.store.bm25 import shares
from workbench.store.keywords import terms
from workbench.store.segmentation import compounds_in, has_content_words, names_in, words_in

# In a small library counts say little: a word that stands in 1 of 3 chunks is not rare. Below this many chunks, words
# weigh as if there were this many.
SMALL_LIBRARY = 200

# Of a pasted page the beginning and the end are searched: 100,000 characters took 4 s, in Chinese 11 s.
LONGEST_QUESTION = 800
_TAIL = 200

_HALF_WORD_BEHIND = re.compile(r"\s\S{0,40}\Z")
_HALF_WORD_BEFORE = re.compile(r"\A\S{0,40}\s")
_SPACED = re.compile(r"[a-z0-9]")


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question with their inverse document frequencies.

    Attributes:
        weights: Word -> idf, or the share of it that a word of a compound keeps; a word that ends in "*" stands for
            every word that begins so.
        total: Sum of the weights.
        pairs: Share of the weight that lies in pairs of characters of a script without spaces, 0 to 1.
        in_index: Sum of the weights as BM25 has them, by the true number of chunks.
        asks_for_stranger: It names somebody or something, or a number, that stands nowhere in the library.
    """

    weights: dict[str, float]
    total: float
    pairs: float
    in_index: float
    asks_for_stranger: bool = False

    def share(self, words: Set[str]) -> float:
        """Return the share of the question's weight that these words cover, 0 to 1."""
        return self.weight(words) / self.total if self.total else 0.0

    def weight(self, words: Set[str]) -> float:
        """Return the weight of the question's words that are among these words."""
        return sum([weight for word, weight in self.weights.items() if word in words or _is_begun(words, word)])


def shorten_question(question: str) -> str:
    """Return what is searched of a question: all of it, or the beginning and the end of a very long one."""
    if len(question) <= LONGEST_QUESTION:
        return question
    # Half a word stands nowhere, and a question that asks for what stands nowhere is held to have no answer.
    head = _HALF_WORD_BEHIND.sub("", question[: LONGEST_QUESTION - _TAIL])
    return f"{head} {_HALF_WORD_BEFORE.sub('', question[-_TAIL:])}"


def question_words(question: str, counts: WordCounts) -> QuestionWords:
    """Return the words of a question, weighed by how rare they are in the library."""
    found = terms(question)
    names = names_in(question)
    frequencies = counts.document_frequency({*found, *(word for name in names for word in name)})
    chunks = max(counts.count, SMALL_LIBRARY)
    weights = {word: rarity(frequencies.get(word, 0), chunks) for word in found}
    kept = shares(compounds_in(question), weights.__getitem__)
    weights = {word: weight * kept.get(word, 1.0) for word, weight in weights.items()}
    total = sum(weights.values())
    in_pairs = sum(weight for word, weight in weights.items() if is_unspaced(word))
    return QuestionWords(
        weights,
        total,
        pairs=in_pairs / total if total else 0.0,
        in_index=sum(rarity(frequencies.get(word, 0), counts.count) * kept.get(word, 1.0) for word in found),
        asks_for_stranger=any(not _is_known(name, frequencies) for name in names),
    )


def is_unspaced(word: str) -> bool:
    """Tell whether a word is a piece of a script written without spaces."""
    return not _SPACED.search(word) and ord(word[0]) > 0x2E7F


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as the keyword index has them; kept, because top passages come back often."""
    return words_in(text)


def _is_known(name: Sequence[str], frequencies: Mapping[str, int]) -> bool:
    """Tell whether a name stands in the library in one piece or in all its parts: "e-mail" gives e, mail and email."""
    whole = max(name, key=len)
    parts = [word for word in name if word != whole] or [whole]
    return frequencies.get(whole, 0) > 0 or all(frequencies.get(word, 0) > 0 for word in parts)


def rarity(frequency: int, chunks: int) -> float:
    """Return the inverse document frequency of a word that stands in so many of the chunks; BM25's, never below 0."""
    return math.log(1 + (chunks - min(frequency, chunks) + 0.5) / (frequency + 0.5))


def _is_begun(words: Set[str], word: str) -> bool:
    """Tell whether one of the words begins as a word that ends in "*"."""
    return word[-1] == "*" and any(held.startswith(word[:-1]) for held in words)


_MOST = 4
_LONGEST = 400

_ASKS = "who|whom|whose|what|when|where|which|why|how"
_SENTENCE = re.compile(r"(?<=[?？])\s*")
_NEXT_QUESTION = re.compile(rf"[,;]?\s+(?:and|but|or)\s+(?:also\s+)?(?=(?:in |at |to |by |of )?(?:{_ASKS})\b)", re.I)
_NEXT_IN_CHINESE = re.compile("[，,；;]\\s*(?:以及|并且|並且|而且|还有|還有|又|而)?(?=[\u4e00-\u9fff])")
_IS_ASKED = re.compile(
    rf"\b(?:{_ASKS}|is|are|was|were|does|do|did)\b|谁|誰|什么|甚麼|什麼|何时|何時|何处|何處|为何|為何|哪|多少|多久|怎|吗|嗎",
    re.I,
)

# A name: words with a capital or a digit, with little words between.
_WORD = r"(?:\d*[A-Z][\w.'’&()-]*|\"[^\"]+\"|“[^”]+”)"
_NAME = rf"(?:the\s+)?{_WORD}(?:\s+(?:(?:of|for|the|de|von|van|ap|in|from|to|la|le)\s+){{0,2}}{_WORD})*"
_TWO_NAMES = re.compile(rf"(?P<one>{_NAME})\s*,?\s+(?:and|or|versus|vs\.?|with)\s+(?P<other>{_NAME})")
_ASKS_FOR_BOTH = re.compile(
    r"^\s*(?:are|were|is|was|do|does|did|have|has|can|compare)\b|\b(?:both|between|compared?|comparison|differ\w*|same|"
    r"common|respective\w*|versus|vs|or|older|oldest|younger|first|connected|each)\b",
    re.I,
)
_THING = r"[\w'-]+(?:\s[\w'-]+){0,3}?"
_TWO_THINGS = re.compile(
    rf"\b(?:differences? between|compare|comparison (?:of|between))\s+(?:(?:[\w'-]+\s+){{0,4}}?(?:of|for|in)\s+)?"
    rf"(?P<one>{_THING})\s+(?:and|with|to|versus|vs\.?)\s+(?P<other>{_THING})(?=[?.,]|$|\s(?:in|of|for|at|on)\b)",
    re.I,
)
_TWO_IN_CHINESE = re.compile(
    "(?P<one>[^，。；？、和与與跟及比较較]{2,12})[和与與跟及](?P<other>[^，。；？、和与與跟及分区區有各]{2,12}?)"
    "(?=的?(?:分别|分別|各自|区别|區別|差别|差別|异同|異同|有什么不同|有甚麼不同|有何不同|哪个更|哪個更))"
)


def parts_of(question: str) -> tuple[str, ...]:
    """Return a question for each thing that is asked for; none where it is one."""
    if len(question) > _LONGEST:
        return ()
    parts = [part for asked in _questions(question) for part in _of_two(asked)]
    wanted = tuple(dict.fromkeys(part for part in parts if has_content_words(part)))
    return wanted[:_MOST] if len(wanted) > 1 else ()


def _questions(question: str) -> Iterator[str]:
    """Yield each question of several in a row."""
    sentences = _SENTENCE.split(question)
    if len(sentences) > 1:
        sentences = [one for one in sentences if _IS_ASKED.search(one)]
    for sentence in sentences:
        pieces = [one.strip() for asked in _NEXT_QUESTION.split(sentence) for one in _NEXT_IN_CHINESE.split(asked)]
        # "In 1066, who was king?" is one question: only one half of it asks.
        yield from pieces if all(_IS_ASKED.search(one) for one in pieces) else filter(None, (sentence.strip(),))


def _of_two(question: str) -> tuple[str, ...]:
    """Return the question for one of two things, and for the other; or as it is."""
    match = _TWO_IN_CHINESE.search(question) or _TWO_THINGS.search(question)
    if _ASKS_FOR_BOTH.search(question):
        match = _TWO_NAMES.search(question) or match
    if match is None:
        return (question,)
    one, other = match.group("one").strip(), match.group("other").strip()
    owner, of, thing = one.rpartition("的")  # what both are of: "公司的营收和利润"
    before, after = question[: match.start("one")] + owner + of, question[match.end("other") :]
    return f"{before}{thing}{after}", f"{before}{other}{after}"


def first_with(ids: Sequence[int], wanted: Collection[int], k: int) -> list[int]:
    """Return the places of the first k, of which the last give way to those wanted that stand further down."""
    first = list(range(min(k, len(ids))))
    missing = [place for place in range(k, len(ids)) if ids[place] in wanted]
    giving_way = [place for place in first if ids[place] not in wanted][::-1][: len(missing)]
    return [place for place in first if place not in giving_way] + missing[: len(giving_way)]
