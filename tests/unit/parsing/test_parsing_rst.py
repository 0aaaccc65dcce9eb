"""reStructuredText with the extensions of Sphinx."""

from pathlib import Path

import pytest
from parser_contract import parts, read_source

from workbench.model.document import BlockKind, FindingKind, ParsedDocument
from workbench.parsing.parse import parse_file


def read(tmp_path: Path, source: str) -> ParsedDocument:
    return read_source(tmp_path / "file.rst", source)


def test_titles_are_headings_of_their_depth(tmp_path: Path) -> None:
    document = read(tmp_path, "====\nBook\n====\n\nOne\n===\n\nText.\n\nTwo\n---\n\nMore.\n")
    assert [block.level for block in document.blocks if block.level] == [1, 2, 3]
    assert document.metadata.title == "Book"


def test_roles_and_links_show_what_a_reader_sees(tmp_path: Path) -> None:
    text = "See :class:`~flask.Flask`, :ref:`the guide <guide>`, `site <https://x.org>`_ and ``code``.\n"
    assert read(tmp_path, text).text == "See Flask, the guide, site and code."


def test_code_formulas_and_literal_blocks_are_kept_whole(tmp_path: Path) -> None:
    source = (
        ".. code-block:: python\n   :linenos:\n\n   x = 1\n\n   y = 2\n\nSo::\n\n    z\n\n.. math:: a^2\n\n>>> 1\n1\n"
    )
    kinds = [kind for kind, _ in parts(read(tmp_path, source))]
    assert kinds == [BlockKind.CODE, BlockKind.PARAGRAPH, BlockKind.CODE, BlockKind.FORMULA, BlockKind.CODE]


def test_tables_of_every_kind_become_markdown(tmp_path: Path) -> None:
    grid = "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n"
    simple = "=====  =====\na      b\n=====  =====\n1      2\n=====  =====\n"
    listed = ".. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n   * - 1\n     - 2\n"
    comma = ".. csv-table::\n   :header: a, b\n\n   1, 2\n"
    for source in (grid, simple, listed, comma):
        assert parts(read(tmp_path, source)) == [(BlockKind.TABLE, "| a | b |\n| --- | --- |\n| 1 | 2 |")]


def test_sphinx_directives_are_read_as_their_content(tmp_path: Path) -> None:
    source = (
        ".. versionadded:: 2.0\n   New *thing*.\n\n.. py:function:: load(*path)\n\n   Loads it.\n\n"
        ".. tabs::\n\n   .. tab:: A\n\n      In a tab.\n"
    )
    text = read(tmp_path, source).text
    for words in ("2.0", "New thing.", "function load(*path)", "Loads it.", "In a tab."):
        assert words in text


def test_external_files_are_not_included_and_the_omission_is_reported(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("SECRET", encoding="utf-8")
    source = (
        "Text.\n\n.. include:: secret.txt\n\n.. raw:: html\n   :file: secret.txt\n\n"
        ".. csv-table::\n   :file: secret.txt\n"
    )
    document = read(tmp_path, source)
    assert "SECRET" not in document.text
    assert [(f.kind, f.detail) for f in document.findings] == [
        (FindingKind.LEFT_OUT, "the content included by these directives: include, raw")
    ]


def test_directive_that_is_written_wrongly_is_not_lost(tmp_path: Path) -> None:
    assert "Kept words." in read(tmp_path, ".. note::\n   :odd: option\n\n   Kept words.\n").text


def test_comments_and_targets_are_not_text(tmp_path: Path) -> None:
    assert read(tmp_path, ".. a comment\n\n.. _target:\n\nShown.\n\n.. |x| replace:: y\n").text == "Shown."


def test_fields_at_the_top_are_metadata(tmp_path: Path) -> None:
    fields = ":Author: Jane Doe\n:Date: 2021-03-04\n:keywords: a, b\n\n"
    for source in (f"Book\n====\n\n{fields}Text.\n", f"{fields}Book\n====\n\nText.\n"):
        document = read(tmp_path, source)
        found = document.metadata
        assert (found.title, found.author, found.created, found.keywords) == (
            "Book",
            "Jane Doe",
            "2021-03-04",
            ("a", "b"),
        )
        assert "author: Jane Doe" in document.text.replace("Author", "author")


def test_several_authors_are_separated_and_later_fields_are_text(tmp_path: Path) -> None:
    source = "Book\n====\n\n:Authors: - Ann\n          - Bo\n\nText.\n\nPart\n----\n\n:Author: Carl\n"
    document = read(tmp_path, source)
    assert document.metadata.author == "Ann, Bo"
    assert "Carl" in document.text


def test_list_keeps_its_items_and_what_is_nested(tmp_path: Path) -> None:
    document = read(tmp_path, "- one\n\n  - inner\n\n- two\n\n1. first\n2. second\n")
    assert document.text == "- one\n  - inner\n- two\n\n1. first\n2. second"


@pytest.mark.parametrize("source", ["> " * 3000, "* " * 3000 + "x", "`" * 50_000, "=" * 200_000, "|x| " * 20_000])
def test_twisted_source_ends_in_time(tmp_path: Path, source: str) -> None:
    assert read(tmp_path, f"Text.\n\n{source}\n").text


def test_documentation_of_flask_is_read_without_loss_of_sections(peer_data: Path) -> None:
    document = parse_file(peer_data / "docs_corpora" / "flask_rst" / "quickstart.rst")
    headings = [document.text[block.start : block.end] for block in document.blocks if block.level]
    assert headings[:2] == ["Quickstart", "A Minimal Application"]
    assert len(headings) == 26
    assert ":ref:" not in document.text
