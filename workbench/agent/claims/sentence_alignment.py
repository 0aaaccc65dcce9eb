"""Alignment of two sentences: replaced and exchanged words, and names whose roles around a verb differ."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from workbench.agent.claims.antonym_lists import WORDS_ZH, are_converse, are_opposite, fold_characters
from workbench.store.segmentation import STOP_WORDS, stem

_TOKEN = re.compile(
    r"(?P<han>[\u3400-\u9fff]+)|[a-z\u00df-\u024f\u0370-\u052f]+(?:['’][a-z]+)?|\d+(?:[.,]\d+)*|[%$€£°]|[^\W\d_]"
)
_LONGEST_WORD = max(map(len, WORDS_ZH))
_BACKWARDS_FROM, _SHORT_HAN, _SHORT = "\u3040", 14, 8
# The order of two things that are linked by these words has no meaning, except after "from".
_LINKS_WORDS = """
and or nor versus vs with the a an is are was were be being been both , & to between as well like same also 和
与 及 以 或 跟 同 是 为 即 又 并 而 且 的 、
"""
_LINKS = frozenset(_LINKS_WORDS.split())
_FROM, _TO = ("from", "从", "自", "由"), ("to", "until", "至", "到")
_OPENS_WORDS = """
in on at to with from for of by during as into after before since until through over under about within among when
while where who which that because if 在 于 从 与 以 为 对 向 由 被 把 将 其 而 但 并 因 如 当 的 了
"""
_OPENS = frozenset(_OPENS_WORDS.split())
_MUTUAL_WORDS = """
married marry marries met meets meet borders border bordering equals resembles neighbours neighbors joined alongside
beside opposite tied 结婚 相邻 接壤 相同 合作 交界 毗邻
"""
MUTUAL = frozenset(_MUTUAL_WORDS.split())
"""Words for mutual relations, in which the order of the two names has no meaning."""


@dataclass(frozen=True, slots=True)
class SentenceToken:
    """A word, a number or a Chinese word or character, text[start:end]; key is its form for comparison."""

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TokenReplacement:
    """Tokens claim[start:end] that replace the tokens passage[first:last]; either may be empty.

    Attributes:
        before: Number of equal tokens directly before them; the beginning of the claim counts as one.
        behind: Number of equal tokens directly after them; the end counts as one.
    """

    start: int
    end: int
    first: int
    last: int
    before: int
    behind: int

    @property
    def is_framed(self) -> bool:
        """True if there are enough equal tokens around it to conclude that one replaces the other."""
        return min(self.before, self.behind) >= 1 and self.before + self.behind >= 3


@lru_cache(maxsize=256)
def tokens_of(text: str) -> tuple[SentenceToken, ...]:
    """Return the words of a text in order, without punctuation; Chinese is divided into known words and characters."""
    plain = fold_characters(text)
    if len(plain) != len(text):  # lower case changed the number of characters, so offsets would be wrong
        return ()
    found: list[SentenceToken] = []
    for match in _TOKEN.finditer(plain):
        start, end = match.span()
        if match["han"] is None:
            found.append(SentenceToken(match.group(), start, end))
            continue
        while start < end:
            sizes = range(min(_LONGEST_WORD, end - start), 1, -1)
            size = next((size for size in sizes if plain[start : start + size] in WORDS_ZH), 1)
            found.append(SentenceToken(plain[start : start + size], start, start + size))
            start += size
    return tuple(found)


def replaced(claim: Sequence[SentenceToken], passage: Sequence[SentenceToken]) -> list[TokenReplacement]:
    """Return the positions at which two sentences differ, in order."""
    matcher = SequenceMatcher(None, [one.key for one in passage], [one.key for one in claim], autojunk=False)
    codes = matcher.get_opcodes()
    found = []
    for index, (tag, first, last, start, end) in enumerate(codes):
        if tag == "equal":
            continue
        before = codes[index - 1][4] - codes[index - 1][3] if index else int(start == 0)
        behind = codes[index + 1][4] - codes[index + 1][3] if index + 1 < len(codes) else 1
        found.append(TokenReplacement(start, end, first, last, before, behind))
    return found


def exchanges(claim: Sequence[SentenceToken], passage: Sequence[SentenceToken]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the parts in which two things were exchanged, as indexes of claim[start:end] and passage[first:last].

    "The north sold the south grain" for "The south sold the north grain", but not "salt and oil" for "oil and salt".
    """
    cover = _cover([one.key for one in claim], [one.key for one in passage])
    for index in range(len(cover) - 2):
        (start, first, length), (middle, second, link), (last, third, tail) = cover[index : index + 3]
        if min(first, second, third) < 0 or third + tail != second or second + link != first:
            continue
        before, behind = cover[index - 1] if index else None, cover[index + 3] if index + 3 < len(cover) else None
        is_framed = (before is None or before[1] + before[2] == third) or (
            behind is not None and behind[1] == first + length
        )
        parts = [[one.key for one in claim[at : at + size]] for at, size in ((start, length), (last, tail))]
        between = [one.key for one in claim[middle : middle + link]]
        is_from = before is not None and claim[start - 1].key in _FROM and between[-1] in _TO
        if is_framed and all(map(_names_something, parts)) and (is_from or _is_ordered(between)):
            yield start, last + tail, third, first + length


def _cover(claim: Sequence[str], passage: Sequence[str]) -> list[tuple[int, int, int]]:
    """Divide the claim into the longest parts that occur in the passage: start, start in the passage or -1, length."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, key in enumerate(passage):
        places[key].append(place)
    found: list[tuple[int, int, int]] = []
    start = 0
    while start < len(claim):
        expected = found[-1][1] + found[-1][2] if found else 0
        best, length = -1, 0
        for place in places.get(claim[start], ()):
            size = 1
            while (
                start + size < len(claim)
                and place + size < len(passage)
                and claim[start + size] == passage[place + size]
            ):
                size += 1
            if (size, place == expected) > (length, best == expected):
                best, length = place, size
        found.append((start, best, max(1, length)))
        start += max(1, length)
    return found


def _names_something(keys: Sequence[str]) -> bool:
    longest = _SHORT_HAN if keys[0] >= _BACKWARDS_FROM else _SHORT
    return (
        len(keys) <= longest
        and keys[0] not in _OPENS
        and any(key not in STOP_WORDS and key not in _LINKS for key in keys)
    )


def _is_ordered(between: Sequence[str]) -> bool:
    return not MUTUAL.intersection(between) and any(key not in _LINKS for key in between)


Part = tuple[int, int]
"""Start and end index of tokens of a sentence."""

# Characters between the words of one name.
_INSIDE = re.compile(r"[\s.’'-]*")
_IRREGULAR_PASTS = """
beat beaten; built; bought; sold; led; left; gave given; took taken; made; wrote written; won; lost; sent; lent; taught
; chose chosen; drew drawn; drove driven; overthrew overthrown; overtook overtaken; paid; told; shot; struck; held;
fought; caught; brought; sought; found; saw seen; knew known; wore worn; withdrew withdrawn; forgave forgiven; stole
stolen; sank sunk; flew flown
"""
_PASTS = {word: group.split()[0] for group in _IRREGULAR_PASTS.split(";") for word in group.split()}
# Maximum distance in words between a verb and the name that is its subject or its object.
_NEAR = 6
# Maximum number of words between two names; a longer part is a separate clause.
_LONGEST_BETWEEN = 8
# Words that reverse the roles: "A was given B" is "B was given to A".
_TURNING = frozenset({"by", "to", "from", "of"})
_BE = frozenset({"is", "are", "was", "were", "be", "been", "being"})
# A name directly after these, or after a verb, belongs to the words before it; in "years ago Norway" it does not.
_GOVERNS = _BE | {"of", "by", "for", "in", "to", "from", "with", "as", "at", "on", "upon", "under", "became", "become"}
_HAN_PASSIVE = re.compile(r"([\u4e00-\u9fff]{2})被([\u4e00-\u9fff]{2})([\u4e00-\u9fff]{2,12})")


def names_in(text: str, tokens: Sequence[SentenceToken]) -> list[Part]:
    """Return the names of an English sentence, as runs of capitalized words; "University of Oslo" is one name."""
    found: list[Part] = []
    for index, one in enumerate(tokens):
        if not text[one.start].isupper() or one.key in STOP_WORDS:
            continue
        if found and _continues(text, tokens, found[-1][1], index):
            found[-1] = (found[-1][0], index + 1)
        else:
            found.append((index, index + 1))
    return found


def _continues(text: str, tokens: Sequence[SentenceToken], end: int, index: int) -> bool:
    between = [one.key for one in tokens[end:index]]
    gap = text[tokens[end - 1].end : tokens[index].start]
    return between in ([], ["of"], ["of", "the"]) and (bool(between) or _INSIDE.fullmatch(gap) is not None)


class SentenceRoles:
    """Compares the roles of the names in an English claim and its passage."""

    def __init__(
        self, claim: tuple[str, Sequence[SentenceToken]], passage: tuple[str, Sequence[SentenceToken]]
    ) -> None:
        self.ours, self.theirs = claim[1], passage[1]
        self.texts = claim[0], passage[0]
        self.own_names, self.other_names = names_in(*claim), names_in(*passage)

    def reordered(self) -> Iterator[tuple[Part, Part]]:
        """Yield the parts of claim and passage in which two names were exchanged around almost the same words."""
        both = [
            (one, others[0])
            for one in self.own_names
            if len(others := [other for other in self.other_names if self._are_same(one, other)]) == 1
        ]
        for (first, there_first), (second, there_second) in pairwise(both):
            if there_second[1] > there_first[0] or there_first == there_second:
                continue
            mine = self.ours[first[1] : second[0]]
            theirs = self.theirs[there_second[1] : there_first[0]]
            # After a comma there may be another name for the same thing: "the king, Alfred".
            pairs = zip(self.texts, (mine, theirs), strict=True)
            if all("," not in text[part[0].start - 2 : part[-1].end + 1] for text, part in pairs if part) and (
                _mean_the_same(mine, theirs)
            ):
                yield (first[0], second[1]), (there_second[0], there_first[1])

    def turned(self) -> Iterator[tuple[Part, Part]]:
        """Yield the parts in which agent and patient of a verb were exchanged, in the active or the passive voice."""
        acts = {verb: (names, part) for verb, names, part in self._find_acts(self.theirs, self.other_names)}
        for verb, (agent, patient), part in self._find_acts(self.ours, self.own_names):
            if verb not in acts:
                continue
            (other_agent, other_patient), there = acts[verb]
            crossed = agent & other_patient and patient & other_agent
            if crossed and not agent & other_agent and not patient & other_patient:
                yield part, there

    def replaced(self) -> Iterator[tuple[Part, Part]]:
        """Yield names of the claim that follow the same two words as another name in the passage."""
        claim_keys = {one.key for one in self.ours}
        frames: dict[tuple[str, ...], list[Part]] = {}
        for other in self.other_names:
            if not any(one.key in claim_keys for one in self.theirs[other[0] : other[1]]):
                frames.setdefault(_frame(self.theirs, other[0]), []).append(other)
        for one in self.own_names:
            frame = _frame(self.ours, one[0])
            is_governed = len(frame) == 2 and (frame[1] in _GOVERNS or frame[1] in _PASTS or frame[1].endswith("ed"))
            if is_governed and not STOP_WORDS.issuperset(frame) and len(frames.get(frame, ())) == 1:
                yield one, frames[frame][0]

    def _are_same(self, one: Part, other: Part) -> bool:
        mine, others = self.ours[one[0] : one[1]], self.theirs[other[0] : other[1]]
        return [part.key for part in mine] == [part.key for part in others]

    def _find_acts(
        self, tokens: Sequence[SentenceToken], names: Sequence[Part]
    ) -> Iterator[tuple[str, tuple[set[str], set[str]], Part]]:
        """Yield each verb in the past tense with the words of its agent and of its patient, and the part they span."""
        for index, one in enumerate(tokens):
            if not _is_past(one):
                continue
            before = [name for name in names if index - _NEAR <= name[1] <= index]
            behind = [name for name in names if index < name[0] <= index + _NEAR]
            if not before or not behind:
                continue
            left, right = before[-1], behind[0]
            sides = [{part.key for part in tokens[start:end]} - STOP_WORDS for start, end in (left, right)]
            if any(map(_is_past, tokens[left[1] : index])) or any(map(_is_past, tokens[index + 1 : right[0]])):
                continue
            if any(part.key == "by" for part in tokens[index + 1 : right[0]]):
                sides.reverse()
            elif any(part.key in _BE for part in tokens[max(0, index - 2) : index]):
                continue  # "was given the medal": the agent is not named
            yield _PASTS.get(one.key) or stem(one.key), (sides[0], sides[1]), (left[0], right[1])


def _is_past(token: SentenceToken) -> bool:
    return token.key in _PASTS or (token.key.endswith("ed") and len(token.key) > 4)


def _frame(tokens: Sequence[SentenceToken], start: int) -> tuple[str, ...]:
    """Return the two words before a name, without articles."""
    return tuple(one.key for one in tokens[max(0, start - 4) : start] if one.key not in ("the", "a", "an"))[-2:]


def _mean_the_same(mine: Sequence[SentenceToken], others: Sequence[SentenceToken]) -> bool:
    """Return whether two parts between names mean almost the same in the same voice, and their order matters."""
    if not mine or not others or max(len(mine), len(others)) > _LONGEST_BETWEEN:
        return False
    keys, other_keys = {one.key for one in mine}, {one.key for one in others}
    if _TURNING & (keys ^ other_keys) or MUTUAL & (keys | other_keys):
        return False
    if any(are_opposite(one, other) or are_converse(one, other) for one in keys for other in other_keys):
        return False
    stems, other_stems = ({stem(key) for key in part if key not in STOP_WORDS} for part in (keys, other_keys))
    return len(stems & other_stems) * 2 >= max(1, len(stems), len(other_stems))


def reversed_passive(claim: str, passage: str) -> tuple[str, str] | None:
    """Return the parts of passage and claim between which a Chinese 被 exchanges agent and patient.

    "A被B打败" for "A打败了B", or the reverse.
    """
    own, other = fold_characters(claim), fold_characters(passage)
    if parts := _find_reversal(own, other):
        return parts[1], parts[0]
    return _find_reversal(other, own)


def _find_reversal(passive: str, active: str) -> tuple[str, str] | None:
    """Return the passive part, and the part of the active sentence with the names in the same order around its verb."""
    if "被" in active:
        return None
    for match in _HAN_PASSIVE.finditer(passive):
        patient, agent, rest = match.groups()
        start = active.find(patient)
        end = active.find(agent, start + 2) if start >= 0 else -1
        between = active[start + 2 : end]
        verbs = (rest[place : place + 2] for place in range(len(rest) - 1))
        if end > 0 and len(between) <= 12 and any(verb in between for verb in verbs):
            return match.group(), active[start : end + 2]
    return None
