"""Word documents: body text with headings, lists, tables, formulas, code; then notes and comments."""

from pathlib import Path
from typing import ClassVar

from workbench.model.document import ParsedDocument
from workbench.parsing.docx_body import BodyReader
from workbench.parsing.docx_pages import trusted_starts
from workbench.parsing.docx_styles import W
from workbench.parsing.ooxml import OfficePackage
from workbench.parsing.page_layout import lay_pages
from workbench.parsing.zip_package import Element

_NOTES = {"footnote": "footnotes", "endnote": "endnotes"}


class DocxParser:
    """Reads .docx; headers and footers are left out, deletions too, insertions are read."""

    format: ClassVar[str] = "docx"
    suffixes: ClassVar[frozenset[str]] = frozenset({".docx", ".docm", ".dotx", ".dotm"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        package = OfficePackage.open(path, password)
        main = package.main_part("word/document.xml")
        root = package.main_tree(main)
        reader = BodyReader(package, main)
        body = root.find(f"{W}body")
        reader.read(body if body is not None else root)
        starts = trusted_starts(reader.page_starts, package)
        metadata = package.metadata(reader.builder, path)
        _add_notes(reader, package)
        _add_comments(reader, package)
        if not reader.builder.blocks:
            raise package.without_text(
                "The document holds no text.", "If it is made of pictures, save it as a PDF and add that."
            )
        blocks, pages = lay_pages(reader.builder, starts)
        return ParsedDocument(
            reader.builder.text,
            blocks,
            pages,
            metadata,
            self.format,
            warnings=tuple(package.warnings()),
            findings=tuple([*reader.findings(), *package.findings()]),
        )


def _add_notes(reader: BodyReader, package: OfficePackage) -> None:
    """Put the footnotes and endnotes to which the text refers at its end, under the marks that stand in the text."""
    parts = {relation.kind: relation.target for relation in reader.relations.values()}
    found: dict[tuple[str, str], Element] = {}
    for kind, part in _NOTES.items():
        root = package.tree(parts.get(part, ""))
        for note in root.iter(f"{W}{kind}") if root is not None else ():
            found[kind, note.get(f"{W}id") or ""] = note
    entries = [(mark, found[key]) for key, mark in list(reader.inline.notes.marks.items()) if key in found]
    reader.add_appendix("Notes", [(f"[{mark}]", note) for mark, note in entries])


def _add_comments(reader: BodyReader, package: OfficePackage) -> None:
    part = next((relation.target for relation in reader.relations.values() if relation.kind == "comments"), "")
    root = package.tree(part)
    entries = []
    for comment in root.iter(f"{W}comment") if root is not None else ():
        author = " ".join((comment.get(f"{W}author") or "").split())
        entries.append((f"{author}:" if author else "-", comment))
    reader.add_appendix("Comments", entries)
