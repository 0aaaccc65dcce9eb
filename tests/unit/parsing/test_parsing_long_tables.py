"""Long tables in parts."""

from hypothesis import given
from hypothesis import strategies as st

from workbench.parsing.assembly import TextBuilder, add_table, markdown_table, table_parts


def test_short_table_stays_whole() -> None:
    table = markdown_table([["a", "b"], ["1", "2"]])
    assert list(table_parts(table)) == [table]


def test_table_without_cells_gives_no_block() -> None:
    builder = TextBuilder()
    assert not add_table(builder, [["", ""]])
    assert builder.blocks == []


@given(st.lists(st.text("ab|", min_size=1, max_size=400), min_size=2, max_size=120))
def test_every_row_is_in_one_part_in_order_under_the_head(words: list[str]) -> None:
    table = markdown_table([["head", "x"], *([word, "1"] for word in words)])
    parts = [part.split("\n") for part in table_parts(table)]
    head, rows = table.split("\n")[:2], table.split("\n")[2:]
    assert all(part[:2] == head and 0 < len(part) - 2 <= 40 for part in parts)
    assert [row for part in parts for row in part[2:]] == rows


def test_head_of_many_columns_is_not_most_of_every_part() -> None:
    table = markdown_table([[f"column {number}" for number in range(200)], *([["1"] * 200] * 60)])
    parts = list(table_parts(table))
    assert sum(map(len, parts)) < 2 * len(table)
