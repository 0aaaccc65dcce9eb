"""What a search returns.

Hits with every score, passages from outside the library, references, citations, and how much was searched.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import overload

from workbench.language import mark
from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind, PageKind, place
from workbench.model.source_lines import LineSpan, SourceLines
from workbench.model.visible import visible_name


@dataclass(frozen=True, slots=True)
class Coverage:
    """The documents that were meant to be searched, counted by what keeps them from being found.

    Attributes:
        documents: All of them, in one knowledge base or in all.
        by_keyword: Searched, but not by meaning, or not all of it yet.
        waiting: Not read yet.
        locked: Locked by a password that nobody has given.
        failed: Could not be read.
        not_embedded: Not searched because only vectors were asked for, and they have none or not all of them.
    """

    documents: int
    by_keyword: int = 0
    waiting: int = 0
    locked: int = 0
    failed: int = 0
    not_embedded: int = 0

    @property
    def searched(self) -> int:
        """How many documents could be found."""
        return max(0, self.documents - self.waiting - self.locked - self.failed - self.not_embedded)

    @property
    def pending(self) -> int:
        """How many documents are still to be read or embedded: what they say may not be found yet."""
        return self.waiting + self.by_keyword + self.not_embedded

    @property
    def is_complete(self) -> bool:
        """Whether all of every document could be found, by keyword and by meaning."""
        return self.searched == self.documents and not self.by_keyword

    @property
    def sentence(self) -> str:
        """It in words: "Searched 120 of 296 documents, 30 of them only by keyword. Not searched: ..."."""
        if not self.documents:
            return mark("There was no document to search.")
        if self.searched == self.documents:
            every = mark(f"Searched all {self.documents:,} documents")
            said = mark("Searched the only document") if self.documents == 1 else every
        elif self.documents == 1:
            said = mark(f"Searched {self.searched:,} of 1 document")
        else:
            said = mark(f"Searched {self.searched:,} of {self.documents:,} documents")
        if self.by_keyword and self.searched == 1:
            said = mark(f"{said}, only by keyword")
        elif self.by_keyword:
            said = mark(f"{said}, {self.by_keyword:,} of them only by keyword")
        return f"{said}.{self._left_out()}"

    def _left_out(self) -> str:
        kinds = (
            (self.waiting, mark(f"{self.waiting:,} still to be read")),
            (self.locked, mark(f"{self.locked:,} locked by a password")),
            (self.failed, mark(f"{self.failed:,} not read (failed or cancelled)")),
            (self.not_embedded, mark(f"{self.not_embedded:,} without all vectors yet")),
        )
        told = [words for number, words in kinds if number]
        if not told:
            return ""
        listed = " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
        return " " + mark(f"Not searched: {listed}.")


def narrowest(several: Iterable[Coverage]) -> Coverage | None:
    """Return the one that saw least: an answer can have missed what one of its searches could not see."""
    return min(several, key=lambda one: one.searched - one.by_keyword, default=None)


class SearchMode(StrEnum):
    """Which lists a search uses."""

    HYBRID = "hybrid"
    DENSE = "dense"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Scores:
    """Every score a hit got; None where that list did not hold it.

    Attributes:
        dense: Cosine of question and chunk, -1 to 1.
        keyword: BM25, higher is better, no upper bound.
        fused: What the search ordered the hits by, before reranking; comparable within one search only.
        dense_rank: 1-based rank in the dense list.
        keyword_rank: 1-based rank in the keyword list.
        dense_weight: What the dense list was held to be worth for this question, 0 to 1.
        relevance: How sure we are that the hit is about the question, 0 to 1; comparable between searches.
        rerank: The reranker's score, higher is better, on its own scale; None where it did not look at the hit.
        rerank_rank: 1-based rank among the hits that the reranker looked at.
        named: How surely the question names the hit's document, beside the others that it names; 0 where it does not.
    """

    dense: float | None = None
    keyword: float | None = None
    fused: float = 0.0
    dense_rank: int | None = None
    keyword_rank: int | None = None
    dense_weight: float = 0.0
    relevance: float = 0.0
    rerank: float | None = None
    rerank_rank: int | None = None
    named: float = 0.0

    @property
    def is_searched(self) -> bool:
        """Whether a search found it: what a tool read in a document has no scores."""
        return self != _NONE


_NONE = Scores()


@dataclass(frozen=True, slots=True)
class HeadingPath:
    """The headings, topmost first, over the text of a chunk from an offset into its document's text on."""

    start: int
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """One found chunk.

    Attributes:
        rank: 1-based.
        chunk: The chunk, with its ids.
        document_name: File name.
        document_title: Title from the document's metadata.
        path: Where the document came from.
        knowledge_base: Name of the knowledge base.
        scores: Every score it got.
        matched_terms: Words of the question that stand in the chunk.
        page_breaks: Where each further page begins on which the chunk stands, offsets into the document's text.
        matched_page: Of a chunk on several pages the one that meets the question best; None for a chunk on one.
        page_kind: What the format calls its pages.
        page_labels: The own names of the pages on which the chunk stands, where pages have such: sheets, chapters.
        ocr_pages: Those of the pages on which the chunk stands whose text was read by OCR.
        sections: Of a chunk with several short sections, the second and each further one.
        lines: Of a part of a long file, the lines of the whole file on which the chunk stands; None where not known.
        origin: What gave it, where it is no chunk of the library: a retriever's name, a tool's; empty for a chunk.
        meta_data: What that said of it, as a JSON object; of a chunk the document's metadata of the user's own.
    """

    rank: int
    chunk: Chunk
    document_name: str
    document_title: str
    path: str
    knowledge_base: str
    scores: Scores
    matched_terms: tuple[str, ...] = ()
    page_breaks: tuple[int, ...] = ()
    matched_page: int | None = None
    page_kind: PageKind = PageKind.PAGE
    page_labels: tuple[str, ...] = ()
    ocr_pages: tuple[int, ...] = ()
    origin: str = ""
    meta_data: str = ""
    sections: tuple[HeadingPath, ...] = ()
    lines: SourceLines | None = None

    @property
    def is_outside(self) -> bool:
        """Whether it is no chunk of the library (see model/outside.py); all there is of it is its text."""
        return bool(self.origin)

    @property
    def place(self) -> str:
        """The page to show in words: "page 4", "sheet 2 “Sales”"; of a part of a long file "lines 73 to 80".

        Empty where the format has no pages and the file was not divided. What is no chunk of the library stands nowhere
        in it; there it says what gave it.
        """
        if self.is_outside:
            return _outside(self.document_name, self.origin)
        label, is_read = self.label_of(self.page), self.page in self.ocr_pages
        lines = self.lines_of(self.chunk.start, self.chunk.end)
        return place(self.page_kind, self.page, label, ocr=is_read, edited=self.chunk.is_edited, lines=lines)

    def lines_of(self, start: int, end: int) -> LineSpan | None:
        """Return the lines of the whole file on which a part of the chunk stands, by offsets into the document's text.

        None where the document is no part of a long file.
        """
        return None if self.lines is None else self.lines.span(start, end)

    @property
    def page(self) -> int | None:
        """The page to show; None where the format has no pages."""
        return self.chunk.page if self.matched_page is None else self.matched_page

    @property
    def text(self) -> str:
        """Text of the chunk."""
        return self.chunk.text

    @property
    def page_key(self) -> tuple[int, int]:
        """The same for all hits of one page."""
        return page_key(self.chunk, self.page)

    def page_at(self, offset: int) -> int | None:
        """Return the page on which a character of the chunk stands, by its offset into the document's text."""
        return None if self.chunk.page is None else self.chunk.page + bisect_right(self.page_breaks, offset)

    @property
    def headings(self) -> tuple[str, ...]:
        """The heading path that all of the chunk's text shares."""
        return self.headings_of(self.chunk.start, self.chunk.end)

    def headings_of(self, start: int, end: int) -> tuple[str, ...]:
        """Return the heading path over a part of the chunk, by offsets into the document's text.

        Of a part with several sections it is what their paths have in common; the first one's where that is nothing.
        """
        ends = [*(section.start for section in self.sections), max(end, self.chunk.end)]
        paths = (self.chunk.headings, *(section.headings for section in self.sections))
        starts = [self.chunk.start, *ends[:-1]]
        over = [path for path, first, last in zip(paths, starts, ends, strict=True) if first < end and last > start]
        if not over:
            return self.chunk.headings
        shared = 0
        while len({path[: shared + 1] for path in over}) == 1 and shared < min(map(len, over)):
            shared += 1
        return over[0][:shared] or over[0]

    def label_of(self, page: int | None) -> str:
        """Return the own name of a page on which the chunk stands; empty where it has none."""
        if page is None or self.chunk.page is None or not 0 <= page - self.chunk.page < len(self.page_labels):
            return ""
        return self.page_labels[page - self.chunk.page]


@dataclass(frozen=True, slots=True)
class SearchResult(Sequence[Hit]):
    """Result of one search: a sequence of its hits, best first; one without hits is false, as an empty list is.

    Attributes:
        hits: Best first.
        beside: Further passages of the hits' pages that the search found, best first; no more than 2 a page.
        milliseconds: Wall time, the question's embedding included.
        searched_chunks: How many chunks the search could see.
        embedded_chunks: How many of those have their vector already.
        notes: Sentences for the user, e.g. that only keywords were searched.
        by_meaning: Whether the vectors were searched.
        coverage: How much of the documents it could see; None where only some of them were asked for.
        floor: The relevance that the best hit has to reach, or none is offered to an answerer; 0 unless set.
        certainty: How sure the search is that an answer is among what it found, 0 to 1; 1 where it cannot tell.
        sure_from: The certainty from which it says nothing of it.
    """

    question: str
    mode: SearchMode
    hits: tuple[Hit, ...]
    milliseconds: float
    searched_chunks: int = 0
    embedded_chunks: int = 0
    notes: tuple[str, ...] = ()
    by_meaning: bool = False
    coverage: Coverage | None = None
    floor: float = 0.0
    certainty: float = 1.0
    sure_from: float = 0.0
    beside: tuple[Hit, ...] = ()

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def by_page(self) -> "SearchResult":
        """Return it with all passages of a page together, in document order, in the place of the page's first hit."""
        pages: dict[tuple[int, int], list[Hit]] = {}
        for hit in (*self.hits, *self.beside):
            pages.setdefault(hit.page_key, []).append(hit)
        grouped = [hit for page in pages.values() for hit in sorted(page, key=lambda one: one.chunk.start)]
        hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(grouped, start=1))
        return replace(self, hits=hits, beside=())

    def beside_hit(self, hit: Hit) -> tuple[Hit, ...]:
        """Return the further passages of a hit's page, best first; none for a page that a better hit stands on."""
        return tuple(one for one in self.beside if one.rank == hit.rank)

    @property
    def is_relevant(self) -> bool:
        """Whether what was found, if anything, passes the user's floor: one hit that does speaks for the others.

        The second passage that a question in two steps needs holds few of its words; and a document that the question
        names is about it, whatever stands in there.
        """
        return not self.hits or any(hit.scores.relevance >= self.floor or hit.scores.named > 0 for hit in self.hits)

    @property
    def is_sure(self) -> bool:
        """Whether the search holds that an answer is among what it found, if it found anything."""
        return not self.hits or self.certainty >= self.sure_from


@dataclass(frozen=True, slots=True)
class NumberedHit:
    """A hit under the number by which the model may cite it; a chunk found twice in one run keeps its number."""

    number: int
    hit: Hit


@dataclass(frozen=True, slots=True)
class Reference:
    """One search of a run: the query, what it found, how long it took (seconds, 4 decimals).

    Attributes:
        withheld: None of it was relevant enough to be offered to the answerer; it is kept for people to see.
    """

    query: str
    hits: tuple[NumberedHit, ...]
    time: float
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker [n] of an answer, checked against the run's references.

    It keeps what it needs to be read after the document is gone.

    Attributes:
        marker: The number n as written in the answer.
        valid: False when the run has no reference of that number; then all below is empty.
        document: The document's id; None when invalid, or for a passage that is no chunk of the library.
        chunk: The chunk's id, None when invalid.
        start: First cited character in the document's text.
        end: One past the last.
        quote: text[start:end] of the document; or of what the user wrote in its place.
        answer_start: Where the marker stands in the answer, characters.
        answer_end: One past the marker.
        page_kind: What the format calls its pages.
        page_label: The page's own name, of a sheet or a chapter; or nothing.
        ocr: The page's text was read by OCR.
        origin: What gave the passage, where it is no chunk of the library.
        edited: The quote is of text that the user edited; start and end are of what the document has in its place.
        lines: Of a part of a long file, the lines or rows of the whole file on which the quote stands.
    """

    marker: int
    valid: bool
    document: int | None = None
    document_name: str = ""
    path: str = ""
    page: int | None = None
    chunk: int | None = None
    chunk_ordinal: int | None = None
    start: int = 0
    end: int = 0
    quote: str = ""
    sha256: str = ""
    answer_start: int = 0
    answer_end: int = 0
    headings: tuple[str, ...] = field(default=())
    page_kind: PageKind = PageKind.PAGE
    page_label: str = ""
    ocr: bool = False
    origin: str = ""
    edited: bool = False
    lines: LineSpan | None = None

    @property
    def place(self) -> str:
        """The page in words: "page 4", "sheet 2 “Sales”", "row 48,112"; empty where there is none. See Hit.place."""
        if self.is_outside:
            return _outside(self.document_name, self.origin)
        return place(self.page_kind, self.page, self.page_label, ocr=self.ocr, edited=self.edited, lines=self.lines)

    @property
    def is_outside(self) -> bool:
        """Whether the passage is no chunk of the library; its whole text stands in the run's references."""
        return bool(self.origin)


def page_key(chunk: Chunk, page: int | None) -> tuple[int, int]:
    """Return document and page of a chunk; in a document without pages each chunk is a place of its own."""
    return (0, chunk.id) if page is None else (chunk.document, page)


def _outside(name: str, origin: str) -> str:
    return "" if name == origin else mark(f"from {origin}")


@dataclass(frozen=True, slots=True)
class OutsidePassage:
    """A text and what was said of it.

    Attributes:
        name: What it is called; empty where nobody said.
        meta_data: Whatever else was said of it, as a JSON object; empty for nothing.
        uri: Where it came from; an address that can be opened, or nothing.
        is_cut: It is the beginning of a longer text.
    """

    text: str
    name: str = ""
    meta_data: str = ""
    uri: str = ""
    is_cut: bool = False


def outside_hit(passage: OutsidePassage, *, origin: str, rank: int) -> Hit:
    """Return a passage as a hit, so that it is numbered, cited, shown and kept like those of the library.

    Its chunk is of no document; its id is negative and made of its content, so that the same passage that is found
    twice in a run keeps its number, and never takes that of a chunk.

    Args:
        passage: The passage.
        origin: The name of the retriever or tool that gave it.
        rank: Its place in what was found, from 1.
    """
    said = "\0".join((origin, passage.name, passage.uri, passage.text)).encode("utf-8", "surrogatepass")
    # 15 hexadecimal digits: fits the 64 bits of an id whatever its sign.
    number = -1 - int(hashlib.sha256(said).hexdigest()[:15], 16)
    chunk = Chunk(0, 0, len(passage.text), passage.text, None, None, (), BlockKind.PARAGRAPH, 0, id=number)
    return Hit(
        rank,
        chunk,
        visible_name(passage.name or origin),
        visible_name(passage.name),
        passage.uri,
        "",
        Scores(),
        origin=origin,
        meta_data=passage.meta_data,
    )
