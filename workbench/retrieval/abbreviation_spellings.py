"""Spellings of an abbreviation by words: by their initials, by their first letters, and by parts of compounds.

Each looks for the runs of words in texts that spell the abbreviation; unknown_abbreviations.py chooses one of them.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from workbench.store.segmentation import STOP_WORDS, stem

_MINOR_WORDS = """
a an and as at before between by for from in into of on over per the to under with without &
und der die das des dem den von vom fur im zur zum mit auf
de la le les du et pour en del los las y e di da della het een voor
"""
_MINOR = frozenset(_MINOR_WORDS.split())
"""Function words: a short form may leave them out or take a letter of them; no long form begins or ends with one."""
_AND = frozenset(("and", "&", "und", "et", "en", "y", "e"))
_OF = frozenset(("of", "for", "de", "der", "des", "fur", "di", "del"))
_FEW = 3
"""Of a form with no more letters, long forms leave out no other minor words than these."""
_NEVER_WORDS = """
s t within among upon such shall ii iii iv vi vii viii ix xi well certain used using refer except subject
respect following including whereby foregoing various several
oder ist sind war wird werden nicht auch sich ein eine wir sie er
"""
_NEVER = (
    frozenset(word for word in STOP_WORDS if word.isascii() and "'" not in word)
    .difference(_MINOR)
    .union(_NEVER_WORDS.split())
)
"""Words that no long form contains."""

_ACCENTED = {"a": "àáâãäå", "c": "ç", "e": "èéêë", "i": "ìíîï", "n": "ñ", "o": "òóôõöø", "u": "ùúûü", "y": "ý"}
# The patterns are wide and fast, 10 ms for 500 passages; Spelling compares each match exactly.
_GAP = r"[ \xa0\n,/&‑–-]{1,3}"
_NEXT = rf"[^\W_]*+(?:['’]s)?+{_GAP}(?:(?:[a-zà-ÿ]{{1,3}}(?![^\W_])|&){_GAP}){{0,2}}"
_WORD = re.compile(r"[^\W_]+|&")
_BEFORE = re.compile(r"([^\W\d_]+)[ \xa0\n-]?\Z")
_AFTER = re.compile(r"[ \xa0\n-]?((?:(?:of|for|in|to|and|der|des|von|für)[ \xa0\n])?[^\W\d_]+)")
_PARAGRAPH = re.compile(r"\n[ \xa0]*\n")

# A run that at least this share of the times has the same word beside it is a piece of a longer term.
_PIECE = 0.7
# Letters by which words are compared: other endings ("Allgemeine", "Allgemeinen") make no other long form.
_LONGEST_STEM = 7


@dataclass(slots=True)
class Run:
    """Run of words that spells an abbreviation, in all its forms.

    Attributes:
        forms: How often it occurs in each form, as written.
        passages: Indices of the texts in which it occurs.
        before: Words directly before it, with how often they are there; after: directly after it.
    """

    forms: Counter[str] = field(default_factory=Counter)
    passages: set[int] = field(default_factory=set)
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)

    @property
    def is_piece(self) -> bool:
        """True if the same word is nearly always beside it: "condition and results" of operations."""
        total = self.forms.total()
        return any(
            total > 1 and number > 1 and number >= _PIECE * total and word not in _MINOR and word not in _NEVER
            for words in (self.before, self.after)
            for word, number in words.most_common(1)
        )


class Spelling:
    """One way to spell an abbreviation by words: by their initials."""

    is_wide = False

    def __init__(self, short: str) -> None:
        self.letters = "".join(filter(str.isalpha, short.casefold()))
        self.is_mixed = not short.isupper() and not short.islower()
        # Number of letters before "&", where the long form must have "and"; None if it may have it anywhere.
        self._and_after = short.index("&") if "&" in short else None

    @property
    def pattern(self) -> re.Pattern[str]:
        """Pattern of the runs that may spell it."""
        return _initials_pattern(self.letters)

    def runs_in(self, texts: Sequence[str]) -> dict[tuple[str, ...], Run]:
        """Return the runs of words in these texts that spell it, by the stems of their content words."""
        runs: defaultdict[tuple[str, ...], Run] = defaultdict(Run)
        for place, text in enumerate(texts):
            for match in self.pattern.finditer(text):
                words = _WORD.findall(_fold(match[0]))
                content = tuple(stem(word)[:_LONGEST_STEM] for word in words if word not in _MINOR)
                if words[0] in _MINOR or words[-1] in _MINOR or not _NEVER.isdisjoint(words):
                    continue
                # "stock, par value" is no term, unlike "property, plant and equipment".
                is_broken = "," in match[0] and _AND.isdisjoint(words)
                is_broken = is_broken or ("to" in words and "-to-" not in match[0])
                if is_broken or len({*content}) < len(content) or _PARAGRAPH.search(match[0]):
                    continue
                if not self.is_spelled_by(words):
                    continue
                run = runs[content]
                run.forms[" ".join(match[0].split())] += 1
                run.passages.add(place)
                run.before.update(one[1].casefold() for one in _BEFORE.finditer(text[: match.start()][-25:]))
                run.after.update(one[1].casefold() for one in (_AFTER.match(text, match.end()),) if one)
        return self.checked(runs)

    def checked(self, runs: dict[tuple[str, ...], Run]) -> dict[tuple[str, ...], Run]:
        """Return the runs without those that the words of the library show to be none."""
        return runs

    def is_spelled_by(self, words: Sequence[str]) -> bool:
        """Return whether the words spell the abbreviation: each gives its initial; only minor ones may give none."""
        ands = [place for place, word in enumerate(words) if word in _AND]
        if self._and_after is not None and ands != [self._and_after]:
            return False
        # Numbers of letters read, of minor words besides "and" that gave one, and of those that were left out.
        reached = {(0, 0, 0)}
        for word in words:
            is_minor = word in _MINOR and word not in _AND
            after = {(read + 1, gave + is_minor, out) for read, gave, out in reached if self._begins(read, word)}
            if is_minor and (word in _OF or len(self.letters) > _FEW):
                after |= {(read, gave, out + 1) for read, gave, out in reached}
            reached = after | reached if word in _AND else after
        # "Purchases of property and equipment" is not "PPNE": if one minor word gives a letter, each other one does.
        is_strict = self._takes_and(words)
        return any(
            read == len(self.letters) and (not out or (out <= read - 2 and not gave and not is_strict))
            for read, gave, out in reached
        )

    def _takes_and(self, words: Sequence[str]) -> bool:
        content = [word for word in words if word not in _MINOR]
        return not _AND.isdisjoint(words) and len(content) < len(self.letters)

    def _begins(self, read: int, word: str) -> bool:
        letter = self.letters[read : read + 1]
        if word in _AND:  # in "PPNE" and "JnJ", but "rules and regulations" are no "RAR"
            return letter in ("a", "n") and (len(self.letters) > _FEW or self.is_mixed)
        return word[0] == letter


class Syllables(Spelling):
    """Spelling by two words or more that each give their first letters, two at least: CAPital EXpenditures."""

    is_wide = True

    @property
    def pattern(self) -> re.Pattern[str]:
        return _syllables_pattern(self.letters)

    def is_spelled_by(self, words: Sequence[str]) -> bool:
        """Return whether the words spell the abbreviation; only minor ones may give no letters."""
        reached = {0}
        for word in words:
            after = {
                end
                for start in reached
                for end in range(start + 2, len(self.letters) + 1)
                if word.startswith(self.letters[start:end])
            }
            reached = after | reached if word in _MINOR else after
        return len(self.letters) in reached


_Cuts: TypeAlias = tuple[tuple[str, str], ...]
"""Cuts of compounds: the first part, and the rest from a later part on."""
# Numbers of letters of the first and of the last part of a compound, and of one between them.
_SHORTEST_HEAD = 4
_SHORTEST_PART = 3


class Compounds(Spelling):
    """Spelling in which letters may begin parts of compounds: Allgemeine GeschäftsBedingungen, MehrWertSTeuer."""

    is_wide = True

    def __init__(self, short: str, known_words: Callable[[Collection[str]], set[str]]) -> None:
        super().__init__(short)
        self._known_words = known_words

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compounds_pattern(self.letters)

    def is_spelled_by(self, words: Sequence[str]) -> bool:
        """Return whether the words spell the abbreviation and at least one of them may be a compound."""
        return any(self._ways(words))

    def checked(self, runs: dict[tuple[str, ...], Run]) -> dict[tuple[str, ...], Run]:
        """Return the runs with a compound of which the first part and a rest are words of the library."""
        # German nouns have a capital; "product candidates" are no "PCD".
        runs = {content: run for content, run in runs.items() if _has_capitals(run.forms.most_common(1)[0][0])}
        ways = {content: self._ways(_WORD.findall(_fold(next(iter(run.forms))))) for content, run in runs.items()}
        known = self._known_words({part for one in ways.values() for way in one for cut in way for part in cut})
        return {
            content: run
            for content, run in runs.items()
            if any(known.issuperset(cut) for way in ways[content] for cut in way)
        }

    def _ways(self, words: Sequence[str]) -> list[_Cuts]:
        """Return, for each way in which the words spell the abbreviation, how it cuts the compounds among them."""
        if len(words) == 1 and not self.is_mixed:
            return []
        ways: list[tuple[int, _Cuts]] = [(0, ())]
        for word in words:
            after = [
                (end, cuts + more) for start, cuts in ways for end, more in _read_compound(self.letters, start, word)
            ]
            ways = after + ways if word in _MINOR else after
        return [cuts for read, cuts in ways if read == len(self.letters) and cuts]


def _has_capitals(form: str) -> bool:
    return form != form.upper() and all(word[0].isupper() for word in form.split() if word not in _MINOR)


def _read_compound(letters: str, start: int, word: str) -> Iterator[tuple[int, _Cuts]]:
    """Yield each number of letters that a word may give, with its cuts: the part before the first, and each rest."""
    if word[0] != letters[start : start + 1]:
        return
    states: list[tuple[int, int, _Cuts]] = [(start + 1, 0, ())]
    while states:
        read, place, cuts = states.pop()
        yield read, cuts
        if read == len(letters):
            continue
        if cuts and word[place + 1 : place + 2] == letters[read]:
            states.append((read + 1, place + 1, cuts))
        least = _SHORTEST_PART if cuts else _SHORTEST_HEAD
        for later in range(place + least, len(word) - _SHORTEST_HEAD + 1):
            if word[later] == letters[read]:
                head = cuts[0][0] if cuts else word[:later]
                states.append((read + 1, later, (*cuts, (head, word[later:]))))


def content_words(form: str) -> list[str]:
    """Return the words of a long form that are not minor."""
    return [word for word in _WORD.findall(form) if _fold(word) not in _MINOR]


@lru_cache(maxsize=64)
def _initials_pattern(letters: str) -> re.Pattern[str]:
    return re.compile(_first(letters[0]) + "".join(_NEXT + _initial(one) for one in letters[1:]) + r"[^\W_]*+")


@lru_cache(maxsize=64)
def _syllables_pattern(letters: str) -> re.Pattern[str]:
    two = [(letters[:place], letters[place:]) for place in range(2, len(letters) - 1)]
    three = [(one, other[:place], other[place:]) for one, other in two for place in range(2, len(other) - 1)]
    ways = (way[0][2:] + "".join(_NEXT + _initial(part[0]) + part[1:] for part in way[1:]) for way in (*two, *three))
    return re.compile(f"{_first(letters[0])}{letters[1]}(?:{'|'.join(ways)})[^\\W_]*+")


@lru_cache(maxsize=64)
def _compounds_pattern(letters: str) -> re.Pattern[str]:
    ways = (rf"(?:{_NEXT}{_initial(one)}|[^\W_]{{2,15}}?{one}|{one})" for one in letters[1:])
    return re.compile(_first(letters[0]) + "".join(ways) + r"[^\W_]*+")


def _initial(letter: str) -> str:
    """Return the characters with which a word for a letter begins; "n" is also that of "and" in "PPNE"."""
    forms = letter + _ACCENTED.get(letter, "")
    return f"[{forms}{forms.upper()}{'a&' if letter == 'n' else ''}]"


def _first(letter: str) -> str:
    # The letter comes before the test for the beginning of a word, which is slower.
    return rf"{_initial(letter)}(?<![\w'’&-].)"


def _fold(text: str) -> str:
    """Return text in lower case without accents."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    return "".join(one for one in unicodedata.normalize("NFD", folded) if not unicodedata.combining(one))
