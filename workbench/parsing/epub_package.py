"""What an EPUB's package says: the chapters in reading order with their titles, and the book's metadata."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from workbench.errors import DamagedDocument, UnsupportedFormat
from workbench.parsing.dates import iso_date
from workbench.parsing.zip_package import ZipPackage

_CHAPTER_TYPES = (
    "application/xhtml+xml",
    "text/html",
    "application/xml",
    "text/x-oeb1-document",
    "application/x-dtbook+xml",
)
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Fonts that are only obfuscated; the text is not."""
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
    """Return what the package document says; without one, the pages in the container in the order of their names.

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
    said = _Said(root)
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


class _Said:
    """The metadata elements of a package document."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def all(self, name: str) -> list[str]:
        """Return the texts of every element of that name."""
        texts = (" ".join("".join(element.itertext()).split()) for element in _all(self._root, name))
        return [text for text in texts if text]

    def first(self, name: str) -> str:
        """Return the first of them, or nothing."""
        return next(iter(self.all(name)), "")

    def property(self, name: str) -> str:
        """Return the text of the meta element with that property, or nothing."""
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
    """Refuse a book whose chapters are encrypted.

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
    """Return every element below root of that local name, whatever its namespace."""
    return list(root.iter(f"{{*}}{name}"))
