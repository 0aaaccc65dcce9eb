"""AsciiDoc."""

import time
from pathlib import Path

import pytest
from parser_contract import parts, read_source

from workbench.model.document import BlockKind, FindingKind, ParsedDocument
from workbench.parsing.parse import parse_file


def read(tmp_path: Path, source: str) -> ParsedDocument:
    return read_source(tmp_path / "file.adoc", source)


def test_header_is_metadata_and_attributes_are_put_in(tmp_path: Path) -> None:
    header = "= The Guide\nJane Doe <jane@x.org>\nv1.2, 2021-03-04\n:keywords: one, two\n:product: Desk\n"
    source = f"{header}\nUse {{product}} of {{other}}.\n"
    document = read(tmp_path, source)
    said = document.metadata
    assert (said.title, said.author, said.created, said.keywords) == (
        "The Guide",
        "Jane Doe",
        "2021-03-04",
        ("one", "two"),
    )
    assert document.text == "The Guide\n\nUse Desk of {other}."


def test_line_below_a_title_is_an_author_only_in_a_header(tmp_path: Path) -> None:
    assert read(tmp_path, "= Title\nJust words here\n").text == "Title\n\nJust words here"


def test_sections_lists_and_delimited_blocks(tmp_path: Path) -> None:
    source = (
        "== One\n\n[source,python]\n----\nx = 1\n\n# y\n----\n\n* a\n** b\n\n* c\n\n"
        "====\nExample.\n====\n\n[stem]\n++++\na^2\n++++\n"
    )
    assert parts(read(tmp_path, source)) == [
        (BlockKind.HEADING, "One"),
        (BlockKind.CODE, "x = 1\n\n# y"),
        (BlockKind.LIST, "* a\n** b\n* c"),
        (BlockKind.PARAGRAPH, "Example."),
        (BlockKind.FORMULA, "a^2"),
    ]


@pytest.mark.parametrize(
    "table",
    [
        "|===\n|A |B\n\n|1 |2\n|===",
        '[cols="1,2"]\n|===\n|A\n|B\n\n|1\n|2\n|===',
        "[cols=2*]\n|===\n|A |B |1 |2\n|===",
        ",===\nA,B\n1,2\n,===",
        "|===\nh|A ^.^h|B\n|1\n|2\n|===",
        '[format="csv"]\n|===\nA,B\n1,2\n|===',
    ],
)
def test_tables_in_all_spellings_become_markdown(tmp_path: Path, table: str) -> None:
    assert parts(read(tmp_path, table)) == [(BlockKind.TABLE, "| A | B |\n| --- | --- |\n| 1 | 2 |")]


def test_cell_over_rows_and_columns_is_repeated(tmp_path: Path) -> None:
    document = read(tmp_path, '[cols="1,1,1"]\n|===\n|A |B |C\n.2+|x 2+|y\n|1 |2\n|===')
    assert document.text.split("\n")[2:] == ["| x | y | y |", "| x | 1 | 2 |"]


def test_links_and_references_show_their_words(tmp_path: Path) -> None:
    source = "See https://x.org[the site^], link:a.html[a page], <<part,Part Two>> and xref:b.adoc[B].\n"
    assert read(tmp_path, source).text == "See the site, a page, Part Two and B."


def test_comments_are_left_out_and_includes_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other.adoc").write_text("SECRET", encoding="utf-8")
    document = read(
        tmp_path, "Shown.\n\n// hidden\n\n////\nhidden too\n////\n\ninclude::other.adoc[]\n\nimage::x.png[A picture]\n"
    )
    assert document.text == "Shown.\n\nA picture"
    assert {finding.kind for finding in document.findings} == {FindingKind.LEFT_OUT, FindingKind.IMAGES}


@pytest.mark.parametrize(
    "line", ["== a" + " " * 500_000 + "b", "[" * 500_000, "* x::" * 100_000, "|a" * 100_000, ":" * 500_000]
)
def test_line_without_end_is_read_in_time(tmp_path: Path, line: str) -> None:
    started = time.perf_counter()
    read(tmp_path, f"Text.\n\n{line}\n")
    assert time.perf_counter() - started < 10


def test_samples_agree_with_the_expected_markdown(peer_data: Path) -> None:
    folder = peer_data / "parse_truth" / "docling" / "asciidoc"
    document = parse_file(folder / "sources" / "asciidoc_04.asciidoc")
    truth = (folder / "groundtruth" / "asciidoc_04.asciidoc.md").read_text(encoding="utf-8")
    rows = [line for line in truth.splitlines() if line.startswith("|") and "- |" not in line]
    assert [line for line in document.text.splitlines() if line.startswith("|") and "---" not in line] == rows
