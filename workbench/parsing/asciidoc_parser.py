"""AsciiDoc: the visible text without its markup for blocks and links; no well-kept library reads it in Python."""

import re
from pathlib import Path
from typing import ClassVar

from workbench.model.document import BlockKind, Metadata, ParsedDocument
from workbench.parsing.asciidoc_text import AsciiDocWriter
from workbench.parsing.assembly import stem
from workbench.parsing.dates import iso_date
from workbench.parsing.source_text import read_source, require_text

_TITLE = re.compile(r"\s*(?://[^\n]*\n\s*)*=[ \t]+\S[^\n]*\n")
_AUTHOR = re.compile(r"([^\W\d_][\w.'’-]*(?:[ \t]+[\w.'’-]+){0,3})(?:[ \t]+<([^<>\s]+)>)?[ \t]*(?:;.*)?$")
_REVISION = re.compile(r"v?\d[\w.]*,[ \t]*(.+?)(?::.*)?$|(\d{4}-\d\d-\d\d)$")


class AsciiDocParser:
    """Reads AsciiDoc; attributes become metadata, includes are not followed."""

    format: ClassVar[str] = "asciidoc"
    suffixes: ClassVar[frozenset[str]] = frozenset({".adoc", ".asciidoc", ".asc"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path)
        said, text = _header(source.text)
        writer = AsciiDocWriter(text.split("\n"))
        writer.write()
        blocks = tuple(writer.builder.blocks)
        require_text(blocks)
        said |= writer.attributes
        written = writer.builder.text
        heading = next((block for block in blocks if block.kind is BlockKind.HEADING), None)
        metadata = Metadata(
            title=said.get("doctitle") or (written[heading.start : heading.end] if heading else "") or stem(path),
            author=said.get("author") or said.get("authors", ""),
            created=iso_date(said.get("revdate") or said.get("date", "")),
            keywords=tuple(word.strip() for word in said.get("keywords", "").split(",") if word.strip()),
            language=said.get("lang", ""),
        )
        findings = (*source.findings, *writer.findings())
        return ParsedDocument(written, blocks, (), metadata, self.format, findings=findings)


def _header(text: str) -> tuple[dict[str, str], str]:
    """Return what the lines right below the title say, and the text without them."""
    title = _TITLE.match(text)
    if title is None:
        return {}, text
    said: dict[str, str] = {}
    rest = text[title.end() :].split("\n", 2)
    if rest and (author := _AUTHOR.match(rest[0])):
        following = rest[1] if len(rest) > 1 else ""
        # A line of words alone is an author only in a header: with an address, a revision or attributes.
        if author[2] or _REVISION.match(following) or following.startswith(":"):
            said["author"] = author[1]
            rest.pop(0)
            if rest and (revision := _REVISION.match(rest[0])):
                said["revdate"] = revision[1] or revision[2]
                rest.pop(0)
    return said, title[0] + "\n".join(rest)
