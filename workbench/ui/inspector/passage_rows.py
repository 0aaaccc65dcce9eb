"""Hits, citations and chunks as rows of one data class, and their scores as labels and bars; without Qt."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.language import mark, tr, translate, trn
from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind, Document, PageKind, place
from workbench.model.hit import Citation, Hit, Scores
from workbench.model.run import Certainty, Run, RunStatus
from workbench.model.shared_library import is_in_shared_library
from workbench.model.source_lines import LineSpan
from workbench.retrieval.markdown_stripping import SNIPPET, plain_line, plain_snippet
from workbench.ui.library.document_wording import join_with_commas

Span = tuple[int, int]

STRONG = 0.7
FAIR = 0.4


@dataclass(frozen=True, slots=True)
class Lane:
    """Ranked list of a search, with the score and rank of a hit in it.

    Attributes:
        name: Display name: "Meaning", "Words", "Together"; "Reranked" if a reranker scored the hit.
        share: Length of its bar, 0 to 1, relative to the best of the same search; None if the list did not hold the
            hit.
        text: The score and the rank.
    """

    name: str
    share: float | None
    text: str


def relevance_label(relevance: float) -> str:
    """Return a label for how relevant a passage is to the question."""
    if relevance >= STRONG:
        return tr("Strong match")
    return tr("Fair match") if relevance >= FAIR else tr("Weak match")


def match_label(scores: Scores) -> str:
    """Return a label for how good a match a passage is, or that no search found it."""
    return relevance_label(scores.relevance) if scores.is_searched else tr("Opened", "passage")


@dataclass(frozen=True, slots=True)
class MatchQuality:
    """Labels for how well the passages of one answer match, which never contradict the answer.

    A search rates passages before the answer is written: the passage that an answer rests on can have a low relevance,
    for example a table row that shares few words with the question.

    Attributes:
        cited: Numbers of the cited passages.
        main: Number of the passage that is cited first; 0 if there is none.
        best: Highest relevance of any passage of the run that was offered to the answerer.
        is_sure: False if the answer itself says that it may not answer the question, or did not come to its end.
    """

    cited: frozenset[int]
    main: int
    best: float
    is_sure: bool

    @classmethod
    def of(cls, run: Run) -> "MatchQuality":
        """Return the labels for the passages of a run."""
        markers = [citation.marker for citation in run.citations if citation.valid]
        offered = [reference for reference in run.references if not reference.withheld]
        found = [numbered.hit.scores for reference in offered for numbered in reference.hits]
        best = max((scores.relevance for scores in found), default=0.0)
        is_sure = run.status is RunStatus.COMPLETED and run.certainty is Certainty.FOUND
        return cls(frozenset(markers), markers[0] if markers else 0, best, is_sure)

    def label(self, number: int, scores: Scores) -> str:
        """Return the label of one passage: at least fair if cited, the best one for the main source of an answer."""
        if not scores.is_searched:
            return match_label(scores)
        relevance = max(scores.relevance, FAIR) if number in self.cited else scores.relevance
        if not self.is_sure:
            return relevance_label(min(relevance, FAIR))
        return relevance_label(max(relevance, self.best) if number == self.main else relevance)


def lanes(scores: Scores, best: Scores) -> tuple[Lane, ...]:
    """Return a hit's lanes, none if no search found it; best holds the highest score of each list of the search."""
    if not scores.is_searched:
        return ()
    found = (
        Lane(tr("Meaning"), _share(scores.dense, best.dense), _text(scores.dense, scores.dense_rank, tr("cosine"), 3)),
        Lane(tr("Words"), _share(scores.keyword, best.keyword), _text(scores.keyword, scores.keyword_rank, "BM25", 2)),
        Lane(tr("Combined"), _share(scores.fused, best.fused), _text(scores.fused, None, tr("fused"), 4)),
    )
    if scores.rerank is None:
        return found
    text = _text(scores.rerank, scores.rerank_rank, tr("score"), 4)
    return (*found, Lane(tr("Reranked"), _share(scores.rerank, best.rerank), text))


def search_facts(passage: "InspectedPassage") -> list[tuple[str, str]]:
    """Return the figures of the search that found a passage: names and values; none if no search found it."""
    hit = passage.hit
    if hit is None or passage.is_outside or not hit.scores.is_searched:
        return []
    return [
        (tr("Relevance"), f"{hit.scores.relevance:.2f}"),
        (tr("Rank"), str(hit.rank)),
        (tr("Weight of meaning"), f"{hit.scores.dense_weight:.2f}"),
        (tr("Matched words"), ", ".join(hit.matched_terms) or tr("none", "words")),
    ]


def best_scores(all_scores: list[Scores]) -> Scores:
    """Return the highest score of each list."""
    return Scores(
        dense=max((scores.dense for scores in all_scores if scores.dense is not None), default=None),
        keyword=max((scores.keyword for scores in all_scores if scores.keyword is not None), default=None),
        fused=max((scores.fused for scores in all_scores), default=0.0),
        rerank=max((scores.rerank for scores in all_scores if scores.rerank is not None), default=None),
    )


def _share(score: float | None, best: float | None) -> float | None:
    if score is None or best is None or best <= 0:
        return None
    return min(1.0, max(0.0, score / best))


def _text(score: float | None, rank: int | None, kind: str, digits: int) -> str:
    if score is None:
        return tr("not in this list")
    figure = f"{kind} {score:.{digits}f}"
    return tr("{score}, rank {rank}", score=figure, rank=rank) if rank is not None else figure


_KINDS = {BlockKind.TABLE: mark("Table"), BlockKind.CODE: mark("Code"), BlockKind.FORMULA: mark("Formula")}


@dataclass(frozen=True, slots=True)
class InspectedPassage:
    """A slice of a document, made from a hit, a citation or a chunk.

    Attributes:
        number: Number by which the answer cites it; for a chunk of a document, its position there, from 1.
        cited: Whether the answer cites it.
        start: Start of the slice: the chunk, or the part of it that a single citation cites.
        hit: The hit, if a search found it.
        ocr: Whether the page's text was read by OCR.
        edited: Whether the user edited the text; start and end then refer to the text that the document has instead.
        lines: For a part of a long file, the lines of the whole file.
        quality: Label for how well it matches the question; empty for a passage without a hit.
        quote: The text that the answer cites; empty if it does not cite the passage.
        spans: Parts of the document's text to mark, such as the rows of a table that the answer uses; empty for the
            slice itself.
    """

    number: int
    document: int
    document_name: str
    page: int | None
    headings: tuple[str, ...]
    text: str
    start: int
    end: int
    cited: bool = False
    chunk: Chunk | None = None
    hit: Hit | None = None
    lanes: tuple[Lane, ...] = ()
    badges: tuple[str, ...] = field(default=())
    page_kind: PageKind = PageKind.PAGE
    page_label: str = ""
    ocr: bool = False
    edited: bool = False
    lines: LineSpan | None = None
    quality: str = ""
    quote: str = ""
    spans: tuple[Span, ...] = ()

    @property
    def page_words(self) -> str:
        """The page in words: "page 4", "sheet 2 “Sales”", "row 48,112"; empty if the format has none."""
        return translate(place(self.page_kind, self.page, self.page_label, ocr=self.ocr, lines=self.lines))

    @property
    def is_outside(self) -> bool:
        """True if it is not a chunk of the library: only its text is available."""
        return self.document == 0

    @property
    def place(self) -> str:
        """Document and page."""
        return join_with_commas([part for part in (self.document_name, self.page_words) if part])

    @property
    def is_disabled(self) -> bool:
        """True if the user disabled it."""
        return self.chunk is not None and self.chunk.disabled

    @property
    def is_in_library(self) -> bool:
        """True if it is a chunk of the library, or of a shared one."""
        return self.chunk is not None and self.chunk.id > 0 and self.document > 0

    @property
    def is_editable(self) -> bool:
        """True if it is a chunk of the user's own library, which can be edited."""
        return self.is_in_library and not is_in_shared_library(self.document)

    @property
    def has_picture(self) -> bool:
        """True if there is a page to draw: slides, sheets and chapters are shown as text."""
        return self.page is not None and self.page_kind is PageKind.PAGE

    @property
    def marked(self) -> str:
        """The document's text of the slice: the cited part of the chunk, or all of it."""
        if self.chunk is None:
            return self.text
        return self.chunk.slice[self.start - self.chunk.start : self.end - self.chunk.start]

    @property
    def marks(self) -> tuple[Span, ...]:
        """The parts of the document's text to mark, in order."""
        return self.spans or ((self.start, self.end),)

    @property
    def snippet(self) -> str:
        """The quoted text, or the passage's text without a heading at its beginning, as plain text on one line.

        Table cells are separated by middle dots; empty cells are left out.
        """
        return plain_line(self.quote[:SNIPPET]) if self.quote else plain_snippet(self.text, self.headings)


def of_run(run: Run) -> list[InspectedPassage]:
    """Return what a run found, each passage once: first the cited ones, then the others, by number."""
    hits: dict[int, Hit] = {}
    best: dict[int, Scores] = {}
    for reference in run.references:
        highest = best_scores([numbered.hit.scores for numbered in reference.hits])
        for numbered in reference.hits:
            hits.setdefault(numbered.number, numbered.hit)
            best.setdefault(numbered.number, highest)
    citations: dict[int, list[Citation]] = {}
    for citation in run.citations:
        if citation.valid:
            citations.setdefault(citation.marker, []).append(citation)
    quality = MatchQuality.of(run)
    passages = [
        _with_cited_parts(
            replace(
                _of_hit(number, hit, best[number], cited=number in citations),
                quality="" if hit.is_outside else quality.label(number, hit.scores),
            ),
            citations.get(number, ()),
        )
        for number, hit in hits.items()
    ]
    # The main source, which the answer cites first, is the first row.
    places = {number: place for place, number in enumerate(citations)}
    return sorted(passages, key=lambda passage: (places.get(passage.number, len(places)), passage.number))


def passages_of_hits(hits: Sequence[Hit]) -> list[InspectedPassage]:
    """Return passages without scores, for hits that no search found, such as those sent to a network service."""
    passages = (_of_hit(hit.rank, hit, hit.scores, cited=False) for hit in hits)
    return [replace(passage, hit=None, lanes=()) for passage in passages]


def passage_of_citation(citation: Citation, run_passages: Sequence[InspectedPassage]) -> InspectedPassage:
    """Return the row of a citation: its hit on the page of the citation, or a row from the citation's own data.

    Whatever opens the source, all parts that the answer uses are marked, as when its row in the list is chosen. A row
    from a citation's own data, or of a document elsewhere, marks only that citation.
    """
    for passage in run_passages:
        if passage.number == citation.marker and passage.chunk is not None and passage.chunk.id == citation.chunk:
            return _with_quote(passage, citation)
    return InspectedPassage(
        citation.marker,
        citation.document or 0,
        citation.document_name,
        citation.page,
        citation.headings,
        citation.quote,
        citation.start,
        citation.end,
        cited=True,
        page_kind=citation.page_kind,
        page_label=citation.page_label,
        ocr=citation.ocr,
        edited=citation.edited,
        lines=citation.lines,
        quote=citation.quote,
    )


def of_document(document: Document, chunks: Sequence[Chunk]) -> list[InspectedPassage]:
    """Return the chunks of a document in order."""
    return [
        InspectedPassage(
            chunk.ordinal + 1,
            document.id,
            document.name,
            chunk.page,
            chunk.headings,
            chunk.text,
            chunk.start,
            chunk.end,
            chunk=chunk,
            badges=(trn("{n:,} token", "{n:,} tokens", chunk.tokens), *badges(chunk)),
            page_kind=document.page_kind,
            ocr=bool(document.ocr_pages(chunk.page, chunk.page)),
            edited=chunk.is_edited,
        )
        for chunk in chunks
    ]


def neighbour_passage(passage: InspectedPassage, chunk: Chunk) -> InspectedPassage:
    """Return the row of another chunk of a passage's document, which no search found."""
    return InspectedPassage(
        chunk.ordinal + 1,
        passage.document,
        passage.document_name,
        chunk.page,
        chunk.headings,
        chunk.text,
        chunk.start,
        chunk.end,
        chunk=chunk,
        badges=badges(chunk),
        page_kind=passage.page_kind,
        edited=chunk.is_edited,
    )


def badges(chunk: Chunk) -> tuple[str, ...]:
    """Return labels for the unusual properties of a chunk."""
    kind = (tr(_KINDS[chunk.kind]),) if chunk.kind in _KINDS else ()
    by_hand = (
        (tr("Disabled"), chunk.disabled),
        (tr("Edited by you"), chunk.is_edited),
        (tr("Cut by you"), chunk.by_hand and not chunk.is_edited),
        (tr("Too long for the embedding model"), chunk.oversize),
    )
    return (*kind, *(words for words, is_shown in by_hand if is_shown), *(f"#{tag}" for tag in chunk.tags))


def _of_hit(number: int, hit: Hit, best: Scores, *, cited: bool) -> InspectedPassage:
    chunk = hit.chunk
    return InspectedPassage(
        number,
        chunk.document,
        hit.document_name,
        hit.page,
        hit.headings,
        chunk.text,
        chunk.start,
        chunk.end,
        cited=cited,
        chunk=chunk,
        hit=hit,
        lanes=() if hit.is_outside else lanes(hit.scores, best),
        badges=(tr("From {origin}", origin=hit.origin),) if hit.is_outside else badges(chunk),
        page_kind=hit.page_kind,
        page_label=hit.label_of(hit.page),
        ocr=hit.page in hit.ocr_pages,
        edited=chunk.is_edited,
        lines=hit.lines_of(chunk.start, chunk.end),
    )


def _with_cited_parts(passage: InspectedPassage, citations: Sequence[Citation]) -> InspectedPassage:
    """Return the row of a passage with all parts that the answer cites marked, on the page of the first of them."""
    if not citations:
        return passage
    first = citations[0]
    quoted = replace(passage, quote=first.quote)
    if passage.is_outside or first.chunk != (passage.chunk.id if passage.chunk is not None else None):
        return quoted
    return replace(
        quoted,
        page=first.page if first.page is not None else passage.page,
        page_label=first.page_label or passage.page_label,
        ocr=first.ocr or passage.ocr,
        spans=tuple(sorted({(citation.start, citation.end) for citation in citations})),
    )


def _with_quote(passage: InspectedPassage, citation: Citation) -> InspectedPassage:
    return InspectedPassage(
        passage.number,
        passage.document,
        passage.document_name,
        citation.page if citation.page is not None else passage.page,
        citation.headings or passage.headings,
        passage.text,
        citation.start,
        citation.end,
        cited=True,
        chunk=passage.chunk,
        hit=passage.hit,
        lanes=passage.lanes,
        badges=passage.badges,
        page_kind=citation.page_kind,
        page_label=citation.page_label,
        ocr=citation.ocr,
        edited=citation.edited,
        lines=citation.lines,
        quality=passage.quality,
        quote=citation.quote,
        # The picture that came with an imported session has the marks of one citation.
        spans=passage.spans if passage.document > 0 else (),
    )
