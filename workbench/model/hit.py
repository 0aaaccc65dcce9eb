"""Search results: hits with every score, references, citations, and the coverage of searches.

Also contains passages from outside the library.
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
    """Coverage of a search: counts of the documents to be searched, by the reason that keeps them from being found.

    Attributes:
        documents: Number of documents, in one knowledge base or in all.
        by_keyword: Searched by keyword only, without all vectors.
        waiting: Without any text yet: not parsed, or all pages are pictures that OCR has not read.
        locked: Locked by an unknown password.
        failed: Could not be parsed.
        not_embedded: Not searched because only vectors were searched, and they lack some or all of them.
        pages: Pages without text in the documents that were searched: pictures before OCR, skipped, or not read yet.
        cut: Searched documents whose end was not read because of a limit.
        unreached: Shared libraries that could not be reached.
    """

    documents: int
    by_keyword: int = 0
    waiting: int = 0
    locked: int = 0
    failed: int = 0
    not_embedded: int = 0
    pages: int = 0
    cut: int = 0
    unreached: int = 0

    @property
    def searched(self) -> int:
        """Number of documents that could be found."""
        return max(0, self.documents - self.waiting - self.locked - self.failed - self.not_embedded)

    @property
    def is_read(self) -> bool:
        """True if the text of every document was searched, be it only by keyword."""
        return self.searched == self.documents and not self.pages and not self.cut and not self.unreached

    @property
    def is_complete(self) -> bool:
        """True if all of every document could be found, by keyword and by meaning."""
        return self.is_read and not self.by_keyword

    @property
    def missing(self) -> str:
        """Parts that were not searched: "2 still to be read and 13 pages without text"; empty if nothing."""
        kinds = (
            (self.waiting, mark(f"{self.waiting:,} still to be read")),
            (self.locked, mark(f"{self.locked:,} locked by a password")),
            (self.failed, mark(f"{self.failed:,} not read (failed or cancelled)")),
            (self.not_embedded, mark(f"{self.not_embedded:,} still being prepared")),
            (
                self.pages,
                mark("1 page without text") if self.pages == 1 else mark(f"{self.pages:,} pages without text"),
            ),
            (self.cut, mark("the end of 1 document") if self.cut == 1 else mark(f"the end of {self.cut:,} documents")),
            (
                self.unreached,
                mark("1 shared library, which could not be reached")
                if self.unreached == 1
                else mark(f"{self.unreached:,} shared libraries, which could not be reached"),
            ),
        )
        parts = [words for number, words in kinds if number]
        return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)

    @property
    def sentence(self) -> str:
        """The coverage in words: "Searched 120 of 296 documents, 30 of them only by keyword. Not searched: ..."."""
        if not self.documents:
            words = mark("There was no document to search")
            return f"{words}. {mark(f'Not searched: {self.missing}.')}" if self.unreached else f"{words}."
        if self.is_read:
            every = mark(f"Searched all {self.documents:,} documents")
            words = mark("Searched the only document") if self.documents == 1 else every
        elif self.searched == self.documents:
            several = mark(f"Searched {self.documents:,} documents")
            words = mark("Searched 1 document") if self.documents == 1 else several
        elif self.documents == 1:
            words = mark(f"Searched {self.searched:,} of 1 document")
        else:
            words = mark(f"Searched {self.searched:,} of {self.documents:,} documents")
        if self.by_keyword and self.searched == 1:
            words = mark(f"{words}, only by keyword")
        elif self.by_keyword:
            words = mark(f"{words}, {self.by_keyword:,} of them only by keyword")
        return f"{words}. {mark(f'Not searched: {self.missing}.')}" if self.missing else f"{words}."


def narrowest(several: Iterable[Coverage]) -> Coverage | None:
    """Return the narrowest coverage, because an answer may lack what one of its searches could not see.

    One that lacks something is narrower than a complete one, also of fewer documents.
    """
    gaps = "pages", "cut", "unreached"
    return min(
        several,
        key=lambda one: (one.is_complete, one.searched - one.by_keyword, *(-getattr(one, name) for name in gaps)),
        default=None,
    )


class SearchMode(StrEnum):
    """Lists used by a search."""

    HYBRID = "hybrid"
    DENSE = "dense"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a hit; None if a list did not contain it.

    Attributes:
        dense: Cosine similarity of question and chunk, -1 to 1.
        keyword: BM25, higher is better, no upper bound.
        fused: Score that ordered the hits before reranking; comparable within one search only.
        dense_rank: 1-based rank in the dense list.
        keyword_rank: 1-based rank in the keyword list.
        dense_weight: Weight of the dense list for this question, 0 to 1.
        relevance: Estimated probability that the hit is about the question, 0 to 1; comparable between searches.
        rerank: The reranker's score, higher is better, on its own scale; None if the hit was not reranked.
        rerank_rank: 1-based rank among the reranked hits.
        named: Confidence that the question names the hit's document, relative to others that it names; 0 if it does
            not.
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
        """True if a search found it; a passage that a tool read in a document has no scores."""
        return self != _NONE


_NONE = Scores()


@dataclass(frozen=True, slots=True)
class HeadingPath:
    """Headings, topmost first, above the text of a chunk from an offset into its document's text on."""

    start: int
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """Found chunk.

    Attributes:
        rank: 1-based.
        chunk: The chunk, with its ids.
        document_name: File name.
        document_title: Title from the document's metadata.
        path: Source of the document.
        knowledge_base: Name of the knowledge base.
        scores: Its scores.
        matched_terms: Words of the question that occur in the chunk.
        page_breaks: Start of each further page of the chunk, as offsets into the document's text.
        matched_page: For a chunk on several pages the one that matches the question best; None for a chunk on one.
        page_kind: Kind of the format's pages.
        page_labels: Labels of the chunk's pages, if they have any: sheets, chapters.
        ocr_pages: The chunk's pages whose text was read by OCR.
        sections: For a chunk with several short sections, the second and each further one.
        lines: For a part of a long file, the lines of the whole file that contain the chunk; None if unknown.
        origin: Name of the retriever or tool that returned it, if it is not a chunk of the library; else empty.
        meta_data: Metadata returned by the origin, as a JSON object; for a chunk, the document's custom metadata.
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
        """True if it is not a chunk of the library (see OutsidePassage); only its text is available."""
        return bool(self.origin)

    @property
    def place(self) -> str:
        """The page to show in words: "page 4", "sheet 2 “Sales”"; for a part of a long file, "lines 73 to 80".

        Empty if the format has no pages, the file was not divided, and the chunk is not edited. For a passage from
        outside the library it names the origin, unless the passage has the same name.
        """
        if self.is_outside:
            return _outside(self.document_name, self.origin)
        label, is_read = self.label_of(self.page), self.page in self.ocr_pages
        lines = self.lines_of(self.chunk.start, self.chunk.end)
        return place(self.page_kind, self.page, label, ocr=is_read, edited=self.chunk.is_edited, lines=lines)

    def lines_of(self, start: int, end: int) -> LineSpan | None:
        """Return the lines of the whole file for a part of the chunk, given by offsets into the document's text.

        None if the document is not a part of a long file.
        """
        return None if self.lines is None else self.lines.span(start, end)

    @property
    def page(self) -> int | None:
        """The page to show; None if the format has no pages."""
        return self.chunk.page if self.matched_page is None else self.matched_page

    @property
    def text(self) -> str:
        """Text of the chunk."""
        return self.chunk.text

    @property
    def page_key(self) -> tuple[int, int]:
        """Key that is equal for all hits of one page."""
        return page_key(self.chunk, self.page)

    def page_at(self, offset: int) -> int | None:
        """Return the page of a character of the chunk, given by its offset into the document's text."""
        return None if self.chunk.page is None else self.chunk.page + bisect_right(self.page_breaks, offset)

    @property
    def headings(self) -> tuple[str, ...]:
        """The heading path common to all of the chunk's text."""
        return self.headings_of(self.chunk.start, self.chunk.end)

    def headings_of(self, start: int, end: int) -> tuple[str, ...]:
        """Return the heading path above a part of the chunk, given by offsets into the document's text.

        For a part with several sections it is the common beginning of their paths, or the first path if there is none.
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
        """Return the label of one of the chunk's pages; empty if it has none."""
        if page is None or self.chunk.page is None or not 0 <= page - self.chunk.page < len(self.page_labels):
            return ""
        return self.page_labels[page - self.chunk.page]


@dataclass(frozen=True, slots=True)
class AbbreviationReading:
    """Abbreviation of a question that stands in no document, as written, and the long form that it was read as."""

    short: str
    long: str

    @property
    def note(self) -> str:
        """A sentence for the user."""
        return mark(f"“{self.short}” stands in no document; read as “{self.long}”.")


@dataclass(frozen=True, slots=True)
class SearchResult(Sequence[Hit]):
    """Result of one search: a sequence of its hits, best first; false without hits, like an empty list.

    Attributes:
        hits: Best first.
        beside: Further passages of the hits' pages found by the search, best first; no more than 2 per page.
        milliseconds: Wall time, including the embedding of the question.
        searched_chunks: Number of chunks that the search could see.
        embedded_chunks: Number of those that have a vector already.
        notes: Sentences for the user, e.g. that only keywords were searched.
        by_meaning: Whether the vectors were searched.
        coverage: Coverage of the documents; None if only some of them were requested.
        floor: Minimum relevance of the best hit, below which no hit is offered to an answerer; 0 unless set.
        certainty: Estimated probability that the results contain an answer, 0 to 1; 1 if unknown.
        sure_from: Minimum certainty at which no doubt is reported.
        readings: Abbreviations of the question that stand in no document, with the long forms searched in their place.
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
    readings: tuple[AbbreviationReading, ...] = ()

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def by_page(self) -> "SearchResult":
        """Return the result with the passages of each page grouped in document order at the rank of its first hit."""
        pages: dict[tuple[int, int], list[Hit]] = {}
        for hit in (*self.hits, *self.beside):
            pages.setdefault(hit.page_key, []).append(hit)
        grouped = [hit for page in pages.values() for hit in sorted(page, key=lambda one: one.chunk.start)]
        hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(grouped, start=1))
        return replace(self, hits=hits, beside=())

    def page_neighbours(self, hit: Hit) -> tuple[Hit, ...]:
        """Return the further passages of a hit's page, best first; empty if a better hit is on that page."""
        return tuple(one for one in self.beside if one.rank == hit.rank)

    @property
    def is_relevant(self) -> bool:
        """True if there are no results, or one of them reaches the user's floor; one hit is sufficient for all.

        The second passage needed by a question in two steps contains few of its words; and a document named by the
        question is relevant to it, regardless of its text.
        """
        return not self.hits or any(hit.scores.relevance >= self.floor or hit.scores.named > 0 for hit in self.hits)

    @property
    def is_sure(self) -> bool:
        """True if the search considers an answer to be among the results, or there are none."""
        return not self.hits or self.certainty >= self.sure_from


@dataclass(frozen=True, slots=True)
class NumberedHit:
    """Hit with the number by which the model cites it; a chunk found twice in one run keeps its number."""

    number: int
    hit: Hit


@dataclass(frozen=True, slots=True)
class Reference:
    """Search of a run: the query, the hits, and the duration (seconds, 4 decimals).

    Attributes:
        withheld: No hit was relevant enough to be offered to the answerer; they are kept for users to see.
    """

    query: str
    hits: tuple[NumberedHit, ...]
    time: float
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """Marker [n] of an answer, checked against the run's references.

    It contains all data needed to display it after the document was deleted.

    Attributes:
        marker: The number n as written in the answer.
        valid: False if the run has no reference of that number; then all fields below are empty.
        document: The document's id; None if invalid, or for a passage from outside the library.
        chunk: The chunk's id, None if invalid.
        start: First cited character in the document's text.
        end: One past the last.
        quote: text[start:end] of the document, or the user's replacement of it.
        answer_start: Position of the marker in the answer, characters.
        answer_end: One past the marker.
        page_kind: Kind of the format's pages.
        page_label: The label of the page, of a sheet or a chapter; or empty.
        ocr: The page's text was read by OCR.
        origin: Source of the passage if it is from outside the library.
        edited: The quote is from text that the user edited; start and end refer to the document's original text.
        lines: For a part of a long file, the lines or rows of the whole file that contain the quote.
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
        """The page in words: "page 4", "sheet 2 “Sales”", "row 48,112"; empty if there is none. See Hit.place."""
        if self.is_outside:
            return _outside(self.document_name, self.origin)
        return place(self.page_kind, self.page, self.page_label, ocr=self.ocr, edited=self.edited, lines=self.lines)

    @property
    def is_outside(self) -> bool:
        """True if the passage is not a chunk of the library; its whole text is in the run's references."""
        return bool(self.origin)


def page_key(chunk: Chunk, page: int | None) -> tuple[int, int]:
    """Return document and page of a chunk; in a document without pages each chunk has its own key."""
    return (0, chunk.id) if page is None else (chunk.document, page)


def _outside(name: str, origin: str) -> str:
    return "" if name == origin else mark(f"from {origin}")


@dataclass(frozen=True, slots=True)
class OutsidePassage:
    """Text from outside the library, with its metadata.

    Attributes:
        name: Its name; empty if unknown.
        meta_data: Other metadata, as a JSON object; empty for none.
        uri: Its source; an address that can be opened, or empty.
        is_cut: It is the beginning of a longer text.
    """

    text: str
    name: str = ""
    meta_data: str = ""
    uri: str = ""
    is_cut: bool = False


def outside_hit(passage: OutsidePassage, *, origin: str, rank: int) -> Hit:
    """Convert a passage to a hit, so that it is numbered, cited, shown and stored like those of the library.

    Its chunk belongs to no document; its id is negative and derived from its content, so that a passage that is found
    twice in a run keeps its number, and never collides with a chunk.

    Args:
        passage: The passage.
        origin: Name of the retriever or tool that returned it.
        rank: Its rank in the results, from 1.
    """
    content = "\0".join((origin, passage.name, passage.uri, passage.text)).encode("utf-8", "surrogatepass")
    # 15 hexadecimal digits fit into the 64 bits of a signed id.
    number = -1 - int(hashlib.sha256(content).hexdigest()[:15], 16)
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
