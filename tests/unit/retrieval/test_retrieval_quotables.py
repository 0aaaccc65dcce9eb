"""Quotable spans of a passage: sentences, table rows, whole listings; always with true offsets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.retrieval.quotable_spans import LONGEST_CODE, quotables

TABLE = "| Part | Price |\n| --- | --- |\n| pump | 12 euros |\n| valve | 3 euros |"
CODE = "```python\ndef area(r):\n    return 3.14 * r * r\n```"


def statements(text: str) -> list[str]:
    return [one.text for one in quotables(text) if one.is_statement]


def test_a_row_of_a_table_is_quoted_without_its_outer_pipes_under_its_header():
    rows = [one for one in quotables(TABLE) if one.is_statement]
    assert [one.text for one in rows] == ["pump | 12 euros", "valve | 3 euros"]
    assert {one.header for one in rows} == {"Part | Price"}


STATEMENT = """Balance sheets (in millions, except per share data)

| | December 31, | |
| --- | --- | --- |
| | 2016 | 2017 |
| Current assets: | | |
| Inventories | 11,461 | 16,047 |
| Other | 1 | 2 |
| Liabilities: | | |
| Other | 3 | 4 |"""


def test_a_cell_is_named_by_all_rows_of_heads_above_it_and_by_the_unit() -> None:
    cells = next(one.cells for one in quotables(STATEMENT) if one.text.startswith("Inventories"))
    assert cells == (
        ("(in millions, except per share data)", "Inventories"),
        ("December 31, 2016", "11,461"),
        ("December 31, 2017", "16,047"),
    )


def test_a_unit_among_the_heads_is_no_name_of_a_column() -> None:
    text = "| | (In Millions) | |\n| --- | --- | --- |\n| | May 31, 2020 | May 26, 2019 |\n| Net | 5 | 6 |"
    assert [name for name, _ in quotables(text)[-1].cells] == ["(In Millions)", "May 31, 2020", "May 26, 2019"]


ROWS = "| Merchandise inventories | 5,651 | 5,140 |\n| Other | 1 | 2 |"
IN_MILLIONS = "Balance sheets (in millions) follow:"


def cells_of(text: str, path: str = "", beginning: str = "Merchandise") -> list[str]:
    """Return the names of the columns of a row."""
    return [name for name, _ in next(one.cells for one in quotables(text, path) if one.text.startswith(beginning))]


@pytest.mark.parametrize(
    ("text", "path", "names"),
    [
        (ROWS, f"Report > {IN_MILLIONS} > | 2016 | 2017", ["(in millions)", "2016", "2017"]),
        (ROWS, "Report > Item | 2016 | 2017 > A long row", ["Item", "2016", "2017"]),
        (ROWS, "Report > 2016 | 2017", ["", "2016", "2017"]),
        (ROWS, "Report > Item | 2016", ["", "", ""]),
        (ROWS, "Home | About | Contact > Sales > In figures", ["", "", ""]),
        (f"Sales follow.\n\n{ROWS}", "Report > Item | 2016 | 2017", ["", "", ""]),
        (f"| | 2016 | 2017 |\n{ROWS}", "", ["", "2016", "2017"]),
        (f"| Net | 79 | 80 |\n{ROWS}", "", ["", "", ""]),
        (f"| Item | 2016 | 2017 | |\n| --- | --- | --- | --- |\n{ROWS}", "", ["Item", "2016", "2017"]),
        (f"| 2016 | 2017 |\n| --- | --- |\n{ROWS}", "", ["", "2016", "2017"]),
        (f"| Net | 1,079 | $ 80 |\n| --- | --- | --- |\n{ROWS}", "", ["", "", ""]),
        (f"| Net | 67 | 67 |\n| --- | --- | --- |\n{ROWS}", "", ["", "", ""]),
        (f"| Net | 34 | — |\n| --- | --- | --- |\n{ROWS}", "", ["", "", ""]),
        (f"| | (10.5) % | 3.1 % |\n| --- | --- | --- |\n{ROWS}", "", ["", "", ""]),
        (f"| Level | 1 | 2 |\n| --- | --- | --- |\n{ROWS}", "", ["Level", "1", "2"]),
        (f"| | (1) | (2) |\n| --- | --- | --- |\n{ROWS}", "", ["", "(1)", "(2)"]),
        (f"| | ’22 vs. ’21 | ’21 vs. ’20 |\n| --- | --- | --- |\n{ROWS}", "", ["", "’22 vs. ’21", "’21 vs. ’20"]),
        (
            f"| Net | 3 | 4 |\n| --- | --- | --- |\n{ROWS}",
            "Report > Item | 2016 | 2017 > Sales Item 2016 2017",
            ["Item", "2016", "2017"],
        ),
        (
            f"In millions 2016 2017\n\n| Net | 1,079 | 80 |\n| --- | --- | --- |\n{ROWS}",
            "",
            ["(In millions)", "2016", "2017"],
        ),
        (f"In millions 2016 2016\n\n{ROWS}", "", ["", "", ""]),
        (f"Sales 2015 2016 2017\n\n{ROWS}", "", ["", "", ""]),
        (
            f"| Assets: | | |\n| --- | --- | --- |\n{ROWS}",
            "Assets (in millions) 2016 2017",
            ["(in millions)", "2016", "2017"],
        ),
        (
            f"| | (in millions) | |\n| --- | --- | --- |\n| Years ended May 31, | 2016 | 2017 |\n{ROWS}",
            "",
            ["Years ended May 31,", "2016", "2017"],
        ),
    ],
)
def test_columns_have_the_names_that_are_certain(text: str, path: str, names: list[str]) -> None:
    assert cells_of(text, path) == names


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        (
            "| | Year ended | | |",
            "| | 2016 | 2017 | 2018 |",
            ["", "Year ended 2016", "Year ended 2017", "Year ended 2018"],
        ),
        ("| | | | % Change |", "| | 2016 | 2017 | 2017 vs. 2016 |", ["", "2016", "2017", "% Change 2017 vs. 2016"]),
        ("| | Pensions | | |", "| | 2016 | 2017 | 2016 |", ["", "2016", "2017", "2016"]),
    ],
)
def test_a_name_above_several_columns_belongs_to_all_of_them_where_that_is_certain(
    first: str, second: str, names: list[str]
) -> None:
    table = f"{first}\n| --- | --- | --- | --- |\n{second}\n| Net | 5 | 6 | 7 |"
    assert cells_of(table, beginning="Net") == names


def test_a_first_row_that_only_names_the_rows_below_it_is_the_label_of_their_section() -> None:
    text = "| Assets: | |\n| --- | --- |\n| Other | 1 |\n| Liabilities: | |\n| Other | 3 |"
    assert [one.section for one in quotables(text) if one.is_statement] == ["Assets:", "Liabilities:"]


def test_the_first_columns_of_a_very_wide_table_have_names() -> None:
    head = " | ".join(f"Name of the column with the number {number}" for number in range(3))
    assert cells_of("| Merchandise | 1 | 2 | 3 |\n| Other | 4 | 5 | 6 |", head)[2:] == [head.split(" | ")[2], ""]


def test_a_row_holds_the_unit_of_its_table() -> None:
    assert {one.unit for one in quotables(STATEMENT) if one.is_statement} == {"(in millions, except per share data)"}
    assert {one.unit for one in quotables(ROWS, IN_MILLIONS)} == {"(in millions)"}
    assert {one.unit for one in quotables(ROWS, "Report > In millions | 2016 | 2017")} == {"In millions"}
    assert {one.unit for one in quotables(TABLE)} == {""}


def test_a_row_of_amounts_above_a_ruler_is_a_statement() -> None:
    assert statements(f"| Net | 1,079 | $ 80 |\n| --- | --- | --- |\n{ROWS}")[0] == "Net | 1,079 | $ 80"


def test_heads_and_labels_of_sections_are_no_statements() -> None:
    assert statements(STATEMENT) == ["Inventories | 11,461 | 16,047", "Other | 1 | 2", "Other | 3 | 4"]


def test_a_row_whose_name_occurs_twice_has_the_label_of_its_section() -> None:
    assert [one.section for one in quotables(STATEMENT) if one.is_statement] == ["", "Current assets:", "Liabilities:"]


@pytest.mark.parametrize(
    "text",
    [
        "Buttons and control 1\nPairing the watch 2\nMeasuring the wrist 4\nWearing the watch 5\nCharging it 5",
        "the Consumer Health business and realize the anticipated benefits from the separation of it and the New",
        "Adjusted Operational Sales Growth\nFOURTH QUARTER 2022 ACTUAL vs. 2021 ACTUAL Of All Segments And Regions",
        "Information related to our hedges for the years ended May 31 follows:\n\n| a | b |\n| --- | --- |\n| c | |",
    ],
)
def test_contents_fragments_headings_and_introductions_of_tables_are_no_statements(text: str) -> None:
    assert statements(text) == []


LONG = "the pump of the second hall was cleaned by the team of the night shift"


@pytest.mark.parametrize(
    ("text", "is_ended"),
    [
        (f"Then {LONG}", False),
        (f"Then {LONG}.", True),
        (f"- Then {LONG}", True),
        (f"3. Then {LONG}", True),
        ("Opening hours: 9 to 5", True),
    ],
)
def test_many_words_without_an_end_mark_are_no_whole_sentence_unless_they_are_an_item(
    text: str, is_ended: bool
) -> None:
    assert [one.is_ended for one in quotables(text)] == [is_ended]


def test_lines_of_overlong_text_that_end_inside_a_sentence_are_not_ended() -> None:
    lines = [f"When it ran, {LONG}"] * 8
    assert {one.is_ended for one in quotables("\n".join(lines))} == {False}


def test_rows_without_a_ruler_have_no_header():
    assert [one.header for one in quotables("| a | 1 |\n| b | 2 |") if one.is_statement] == ["", ""]


def test_a_listing_is_quoted_whole_with_its_fences():
    found = [one for one in quotables(f"It is computed like this:\n\n{CODE}\n\nThe unit is metres.") if one.is_code]
    assert [one.text for one in found] == [CODE]


def test_a_long_listing_is_quoted_by_its_lines():
    lines = [f"call_number({number})" for number in range(LONGEST_CODE // 10)]
    found = quotables("```\n" + "\n".join(lines) + "\n```")
    assert [one.text for one in found] == lines
    assert not any(one.is_code for one in found)


def test_a_pipe_inside_a_listing_is_no_table():
    assert [one.is_code for one in quotables("```\na | b\nc | d\n```")] == [True]


@pytest.mark.parametrize("bullet", ["-", "•", "\uf0b7", "\uf0d8"])
def test_a_bullet_is_left_out_of_the_quote(bullet):
    assert statements(f"{bullet} The pump runs for two years.\n{bullet} The valve runs for three.") == [
        "The pump runs for two years.",
        "The valve runs for three.",
    ]


@pytest.mark.parametrize("text", ["", "\n", "|", "```", "| |\n| |", "|-|\n|-|", "```\n```"])
def test_text_with_nothing_to_quote_contains_no_statement(text):
    assert not any(one.text.strip("`| \n") for one in quotables(text) if one.is_statement)


@given(st.text(alphabet="ab. |-`~\n*?_中。", max_size=80))
def test_offsets_are_true_and_in_order(text):
    found = quotables(text)
    assert all(text[one.start : one.end] == one.text for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)


@pytest.mark.parametrize(
    "line",
    [
        "1.2 Priorities and cost 3 2 The harbour and the survey 5",
        "The harbour and the survey ........ 5",
        "2.1 港口与勘测 ……………… 5",
    ],
)
def test_a_line_of_a_table_of_contents_is_no_statement(line):
    assert statements(f"{line}\n\n1.3 The pier has 12 piles.") == ["1.3 The pier has 12 piles."]


def test_ruled_lines_around_a_sentence_are_left_out_of_the_quote():
    rule = "_" * 30
    assert statements(f"{rule}\nThe company sold 4,000 lamps in 2023. {rule}\n=========\nIt is an old company.") == [
        "The company sold 4,000 lamps in 2023.",
        "It is an old company.",
    ]


def test_a_blank_to_be_filled_in_is_no_statement_and_the_next_line_is_one():
    blank = "Name of the applicant and of the office: ________"
    assert statements(f"{blank}\nThe fee is 40 euros for each application.") == [
        "The fee is 40 euros for each application."
    ]


LONG_CELL = "Seniors must meet the freshmen twice in that year. " * 7 + "The hours are uploaded each semester."


def test_a_long_cell_at_the_end_of_a_row_is_quoted_by_its_sentences_beside_the_rest_of_the_row():
    rows = f"| 4. | Buddies | 10 hours | {LONG_CELL} |\n| | | | {LONG_CELL} |"
    table = f"| No. | Name | Hours | Remarks |\n|---|---|---|---|\n{rows}"
    found = [one for one in quotables(table) if one.is_statement]
    assert found[0].cells == (("No.", "4."), ("Name", "Buddies"), ("Hours", "10 hours"))
    assert {one.text for one in found[1:]} == set(LONG_CELL.replace(". ", ".|").split("|"))
    assert all(table[one.start : one.end] == one.text for one in quotables(table))


def test_the_rows_of_a_table_with_one_column_are_statements():
    assert [one.text for one in quotables("| Name |\n|---|\n| Lamps of the harbour |") if one.is_statement] == [
        "Lamps of the harbour"
    ]


def test_a_row_with_a_long_cell_above_a_ruler_is_no_head():
    table = f"| 3. | Buddies | {LONG_CELL} |\n|---|---|---|\n| 4. | Seminars | 5 hours |"
    assert [one.cells for one in quotables(table) if one.cells][-1] == (("", "4."), ("", "Seminars"), ("", "5 hours"))


def test_a_total_alone_on_its_line_is_a_statement_and_another_short_line_is_a_heading():
    assert statements("Payment and returns\n\nTOTAL $821.14\n\nThe total of all things\n\nIt was paid at once.") == [
        "TOTAL $821.14",
        "It was paid at once.",
    ]


@pytest.mark.parametrize("first", ["| Paint | 60 |", "| | Paint | | 60 |", "| Hours of work | 2.5 |"])
def test_a_first_row_that_ends_in_a_figure_is_no_head(first):
    columns = first.count("|") - 1
    table = f"{first}\n{'|---' * columns}|\n| TOTAL {'| ' * (columns - 1)}| 90 |"
    assert not any(name for one in quotables(table) for name, _ in one.cells)
