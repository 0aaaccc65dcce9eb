"""Pages between document and chunk: their words count for each of their chunks, and each page gives one hit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.model.chunk import Chunk
from workbench.model.document import Block, BlockKind, Metadata, Page, ParsedDocument
from workbench.retrieval.reranking.base import Reranked
from workbench.retrieval.retriever import LocatedPassage, adjacent_on_page

PARTS = ("Cash flows of the year.", "Operating activities gave 12.", "Purchases of equipment took 7.", "Notes follow.")


def add(library: Any, *, has_pages: bool) -> list[int]:
    """Add a document of four chunks, three of them on its first page; return the ids of the chunks."""
    library.documents.ensure_knowledge_base("default")
    text = "\n".join(PARTS)
    starts = [text.index(part) for part in PARTS]
    page_of = (1, 1, 1, 2) if has_pages else (None,) * 4
    pages = (Page(1, 0, starts[3], 1.0, 1.0), Page(2, starts[3], len(text), 1.0, 1.0)) if has_pages else ()
    chunks = [
        Chunk(n, start, start + len(part), part, page, page, (), BlockKind.PARAGRAPH, 10)
        for n, (start, part, page) in enumerate(zip(starts, PARTS, page_of, strict=True))
    ]
    sha256 = f"{len(library.documents.list()) + 1:064x}"
    document = library.documents.queue(
        Path(f"/d/{sha256[-4:]}.txt"), knowledge_base="default", sha256=sha256, size=len(text), format="text"
    )
    blocks = (Block(BlockKind.PARAGRAPH, 0, len(text)),)
    parsed = ParsedDocument(text, blocks, pages, Metadata(""), "text")
    library.documents.put_content(document.id, parsed, chunks, sha256=sha256, size=len(text))
    return [chunk.id for chunk in library.documents.chunks(document.id)]


def test_a_chunk_has_the_words_of_its_whole_page(library: Any) -> None:
    ids = add(library, has_pages=True)
    evidence = library.keywords.evidence(["operating equipment"], ids)
    assert evidence.chunks[0][0] == 0.0
    assert evidence.pages[0][0] == pytest.approx(evidence.pages[0][1]) == pytest.approx(evidence.pages[0][2])
    assert evidence.pages[0][0] > evidence.chunks[0].max()
    assert evidence.pages[0][3] == 0.0


def test_a_document_without_pages_has_no_pages_to_compare(library: Any) -> None:
    evidence = library.keywords.evidence(["operating equipment"], add(library, has_pages=False))
    assert np.isnan(evidence.pages).all()
    assert evidence.chunks[0][1] > 0


def test_a_missing_chunk_and_an_unknown_word_have_no_keyword_evidence(library: Any) -> None:
    ids = add(library, has_pages=True)
    evidence = library.keywords.evidence(["unheardof", ""], [*ids, 999])
    assert not evidence.chunks.any()
    assert library.keywords.evidence(["operating"], [999]).chunks.tolist() == [[0.0]]


def test_the_chunks_of_a_page_are_found_by_its_number(library: Any) -> None:
    ids = add(library, has_pages=True)
    (document,) = library.documents.list()
    assert library.documents.chunks_on_pages([document.id], [1]) == tuple(ids[:3])
    assert library.documents.chunks_on_pages([document.id], [7]) == ()


def test_ten_hits_are_ten_places(library: Any) -> None:
    add(library, has_pages=True)
    hits = library.retriever.search("cash flows of operating activities and equipment, notes", k=4).hits
    assert [hit.page for hit in hits[:2]] == [1, 2]
    assert len(hits) == 4
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]


QUESTION = "cash flows of operating activities and equipment, notes"


def test_the_other_passages_of_a_hits_page_are_given_beside_it(library: Any) -> None:
    first, second, third, fourth = add(library, has_pages=True)
    result = library.retriever.search(QUESTION, k=2)
    assert {hit.page for hit in result.hits} == {1, 2}
    assert {hit.chunk.id for hit in (*result.hits, *result.beside)} == {first, second, third, fourth}
    (on_first,) = (hit for hit in result.hits if hit.page == 1)
    assert [(hit.page, hit.rank) for hit in result.beside] == [(1, on_first.rank)] * 2


def placed(chunk: int, page: int) -> LocatedPassage:
    found: Any = (None, Chunk(0, 0, 1, "x", page, page, (), BlockKind.PARAGRAPH, 1, id=chunk, document=1), None)
    return LocatedPassage(Reranked(found), page)


def test_at_most_two_other_passages_are_added_per_page_and_only_on_pages_with_a_hit() -> None:
    best, other, *further = placed(1, 4), placed(2, 5), placed(3, 5), placed(4, 4), placed(5, 4), placed(6, 4)
    assert adjacent_on_page([other, best], [best, other, *further]) == [
        (1, further[0]),
        (2, further[1]),
        (2, further[2]),
    ]
    assert adjacent_on_page([best], [best, other, *further]) == [(1, further[1]), (1, further[2])]


def test_by_page_puts_the_passages_of_a_page_together_in_the_order_of_the_document(library: Any) -> None:
    first, second, third, fourth = add(library, has_pages=True)
    result = library.retriever.search(QUESTION, k=2)
    grouped = result.by_page()
    expected = [first, second, third, fourth] if result.hits[0].page == 1 else [fourth, first, second, third]
    assert [hit.chunk.id for hit in grouped.hits] == expected
    assert [hit.rank for hit in grouped.hits] == [1, 2, 3, 4]
    assert grouped.beside == ()
    assert grouped.by_page() == grouped


def test_a_document_without_pages_has_nothing_beside_its_hits(library: Any) -> None:
    add(library, has_pages=False)
    result = library.retriever.search(QUESTION, k=1)
    assert result.beside == ()
    assert result.by_page() == result
