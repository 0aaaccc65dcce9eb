"""The invariant of ParsedDocument, for the tests of every parser."""

from pathlib import Path

from workbench.model.document import BlockKind, ParsedDocument
from workbench.parsing.parse import parse_file


def assert_contract(document: ParsedDocument) -> None:
    """Assert the invariant of ParsedDocument; tests of plug-in parsers can call this."""
    text = document.text
    text.encode("utf-8")
    assert "\r" not in text
    assert "\x00" not in text
    assert document.metadata.title.strip()
    assert document.blocks
    position = 0
    for block in document.blocks:
        assert position <= block.start < block.end <= len(text)
        assert not text[position : block.start].strip(), "visible text lies between two blocks"
        assert text[block.start : block.end].strip(), "a block is blank"
        assert (block.level > 0) == (block.kind is BlockKind.HEADING)
        position = block.end
    assert not text[position:].strip(), "visible text lies after the last block"
    assert_pages(document)


def assert_pages(document: ParsedDocument) -> None:
    position = 0
    for number, page in enumerate(document.pages, 1):
        assert page.number == number
        assert position <= page.start <= page.end <= len(document.text)
        position, last = page.end, page.start
        for word in page.words:
            assert last <= word.start < word.end <= page.end
            assert document.text[word.start : word.end].strip()
            last = word.end
    for block in document.blocks:
        if document.pages:
            assert block.page is not None
            page = document.pages[block.page - 1]
            assert page.start <= block.start < page.end
        else:
            assert block.page is None


def read_source(path: Path, source: str) -> ParsedDocument:
    """Write a file with this source, parse it, check the contract, and return the document."""
    path.write_text(source, encoding="utf-8")
    document = parse_file(path)
    assert_contract(document)
    return document


def parts(document: ParsedDocument) -> list[tuple[BlockKind, str]]:
    """Return kind and text of each block."""
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]
