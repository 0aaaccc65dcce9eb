"""Source code: pieces of a chunk's size, divided at definitions and named after them."""

from pathlib import Path

import pytest
from parser_contract import assert_contract

from workbench.chunking.structure import StructureChunker
from workbench.model.document import BlockKind, ParsedDocument
from workbench.parsing.formats import LANGUAGE
from workbench.parsing.parse import parse_file


def read(tmp_path: Path, name: str, source: str) -> ParsedDocument:
    path = tmp_path / name
    path.write_text(source, encoding="utf-8")
    document = parse_file(path)
    assert_contract(document)
    assert document.text == source
    return document


def body(lines: int, indent: str = "    ") -> str:
    return "".join(f"{indent}value_{number} = compute(value_{number - 1}, {number})\n" for number in range(lines))


def test_functions_and_methods_are_named_with_what_holds_them(tmp_path: Path) -> None:
    source = (
        f"class Library:\n    def open(self):\n{body(12, ' ' * 8)}\n    async def close(self):\n{body(12, ' ' * 8)}"
    )
    titles = [block.title for block in read(tmp_path, "a.py", source).blocks]
    assert titles == ["Library, Library.open", "Library.close"]


@pytest.mark.parametrize(
    ("name", "line", "title"),
    [
        ("a.js", "export default async function load(url) {", "load"),
        ("a.js", "const send = async (message) => {", "send"),
        ("a.ts", "export interface Options {", "Options"),
        ("a.go", "func (s *Server) Listen(port int) error {", "Listen"),
        ("a.rs", "pub(crate) fn parse(input: &str) -> Result<()> {", "parse"),
        ("a.java", "    public int add(int a, int b) throws Exception {", "add"),
        ("a.c", "static int main(int argc, char **argv)", "main"),
        ("a.cpp", "void Window::show(bool all) {", "Window::show"),
        ("a.rb", "def each_item", "each_item"),
        ("a.sql", "CREATE OR REPLACE FUNCTION totals(y int)", "totals"),
        ("a.toml", "[tool.ruff]", "tool.ruff"),
        ("a.ex", "defmodule Shop.Cart do", "Shop.Cart"),
        ("a.kt", "suspend fun fetch(): Int {", "fetch"),
    ],
)
def test_definitions_of_many_languages_are_found(tmp_path: Path, name: str, line: str, title: str) -> None:
    assert read(tmp_path, name, f"{line}\n  body\n").blocks[0].title == title


@pytest.mark.parametrize(
    "line", ["return foo(a, b)", "if (ready) {", "x = call(1)", "// class in a comment", "else if (a) {"]
)
def test_a_line_that_only_resembles_a_definition_is_not_one(tmp_path: Path, line: str) -> None:
    assert read(tmp_path, "a.c", f"{line}\n").blocks[0].title == ""


def test_comments_and_decorators_stay_with_what_they_are_about(tmp_path: Path) -> None:
    source = f"def first():\n{body(20)}\n# Says why.\n@cached\ndef second():\n{body(20)}"
    document = read(tmp_path, "a.py", source)
    second = next(block for block in document.blocks if block.title == "second")
    assert document.text[second.start :].startswith("# Says why.\n@cached\ndef second")


def test_long_function_is_cut_at_blank_lines_and_keeps_its_name(tmp_path: Path) -> None:
    source = "def long():\n" + "\n".join(body(10) for _ in range(12))
    blocks = read(tmp_path, "a.py", source).blocks
    assert len(blocks) > 3
    assert {block.title for block in blocks} == {"long"}
    assert all(source.count("\n", block.start, block.end) <= 40 for block in blocks)
    assert all(source[block.end : block.end + 2] == "\n\n" for block in blocks[:-1])


def test_line_of_five_megabytes_is_survived_and_may_be_cut(tmp_path: Path) -> None:
    document = read(tmp_path, "a.js", "let a=1;" * 640_000)
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH]


def test_chunk_of_code_carries_its_name_as_heading(tmp_path: Path) -> None:
    class Words:
        max_tokens = 256

        def count(self, text: str) -> int:
            return len(text.split())

        def offsets(self, text: str) -> list[tuple[int, int]]:
            return [(number, number + 1) for number, character in enumerate(text) if not character.isspace()]

    chunks = StructureChunker(Words()).chunk(read(tmp_path, "a.py", "def find_me(x):\n    return x\n"))
    assert [chunk.headings for chunk in chunks] == [("find_me",)]


def test_language_is_a_keyword_and_sixty_suffixes_are_known(tmp_path: Path) -> None:
    document = read(tmp_path, "setup.py", "x = 1\n")
    assert (document.metadata.title, document.metadata.keywords) == ("setup.py", ("Python",))
    assert len(LANGUAGE) >= 60
