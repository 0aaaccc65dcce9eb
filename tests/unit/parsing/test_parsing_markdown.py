"""Markdown: blocks of the source, and metadata from the front matter."""

from pathlib import Path

import pytest

from workbench.model.document import BlockKind, FindingKind, ParsedDocument
from workbench.parsing.markdown_parser import MarkdownParser, heading_title, markdown_blocks
from workbench.parsing.parse import parse_file

MANUAL = Path(__file__).resolve().parents[2] / "data" / "parsing" / "manual.md"


def texts(document: ParsedDocument, kind: BlockKind) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind is kind]


@pytest.fixture(scope="module")
def manual() -> ParsedDocument:
    return MarkdownParser().parse(MANUAL)


def test_e9_metadata_comes_from_the_front_matter(manual: ParsedDocument) -> None:
    said = manual.metadata
    assert (said.title, said.author, said.created) == ("The Lamp Manual", "Ada Wright, Ben Cole", "2024-03-01")
    assert said.keywords == ("lamps", "light")
    assert "tags:" not in manual.text


def test_e5_headings_keep_their_levels(manual: ParsedDocument) -> None:
    headings = [
        (block.level, heading_title(manual.text[block.start : block.end]))
        for block in manual.blocks
        if block.kind is BlockKind.HEADING
    ]
    assert headings == [(1, "The Lamp"), (2, "Setext heading"), (2, "Last")]


def test_e5_a_paragraph_with_a_rule_right_below_is_no_heading(tmp_path: Path) -> None:
    path = tmp_path / "paper.md"
    path.write_text("Figure S1\n" + "The curves are the states. " * 12 + "\n====\n\nWhat follows.\n")
    document = parse_file(path)
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.PARAGRAPH]
    assert document.metadata.title == "paper"


def test_e5_code_is_kept_whole_even_in_a_list(manual: ParsedDocument) -> None:
    fenced, indented = texts(manual, BlockKind.CODE)
    assert fenced.strip().startswith("```sh")
    assert fenced.strip().endswith("```")
    assert indented == "    indented code\n\n    goes on"


def test_table_and_formulas_are_kept_whole(manual: ParsedDocument) -> None:
    assert texts(manual, BlockKind.TABLE) == ["| part | price |\n|------|------:|\n| bulb | 3.50  |"]
    dollars, brackets = texts(manual, BlockKind.FORMULA)
    assert dollars == "$$\nP = U\n\nI\n$$"
    assert brackets == "\\[\nE = \\frac{I}{r^2}\n= 1\n\\]"


@pytest.mark.parametrize("opening", ["$$ a", "\\[ a", "\\begin{align} a"])
def test_a_formula_without_an_end_takes_nothing_along(opening: str) -> None:
    closing = {"$": "$$", "[": "\\]", "b": "\\end{align}"}[opening.strip("\\")[0]]
    blocks = markdown_blocks(f"- {opening}\n- {opening}\n\nText.\n")
    assert [block.kind for block in blocks] == [BlockKind.LIST, BlockKind.PARAGRAPH]
    blocks = markdown_blocks(f"> {opening}\n\n{opening}\n{closing}\n")
    assert [block.kind for block in blocks] == [BlockKind.PARAGRAPH, BlockKind.FORMULA]


def test_text_is_the_source_itself(manual: ParsedDocument) -> None:
    source = MANUAL.read_text(encoding="utf-8")
    assert source.endswith(manual.text)


def test_b12_white_space_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"# A\r\n\r\nTwo  spaces,\r\na new line.\r\n")
    assert MarkdownParser().parse(path).text == "# A\n\nTwo  spaces,\na new line.\n"


@pytest.mark.parametrize("front", ["---\na: [b\n---\n", "---\njust a line\n---\n"])
def test_invalid_front_matter_stays_in_the_text(tmp_path: Path, front: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(front + "\nText.\n")
    document = MarkdownParser().parse(path)
    assert document.text.startswith("---")
    assert document.metadata.title


def test_link_definition_is_not_lost() -> None:
    text = "Text.\n\n[a]: https://example.org\n"
    assert [text[block.start : block.end] for block in markdown_blocks(text)] == ["Text.", "[a]: https://example.org"]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("source", ["[" * 60_000, "*a" * 60_000, ">" * 5_000 + "a", "- " * 3_000 + "a", "`" * 50_000])
def test_pathological_nesting_is_quick(source: str) -> None:
    assert markdown_blocks(source)


@pytest.mark.parametrize(
    ("source", "title"),
    [("## A `code` [link](x.md) #", "A code link"), ("snake_case *em*\n===", "snake_case em"), ("# C#", "C#")],
)
def test_heading_title_has_no_markup(source: str, title: str) -> None:
    assert heading_title(source) == title


def test_table_in_html_becomes_a_markdown_table_but_not_in_code(tmp_path: Path) -> None:
    table = "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>"
    path = tmp_path / "a.md"
    path.write_text(f"Before.\n\n{table}\n\n```html\n{table}\n```\n", encoding="utf-8")
    document = parse_file(path)
    parts = [(block.kind, document.text[block.start : block.end]) for block in document.blocks]
    assert parts[1] == (BlockKind.TABLE, "| a | b |\n| --- | --- |\n| 1 | 2 |")
    assert parts[2] == (BlockKind.CODE, f"```html\n{table}\n```")


def test_dates_of_front_matter_are_iso_and_findings_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    head = "---\ndate: March 4, 2021\nupdated: 2022-01-02\ntags: [x, y]\n---\n"
    path.write_text(f"{head}![One](a.png) ![Two](b.png)\n\n| a |\n| --- |\n| 1 |\n", encoding="utf-8")
    document = parse_file(path)
    said = document.metadata
    assert (said.created, said.modified, said.keywords) == ("2021-03-04", "2022-01-02", ("x", "y"))
    assert {(f.kind, f.count) for f in document.findings} == {(FindingKind.TABLES, 1), (FindingKind.IMAGES, 2)}
