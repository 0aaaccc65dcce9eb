"""Two sentences side by side: what of the one stands in the place of what of the other, and what changed places."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from workbench.agent.claims.opposites import WORDS_ZH, folded
from workbench.store.segmentation import STOP_WORDS

_TOKEN = re.compile(
    r"(?P<han>[\u3400-\u9fff]+)|[a-z\u00df-\u024f\u0370-\u052f]+(?:['’][a-z]+)?|\d+(?:[.,]\d+)*|[%$€£°]|[^\W\d_]"
)
_LONGEST_WORD = max(map(len, WORDS_ZH))
_BACKWARDS_FROM, _SHORT_HAN, _SHORT = "\u3040", 14, 8
# Between these the order of two things says nothing; behind "from" it does.
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
"""Words for what two do to each other: which of them is named first says nothing."""


@dataclass(frozen=True, slots=True)
class Token:
    """text[start:end], a word, a number or a character of Chinese; key is how it is compared."""

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Replaced:
    """claim[start:end] where the passage has passage[first:last], in tokens; either may be empty.

    Attributes:
        before: How many tokens before it are the same in both; the beginning of the claim counts as one.
        behind: How many behind it.
    """

    start: int
    end: int
    first: int
    last: int
    before: int
    behind: int

    @property
    def is_framed(self) -> bool:
        """Whether the words around it leave no doubt that one stands in the other's place."""
        return min(self.before, self.behind) >= 1 and self.before + self.behind >= 3


@lru_cache(maxsize=256)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the words of a text in order, without its punctuation; of Chinese the known words, else characters."""
    plain = folded(text)
    if len(plain) != len(text):  # a letter that is two in lower case: the places would not be those of the text
        return ()
    found: list[Token] = []
    for match in _TOKEN.finditer(plain):
        start, end = match.span()
        if match["han"] is None:
            found.append(Token(match.group(), start, end))
            continue
        while start < end:
            sizes = range(min(_LONGEST_WORD, end - start), 1, -1)
            size = next((size for size in sizes if plain[start : start + size] in WORDS_ZH), 1)
            found.append(Token(plain[start : start + size], start, start + size))
            start += size
    return tuple(found)


def replaced(claim: Sequence[Token], passage: Sequence[Token]) -> list[Replaced]:
    """Return the places where two sentences differ, in order."""
    matcher = SequenceMatcher(None, [one.key for one in passage], [one.key for one in claim], autojunk=False)
    codes = matcher.get_opcodes()
    found = []
    for index, (tag, first, last, start, end) in enumerate(codes):
        if tag == "equal":
            continue
        before = codes[index - 1][4] - codes[index - 1][3] if index else int(start == 0)
        behind = codes[index + 1][4] - codes[index + 1][3] if index + 1 < len(codes) else 1
        found.append(Replaced(start, end, first, last, before, behind))
    return found


def exchanges(claim: Sequence[Token], passage: Sequence[Token]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the parts of a claim, as claim[start:end] and passage[first:last], in which two things changed places.

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
        if is_framed and all(map(_names_something, parts)) and (is_from or _orders(between)):
            yield start, last + tail, third, first + length


def _cover(claim: Sequence[str], passage: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the claim cut into the longest parts that stand in the passage: start, where there or -1, length."""
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


def _orders(between: Sequence[str]) -> bool:
    return not MUTUAL.intersection(between) and any(key not in _LINKS for key in between)
