"""Requests about a whole document or the whole library, recognised by rules in English and Chinese.

"Summarise the survey", "which documents do I have", "how many documents mention X", "比较这两份报告": no passage
answers these, the structure of documents does. Only the wording decides here, so a rule has to hold for the whole
question; the documents that the words of its subject mean are looked up later (meant_documents.py), and a subject that
means none is searched for.

False recognitions among ordinary questions and the share of generated requests that are recognised are measured in
tests/benchmarks/request_recognition.py.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from workbench.retrieval import request_patterns as patterns


class RequestKind(StrEnum):
    """The kinds of requests about whole documents or the library."""

    OVERVIEW = "overview"
    DOCUMENTS = "documents"
    MENTIONS = "mentions"
    LISTING = "listing"
    COMPARISON = "comparison"
    DETAILS = "details"


@dataclass(frozen=True, slots=True)
class Request:
    """A request about structure.

    Attributes:
        kind: What is wanted.
        subject: Of an overview or details, the words that mean the documents, empty for all there are; of mentions,
            the words that are counted; of a listing, the words that say which table or list.
        other: Of a comparison, the second of two; empty where the subject means both ("the two reports").
        within: Of mentions, the words that mean the documents to look in; empty for all.
    """

    kind: RequestKind
    subject: str = ""
    other: str = ""
    within: str = ""


_LONGEST = 240
"""Characters: a longer question brings its own text along."""

_SPACES = re.compile(r"\s+")
_END = re.compile(r"[\s.?!。？！…~～]+$")
_WORD = re.compile(r"[a-z]{6,}")
_CJK = re.compile(r"[\u3400-\u9fff]")
_PAIR_EN = re.compile(r"^(?P<one>.+?)\s+(?:and|with|to|against|versus|vs\.?|from)\s+(?P<two>.+)$", re.IGNORECASE)
_PAIR_ZH = re.compile(r"^(?P<one>.+?)(?:和|与|與|跟|同|及|以及|、)(?P<two>.+)$")
_QUOTES = " \t\"'“”‘’「」『』《》:：,，、"

# One letter wrong, missing, too many, or two exchanged; of the verb that most begin with, two.
_TWO_WRONG = frozenset({"summarise", "summarize"})


def request_of(question: str) -> Request | None:
    """Return what a question requests of the structure of documents; None for an ordinary question."""
    text = _END.sub("", _SPACES.sub(" ", unicodedata.normalize("NFKC", question)).strip())
    if not text or len(text) > _LONGEST:
        return None
    if _CJK.search(text):
        return _first(patterns.CHINESE, _without(patterns.POLITE_ZH, patterns.TRAILING_ZH, text), _PAIR_ZH)
    return _first(patterns.ENGLISH, _without(patterns.POLITE, patterns.TRAILING, _spelt(text)), _PAIR_EN)


def _without(polite: re.Pattern[str], trailing: re.Pattern[str], text: str) -> str:
    """Return a question without what is said for politeness before it and behind it, however often."""
    while (shorter := trailing.sub("", polite.sub("", text)).strip(_QUOTES)) != text:
        text = shorter
    return text


def _first(rules: tuple[tuple[str, re.Pattern[str]], ...], text: str, pair: re.Pattern[str]) -> Request | None:
    for kind, rule in rules:
        if match := rule.match(text):
            groups = {name: (said or "").strip(_QUOTES) for name, said in match.groupdict().items()}
            return _request(RequestKind(kind), groups, pair)
    return None


def _request(kind: RequestKind, groups: dict[str, str], pair: re.Pattern[str]) -> Request | None:
    subject, other = groups.get("subject", ""), groups.get("other", "")
    if kind is RequestKind.COMPARISON and not other:
        two = pair.match(patterns.BETWEEN.sub("", subject))
        if two is not None:
            subject, other = two["one"].strip(_QUOTES), two["two"].strip(_QUOTES)
        elif not patterns.SEVERAL.search(subject):
            return None
    if kind in (RequestKind.MENTIONS, RequestKind.LISTING) and not subject:
        return None
    return Request(kind, subject, other, groups.get("within", ""))


@lru_cache(maxsize=64)
def _spelt(text: str) -> str:
    """Return a text with the words that requests are recognised by spelt right."""
    return _WORD.sub(lambda match: _nearest(match.group()), text) if text.islower() else _spelt_in_case(text)


def _spelt_in_case(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        return text
    pieces, position = [], 0
    for match in _WORD.finditer(lower):
        right = _nearest(match.group())
        pieces += [text[position : match.start()], right if right != match.group() else text[slice(*match.span())]]
        position = match.end()
    return "".join([*pieces, text[position:]])


def _nearest(word: str) -> str:
    if word in patterns.SPELT or word in patterns.NEAR_BUT_OTHER:
        return word
    return next((right for right in patterns.SPELT if _is_near(word, right)), word)


def _is_near(word: str, right: str) -> bool:
    most = 2 if right in _TWO_WRONG else 1
    return abs(len(word) - len(right)) <= most and word[0] == right[0] and _distance(word, right) <= most


def _distance(one: str, other: str) -> int:
    """Return how many letters are wrong, missing, too many or exchanged with the next (optimal string alignment)."""
    before, last = [0] * (len(other) + 1), list(range(len(other) + 1))
    for place, row in enumerate(_rows(one, other), 1):
        current = [place]
        for column, cost in enumerate(row, 1):
            best = min(last[column] + 1, current[-1] + 1, last[column - 1] + cost)
            if place > 1 and column > 1 and one[place - 1] == other[column - 2] and one[place - 2] == other[column - 1]:
                best = min(best, before[column - 2] + 1)
            current.append(best)
        before, last = last, current
    return last[-1]


def _rows(one: str, other: str) -> Iterator[list[int]]:
    return ([int(letter != beside) for beside in other] for letter in one)
