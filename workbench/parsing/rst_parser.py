"""reStructuredText, read by docutils: nothing is included or run, and what Sphinx adds is read as its content."""

import re
from pathlib import Path
from typing import Any, ClassVar

from workbench.model.document import Block, BlockKind, Finding, FindingKind, Metadata, ParsedDocument
from workbench.parsing.assembly import paragraphs, stem
from workbench.parsing.dates import iso_date
from workbench.parsing.rst_directives import NOT_READ, names_in, register
from workbench.parsing.rst_text import RstWriter
from workbench.parsing.source_text import SourceText, read_source, require_text

_MOST_CHARACTERS = 2_000_000
"""docutils reads about 100,000 characters a second; a longer file is data, and is read as plain text."""
_LONGEST_PARAGRAPH = 20_000
"""In one of 80,000 characters docutils looked 22 s for references: its time grows with the square."""


class RstParser:
    """Reads reStructuredText."""

    format: ClassVar[str] = "rst"
    suffixes: ClassVar[frozenset[str]] = frozenset({".rst", ".rest"})
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path)
        tree = None if _is_data(source.text) else _tree(source.text)
        if tree is None:
            return self._as_text(source, path)
        writer = RstWriter()
        writer.write(tree)
        blocks = tuple(writer.builder.blocks)
        if not blocks:
            return self._as_text(source, path)
        findings = (*source.findings, *writer.findings(), *_left_out(source.text))
        return ParsedDocument(
            writer.builder.text, blocks, (), _metadata(writer, blocks, path), self.format, findings=findings
        )

    def _as_text(self, source: SourceText, path: Path) -> ParsedDocument:
        blocks = tuple(paragraphs(source.text, 0, len(source.text)))
        require_text(blocks)
        metadata = Metadata(title=stem(path))
        return ParsedDocument(source.text, blocks, (), metadata, self.format, findings=source.findings)


def _is_data(text: str) -> bool:
    if len(text) > _MOST_CHARACTERS:
        return True
    return any(block.end - block.start > _LONGEST_PARAGRAPH for block in paragraphs(text, 0, len(text)))


def _tree(text: str) -> Any:
    """Return docutils' tree, or None where the source is too twisted for it."""
    # Imported here: 60 ms that only a child process with such a file should pay.
    from docutils.core import publish_doctree

    register(text)
    settings = {
        "file_insertion_enabled": False,
        "raw_enabled": False,
        "_disable_config": True,
        "report_level": 5,
        "halt_level": 5,
        "warning_stream": False,
        "syntax_highlight": "none",
        "smart_quotes": False,
        "doctitle_xform": False,
        "docinfo_xform": True,
        "input_encoding": "unicode",
        "line_length_limit": _MOST_CHARACTERS,
    }
    try:
        return publish_doctree(text, settings_overrides=settings)
    except RecursionError:
        return None


def _left_out(text: str) -> list[Finding]:
    used = sorted(names_in(text)[0] & NOT_READ)
    return [Finding(FindingKind.LEFT_OUT, detail=f"what these directives bring in: {', '.join(used)}")] if used else []


def _metadata(writer: RstWriter, blocks: tuple[Block, ...], path: Path) -> Metadata:
    text = writer.builder.text
    heading = next((block for block in blocks if block.kind is BlockKind.HEADING), None)
    said = writer.fields
    return Metadata(
        title=said.get("title") or (text[heading.start : heading.end] if heading else "") or stem(path),
        author=said.get("author") or said.get("authors", ""),
        created=iso_date(said.get("date", "")),
        keywords=tuple(
            word.strip() for word in re.split("[,;]", said.get("keywords", "") or said.get("tags", "")) if word.strip()
        ),
        language=said.get("language", ""),
    )
