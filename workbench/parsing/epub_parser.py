"""EPUB books: each part of the reading order is a chapter, read as a web page."""

from pathlib import Path
from typing import ClassVar

from workbench.errors import EmptyDocument
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, Page, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder, clean, stem
from workbench.parsing.epub_package import Book, read_book
from workbench.parsing.html_metadata import decode_html
from workbench.parsing.html_parser import read_element
from workbench.parsing.html_tree import page_tree
from workbench.parsing.zip_package import ZipPackage

_MOST_CHARACTERS = 30_000_000
"""Six times all of Shakespeare."""
_LABEL_LENGTH = 120


class EpubParser:
    """Reads EPUB 2 and 3."""

    format: ClassVar[str] = "epub"
    suffixes: ClassVar[frozenset[str]] = frozenset({".epub"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        package = ZipPackage(path.read_bytes())
        book = read_book(package)
        builder = TextBuilder()
        pages: list[Page] = []
        missing = beyond = 0
        for name, title in book.chapters:
            if builder.length >= _MOST_CHARACTERS:
                beyond += 1
                continue
            data = package.read(name)
            missing += data is None
            chapter = _chapter(data) if data else None
            if chapter is None or not chapter.blocks:
                continue
            before = len(builder.blocks)
            for block in chapter.blocks:
                text = chapter.text[block.start : block.end]
                builder.add(block.kind, text, level=block.level, page=len(pages) + 1)
            label = clean(title or _first_heading(chapter))[:_LABEL_LENGTH]
            pages.append(Page(len(pages) + 1, builder.blocks[before].start, builder.length, label=label))
        if not pages:
            raise EmptyDocument("The book holds no text.", "It may consist of pictures of its pages.")
        warnings = (mark("The book is damaged; what could be read was read."),) if package.damaged or missing else ()
        return ParsedDocument(
            builder.text,
            tuple(builder.blocks),
            tuple(pages),
            _metadata(book, path),
            self.format,
            warnings,
            PageKind.CHAPTER,
            tuple(_findings(book, builder, missing, beyond)),
        )


def _chapter(data: bytes) -> TextBuilder | None:
    tree = page_tree(decode_html(data))
    return read_element(tree.body) if tree.body is not None else None


def _first_heading(chapter: TextBuilder) -> str:
    heading = next((block for block in chapter.blocks if block.kind is BlockKind.HEADING), None)
    return " ".join(chapter.text[heading.start : heading.end].split()) if heading else ""


def _metadata(book: Book, path: Path) -> Metadata:
    return Metadata(
        title=clean(book.title) or stem(path),
        author=clean(book.author),
        created=book.created,
        keywords=tuple(map(clean, book.keywords)),
        language=clean(book.language),
        modified=book.modified,
    )


def _findings(book: Book, builder: TextBuilder, missing: int, beyond: int) -> list[Finding]:
    found = []
    if tables := sum(1 for block in builder.blocks if block.kind is BlockKind.TABLE):
        found.append(Finding(FindingKind.TABLES, count=tables))
    if book.pictures:
        found.append(Finding(FindingKind.IMAGES, count=book.pictures))
    if missing:
        found.append(Finding(FindingKind.LEFT_OUT, count=missing, detail="chapters that are missing from the file"))
    number = book.left_out + beyond
    if number:
        first, all_of_them = len(book.chapters) - beyond, len(book.chapters) + book.left_out
        detail = mark(f"the first {first:,} chapters of {all_of_them:,} were read; divide the book and add the parts")
        found.append(Finding(FindingKind.TRUNCATED, count=number, detail=detail))
    return found
