"""Reading of abbreviations in a question that stand in no document: "PPNE" as "property, plant and equipment".

Schwartz and Hearst ("A simple algorithm for identifying abbreviation definitions in biomedical text", PSB 2003) compare
the letters of a short form with the words beside it in the text that defines it. Here no text defines it: the letters
are compared with all runs of words in the passages that the other words of the question find, and in a sample of the
library. Many runs have the right letters by chance, therefore the rules are stricter than theirs. Each letter must be
an initial, or each word must give its first letters ("CAPEX"), or a letter may begin a part of a compound whose rest is
a word of the library ("AGB", "MwSt"). The run must recur, the more often the more runs chance would give; it must be
much more frequent than any other run with these letters; and it must not be a piece of a longer term.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workbench.model.chunk import ChunkText
from workbench.model.hit import AbbreviationReading
from workbench.retrieval.abbreviation_spellings import Compounds, Run, Spelling, Syllables, content_words
from workbench.retrieval.base import WordCounts
from workbench.store.abbreviation_table import short_form
from workbench.store.keywords import terms
from workbench.store.segmentation import has_content_words, stem

# Maximum numbers of passages that are looked through: those that the other words of the question find, and with the
# sample.
_MOST_FOUND = 150
_MOST_PASSAGES = 800
# Number of the first of them that are compared with the wider spellings, which take longer.
_MOST_COMPARED_WIDELY = 400
# Numbers of the most frequent runs there that are looked up in the whole library, of the passages that are counted for
# one, and of those of them that are read.
_MOST_COMPARED = 3
_MOST_COUNTED = 1000
_MOST_READ = 30
_MOST_ASKED = 3
"""Maximum number of abbreviations of one question; a pasted text may have dozens."""
_MOST_CACHED = 64

_TOKEN = re.compile(r"(?<![A-Za-z0-9&./_-])[A-Za-z][A-Za-z&.]*(?![A-Za-z0-9/_-])")
# In lower case an abbreviation is told from a name and from a slip of the pen only if it cannot be spoken ("mtbf").
# Of those that can be spoken, only the ones for expenses and exchange: of 600 words that stand in no document of a
# library, five would have been read otherwise ("acres" as "actual results").
_UNSPEAKABLE = re.compile(r"[b-df-hj-np-tv-xz]{3,6}|[b-df-hj-np-tv-xz]{3,5}[aeiou]")
_SPOKEN = re.compile(r"[a-z]{2,4}ex")
_MOST_WITHOUT_SYLLABLES = 4
# A question with more words in capitals than this, and no other words, is written in capitals.
_MOST_CAPITALS = 3

# Share of the words that begin with a given letter, on average, and how many times more runs fit the wider spellings,
# and an abbreviation without other words of the question in the passages of the run, or in lower case.
_INITIAL = 1 / 15
_WORD_LENGTH = 6
_WIDER = 50.0
_UNSAFE = 10.0
# Expected number of runs by chance -> number of passages in which a run must be; above the last one, _MOST_NEEDED.
# Of 338 abbreviations that 14 filings define (9,000 passages), each asked for with three words of a passage as if no
# document had it, 87 are read as a document defines them, 8 otherwise ("IPR" as "intellectual property rights"), and
# the others, mostly defined once or twice, not at all; alone, 22 and 5. Of 99 in 26 reports 25 and 1; alone, 12 and 1.
_NEEDED = ((0.05, 1), (1.5, 2), (30.0, 3), (500.0, 6), (2000.0, 15))
_MOST_NEEDED = 30
# In how many times more passages than any other run with these letters.
_DOMINANCE = 3


class WordIndex(WordCounts, Protocol):
    """Keyword index; implemented in store/keywords.py."""

    def search(self, question: str, k: int) -> list[tuple[int, float]]:
        """Return (chunk id, BM25), best first."""
        ...

    def holding_near(self, words: Sequence[str], most: int) -> list[int]:
        """Return the ids of at most this many chunks in which these words stand close together."""
        ...


class PassageSource(Protocol):
    """Texts of the passages of the library; implemented in store/documents.py."""

    def sample_chunks(self, most: int) -> tuple[int, ...]:
        """Return the ids of chunks evenly distributed over the library; all of them if there are no more."""
        ...

    def chunk_texts(self, ids: Sequence[int]) -> dict[int, ChunkText]:
        """Return the texts of chunks and the headings above them; ids of deleted chunks are left out."""
        ...


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """Question with long forms in place of abbreviations that stand in no document; unchanged without any."""

    text: str
    readings: tuple[AbbreviationReading, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for the user for each abbreviation."""
        return tuple(reading.note for reading in self.readings)


def with_long_forms(question: str, readings: Sequence[AbbreviationReading]) -> str:
    """Return a question with the long form in place of each abbreviation that was read.

    The long form is in lower case: with capitals it would count as a name.
    """
    for reading in readings:
        question = re.sub(
            rf"(?<![A-Za-z0-9&.]){re.escape(reading.short)}(?![A-Za-z0-9])", reading.long.lower(), question
        )
    return question


class AbbreviationReader:
    """Reads questions. Blocking; safe to call from several threads.

    A question without an unknown abbreviation takes one look-up of words that the search needs anyway; another one
    takes 15 to 50 ms of processor time, in a library of 9,000 passages as in one of 100,000.
    """

    def __init__(self, keywords: WordIndex, passages: PassageSource, revision: Callable[[], int]) -> None:
        """Store what is read; results are cached while the revision of the library is the same."""
        self._keywords = keywords
        self._passages = passages
        self._revision = revision
        self._sampled: tuple[int, dict[int, str]] = (-1, {})
        self._cache: OrderedDict[tuple[int, str], ReadQuestion] = OrderedDict()

    def read(self, question: str) -> ReadQuestion:
        """Return a question with each abbreviation that stands in no document read, if it can be read safely."""
        unknown = [token for token in abbreviations_in(question) if self._is_unknown(token)][:_MOST_ASKED]
        if not unknown:
            return ReadQuestion(question)
        key = self._revision(), question
        if (known := self._cache.get(key)) is not None:
            return known
        read = self._read(question, unknown)
        self._cache[key] = read
        while len(self._cache) > _MOST_CACHED:
            self._cache.popitem(last=False)
        return read

    def _read(self, question: str, unknown: Sequence[str]) -> ReadQuestion:
        rest = question
        for token in unknown:
            rest = rest.replace(token, " ")
        found = [chunk for chunk, _ in self._keywords.search(rest, _MOST_FOUND)] if has_content_words(rest) else []
        texts = dict(list((self._texts(found) | self._sample()).items())[:_MOST_PASSAGES])
        of_question = sum(chunk in texts for chunk in found)
        readings = []
        for token in unknown:
            if not any(spelling.runs_in([rest]) for spelling in _spellings(token, self._known_words)):
                long = self._long_form(token, list(texts.values()), of_question)
                readings += [AbbreviationReading(token, long)] if long else []
        return ReadQuestion(with_long_forms(question, readings), tuple(readings))

    def _long_form(self, token: str, texts: Sequence[str], of_question: int) -> str:
        """Return the long form of an abbreviation, or an empty string; the strictest spelling that gives one counts.

        Args:
            token: The abbreviation as written.
            texts: The passages to look through.
            of_question: Number of the first ones, which the other words of the question found.
        """
        words = self._keywords.count * sum(map(len, texts)) / max(1, len(texts)) / _WORD_LENGTH
        for spelling in _spellings(token, self._known_words):
            runs = spelling.runs_in(texts[:_MOST_COMPARED_WIDELY] if spelling.is_wide else texts)
            most = sorted(runs, key=lambda content: -len(runs[content].passages))[:_MOST_COMPARED]
            counted = [self._counted(spelling, content, runs[content]) for content in most]
            counted = sorted((one for one in counted if not one.run.is_piece), reverse=True)
            if not counted:
                continue
            is_asked = min(runs[counted[0].content].passages) < of_question
            if long := _choose(counted, _needed(words, spelling, is_safe=is_asked and not token.islower())):
                return long
        return ""

    def _counted(self, spelling: Spelling, content: tuple[str, ...], run: Run) -> "_CountedRun":
        """Return a run with the number of passages of the library in which it is, estimated from some of them."""
        form = next(iter(run.forms))
        near = self._keywords.holding_near(terms(" ".join(content_words(form))), _MOST_COUNTED)
        step = max(1, len(near) // _MOST_READ)
        texts = list(self._texts(near[::step][:_MOST_READ]).values())
        there = spelling.runs_in(texts).get(content, Run())
        if not there.passages:
            return _CountedRun(len(run.passages), content, run)
        # The index does not find other endings of the words: "Allgemeine", "Allgemeinen".
        estimated = round(len(near) * len(there.passages) / len(texts))
        return _CountedRun(max(len(run.passages), estimated), content, there)

    def _sample(self) -> dict[int, str]:
        """Return the texts of the sample, which are kept while the library is the same: 1 MB at most."""
        revision, texts = self._sampled
        if revision != self._revision():
            revision = self._revision()
            texts = self._texts(self._passages.sample_chunks(_MOST_PASSAGES))
            self._sampled = revision, texts
        return texts

    def _texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the texts of chunks with their headings, in this order."""
        stored = self._passages.chunk_texts(ids)
        return {one: f"{stored[one].headings}\n\n{stored[one].text}" for one in ids if one in stored}

    def _is_unknown(self, token: str) -> bool:
        whole = max(terms(short_form(token) or token), key=len, default="")
        return bool(whole) and self._keywords.document_frequency([whole])[whole] == 0

    def _known_words(self, words: Collection[str]) -> set[str]:
        """Return those of these words that are in the library."""
        stems = {word: stem(word) for word in words}
        frequencies = self._keywords.document_frequency(stems.values())
        return {word for word in words if frequencies.get(stems[word], 0) > 0}


def abbreviations_in(question: str) -> tuple[str, ...]:
    """Return the tokens of a question that may be abbreviations, as written: "PP&E", "MwSt", "mtbf".

    Two letters are too few, unless "&" connects them. In a question all in capitals, none can be told from words.
    """
    tokens = [match[0].rstrip("&.") for match in _TOKEN.finditer(question)]
    spelled = [token for token in tokens if len(token) > 1]
    capitals = sum(token.isupper() for token in spelled)
    if capitals > _MOST_CAPITALS and 2 * capitals > len(spelled):
        return ()
    return tuple(dict.fromkeys(token for token in spelled if _may_abbreviate(token)))


def _may_abbreviate(token: str) -> bool:
    letters = sum(map(str.isalpha, short_form(token)))
    is_written_small = _UNSPEAKABLE.fullmatch(token) or _SPOKEN.fullmatch(token)
    return letters > 2 or (letters == 2 and "&" in token) or is_written_small is not None


@dataclass(frozen=True, slots=True, order=True)
class _CountedRun:
    """Number of passages of the library with a run, the stems of its content words, and the run in some of them."""

    passages: int
    content: tuple[str, ...]
    run: Run = field(compare=False)


def _choose(runs: Sequence[_CountedRun], needed: int) -> str:
    """Return the first run if it is in enough passages and stands out; else an empty string.

    Args:
        runs: The most frequent runs that spell the abbreviation, the most frequent first.
        needed: In how many passages it must be.
    """
    best, *others = runs
    stands_out = not others or best.passages >= _DOMINANCE * others[0].passages
    if best.passages < needed or not stands_out:
        return ""
    forms = [form for form, _ in best.run.forms.most_common()]
    return next((form for form in forms if not form.isupper()), forms[0].lower())


def _needed(words: float, spelling: Spelling, *, is_safe: bool) -> int:
    """Return in how many passages a run must be.

    Args:
        words: Number of words of the library.
        spelling: How the run spells the abbreviation.
        is_safe: It is in a passage that the other words of the question found, for an abbreviation in capitals.
    """
    by_chance = words * _INITIAL ** len(spelling.letters) * (_WIDER if spelling.is_wide else 1.0)
    by_chance *= 1.0 if is_safe else _UNSAFE
    return next((number for most, number in _NEEDED if by_chance < most), _MOST_NEEDED)


def _spellings(token: str, known_words: Callable[[Collection[str]], set[str]]) -> list[Spelling]:
    """Return the ways to spell an abbreviation, the strictest first."""
    short = short_form(token) or token
    if token.islower():
        return [Syllables(short) if _SPOKEN.fullmatch(token) else Spelling(short)]
    if "&" in short:
        return [Spelling(short)]
    # Two letters of each of two words are not enough, except for "OPEX": "CARE" would be "causal reasoning".
    has_syllables = len(short) > _MOST_WITHOUT_SYLLABLES or _SPOKEN.fullmatch(short.lower())
    return [Spelling(short), *([Syllables(short)] if has_syllables else []), Compounds(short, known_words)]
