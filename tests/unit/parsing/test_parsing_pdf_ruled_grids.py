"""Table grids from ruling lines: drawn with lines, boxes, dots and shades, rotated, and too many of them."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench.model.document import FindingKind, ParsedDocument
from workbench.parsing.parse import parse_file
from workbench.parsing.pdf_rules import Row, read_rules, ruled_grids

LEFT, TOP, WIDE, HIGH = 72, 100, 90, 20
CELLS = (("Region", "2024", "2025"), ("North", "1.5", "2.5"), ("South", "3.5", "4.5"), ("East", "5.5", "6.5"))


def box(row: int, column: int, columns: int = 1) -> Any:
    x, y = LEFT + WIDE * column, TOP + HIGH * row
    return pymupdf.Rect(x, y, x + WIDE * columns, y + HIGH)


def fill(page: Any, cells: Sequence[Sequence[str]] = CELLS) -> None:
    for row, texts in enumerate(cells):
        for column, text in enumerate(texts):
            page.insert_text(box(row, column).bl + pymupdf.Point(5, -6), text, fontsize=10)


def lines(page: Any) -> None:
    for row in range(5):
        page.draw_line((LEFT, TOP + HIGH * row), (LEFT + 3 * WIDE, TOP + HIGH * row))
    for column in range(4):
        page.draw_line((LEFT + WIDE * column, TOP), (LEFT + WIDE * column, TOP + 4 * HIGH))


def boxes(page: Any) -> None:
    for row in range(4):
        for column in range(3):
            page.draw_rect(box(row, column))


def thin_boxes(page: Any) -> None:
    for row in range(5):
        page.draw_rect((LEFT, TOP + HIGH * row, LEFT + 3 * WIDE, TOP + HIGH * row + 0.8), fill=(0, 0, 0), color=None)
    for column in range(4):
        x = LEFT + WIDE * column
        page.draw_rect((x, TOP, x + 0.8, TOP + 4 * HIGH), fill=(0, 0, 0), color=None)


def dots(page: Any) -> None:
    for row in range(5):
        for step in range(0, 3 * WIDE, 3):
            page.draw_rect((LEFT + step, TOP + HIGH * row, LEFT + step + 1.5, TOP + HIGH * row + 1), fill=(0, 0, 0))
    for column in range(4):
        x = LEFT + WIDE * column
        page.draw_line((x, TOP), (x, TOP + 4 * HIGH))


def shades(page: Any) -> None:
    for row in range(4):
        for column in range(3):
            page.draw_rect(box(row, column), fill=(0.8, 0.9, 1) if row % 2 else (1, 1, 1), color=None)


def parsed(document: Any, tmp_path: Path) -> ParsedDocument:
    path = tmp_path / "drawn.pdf"
    document.save(path)
    document.close()
    return parse_file(path)


def tables(document: ParsedDocument) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind.value == "table"]


def grids_on(page: Any) -> list[list[Row]]:
    return ruled_grids(read_rules(page.get_cdrawings(), tuple(page.rect)), page.get_text("words"))


@pytest.mark.parametrize("draw", [lines, boxes, thin_boxes, dots, shades])
def test_grid_is_read_however_it_is_drawn(draw: Callable[[Any], None], tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    fill(page)
    draw(page)
    assert [(len(grid), len(grid[0])) for grid in grids_on(page)] == [(4, 3)]
    (table,) = tables(parsed(pdf, tmp_path))
    assert table.splitlines()[2:] == ["| North | 1.5 | 2.5 |", "| South | 3.5 | 4.5 |", "| East | 5.5 | 6.5 |"]


def test_rows_shaded_in_turn_are_a_table(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    fill(page)
    for row in (1, 3):
        page.draw_rect(box(row, 0, columns=3), fill=(0.8, 0.9, 1), color=None)
    (table,) = tables(parsed(pdf, tmp_path))
    assert table.splitlines()[2:] == ["| North | 1.5 | 2.5 |", "| South | 3.5 | 4.5 |", "| East | 5.5 | 6.5 |"]


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_grid_on_a_turned_page_is_read(rotation: int, tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    fill(page)
    boxes(page)
    page.set_rotation(rotation)
    (table,) = tables(parsed(pdf, tmp_path))
    assert table.splitlines()[0] == "| Region | 2024 | 2025 |"


def test_head_over_two_columns_is_one_cell() -> None:
    page = pymupdf.open().new_page()
    fill(page, (("Region", "Year"), *CELLS))
    page.draw_rect(box(0, 0))
    page.draw_rect(box(0, 1, columns=2))
    for row in range(1, 4):
        for column in range(3):
            page.draw_rect(box(row, column))
    (grid,) = grids_on(page)
    assert [cell is not None for cell in grid[0]] == [True, True, False]
    assert all(all(row) for row in grid[1:])


LINES_OF_CELLS = (
    (("Adapter",), ("24 V, with an", "external part")),
    (("Screws",), ("6 pieces",)),
    (("Cable (grey", "or white)"), ("2 m long",)),
)


def draw_as_word(page: Any, *, has_cell_borders: bool) -> None:
    """Draw a table whose cells are filled line by line, between lines, or in a box with a border of its own."""
    y, grey = TOP, (0.9, 0.9, 0.9)
    for cells in LINES_OF_CELLS:
        height = 12 * max(map(len, cells)) + 6
        for column, parts in enumerate(cells):
            x = LEFT + (WIDE + 3 * has_cell_borders) * column
            frame = pymupdf.Rect(x, y, x + WIDE, y + height)
            if has_cell_borders:
                page.draw_rect(frame, fill=grey, color=None)
            above = (height - 12 * len(parts)) / 2
            edges = [y, *(y + above + 12 * step for step in range(len(parts) + 1)), y + height]
            for top, bottom in pairwise(edges):
                page.draw_rect((x, top, x + WIDE, bottom), fill=grey, color=None)
            for line, text in enumerate(parts):
                page.insert_text((x + 5, y + above + 12 * line + 10), text, fontsize=9)
            sides = ((frame.tl, frame.tr), (frame.bl, frame.br), (frame.tl, frame.bl), (frame.tr, frame.br))
            for start, end in sides:
                page.draw_line(start, end, width=0.5)
        y += height + 3 * has_cell_borders


@pytest.mark.parametrize("has_cell_borders", [False, True])
def test_a_cell_that_is_filled_line_by_line_is_one_cell(has_cell_borders: bool, tmp_path: Path) -> None:
    pdf = pymupdf.open()
    draw_as_word(pdf.new_page(), has_cell_borders=has_cell_borders)
    (table,) = tables(parsed(pdf, tmp_path))
    assert [line for line in table.splitlines() if "---" not in line] == [
        "| Adapter | 24 V, with an external part |",
        "| Screws | 6 pieces |",
        "| Cable (grey or white) | 2 m long |",
    ]


def test_rows_filled_in_the_same_heights_inside_a_frame_stay_rows() -> None:
    page = pymupdf.open().new_page()
    fill(page)
    shades(page)
    for y in (TOP, TOP + HIGH, TOP + 4 * HIGH):
        page.draw_line((LEFT, y), (LEFT + 3 * WIDE, y))
    for column in range(4):
        page.draw_line((LEFT + WIDE * column, TOP), (LEFT + WIDE * column, TOP + 4 * HIGH))
    assert [(len(grid), len(grid[0])) for grid in grids_on(page)] == [(4, 3)]


def test_a_list_of_sizes_in_one_cell_does_not_end_the_table(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    rows = (*((f"Part {number}", f"{number} of wood, painted twice") for number in range(8)), ("Sizes", ""))
    for number, (name, text) in enumerate(rows):
        height = 60 if number == 8 else HIGH
        for column, words in enumerate((name, text)):
            x, y = LEFT + 2 * WIDE * column, TOP + HIGH * number
            page.draw_rect((x, y, x + 2 * WIDE, y + height))
            page.insert_text((x + 5, y + 14), words, fontsize=10)
    for line in range(4):
        page.insert_text((LEFT + 2 * WIDE + 5, TOP + HIGH * 8 + 13 + 14 * line), f"{line}40 x 480", fontsize=10)
    (table,) = tables(parsed(pdf, tmp_path))
    assert table.splitlines()[-1] == "| Sizes | 040 x 480 140 x 480 240 x 480 340 x 480 |"


def test_grids_that_do_not_touch_are_two() -> None:
    page = pymupdf.open().new_page()
    fill(page, CELLS[:2])
    page.insert_text((300, 400), "Beside", fontsize=10)
    for x, y in ((LEFT, TOP), (300, 380)):
        for row in range(2):
            for column in range(2):
                page.draw_rect((x + 50 * column, y + 20 * row, x + 50 + 50 * column, y + 20 + 20 * row))
    assert [(len(grid), len(grid[0])) for grid in grids_on(page)] == [(2, 2), (2, 2)]


def test_grid_without_words_is_no_table() -> None:
    page = pymupdf.open().new_page()
    boxes(page)
    assert grids_on(page) == []


def test_a_page_with_very_many_boxes_is_read_as_lines_and_its_tables_are_reported_as_lost(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    fill(page, ((" ".join(["The map shows every house of the town"] * 2),),))
    shape = page.new_shape()
    for row in range(100):
        for column in range(100):
            shape.draw_rect((50 + 5 * column, 150 + 6 * row, 54 + 5 * column, 155 + 6 * row))
    shape.finish()
    shape.commit()
    document = parsed(pdf, tmp_path)
    assert tables(document) == []
    assert "every house of the town" in document.text
    assert FindingKind.LOST_TABLES in [finding.kind for finding in document.findings]


@pytest.mark.parametrize(("name", "number"), [("tabula/spanning_cells.pdf", 0), ("tabula/us-007.pdf", 1)])
def test_grids_are_those_that_find_tables_sees(peer_data: Path, name: str, number: int) -> None:
    with pymupdf.open(peer_data / "parse_truth" / name) as pdf:
        expected = [
            [[cell is not None for cell in row.cells] for row in table.rows]
            for table in pdf[number].find_tables(strategy="lines", use_layout=False).tables
        ]
        assert [[[cell is not None for cell in row] for row in grid] for grid in grids_on(pdf[number])] == expected
