"""Words of a question with their weights in this library, and the split of a question that asks for several things.

"What is X, and who founded Y?" is split into two questions. "Which is older, A or B?" becomes one with A alone and one
with B alone: a passage about A contains half of the words of the whole question, and all words of its own part.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from workbench.retrieval.base import WordCounts
from workbench.store.bm25 import shares
from workbench.store.keywords import terms
from workbench.store.segmentation import compounds_in, has_content_words, longer_codes, names_in, words_in

# In a small library counts mean little: a word in 1 of 3 chunks is not rare. Below this number of chunks, words are
# weighted as if there were this many.
SMALL_LIBRARY = 200

# Only the beginning and the end of a pasted page are searched: 100,000 characters took 4 s, in Chinese 11 s.
LONGEST_QUESTION = 800
_TAIL = 200

_HALF_WORD_BEHIND = re.compile(r"\s\S{0,40}\Z")
_HALF_WORD_BEFORE = re.compile(r"\A\S{0,40}\s")
_SPACED = re.compile(r"[a-z0-9]")


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """Words of a question with their inverse document frequencies.

    Attributes:
        weights: Word -> idf, or the share of it that is left for a word of a compound; a word that ends in "*" matches
            every word with that prefix.
        total: Sum of the weights.
        pairs: Share of the weight in pairs of characters of a script without spaces, 0 to 1.
        in_index: Sum of the weights as BM25 computes them, with the true number of chunks.
        asks_for_stranger: True if it has a name or a number that does not occur in the library.
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
        return sum([weight for word, weight in self.weights.items() if word in words or _has_prefix(words, word)])


def shorten_question(question: str) -> str:
    """Return the part of a question that is searched: all of it, or the beginning and the end of a very long one."""
    if len(question) <= LONGEST_QUESTION:
        return question
    # A cut word occurs nowhere, and a question with a word that occurs nowhere counts as unanswerable.
    head = _HALF_WORD_BEHIND.sub("", question[: LONGEST_QUESTION - _TAIL])
    return f"{head} {_HALF_WORD_BEFORE.sub('', question[-_TAIL:])}"


def question_words(question: str, counts: WordCounts) -> QuestionWords:
    """Return the words of a question, weighted by how rare they are in the library."""
    found = terms(question)
    names = names_in(question)
    frequencies = counts.document_frequency({*found, *(word for name in names for word in name)})
    longer = longer_codes({word: frequencies.get(word, 0) for word in found}, counts.document_frequency)
    prefixes = {word: prefix for word, (prefix, _) in longer.items()}
    frequencies |= {key: number for word, (prefix, number) in longer.items() for key in (word, prefix)}
    found = [prefixes.get(word, word) for word in found]
    chunks = max(counts.count, SMALL_LIBRARY)
    weights = {word: rarity(frequencies.get(word, 0), chunks) for word in found}
    kept = shares(compounds_in(question), lambda word: weights[prefixes.get(word, word)])
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
    """Return True if a word is a piece of a script written without spaces."""
    return not _SPACED.search(word) and ord(word[0]) > 0x2E7F


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as the keyword index stores them; cached, because top passages recur."""
    return words_in(text)


def _is_known(name: Sequence[str], frequencies: Mapping[str, int]) -> bool:
    """Return True if a name occurs in the library, whole or in all its parts: "e-mail" yields e, mail and email."""
    whole = max(name, key=len)
    parts = [word for word in name if word != whole] or [whole]
    return frequencies.get(whole, 0) > 0 or all(frequencies.get(word, 0) > 0 for word in parts)


def rarity(frequency: int, chunks: int) -> float:
    """Return the inverse document frequency of a word, by the number of chunks that contain it; BM25's, at least 0."""
    return math.log(1 + (chunks - min(frequency, chunks) + 0.5) / (frequency + 0.5))


def _has_prefix(words: Set[str], word: str) -> bool:
    """Return True if one of the words has the prefix of a word that ends in "*"."""
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

# A name: words with a capital or a digit, connected by short words.
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
    """Return one question for each thing that is asked for; empty for a single question."""
    if len(question) > _LONGEST:
        return ()
    parts = [part for asked in _split_questions(question) for part in _split_two(asked)]
    wanted = tuple(dict.fromkeys(part for part in parts if has_content_words(part)))
    return wanted[:_MOST] if len(wanted) > 1 else ()


def parts_beside(question: str, best: str) -> tuple[str, ...]:
    """Return the parts of a question for which the best sentence for the whole question does not suffice.

    A part with a single word that is in that sentence refers to it: "…, and what is the limit?" means the limit that it
    states; alone, the part would find any limit.
    """
    held = words_of(best)
    return tuple(part for part in parts_of(question) if len(terms(part)) > 1 or held.isdisjoint(terms(part)))


def _split_questions(question: str) -> Iterator[str]:
    """Yield each of several questions in a row."""
    sentences = _SENTENCE.split(question)
    if len(sentences) > 1:
        sentences = [one for one in sentences if _IS_ASKED.search(one)]
    for sentence in sentences:
        pieces = [one.strip() for asked in _NEXT_QUESTION.split(sentence) for one in _NEXT_IN_CHINESE.split(asked)]
        # "In 1066, who was king?" is one question: only one half of it is a question.
        yield from pieces if all(_IS_ASKED.search(one) for one in pieces) else filter(None, (sentence.strip(),))


def _split_two(question: str) -> tuple[str, ...]:
    """Return the question for each of two things; unchanged in a tuple if it has no two things."""
    match = _TWO_IN_CHINESE.search(question) or _TWO_THINGS.search(question)
    if _ASKS_FOR_BOTH.search(question):
        match = _TWO_NAMES.search(question) or match
    if match is None:
        return (question,)
    one, other = match.group("one").strip(), match.group("other").strip()
    owner, of, thing = one.rpartition("的")  # owner of both things: "公司的营收和利润"
    before, after = question[: match.start("one")] + owner + of, question[match.end("other") :]
    return f"{before}{thing}{after}", f"{before}{other}{after}"


def first_with(ids: Sequence[int], wanted: Collection[int], k: int) -> list[int]:
    """Return the indices of the first k, whose last unwanted ones are replaced by wanted ones from further down."""
    first = list(range(min(k, len(ids))))
    missing = [place for place in range(k, len(ids)) if ids[place] in wanted]
    giving_way = [place for place in first if ids[place] not in wanted][::-1][: len(missing)]
    return [place for place in first if place not in giving_way] + missing[: len(giving_way)]
