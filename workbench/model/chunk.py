"""A chunk: a slice of a document's text, the unit that is embedded, found and cited."""

import hashlib
import re
from dataclasses import dataclass

from workbench.model.document import BlockKind
from workbench.model.file_name import called

EMBEDDED_AS = 2
"""Counts the ways in which embedding_text() made its texts: part of an embedder's id, so that vectors never mix.

A library of before is embedded anew at the next start; until then it is searched by keyword.
"""

_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad][^\S\n]*\n[^\S\n]*(?=[^\W\d_A-Z])")
# Fences, rules, dot leaders: each mark would be a token of its own, 15 % of all tokens in technical documentation.
_IDLE_MARKS = re.compile(r"`+|([^\w\s]|_)(?:[^\S\n]*\1){2,}")


@dataclass(frozen=True, slots=True)
class Chunk:
    """text is exactly ParsedDocument.text[start:end]; nothing is stripped, joined or rewritten.

    Attributes:
        ordinal: 0-based, running on through the whole document.
        start: First character in the document's text.
        end: One past the last.
        text: The slice itself.
        page: 1-based page on which it starts, None where the format has no pages.
        page_end: Page on which it ends.
        headings: The heading path above it, topmost first.
        kind: PARAGRAPH for prose, or the kind of the one atomic block it is.
        tokens: Of the embedder's own tokenizer, without the context and without special tokens.
        oversize: An atomic block that is longer than the embedder sees.
        id: The library's own number (int64, the FAISS id); 0 before it is stored.
        document: The document's id; 0 before it is stored.
    """

    ordinal: int
    start: int
    end: int
    text: str
    page: int | None
    page_end: int | None
    headings: tuple[str, ...]
    kind: BlockKind
    tokens: int
    oversize: bool = False
    id: int = 0
    document: int = 0

    @property
    def sha256(self) -> str:
        """Hex digest of the text: equal text has an equal digest."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def embedding_text(name: str, title: str, headings: tuple[str, ...], text: str) -> str:
    """Return what is embedded for a chunk: what its document is called and the heading path in front of the text.

    A word that a line's end divides is one word to the embedder: "infor-", "mation". Of a mark that is repeated
    thrice or more one is left, and of code marks none: they take time to embed and say nothing.
    What is made otherwise of a name, a title or these marks makes other vectors: count EMBEDDED_AS up.

    Args:
        name: Of the document's file.
        title: Of the document.
        headings: The heading path, topmost first.
        text: The chunk's own.
    """
    names = called(name, title)
    path = [*names, *(heading for heading in headings if heading not in names)]
    return " > ".join(part for part in path if part) + "\n" + _IDLE_MARKS.sub(r"\1", _BROKEN_WORD.sub("", text))
