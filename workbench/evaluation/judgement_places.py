"""Places of judgements in the library as it is now, found by comparing texts by their letters and digits alone."""

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath
from typing import Protocol

from workbench.model.chunk import Chunk
from workbench.model.document import Document
from workbench.model.evaluation import Judgement, JudgementKind
from workbench.model.filter import ChunkFilter
from workbench.model.hit import Hit
from workbench.retrieval.base import KeywordSearch

_LETTERS = re.compile(r"[^\W_]+")

# Of a passage whose whole is not found the ends are looked for: so long that they stand in one place only.
_END = 48
_LONGEST = 2.0

_SHINGLE = 8
_SAME = 0.8
_FEWEST = 16  # a heading stands in many texts that say something else


@dataclass(frozen=True, slots=True)
class Letters:
    """A text's letters, and where each run of them came from.

    Attributes:
        text: Letters and digits, lower case, nothing between them.
        runs: Where in it each run of letters begins.
        sources: Where the run begins in the text it came from.
    """

    text: str
    runs: "array[int]"
    sources: "array[int]"

    def source(self, place: int) -> int:
        """Return where a letter stands in the text it came from."""
        run = bisect_left(self.runs, place + 1) - 1
        return self.sources[run] + place - self.runs[run]


def letters_of(text: str) -> Letters:
    """Return a text's letters."""
    parts: list[str] = []
    runs, sources = array("q"), array("q")
    length = 0
    for match in _LETTERS.finditer(text):
        # lower, not casefold: each character stays one, but for one Turkish letter that is left as it is.
        part = match[0].lower() if len(match[0].lower()) == len(match[0]) else match[0]
        parts.append(part)
        runs.append(length)
        sources.append(match.start())
        length += len(part)
    return Letters("".join(parts), runs, sources)


def find(passage: str, text: Letters, near: int = 0) -> tuple[int, int] | None:
    """Return where a passage stands in a text; of several places the one nearest to where it once stood.

    Where the whole passage is not there (a line was added, a word is read differently), its beginning and its end
    are looked for.

    Args:
        passage: Its words.
        text: The letters of the whole text.
        near: Where it stood in the source text.

    Returns:
        Its first character in the source text and one past its last; None where it is not there.
    """
    wanted = letters_of(passage).text
    if not wanted:
        return None
    if (start := _nearest(wanted, text, near)) is not None:
        return text.source(start), text.source(start + len(wanted) - 1) + 1
    if len(wanted) < 2 * _END:
        return None
    head, tail = _nearest(wanted[:_END], text, near), _nearest(wanted[-_END:], text, near + len(passage) - _END)
    if head is None and tail is None:
        return None
    first = head if head is not None else max((tail or 0) + _END - len(wanted), 0)
    last = tail + _END if tail is not None else min(first + len(wanted), len(text.text))
    if not 0 < last - first <= _LONGEST * len(wanted):
        return None
    return text.source(first), text.source(last - 1) + 1


def _nearest(wanted: str, text: Letters, near: int) -> int | None:
    places: list[int] = []
    place = text.text.find(wanted)
    while place >= 0:
        places.append(place)
        place = text.text.find(wanted, place + 1)
    return min(places, key=lambda one: abs(text.source(one) - near), default=None)


@lru_cache(64)
def shingles(text: str) -> frozenset[str]:
    """Return every run of eight letters; of a shorter text all of it."""
    letters = letters_of(text).text
    return frozenset(letters[at : at + _SHINGLE] for at in range(max(len(letters) - _SHINGLE, 0) + 1)) - {""}


def same_letters(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell by their shingles whether most of the shorter of two texts stands in the other."""
    shorter = min(len(one), len(other))
    return shorter > 0 and (one == other or (shorter >= _FEWEST and len(one & other) >= _SAME * shorter))


def holds(text: str, words: str) -> bool:
    """Tell whether these words stand in a text: whole words, whatever spaces are between; "3" is not in "1933"."""
    parts = [re.escape(part) for part in words.split()]
    if not parts:
        return False
    # Only Latin letters and digits make words that must end: Chinese has no spaces.
    before = r"(?<![A-Za-z0-9])" if words.strip()[0].isascii() and words.strip()[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if words.strip()[-1].isascii() and words.strip()[-1].isalnum() else ""
    return re.search(before + r"\s*".join(parts) + after, text, re.IGNORECASE) is not None


# Of a passage without a document so many words are searched for, and so many of the chunks found are looked at.
_WORDS = 40
_CANDIDATES = 10
# An answer is short: more chunks hold its words without holding it.
_ANSWER_CANDIDATES = 50

_KEPT_CHARACTERS = 8_000_000

# A hit meets a passage when this much of the shorter of the two is in the other: evidence of one sentence in a chunk,
# and a chunk in a section, both count; chunks that share only their seam do not.
_OVERLAP = 0.5


class JudgedContents(Protocol):
    """What documents hold; store/document_contents.py."""

    def text(self, id: int) -> str:
        """Return the whole text."""
        ...

    def chunks_by_id(self, ids: Sequence[int]) -> Mapping[int, tuple[Chunk, Document]]:
        """Return chunks with their documents; those that are gone are left out."""
        ...


class JudgementPlace(Protocol):
    """Where a judgement stands now."""

    def is_met_by(self, hit: Hit) -> bool:
        """Tell whether a hit shows it."""
        ...


@dataclass(frozen=True, slots=True)
class Lost:
    """A judgement whose place the library does not hold (any more).

    Attributes:
        document: The document's name, where it is the document that is missing; else empty.
    """

    document: str = ""


@dataclass(frozen=True, slots=True)
class _Passage:
    """A passage, wherever its documents have it; also where another document says the same in its place."""

    spans: Mapping[int, tuple[int, int]]
    letters: frozenset[str]

    def is_met_by(self, hit: Hit) -> bool:
        span = self.spans.get(hit.chunk.document)
        if span is not None:
            shared = min(span[1], hit.chunk.end) - max(span[0], hit.chunk.start)
            return shared >= _OVERLAP * min(span[1] - span[0], hit.chunk.end - hit.chunk.start)
        return same_letters(self.letters, shingles(hit.chunk.text))


@dataclass(frozen=True, slots=True)
class _Page:
    """A page of a document, all of the document where there is no page; met by exactly the page that a hit names."""

    documents: frozenset[int]
    page: int | None = None

    def is_met_by(self, hit: Hit) -> bool:
        return hit.chunk.document in self.documents and self.page in (None, hit.page)


@dataclass(frozen=True, slots=True)
class _AnswerWords:
    """Words of which any passage is right that holds them, of these documents where some are named."""

    answers: tuple[str, ...]
    documents: frozenset[int] = frozenset()

    def is_met_by(self, hit: Hit) -> bool:
        if self.documents and hit.chunk.document not in self.documents:
            return False
        return any(holds(hit.chunk.text, answer) for answer in self.answers)


@dataclass(slots=True)
class _ReadDocument:
    text: str
    letters: Letters | None = None

    def find(self, judgement: Judgement) -> tuple[int, int] | None:
        start, end = judgement.start, judgement.end
        there = self.text[start:end].strip() if start is not None and end is not None else ""
        if start is not None and end is not None and there and judgement.text.strip() in ("", there):
            return start, end
        if self.letters is None:
            self.letters = letters_of(self.text)
        return find(judgement.text, self.letters, near=start or 0)


@dataclass(slots=True)
class JudgementFinder:
    """Finds judgements in the documents that the library holds; blocking.

    Attributes:
        contents: What documents hold.
        keywords: Finds passages of which no document is known.
    """

    contents: JudgedContents
    keywords: KeywordSearch
    _by_hash: dict[str, list[Document]] = field(default_factory=dict)
    _by_name: dict[str, list[Document]] = field(default_factory=dict)
    _read: dict[int, _ReadDocument] = field(default_factory=dict)
    _characters: int = 0

    def know(self, documents: Sequence[Document]) -> None:
        """Take the documents among which judgements are to be found; one without a chunk cannot be."""
        for document in documents:
            if document.chunks:
                self._by_hash.setdefault(document.sha256, []).append(document)
                for name in {document.name, PurePath(document.name).stem, document.path}:
                    self._by_name.setdefault(_plain(name), []).append(document)

    def find(self, judgement: Judgement, knowledge_base: str) -> JudgementPlace | Lost:
        """Return where a judgement stands, of a knowledge base where one is named."""
        named = bool(judgement.document or judgement.sha256)
        documents = self._documents(judgement, knowledge_base)
        if named and not documents:
            return Lost(judgement.document or judgement.sha256[:12])
        match judgement.kind:
            case JudgementKind.PASSAGE:
                return self._passage(judgement, documents, knowledge_base)
            case JudgementKind.ANSWER:
                return self._answer(judgement, documents, knowledge_base)
            case JudgementKind.PAGE:
                documents = [one for one in documents if 1 <= (judgement.page or 0) <= one.pages]
        numbers = frozenset(one.id for one in documents)
        return _Page(numbers, judgement.page) if numbers else Lost()

    def _documents(self, judgement: Judgement, knowledge_base: str) -> list[Document]:
        """Return the documents meant: of the same bytes, else of the same name, as its content may be newer."""
        by_name = self._by_name.get(_plain(judgement.document), []) if judgement.document else []
        for meant in (self._by_hash.get(judgement.sha256, []) if judgement.sha256 else [], by_name):
            there = [one for one in meant if knowledge_base in ("", one.knowledge_base)]
            if there:
                return there
        return []

    def _passage(self, judgement: Judgement, documents: list[Document], knowledge_base: str) -> JudgementPlace | Lost:
        if not judgement.text and judgement.sha256:
            documents = [one for one in documents if one.sha256 == judgement.sha256]
        numbers = [one.id for one in documents]
        if not numbers:
            chunks = self._chunks(" ".join(judgement.text.split()[:_WORDS])[:1000], _CANDIDATES, knowledge_base)
            numbers = list(dict.fromkeys(chunk.document for chunk in chunks))
        spans = {number: span for number in numbers if (span := self._document(number).find(judgement)) is not None}
        return _Passage(spans, shingles(judgement.text)) if spans else Lost()

    def _answer(self, judgement: Judgement, documents: list[Document], knowledge_base: str) -> JudgementPlace | Lost:
        answers = judgement.answers
        if documents:
            texts = [self._document(one.id).text for one in documents]
        else:
            texts = [chunk.text for one in answers for chunk in self._chunks(one, _ANSWER_CANDIDATES, knowledge_base)]
        if not any(holds(text, answer) for answer in answers for text in texts):
            return Lost()
        return _AnswerWords(answers, frozenset(one.id for one in documents))

    def _chunks(self, words: str, k: int, knowledge_base: str) -> list[Chunk]:
        found = self.keywords.search(words, k, filter=ChunkFilter(knowledge_base or None))
        return [chunk for chunk, _ in self.contents.chunks_by_id([number for number, _ in found]).values()]

    def _document(self, number: int) -> _ReadDocument:
        known = self._read.get(number)
        if known is None:
            text = self.contents.text(number)
            if self._characters + len(text) > _KEPT_CHARACTERS:
                self._read.clear()
                self._characters = 0
            known = self._read[number] = _ReadDocument(text)
            self._characters += len(text)
        return known


def _plain(name: str) -> str:
    # macOS writes the same letters of a file name in another form.
    return unicodedata.normalize("NFC", name).casefold()
