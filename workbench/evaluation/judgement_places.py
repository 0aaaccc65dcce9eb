"""Places of judgements in the current library, and the judging of a search result by them.

Places are found by comparing texts by their letters and digits alone.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath
from typing import Protocol

from workbench.evaluation.run_figures import GRADED, ndcg_at
from workbench.language import mark
from workbench.model.chunk import Chunk
from workbench.model.document import Document
from workbench.model.evaluation import GoldenQuestion, Judgement, JudgementKind, QuestionOutcome
from workbench.model.filter import ChunkFilter
from workbench.model.hit import Hit, SearchResult
from workbench.retrieval.base import KeywordSearch

_LETTERS = re.compile(r"[^\W_]+")

# If a whole passage is not found, its ends are searched, which are long enough to occur in one place only.
_END = 48
_LONGEST = 2.0

_SHINGLE = 8
_SAME = 0.8
_FEWEST = 16  # shorter texts, such as headings, occur in many different texts


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters and digits of a text, with the source offset of each run of them.

    Attributes:
        text: Letters and digits in lower case, without separators.
        runs: Offset of each run in text.
        sources: Offset of each run in the source text.
    """

    text: str
    runs: "array[int]"
    sources: "array[int]"

    def source(self, place: int) -> int:
        """Return the source offset of a letter."""
        run = bisect_left(self.runs, place + 1) - 1
        return self.sources[run] + place - self.runs[run]


def letters_of(text: str) -> Letters:
    """Return the letters and digits of a text."""
    parts: list[str] = []
    runs, sources = array("q"), array("q")
    length = 0
    for match in _LETTERS.finditer(text):
        # lower() keeps the length, unlike casefold(), except for one Turkish letter, which is left unchanged.
        part = match[0].lower() if len(match[0].lower()) == len(match[0]) else match[0]
        parts.append(part)
        runs.append(length)
        sources.append(match.start())
        length += len(part)
    return Letters("".join(parts), runs, sources)


def find(passage: str, text: Letters, near: int = 0) -> tuple[int, int] | None:
    """Return the span of a passage in a text; of several occurrences the one nearest to its former offset.

    If the whole passage does not occur (a line was added, a word is parsed differently), its beginning and its end are
    searched.

    Args:
        passage: Text of the passage.
        text: Letters of the whole text.
        near: Former offset of the passage in the source text.

    Returns:
        Start and end in the source text; None if the passage does not occur.
    """
    wanted = letters_of(passage).text
    if not wanted:
        return None
    if (start := _find_nearest(wanted, text, near)) is not None:
        return text.source(start), text.source(start + len(wanted) - 1) + 1
    if len(wanted) < 2 * _END:
        return None
    head, tail = (
        _find_nearest(wanted[:_END], text, near),
        _find_nearest(wanted[-_END:], text, near + len(passage) - _END),
    )
    if head is None and tail is None:
        return None
    first = head if head is not None else max((tail or 0) + _END - len(wanted), 0)
    last = tail + _END if tail is not None else min(first + len(wanted), len(text.text))
    if not 0 < last - first <= _LONGEST * len(wanted):
        return None
    return text.source(first), text.source(last - 1) + 1


def _find_nearest(wanted: str, text: Letters, near: int) -> int | None:
    places: list[int] = []
    place = text.text.find(wanted)
    while place >= 0:
        places.append(place)
        place = text.text.find(wanted, place + 1)
    return min(places, key=lambda one: abs(text.source(one) - near), default=None)


@lru_cache(64)
def shingles(text: str) -> frozenset[str]:
    """Return every run of eight letters; for a shorter text, all of it."""
    letters = letters_of(text).text
    return frozenset(letters[at : at + _SHINGLE] for at in range(max(len(letters) - _SHINGLE, 0) + 1)) - {""}


def same_letters(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return True if most of the shorter of two texts is contained in the other, judged by their shingles."""
    shorter = min(len(one), len(other))
    return shorter > 0 and (one == other or (shorter >= _FEWEST and len(one & other) >= _SAME * shorter))


def holds(text: str, words: str) -> bool:
    """Return True if a text contains these whole words, with any white space between; "1933" does not contain "3"."""
    parts = [re.escape(part) for part in words.split()]
    if not parts:
        return False
    # Word boundaries are required for Latin letters and digits only: Chinese has no spaces.
    before = r"(?<![A-Za-z0-9])" if words.strip()[0].isascii() and words.strip()[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if words.strip()[-1].isascii() and words.strip()[-1].isalnum() else ""
    return re.search(before + r"\s*".join(parts) + after, text, re.IGNORECASE) is not None


# For a passage without a document: number of its words to search, and number of chunks found to compare.
_WORDS = 40
_CANDIDATES = 10
# An answer is short: more chunks contain its words without containing it.
_ANSWER_CANDIDATES = 50

_KEPT_CHARACTERS = 8_000_000
# Number of hits that an outcome describes.
_SHOWN = 5

# A hit matches a passage if this share of the shorter of the two is in the other: one sentence of evidence in a chunk,
# and a chunk in a section, both match; chunks that share only their boundary do not.
_OVERLAP = 0.5


class JudgedContents(Protocol):
    """Contents of documents; implemented in store/documents.py."""

    def text(self, id: int) -> str:
        """Return the whole text."""
        ...

    def chunks_by_id(self, ids: Sequence[int]) -> Mapping[int, tuple[Chunk, Document]]:
        """Return chunks with their documents; deleted chunks are left out."""
        ...


class JudgementPlace(Protocol):
    """Current place of a judgement in the library."""

    def is_met_by(self, hit: Hit) -> bool:
        """Return True if a hit contains it."""
        ...


@dataclass(frozen=True, slots=True)
class Lost:
    """Judgement whose place is not, or no longer, in the library.

    Attributes:
        document: Name of the document if it is missing; else empty.
    """

    document: str = ""


@dataclass(frozen=True, slots=True)
class _Passage:
    """Passage in its documents; text with the same letters in another document matches as well."""

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
    """Page of a document, or the whole document if page is None; matched only by a hit on that page."""

    documents: frozenset[int]
    page: int | None = None

    def is_met_by(self, hit: Hit) -> bool:
        return hit.chunk.document in self.documents and self.page in (None, hit.page)


@dataclass(frozen=True, slots=True)
class _AnswerWords:
    """Words that make any passage right that contains them; limited to these documents if there are any."""

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
    """Finds judgements in the documents of the library; blocking.

    Attributes:
        contents: Contents of the documents.
        keywords: Keyword search for passages without a document.
    """

    contents: JudgedContents
    keywords: KeywordSearch
    _by_hash: dict[str, list[Document]] = field(default_factory=dict)
    _by_name: dict[str, list[Document]] = field(default_factory=dict)
    _read: dict[int, _ReadDocument] = field(default_factory=dict)
    _characters: int = 0

    def know(self, documents: Sequence[Document]) -> None:
        """Add documents in which judgements can be found; documents without chunks are ignored."""
        for document in documents:
            if document.chunks:
                self._by_hash.setdefault(document.sha256, []).append(document)
                for name in {document.name, PurePath(document.name).stem, document.path}:
                    self._by_name.setdefault(_normalise_name(name), []).append(document)

    def find(self, judgement: Judgement, knowledge_base: str) -> JudgementPlace | Lost:
        """Return the place of a judgement, limited to a knowledge base if one is named."""
        named = bool(judgement.document or judgement.sha256)
        documents = self._find_documents(judgement, knowledge_base)
        if named and not documents:
            return Lost(judgement.document or judgement.sha256[:12])
        match judgement.kind:
            case JudgementKind.PASSAGE:
                return self._locate_passage(judgement, documents, knowledge_base)
            case JudgementKind.ANSWER:
                return self._locate_answer(judgement, documents, knowledge_base)
            case JudgementKind.PAGE:
                documents = [one for one in documents if 1 <= (judgement.page or 0) <= one.pages]
        numbers = frozenset(one.id for one in documents)
        return _Page(numbers, judgement.page) if numbers else Lost()

    def _find_documents(self, judgement: Judgement, knowledge_base: str) -> list[Document]:
        """Return the documents of a judgement: by checksum, else by name, because the content may be newer."""
        by_name = self._by_name.get(_normalise_name(judgement.document), []) if judgement.document else []
        for documents in (self._by_hash.get(judgement.sha256, []) if judgement.sha256 else [], by_name):
            matching = [one for one in documents if knowledge_base in ("", one.knowledge_base)]
            if matching:
                return matching
        return []

    def _locate_passage(
        self, judgement: Judgement, documents: list[Document], knowledge_base: str
    ) -> JudgementPlace | Lost:
        if not judgement.text and judgement.sha256:
            documents = [one for one in documents if one.sha256 == judgement.sha256]
        numbers = [one.id for one in documents]
        if not numbers:
            chunks = self._search_chunks(" ".join(judgement.text.split()[:_WORDS])[:1000], _CANDIDATES, knowledge_base)
            numbers = list(dict.fromkeys(chunk.document for chunk in chunks))
        spans = {
            number: span for number in numbers if (span := self._read_document(number).find(judgement)) is not None
        }
        return _Passage(spans, shingles(judgement.text)) if spans else Lost()

    def _locate_answer(
        self, judgement: Judgement, documents: list[Document], knowledge_base: str
    ) -> JudgementPlace | Lost:
        answers = judgement.answers
        if documents:
            texts = [self._read_document(one.id).text for one in documents]
        else:
            texts = [
                chunk.text for one in answers for chunk in self._search_chunks(one, _ANSWER_CANDIDATES, knowledge_base)
            ]
        if not any(holds(text, answer) for answer in answers for text in texts):
            return Lost()
        return _AnswerWords(answers, frozenset(one.id for one in documents))

    def _search_chunks(self, words: str, k: int, knowledge_base: str) -> list[Chunk]:
        found = self.keywords.search(words, k, filter=ChunkFilter(knowledge_base or None))
        return [chunk for chunk, _ in self.contents.chunks_by_id([number for number, _ in found]).values()]

    def _read_document(self, number: int) -> _ReadDocument:
        known = self._read.get(number)
        if known is None:
            text = self.contents.text(number)
            if self._characters + len(text) > _KEPT_CHARACTERS:
                self._read.clear()
                self._characters = 0
            known = self._read[number] = _ReadDocument(text)
            self._characters += len(text)
        return known


def _normalise_name(name: str) -> str:
    # macOS stores file names in another Unicode normal form.
    return unicodedata.normalize("NFC", name).casefold()


def judged(
    question: GoldenQuestion,
    right: Sequence[JudgementPlace | Lost],
    wrong: Sequence[JudgementPlace | Lost],
    result: SearchResult,
) -> QuestionOutcome:
    """Return the outcome of a search for a golden question.

    Args:
        question: The question.
        right: Places of its right passages.
        wrong: Places of its wrong passages.
        result: Result of the search.
    """
    places = [place for place in right if not isinstance(place, Lost)]
    ranks = tuple(_first_rank(place, result.hits) for place in places)
    shown_right = {rank for rank in ranks if rank is not None}
    bad = [place for place in wrong if not isinstance(place, Lost)]
    return QuestionOutcome(
        question.question,
        question.knowledge_base,
        question.filter,
        ranks=ranks,
        lost=len(right) - len(places),
        # A chunk that also contains a right passage does not count as wrong.
        wrong=tuple(
            hit.rank
            for hit in result.hits
            if hit.rank not in shown_right and any(place.is_met_by(hit) for place in bad)
        ),
        score=ndcg_at(ranks, GRADED) if ranks else None,
        milliseconds=result.milliseconds,
        found=tuple(_describe_hit(hit) for hit in result.hits[:_SHOWN]),
        problem="" if ranks or bad else mark("None of the judged passages is in the library."),
    )


def not_searched(question: GoldenQuestion, problem: str) -> QuestionOutcome:
    """Return the outcome of a question that could not be searched."""
    return QuestionOutcome(question.question, question.knowledge_base, question.filter, problem=problem)


def _first_rank(place: JudgementPlace, hits: Sequence[Hit]) -> int | None:
    return next((hit.rank for hit in hits if place.is_met_by(hit)), None)


def _describe_hit(hit: Hit) -> str:
    return f"{hit.document_name}, {hit.place}" if hit.place else hit.document_name
