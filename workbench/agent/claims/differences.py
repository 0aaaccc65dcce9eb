"""Contradictions between a claim and the sentence of a passage that matches it best.

Only clear cases count: an opposite, a denial, another unit, bound, number or name in the same position, or two things
that were exchanged. A word that is merely different may mean the same.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise

from workbench.agent.claims.antonym_lists import are_converse, are_opposite, has_opposite, in_same_series
from workbench.agent.claims.quantities import OPPOSITE_BOUNDS, Quantity, quantities_in
from workbench.agent.claims.sentence_alignment import (
    SentenceRoles,
    SentenceToken,
    TokenReplacement,
    exchanges,
    replaced,
    reversed_passive,
    tokens_of,
)
from workbench.model.claim import Difference
from workbench.retrieval.embedder_calibration import HAN
from workbench.store.segmentation import STOP_WORDS, stem

_DENIES_WORDS = """
not never no none nor neither without cannot hardly n't don't doesn't didn't isn't aren't wasn't weren't won't can't
couldn't wouldn't shouldn't hasn't haven't hadn't 不 没 未 无 非 勿
"""
_DENIES = frozenset(_DENIES_WORDS.split())
# Words that accompany a denial: "did not", 没有, 并未, 并非是.
_DENIAL_PARTICLE_WORDS = """
do does did have has had be been is was are were can could will would shall should may might must able to ever at
all 有 并 从 曾 是 会 能
"""
_DENIAL_PARTICLES = frozenset(_DENIAL_PARTICLE_WORDS.split())
_HARMLESS = re.compile(
    r"\bnot (?:only|just|merely|necessarily|until)\b|\bno (?:doubt|longer than|later than)\b"
    r"|\b(?:no|not) (?:more|less|fewer|later|longer|greater|lower|higher) than\b"
    r"|不[仅僅只单單断斷久过過少管论論]|不得不|[无無][论論线線]|非[常洲]|未[来來]"
    r"|是不是|[会會]不[会會]|能不能|有[没沒]有|可不可以"
)
# These words deny what follows them without a "not".
_EXCEPT = re.compile(
    r"\b(?:except|exception|excepting|excluding|unless|until|till|instead|spared"
    r"|(?:rather|other) than|unlike|apart from|save for|but for)\b"
    r"|除|例外|不像|不同于|而非|以免|免于|避免",
    re.IGNORECASE,
)
_NEAR, _NEAR_HAN = 4, 3
# This many words before a number identify what it counts.
_FRAME = 2
# Names that begin with the same letters are forms of one name.
_BEGINNING = 3
_LONGEST_QUOTE = 60
_MOST = 3


def differences(
    claim: str, passage: str, known: Iterable[str] = (), held: Set[str] = frozenset()
) -> tuple[Difference, ...]:
    """Return the first few contradictions between a claim and a sentence about the same subject.

    Args:
        claim: A sentence.
        passage: The sentence of a passage that matches it best.
        known: Numbers and names of the claim that occur nowhere; they are not reported again.
        held: Words of all text that the claim rests on; an opposite among them may come from another sentence.
    """
    pair = _Pair(claim, passage, frozenset(known), held)
    found = dict.fromkeys(
        [*pair.exchanged(), *pair.counted(), *pair.in_place(), *pair.in_role(), *pair.opposed(), *pair.denied()]
    )
    return tuple(found)[:_MOST]


class _Pair:
    def __init__(self, claim: str, passage: str, known: frozenset[str], held: Set[str]) -> None:
        self.claim, self.passage = claim, passage
        self.known, self.held = known, held
        self.ours, self.theirs = tokens_of(claim), tokens_of(passage)
        self.changes = replaced(self.ours, self.theirs)
        self.is_han = bool(HAN.search(claim))
        self.settled: set[int] = set()

    def exchanged(self) -> Iterator[Difference]:
        """Yield the parts in which two things were exchanged."""
        for start, end, first, last in exchanges(self.ours, self.theirs):
            self.settled.update(range(start, end))
            yield self._make_difference(self.theirs[first:last], self.ours[start:end])

    def in_place(self) -> Iterator[Difference]:
        """Yield words that replace others which they cannot mean."""
        for change in self.changes:
            ours, theirs = self.ours[change.start : change.end], self.theirs[change.first : change.last]
            if self.settled.intersection(range(change.start, change.end)):
                continue
            if self._excludes(change, ours, theirs):
                self.settled.update(range(change.start, change.end))
                yield self._make_difference(theirs, ours)

    def in_role(self) -> Iterator[Difference]:
        """Yield names that changed roles, or that replace another name of the passage."""
        if self.is_han:
            if parts := reversed_passive(self.claim, self.passage):
                yield Difference(*parts)
            return
        roles = SentenceRoles((self.claim, self.ours), (self.passage, self.theirs))
        for (start, end), (first, last) in (*roles.reordered(), *roles.turned(), *roles.replaced()):
            ours = self.ours[start:end]
            if not self.settled.intersection(range(start, end)) and not self._is_known(ours):
                self.settled.update(range(start, end))
                yield self._make_difference(self.theirs[first:last], ours)

    def _excludes(
        self, change: TokenReplacement, ours: Sequence[SentenceToken], theirs: Sequence[SentenceToken]
    ) -> bool:
        if not change.is_framed:
            return False
        if len(ours) == len(theirs) and len(ours) <= 2:
            pairs = [(one.key, other.key) for one, other in zip(ours, theirs, strict=True)]
            if any(are_opposite(*pair) or are_converse(*pair) or in_same_series(*pair) for pair in pairs):
                return True
        if self.is_han and are_opposite(*_different_part("".join(map(_key, ours)), "".join(map(_key, theirs)))):
            return True
        return self._are_other_numbers(ours, theirs) or self._are_other_names(ours, theirs)

    def _are_other_numbers(self, ours: Sequence[SentenceToken], theirs: Sequence[SentenceToken]) -> bool:
        mine, others = _quantities(self.claim, ours), _quantities(self.passage, theirs)
        if len(mine) != 1 or len(others) != 1 or len(ours) != len(theirs) or len(ours) > 3:
            return False
        return mine[0].value != others[0].value and not self._is_known(ours)

    def _are_other_names(self, ours: Sequence[SentenceToken], theirs: Sequence[SentenceToken]) -> bool:
        if not ours or not theirs or max(len(ours), len(theirs)) > 4 or self._is_known(ours):
            return False
        if any(_begin_alike(one.key, other.key) for one in ours for other in theirs):
            return False
        names = [
            [text[one.start : one.end] for one in part] for text, part in ((self.claim, ours), (self.passage, theirs))
        ]
        return all(all(_is_name(word) for word in part) for part in names)

    def _is_known(self, ours: Sequence[SentenceToken]) -> bool:
        written = self.claim[ours[0].start : ours[-1].end]
        return any(one in written or written in one for one in self.known)

    def counted(self) -> Iterator[Difference]:
        """Yield numbers with another unit or the opposite bound in the passage, and numbers that replace others."""
        theirs, ours = quantities_in(self.passage), quantities_in(self.claim)
        values = {one.value for one in ours}
        for one in ours:
            same = [other for other in theirs if other.value == one.value]
            units = {other.unit for other in same}
            other = next((other for other in same if other.unit and other.unit != one.unit), None)
            if one.unit and other is not None and not units & {one.unit, ""}:
                yield self._make_number_difference(other, one)
            elif one.bound and same and all(other.bound == OPPOSITE_BOUNDS[one.bound] for other in same):
                yield self._make_number_difference(same[0], one)
            elif not same and (words := _words_before(self.ours, one)) and not self._is_reported(one):
                others = [other for other in theirs if other.value not in values and other.unit == one.unit]
                in_place = [other for other in others if _words_before(self.theirs, other) == words]
                yield from [self._make_number_difference(other, one) for other in in_place[:1]]

    def _is_reported(self, number: Quantity) -> bool:
        written = self.claim[number.number_start : number.number_end]
        places = [index for index, one in enumerate(self.ours) if number.start <= one.start < number.end]
        return bool(self.settled.intersection(places)) or any(written in one or one in written for one in self.known)

    def opposed(self) -> Iterator[Difference]:
        """Yield opposites in the same context, in any position."""
        mine, others = {one.key for one in self.ours}, {one.key for one in self.theirs}
        open_ = [(place, one) for place, one in enumerate(self.theirs) if len(one.key) > 1 and one.key not in mine]
        for index, one in enumerate(self.ours):
            if index in self.settled or one.key in others or len(one.key) < 2 or stem(one.key) in self.held:
                continue
            if not has_opposite(one.key):
                continue
            for place, other in open_:
                if are_opposite(one.key, other.key) and self._is_same_place(index, place):
                    self.settled.add(index)
                    yield self._make_difference([other], [one])
                    break

    def _is_same_place(self, index: int, place: int) -> bool:
        """Return whether the words around two words are the same, on the same sides, and both or neither is denied."""
        if _is_denied(self.ours, index) != _is_denied(self.theirs, place):
            return False
        before, behind = _around(self.ours, index, is_han=self.is_han)
        other_before, other_behind = _around(self.theirs, place, is_han=self.is_han)
        same = len(before & other_before) + len(behind & other_behind)
        crossed = len((before & other_behind) - other_before) + len((behind & other_before) - other_behind)
        return same > crossed and same >= 1

    def denied(self) -> Iterator[Difference]:
        """Yield statements that one sentence denies and the other affirms."""
        ours, theirs = _without_harmless(self.claim, self.ours), _without_harmless(self.passage, self.theirs)
        held = {id(one) for one in (*ours, *theirs)}
        for change in self.changes:
            mine = [one for one in self.ours[change.start : change.end] if id(one) in held]
            others = [one for one in self.theirs[change.first : change.last] if id(one) in held]
            denials = [any(map(_denies, part)) for part in (mine, others)]
            rest = [one for one in (*mine, *others) if not _denies(one) and one.key not in _DENIAL_PARTICLES]
            if denials[0] != denials[1] and not rest and change.is_framed:
                yield self._make_denial(change)
                return
        if _EXCEPT.search(self.passage + self.claim):
            return
        if spans := _find_denial(ours, theirs):
            yield self._make_difference(spans[1], spans[0])
        # A statement that the passage denies in another position may be about something else in the claim.
        elif any(map(_denies, ours)) != any(map(_denies, theirs)) and (spans := _find_denial(theirs, ours)):
            yield self._make_difference(spans[0], spans[1])

    def _make_denial(self, change: TokenReplacement) -> Difference:
        """Return the differing words with a few words before and after them, as readable context."""
        back, on = (1, 2) if not self.is_han else (2, 3)
        start, first = max(0, change.start - back), max(0, change.first - back)
        return self._make_difference(self.theirs[first : change.last + on], self.ours[start : change.end + on])

    def _make_difference(self, theirs: Sequence[SentenceToken], ours: Sequence[SentenceToken]) -> Difference:
        return Difference(_quote(self.passage, theirs), _quote(self.claim, ours))

    def _make_number_difference(self, theirs: Quantity, ours: Quantity) -> Difference:
        self.settled.update(index for index, one in enumerate(self.ours) if ours.start <= one.start < ours.end)
        return Difference(self.passage[theirs.start : theirs.end].strip(), self.claim[ours.start : ours.end].strip())


def _words_before(tokens: Sequence[SentenceToken], number: Quantity) -> tuple[str, ...] | None:
    """Return the words directly before a number; None if there are too few, or only stop words."""
    first = next((index for index, one in enumerate(tokens) if one.start >= number.number_start), 0)
    before = tuple(one.key for one in tokens[max(0, first - _FRAME) : first])
    return before if len(before) == _FRAME and any(key not in STOP_WORDS for key in before) else None


def _find_denial(
    ours: Sequence[SentenceToken], theirs: Sequence[SentenceToken]
) -> tuple[Sequence[SentenceToken], Sequence[SentenceToken]] | None:
    """Return the denied words of the first sentence with their denial, and the same words affirmed in the second."""
    for index, one in enumerate(ours):
        if not _denies(one):
            continue
        head = index + 1
        while head < len(ours) and (
            ours[head].key in _DENIAL_PARTICLES or ours[head].key in STOP_WORDS or ours[head].key.endswith("ly")
        ):
            head += 1
        size = 2 if head < len(ours) and len(ours[head].key) == 1 else 1
        keys = [stem(other.key) for other in ours[head : head + size]]
        if head > index + _NEAR or len(keys) < size:
            continue
        places = [
            place
            for place in range(len(theirs) - size + 1)
            if [stem(other.key) for other in theirs[place : place + size]] == keys
        ]
        if places and not any(any(map(_denies, theirs[max(0, place - _NEAR) : place])) for place in places):
            return ours[index : head + size], theirs[places[0] : places[0] + size]
    return None


def _quote(text: str, tokens: Sequence[SentenceToken]) -> str:
    quote = " ".join(text[tokens[0].start : tokens[-1].end].split())
    return quote if len(quote) <= _LONGEST_QUOTE else f"{quote[: _LONGEST_QUOTE - 1].rstrip()}…"


def _quantities(text: str, tokens: Sequence[SentenceToken]) -> list[Quantity]:
    if not tokens:
        return []
    start, end = tokens[0].start, tokens[-1].end
    return [one for one in quantities_in(text) if one.number_start < end and one.number_end > start]


def _begin_alike(one: str, other: str) -> bool:
    """Return whether two names may be forms of one name: Scotland, Scottish."""
    return one[:_BEGINNING] == other[:_BEGINNING]


def _is_name(word: str) -> bool:
    return word[0].isupper() and word.lower() not in STOP_WORDS


def _key(token: SentenceToken) -> str:
    return token.key


def _same_beginning(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((place for place, (first, second) in enumerate(pairs) if first != second), min(len(one), len(other)))


def _different_part(one: str, other: str) -> tuple[str, str]:
    """Return two strings without their common beginning and end: 大 and 小 for 大量 and 小量."""
    start = _same_beginning(one, other)
    one, other = one[start:], other[start:]
    end = _same_beginning(one[::-1], other[::-1])
    return one[: len(one) - end], other[: len(other) - end]


def _denies(token: SentenceToken) -> bool:
    return token.key in _DENIES or token.key.endswith(("n't", "n’t"))


def _is_denied(tokens: Sequence[SentenceToken], index: int) -> bool:
    return sum(_denies(one) for one in tokens[max(0, index - 3) : index]) % 2 == 1


def _around(tokens: Sequence[SentenceToken], index: int, *, is_han: bool) -> tuple[set[str], set[str]]:
    near = _NEAR_HAN if is_han else _NEAR
    before = [one.key for one in tokens[:index] if is_han or one.key not in STOP_WORDS][-near:]
    behind = [one.key for one in tokens[index + 1 :] if is_han or one.key not in STOP_WORDS][:near]
    if is_han:
        return set(map("".join, pairwise(before))), set(map("".join, pairwise(behind)))
    return set(map(stem, before)), set(map(stem, behind))


def _without_harmless(text: str, tokens: Sequence[SentenceToken]) -> list[SentenceToken]:
    harmless = [match.span() for match in _HARMLESS.finditer(text.lower())]
    return [one for one in tokens if not any(start <= one.start < end for start, end in harmless)]
