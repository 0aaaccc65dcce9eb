"""Parser of EPUB books: package metadata, reading order, and a page for each chapter."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote

from workbench.errors import DamagedDocument, EmptyDocument, UnsupportedFormat
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, Page, PageKind, ParsedDocument
from workbench.model.visible import visible_name
from workbench.parsing.assembly import TextBuilder, clean, stem
from workbench.parsing.dates import iso_date
from workbench.parsing.formats import suffixes_of
from workbench.parsing.html_metadata import decode_html
from workbench.parsing.html_parser import read_element
from workbench.parsing.html_tree import page_tree, words_unread
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
    """Content of a book's package document.

    Attributes:
        chapters: Part name and title of each, in reading order; the title is empty if the table of contents has none.
        pictures: Number of pictures.
        left_out: Number of chapters beyond the limit.
        labels: Entries of the table of contents that refer to each part, by part name, in order.
        navigation: Parts that contain the table of contents.
        missing: Number of entries of the reading order that the book does not contain.
        others: Media type of each part in the reading order that is not text.
        outside: Number of parts with text that are not in the reading order.
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
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    navigation: frozenset[str] = frozenset()
    missing: int = 0
    others: tuple[str, ...] = ()
    outside: int = 0


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
    order = [ref.get("idref", "") for ref in _all(root, "itemref")]
    chosen = [items[id] for id in order if id in items] or list(items.values())
    hrefs = [_part(folder, item.get("href", "")) for item in chosen if _is_chapter(item)]
    _refuse_protected(package, set(hrefs))
    labels = _labels(_contents(package, folder, list(items.values())))
    navigation = {_part(folder, item.get("href", "")) for item in items.values() if _is_navigation(item)}
    texts = {_part(folder, item.get("href", "")) for item in items.values() if _is_chapter(item)}
    elements = _MetadataElements(root)
    return Book(
        tuple((href, labels.get(href, ("",))[0]) for href in dict.fromkeys(hrefs[:_MOST_CHAPTERS])),
        pictures=sum(1 for item in items.values() if item.get("media-type", "").startswith("image/")),
        title=elements.first("title"),
        author=", ".join(elements.all("creator")),
        created=iso_date(elements.first("date")),
        modified=iso_date(elements.property("dcterms:modified")),
        language=elements.first("language"),
        keywords=tuple(elements.all("subject")),
        left_out=_beyond(hrefs),
        labels=labels,
        navigation=frozenset(navigation),
        missing=sum(1 for id in order if id not in items),
        others=tuple(item.get("media-type", "") for item in chosen if not _is_chapter(item)) if order else (),
        outside=len(texts - navigation - set(hrefs)),
    )


def _is_chapter(item: Any) -> bool:
    return item.get("media-type", "") in _CHAPTER_TYPES


def _is_navigation(item: Any) -> bool:
    return "nav" in item.get("properties", "").split()


def _labels(contents: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return the labels of the table of contents by part, each label once."""
    found: dict[str, dict[str, str]] = {}
    for part, label in contents:
        found.setdefault(part, {}).setdefault(_words(label), label)
    return {part: tuple(labels.values()) for part, labels in found.items()}


def _words(text: str) -> str:
    """Return the words of a text for comparison: a heading in two lines equals a label with a colon."""
    return " ".join(_WORD.findall(text.casefold()))


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
        if _is_navigation(item):
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
        waiting: list[str] = []
        for entry in nav.iter("{*}a", "{*}span") if "toc" in kind else ():
            title = " ".join("".join(entry.itertext()).split())
            if title and entry.get("href"):
                part = _part(posixpath.dirname(name), entry.get("href"))
                # The first label is the part's title; headings above its link belong to it as well.
                yield from ((part, label) for label in (title, *waiting))
                waiting = []
            elif title and entry.getparent().tag.rpartition("}")[2] == "li":
                waiting.append(title)


def _refuse_protected(package: ZipPackage, chapters: set[str]) -> None:
    """Reject a book whose chapters are encrypted.

    Raises:
        UnsupportedFormat: A chapter is encrypted.
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


_WORD = re.compile(r"\w+")
_MOST_NAMED = 5
"""Maximum number of entries of the table of contents that a finding names."""
_MOST_CHARACTERS = 30_000_000
"""Maximum characters of a book: six times all of Shakespeare."""
_LABEL_LENGTH = 120


class EpubParser:
    """Parser of EPUB 2 and 3."""

    format: ClassVar[str] = "epub"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("epub")
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path.

        The labels of a chapter in the table of contents are added to its text, unless it contains them.
        """
        package = ZipPackage(path.read_bytes())
        book = read_book(package)
        builder = TextBuilder()
        pages: list[Page] = []
        unread = _Unread(missing=book.missing)
        for name, title in book.chapters:
            if builder.length >= _MOST_CHARACTERS:
                unread.beyond += 1
                continue
            data = package.read(name)
            unread.missing += data is None
            chapter = _chapter(data, len(pages) + 1, unread, is_contents=name in book.navigation) if data else None
            if chapter is None or not chapter.blocks:
                continue
            before = len(builder.blocks)
            _add_labels(builder, book.labels.get(name, ()), chapter.text, len(pages) + 1)
            for block in chapter.blocks:
                text = chapter.text[block.start : block.end]
                builder.add(block.kind, text, level=block.level, page=len(pages) + 1)
            label = clean(title or _first_heading(chapter))[:_LABEL_LENGTH]
            pages.append(Page(len(pages) + 1, builder.blocks[before].start, builder.length, label=label))
            unread.read.add(name)
        if not pages:
            raise EmptyDocument("The book holds no text.", "It may consist of pictures of its pages.")
        is_damaged = package.damaged or unread.missing
        warnings = (mark("The book is damaged; what could be read was read."),) if is_damaged else ()
        return ParsedDocument(
            builder.text,
            tuple(builder.blocks),
            tuple(pages),
            _metadata(book, path),
            self.format,
            warnings,
            PageKind.CHAPTER,
            tuple(_findings(book, builder, unread)),
        )


@dataclass(slots=True)
class _Unread:
    """Counts of a book's content that was not read.

    Attributes:
        missing: Number of chapters that are not in the file.
        beyond: Number of chapters beyond the limit of characters.
        around: Number of words in menus and footers, by chapter, 1-based.
        hidden: Number of words in hidden elements, by chapter.
        read: Names of the parts that were read.
    """

    missing: int = 0
    beyond: int = 0
    around: dict[int, int] = field(default_factory=dict)
    hidden: dict[int, int] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)


def _chapter(data: bytes, number: int, unread: _Unread, *, is_contents: bool) -> TextBuilder | None:
    """Return the text of a chapter; if it has only menus and footers, these are its text.

    Args:
        data: Bytes of its file.
        number: Its number among the chapters with text.
        unread: Counts of unread content, which are updated.
        is_contents: True if it contains the table of contents of the book, which is not text.
    """
    body = page_tree(decode_html(data)).body
    if body is None:
        return None
    chapter = read_element(body)
    around, hidden = words_unread(body)
    if not chapter.blocks and not is_contents:
        chapter, around = read_element(body, keep_furniture=True), 0
    if chapter.blocks:
        # The labels of the contents are in the text of their chapters.
        unread.around |= {number: around} if around and not is_contents else {}
        unread.hidden |= {number: hidden} if hidden else {}
    return chapter


def _add_labels(builder: TextBuilder, labels: Sequence[str], text: str, page: int) -> None:
    """Append the labels of a chapter in the table of contents that its text does not contain."""
    if all(label in text for label in labels):
        return
    words = f" {_words(text)} "
    missing = [label for label in labels if f" {_words(label)} " not in words]
    if missing and missing[0] == labels[0]:
        builder.add(BlockKind.HEADING, missing.pop(0), level=1, page=page)
    builder.add(BlockKind.LIST, "\n".join(f"- {label}" for label in missing), page=page)


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


def _findings(book: Book, builder: TextBuilder, unread: _Unread) -> Iterator[Finding]:
    if tables := sum(1 for block in builder.blocks if block.kind is BlockKind.TABLE):
        yield Finding(FindingKind.TABLES, count=tables)
    if book.pictures:
        yield Finding(FindingKind.IMAGES, count=book.pictures)
    if unread.missing:
        detail = "chapters that are missing from the file"
        yield Finding(FindingKind.LEFT_OUT, count=unread.missing, detail=detail)
    if words := sum(unread.around.values()):
        detail = mark("menus and footers, 1 word") if words == 1 else mark(f"menus and footers, {words:,} words")
        yield Finding(FindingKind.LEFT_OUT, tuple(unread.around), words, detail)
    if words := sum(unread.hidden.values()):
        detail = mark("hidden text, 1 word") if words == 1 else mark(f"hidden text, {words:,} words")
        yield Finding(FindingKind.LEFT_OUT, tuple(unread.hidden), words, detail)
    if book.others:
        kinds = ", ".join(sorted(set(book.others)))
        yield Finding(
            FindingKind.LEFT_OUT, count=len(book.others), detail=mark(f"chapters that are not text ({kinds})")
        )
    if book.outside:
        detail = mark("files with text outside of the reading order")
        yield Finding(FindingKind.LEFT_OUT, count=book.outside, detail=detail)
    lost = [label for part, labels in book.labels.items() if part not in unread.read for label in labels]
    if lost:
        named = ", ".join(f"“{visible_name(label)[:_LABEL_LENGTH]}”" for label in lost[:_MOST_NAMED])
        named += " …" if len(lost) > _MOST_NAMED else ""
        detail = mark(f"entries of the contents that lead to no text: {named}")
        yield Finding(FindingKind.LEFT_OUT, count=len(lost), detail=detail)
    number = book.left_out + unread.beyond
    if number:
        first, all_of_them = len(book.chapters) - unread.beyond, len(book.chapters) + book.left_out
        detail = mark(f"the first {first:,} chapters of {all_of_them:,} were read; divide the book and add the parts")
        yield Finding(FindingKind.TRUNCATED, count=number, detail=detail)
