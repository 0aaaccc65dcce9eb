"""Parser of EPUB books: package metadata, reading order, and a page for each chapter."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote

from workbench.errors import DamagedDocument, EmptyDocument, UnsupportedFormat
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, Page, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder, clean, stem
from workbench.parsing.dates import iso_date
from workbench.parsing.html_metadata import decode_html
from workbench.parsing.html_parser import read_element
from workbench.parsing.html_tree import page_tree
from workbench.parsing.zip_package import ZipPackage

_CHAPTER_TYPES = (
    "application/xhtml+xml",
    "text/html",
    "application/xml",
    "text/x-oeb1-document",
    "application/x-dtbook+xml",
)
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Algorithms that only obfuscate fonts; the text is not encrypted."""
_MOST_CHAPTERS = 5000


@dataclass(frozen=True, slots=True)
class Book:
    """A book's parts.

    Attributes:
        chapters: Part name and title of each, in reading order; the title is empty where the contents name none.
        pictures: How many there are.
        left_out: How many chapters more there are.
    """

    chapters: tuple[tuple[str, str], ...]
    pictures: int = 0
    title: str = ""
    author: str = ""
    created: str = ""
    modified: str = ""
    language: str = ""
    keywords: tuple[str, ...] = ()
    left_out: int = 0


def read_book(package: ZipPackage) -> Book:
    """Return the content of the package document; without one, the pages in the container sorted by name.

    Raises:
        UnsupportedFormat: The book is protected against copying.
        DamagedDocument: There are no chapters.
    """
    name = _package_name(package)
    root = package.tree(name) if name else None
    if root is None:
        pages = sorted(part for part in package.names if re.search(r"\.x?html?$", part))
        if not pages:
            raise DamagedDocument("The book holds no chapters.", "Try to download it again.")
        return Book(tuple((page, "") for page in pages[:_MOST_CHAPTERS]), left_out=_beyond(pages))
    folder = posixpath.dirname(name)
    items = {item.get("id", ""): item for item in _all(root, "item")}
    spine = [items[ref.get("idref", "")] for ref in _all(root, "itemref") if ref.get("idref", "") in items]
    chosen = spine or list(items.values())
    hrefs = [_part(folder, item.get("href", "")) for item in chosen if item.get("media-type", "") in _CHAPTER_TYPES]
    _refuse_protected(package, set(hrefs))
    titles = dict(reversed(list(_contents(package, folder, list(items.values())))))
    said = _MetadataElements(root)
    return Book(
        tuple((href, titles.get(href, "")) for href in dict.fromkeys(hrefs[:_MOST_CHAPTERS])),
        pictures=sum(1 for item in items.values() if item.get("media-type", "").startswith("image/")),
        title=said.first("title"),
        author=", ".join(said.all("creator")),
        created=iso_date(said.first("date")),
        modified=iso_date(said.property("dcterms:modified")),
        language=said.first("language"),
        keywords=tuple(said.all("subject")),
        left_out=_beyond(hrefs),
    )


class _MetadataElements:
    """The metadata elements of a package document."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def all(self, name: str) -> list[str]:
        """Return the texts of all elements with that name."""
        texts = (" ".join("".join(element.itertext()).split()) for element in _all(self._root, name))
        return [text for text in texts if text]

    def first(self, name: str) -> str:
        """Return the first of these texts, or an empty string."""
        return next(iter(self.all(name)), "")

    def property(self, name: str) -> str:
        """Return the text of the meta element with that property, or an empty string."""
        found = (element for element in _all(self._root, "meta") if element.get("property") == name)
        return next(("".join(element.itertext()).strip() for element in found), "")


def _beyond(chapters: Sequence[str]) -> int:
    return max(0, len(chapters) - _MOST_CHAPTERS)


def _package_name(package: ZipPackage) -> str:
    container = package.tree("META-INF/container.xml")
    if container is not None:
        for rootfile in _all(container, "rootfile"):
            if rootfile.get("full-path"):
                return str(rootfile.get("full-path"))
    return next((name for name in package.names if name.endswith(".opf")), "")


def _contents(package: ZipPackage, folder: str, items: list[Any]) -> Iterator[tuple[str, str]]:
    """Yield part name and title of each entry of the table of contents, EPUB 3 before EPUB 2."""
    for item in items:
        if "nav" in item.get("properties", "").split():
            yield from _navigation(package, _part(folder, item.get("href", "")))
    for item in items:
        if item.get("media-type") == "application/x-dtbncx+xml":
            name = _part(folder, item.get("href", ""))
            root = package.tree(name)
            for point in _all(root, "navPoint") if root is not None else ():
                labels = [" ".join("".join(text.itertext()).split()) for text in _all(point, "text")]
                targets = [content.get("src", "") for content in _all(point, "content")]
                if labels and targets:
                    yield _part(posixpath.dirname(name), targets[0]), labels[0]


def _navigation(package: ZipPackage, name: str) -> Iterator[tuple[str, str]]:
    root = package.tree(name)
    for nav in _all(root, "nav") if root is not None else ():
        kind = next((value for key, value in nav.items() if key.rpartition("}")[2] == "type"), "toc")
        for link in _all(nav, "a") if "toc" in kind else ():
            title = " ".join("".join(link.itertext()).split())
            if title and link.get("href"):
                yield _part(posixpath.dirname(name), link.get("href")), title


def _refuse_protected(package: ZipPackage, chapters: set[str]) -> None:
    """Reject a book whose chapters are encrypted.

    Raises:
        UnsupportedFormat: They are.
    """
    root = package.tree("META-INF/encryption.xml")
    for data in _all(root, "EncryptedData") if root is not None else ():
        methods = [method.get("Algorithm") for method in _all(data, "EncryptionMethod")]
        targets = {_part("", reference.get("URI", "")) for reference in _all(data, "CipherReference")}
        if targets & chapters and not any(method in _FONT_ALGORITHMS for method in methods):
            raise UnsupportedFormat(
                "The book is protected against copying (DRM), and no program but its shop's can read it.",
                "Ask the shop for a copy without protection.",
            )


def _part(folder: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0]))).lstrip("/").lower()


def _all(root: Any, name: str) -> list[Any]:
    """Return all elements below root with that local name, in any namespace."""
    return list(root.iter(f"{{*}}{name}"))


_MOST_CHARACTERS = 30_000_000
"""Six times all of Shakespeare."""
_LABEL_LENGTH = 120


class EpubParser:
    """Parser of EPUB 2 and 3."""

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
