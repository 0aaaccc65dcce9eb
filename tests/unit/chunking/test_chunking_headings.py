"""Heading paths contain words, not markup."""

from workbench.chunking.structure import StructureChunker
from workbench.model.document import Block, BlockKind, Metadata, ParsedDocument
from workbench.model.embedder import TokenCounter


class _Words:
    """Tokenizer that counts words, which is sufficient here."""

    max_tokens = 256

    def count(self, text: str) -> int:
        return len(text.split())

    def offsets(self, text: str) -> list[tuple[int, int]]:
        spans, at = [], 0
        for word in text.split():
            at = text.index(word, at)
            spans.append((at, at + len(word)))
            at += len(word)
        return spans


def test_e19_a_heading_path_has_the_words_of_its_headings_without_markup() -> None:
    text = "## Setup\n\nTurn the valve."
    blocks = (Block(BlockKind.HEADING, 0, 8, 1, title="Setup"), Block(BlockKind.PARAGRAPH, 10, len(text)))
    counter: TokenCounter = _Words()
    (chunk,) = StructureChunker(counter).chunk(ParsedDocument(text, blocks, (), Metadata("Manual"), "markdown"))
    assert chunk.headings == ("Setup",)
    assert chunk.text == text
