"""Fuzzy matching of typed letters against names, and the search of many names on the worker thread."""

import heapq
import re
from itertools import pairwise
from typing import NamedTuple

from workbench.worker.job import JobContext, Operation, offload

Spans = tuple[tuple[int, int], ...]
# Words in ideographs are not separated by spaces: each ideograph may start one.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
WHOLE, BEGINNING, WORD_START, INITIALS, INSIDE, ELSEWHERE, SCATTERED = 120.0, 100.0, 80.0, 65.0, 45.0, 25.0, 20.0
"""Scores by where the typed word was found in the name."""
# Penalty for each gap between letters found in order, and the lowest score that is still a match.
_GAP = 2.0
_FEWEST = 10.0


class Match(NamedTuple):
    """Score of a match, and the matched character spans of the name."""

    score: float
    spans: Spans


def match(needle: str, text: str, more: str = "") -> Match | None:
    """Return how well a name matches the query, every word of which must match; None if one does not.

    Args:
        needle: The query; an empty one matches everything.
        text: The name.
        more: Additional words that can match; they get no spans.
    """
    folded, words = _folded(text), needle.casefold().split()
    if not words:
        return Match(0.0, ())
    if folded == " ".join(words):
        return Match(WHOLE, ((0, len(text)),))
    starts = [found.start() for found in _WORD.finditer(folded)]
    found = [_match_word(word, folded, starts, more.casefold()) for word in words]
    if any(one is None for one in found):
        return None
    best = [one for one in found if one is not None]
    # Of two names that match equally well, the shorter one is preferred.
    score = sum(one.score for one in best) / len(best) - min(len(text), 100) / 20
    return Match(score, _joined([span for one in best for span in one.spans]))


def _match_word(word: str, folded: str, starts: list[int], more: str) -> Match | None:
    if folded.startswith(word):
        return Match(BEGINNING, ((0, len(word)),))
    for start in starts:
        if folded.startswith(word, start):
            return Match(WORD_START, ((start, start + len(word)),))
    initials = "".join(folded[start] for start in starts)
    place = initials.find(word) if len(word) > 1 else -1
    if place >= 0:
        chosen = starts[place : place + len(word)]
        return Match(INITIALS - 5 * bool(place), tuple((start, start + 1) for start in chosen))
    place = folded.find(word)
    if place >= 0:
        return Match(INSIDE, ((place, place + len(word)),))
    if any(more.startswith(word, found.start()) for found in _WORD.finditer(more)):
        return Match(ELSEWHERE, ())
    return _in_order(word, folded, starts)


def _in_order(word: str, folded: str, starts: list[int]) -> Match | None:
    """Match the letters in order, the first of them at the start of a word."""
    begins = next((start for start in starts if folded[start] == word[0]), None)
    if begins is None or len(word) < 3:
        return None
    places = [begins]
    for letter in word[1:]:
        place = folded.find(letter, places[-1] + 1)
        if place < 0:
            return None
        places.append(place)
    gaps = sum(later != earlier + 1 for earlier, later in pairwise(places))
    score = SCATTERED - _GAP * gaps
    return Match(score, _joined([(place, place + 1) for place in places])) if score >= _FEWEST else None


def _folded(text: str) -> str:
    """Return a name without case, with every character at its original index."""
    folded = text.casefold()
    return folded if len(folded) == len(text) else text.lower() if len(text.lower()) == len(text) else text


def _joined(spans: list[tuple[int, int]]) -> Spans:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


MOST = 12
# Limit of matches that are ranked: the first letter typed occurs in nearly all names.
_WEIGHED = 5000


def finding(names: dict[int, str], needle: str, most: int = MOST) -> Operation[list[int]]:
    """Return the operation that finds the numbers of the best matching names, the best first.

    Args:
        names: Lower-case names by number; must not be changed afterwards.
        needle: Words, each of which must occur in the name.
        most: Maximum number of results.
    """

    async def operation(_context: JobContext) -> list[int]:
        return await offload(None, best_names, names, needle, most)

    return operation


def best_names(names: dict[int, str], needle: str, most: int = MOST) -> list[int]:
    """Return the numbers of the best matching names; among equal matches, the newest first."""
    words = needle.casefold().split()
    if not words:
        return []
    first, others = max(words, key=len), words
    found: list[tuple[int, int, int]] = []
    for number in reversed(names):
        name = names[number]
        if first in name and all(word in name for word in others):
            found.append((_distance(name, words[0]), len(name), -number))
            if len(found) >= _WEIGHED:
                break
    return [-number for _distance, _length, number in heapq.nsmallest(most, found)]


def _distance(name: str, word: str) -> int:
    """Return 0 if the name begins with the word, 1 if one of its words does, otherwise 2."""
    place = name.find(word)
    if place == 0:
        return 0
    return 2 if name[place - 1].isalnum() and name[place - 1].isascii() else 1
