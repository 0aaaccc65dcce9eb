"""Which sentences say what a better one has said already.

Two sentences say the same when they have the same words in the same order, but for typography, articles and words that
only lead from one sentence to the next. One other word is another statement: a number, a name, a "not", but also "rose"
for "fell", which vectors hold to be as near as a paraphrase (cosine 0.9 and more); so vectors are not asked.
"""

import re
from collections.abc import Iterable
from typing import TypeVar

from workbench.retrieval.folding import folded

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
    words = [word for word in _WORD.findall(_LEADING_ON_ZH.sub("", folded(sentence))) if word not in _LEADING_ON]
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
