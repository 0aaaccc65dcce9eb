"""Parser of FictionBook: each section of a body is a chapter, converted to HTML and read as a web page."""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import ClassVar

from workbench.errors import DamagedDocument, EmptyDocument
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, Page, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder, stem
from workbench.parsing.formats import suffixes_of
from workbench.parsing.html_parser import read_element
from workbench.parsing.html_tree import count_words, page_tree
from workbench.parsing.ooxml import children, iso, one_line
from workbench.parsing.zip_package import Element, local_name, xml_tree

_DEEPEST_HEADING = 6
_LABEL_LENGTH = 120
_CLOSED = re.compile(rb"</[\w:.-]*FictionBook\s*>")
_CLOSING_BYTES = 100
"""Number of bytes at the end of a file that contain the last tag with any namespace prefix."""
_TAGS = {
    **{name: "div" for name in ("section", "poem", "cite", "epigraph", "annotation")},
    **{name: name for name in ("p", "table", "tr", "th", "td", "code", "sup", "sub")},
    **{"stanza": "p", "text-author": "p", "date": "p"},
}
"""HTML tag of each element; other elements are running text."""


class Fb2Parser:
    """Parser of .fb2 files."""

    format: ClassVar[str] = "fb2"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("fb2")
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        data = path.read_bytes()
        root = xml_tree(data)
        if root is None or local_name(root) != "FictionBook":
            raise DamagedDocument(
                "The book is damaged and cannot be read.", "Convert it to EPUB, for example with Calibre."
            )
        builder = TextBuilder()
        pages: list[Page] = []
        for chapter in filter(None, map(_chapter, _parts(root))):
            before = len(builder.blocks)
            for block in chapter.blocks:
                text = chapter.text[block.start : block.end]
                builder.add(block.kind, text, level=block.level, page=len(pages) + 1)
            start = builder.blocks[before].start
            pages.append(Page(len(pages) + 1, start, builder.length, label=_first_heading(chapter)))
        if not pages:
            raise EmptyDocument("The book holds no text.", "There is nothing in it to search.")
        return ParsedDocument(
            builder.text,
            tuple(builder.blocks),
            tuple(pages),
            _metadata(root, path),
            self.format,
            page_kind=PageKind.CHAPTER,
            findings=(*_findings(root, builder), *_cut_off(data)),
        )


def _parts(root: Element) -> Iterator[list[Element]]:
    """Yield the elements of each chapter: the annotation (a description of the book) first, then those of each body.

    Elements of a body outside of its sections form chapters, too.
    """
    if annotations := [entry for about in _title_infos(root) for entry in children(about, "annotation")]:
        yield annotations
    for body in children(root, "body"):
        opening: list[Element] = []
        for child in body:
            if local_name(child) == "section":
                if opening:
                    yield opening
                    opening = []
                yield [child]
            else:
                opening.append(child)
        if opening:
            yield opening


def _chapter(elements: list[Element]) -> TextBuilder | None:
    tree = page_tree("".join(piece for element in elements for piece in _html(element)))
    chapter = read_element(tree.body) if tree.body is not None else None
    return chapter if chapter is not None and chapter.blocks else None


def _html(element: Element) -> Iterator[str]:
    """Yield an element as HTML."""
    from lxml import etree  # imported late, as in zip_package

    depth, titles = 1, 0
    for event, node in etree.iterwalk(element, events=("start", "end")):
        name, entering = local_name(node), event == "start"
        depth += (name == "section") * (1 if entering else -1)
        if name in ("title", "subtitle"):
            titles += 1 if entering else -1
            level = min(depth - (name == "title"), _DEEPEST_HEADING)
            yield f"<h{max(level, 1)}>" if entering else f"</h{max(level, 1)}>"
        elif titles or name == "v":
            # The lines of a title form one heading; those of a verse remain lines.
            yield "" if entering else " " if titles else "<br>"
        elif name in _TAGS:
            yield f"<{_TAGS[name]}{_spans(node)}>" if entering else f"</{_TAGS[name]}>"
        text = node.text if entering else node.tail if node is not element else ""
        yield escape(text or "")


def _spans(node: Element) -> str:
    return "".join(f' {name}="{escape(node.get(name))}"' for name in ("colspan", "rowspan") if node.get(name))


def _first_heading(chapter: TextBuilder) -> str:
    heading = next((block for block in chapter.blocks if block.kind is BlockKind.HEADING), None)
    return one_line(chapter.text[heading.start : heading.end])[:_LABEL_LENGTH] if heading else ""


def _title_infos(root: Element) -> Iterator[Element]:
    for description in children(root, "description"):
        yield from children(description, "title-info")


def _metadata(root: Element, path: Path) -> Metadata:
    values: dict[str, str] = {}
    authors: list[str] = []
    for about in _title_infos(root):
        for entry in about:
            name, words = local_name(entry), one_line(" ".join(entry.itertext()))
            if name == "author":
                names = children(entry, "first-name", "middle-name", "last-name") or children(entry, "nickname")
                authors.append(" ".join(one_line(part.text or "") for part in names).strip())
            elif name == "date":
                values.setdefault(name, iso(entry.get("value") or "") or iso(words))
            else:
                values.setdefault(name, words)
    return Metadata(
        title=values.get("book-title") or stem(path),
        author=", ".join(filter(None, authors)),
        created=values.get("date", ""),
        keywords=tuple(filter(None, (word.strip() for word in values.get("keywords", "").split(",")))),
        language=values.get("lang", ""),
    )


def _findings(root: Element, builder: TextBuilder) -> Iterator[Finding]:
    if tables := sum(1 for block in builder.blocks if block.kind is BlockKind.TABLE):
        yield Finding(FindingKind.TABLES, count=tables)
    if pictures := sum(1 for body in children(root, "body") for node in body.iter() if local_name(node) == "image"):
        yield Finding(FindingKind.IMAGES, count=pictures)
    if words := _words_of_description(root):
        several = mark(f"the book's notes on its edition, {words:,} words")
        detail = mark("the book's notes on its edition, 1 word") if words == 1 else several
        yield Finding(FindingKind.LEFT_OUT, count=words, detail=detail)


def _words_of_description(root: Element) -> int:
    """Return the number of words in the description outside of title-info: publisher, history, original title."""
    return sum(
        count_words(" ".join(about.itertext()))
        for description in children(root, "description")
        for about in description
        if local_name(about) != "title-info"
    )


def _cut_off(data: bytes) -> Iterator[Finding]:
    """Yield a finding for a file that ends before its last element is closed, such as an interrupted download."""
    # In UTF-16 every other byte is zero.
    if _CLOSED.search(data.rstrip(b" \t\r\n\0")[-_CLOSING_BYTES:].replace(b"\0", b"")) is None:
        yield Finding(FindingKind.TRUNCATED, detail=mark("the file ends before the book does"))
