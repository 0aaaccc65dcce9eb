"""Parser of Markdown: the text is the source itself, with blocks found by markdown-it's line maps.

Only tables in HTML are converted to Markdown tables: their tags would be hard to read and to divide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from workbench.model.custom_metadata import metadata_in_file
from workbench.model.document import Block, BlockKind, Finding, FindingKind, Metadata, ParsedDocument
from workbench.parsing.assembly import LONGEST_HEADING, fill_gaps, stem, visible_span
from workbench.parsing.dates import iso_date
from workbench.parsing.encoding import read_source, require_text
from workbench.parsing.formats import suffixes_of
from workbench.parsing.front_matter import as_text, as_texts, split_front_matter
from workbench.parsing.long_file_lines import lines_of_edited

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_ATOMIC = {
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "table_open": BlockKind.TABLE,
    "math_block": BlockKind.FORMULA,
    "math_block_label": BlockKind.FORMULA,
    "math_block_eqno": BlockKind.FORMULA,
    "amsmath": BlockKind.FORMULA,
}
_CONTAINERS = {
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "blockquote_open": BlockKind.PARAGRAPH,
}


# Fields of every document, and options of site generators: none of them describes the content of the document.
_KNOWN = frozenset(
    [
        "title",
        "author",
        "authors",
        "date",
        "created",
        "published",
        "keywords",
        "tags",
        "lang",
        "language",
        "lastmod",
        "updated",
        "modified",
        "layout",
        "permalink",
        "slug",
        "draft",
        "aliases",
        "weight",
        "url",
        "css",
        "output",
    ]
)
_PICTURE = re.compile(r"!\[[^\]]{0,500}\][(\[]|<img\s", re.I)


@cache
def _block_parser() -> MarkdownIt:
    # Cached per process: 0.3 ms, as long as parsing a short note. Imported here, because the window's process imports
    # this module and should save the 45 ms.
    from markdown_it import MarkdownIt

    from workbench.parsing.markdown_math import display_math

    markdown = MarkdownIt("commonmark").enable("table").use(display_math)
    # Only blocks are needed; without the inline pass 60,000 brackets take 0.1 s instead of minutes.
    markdown.core.ruler.enableOnly(["normalize", "block"])
    return markdown


class MarkdownParser:
    """Parser of Markdown; front matter becomes metadata and is not part of the text."""

    format: ClassVar[str] = "markdown"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("markdown")
    version: ClassVar[int] = 5

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path)
        front, text = split_front_matter(source.text)
        lines = source.lines.without_first(len(source.text) - len(text))
        text, kept = _with_markdown_tables(text)
        lines = lines_of_edited(lines, kept, text)
        blocks = tuple(markdown_blocks(text))
        require_text(blocks)
        findings = (*source.findings, *_findings(text, blocks))
        custom, warnings = metadata_in_file({key: value for key, value in front.items() if key not in _KNOWN})
        metadata = _metadata(front, blocks, path)
        return ParsedDocument(
            text, blocks, (), metadata, self.format, tuple(warnings), findings=findings, custom=custom, lines=lines
        )


def _findings(text: str, blocks: Sequence[Block]) -> Iterator[Finding]:
    if tables := sum(1 for block in blocks if block.kind is BlockKind.TABLE):
        yield Finding(FindingKind.TABLES, count=tables)
    if pictures := sum(1 for _ in _PICTURE.finditer(text)):
        yield Finding(FindingKind.IMAGES, count=pictures)


def markdown_blocks(text: str) -> list[Block]:
    """Return the blocks of a Markdown source."""
    lines = [0]
    for match in re.finditer("\n", text):
        lines.append(match.end())
    lines.append(len(text))
    found = []
    position = 0
    for kind, first, last, level in _line_blocks(_block_parser().parse(text)):
        span = visible_span(text, max(position, lines[first]), lines[min(last, len(lines) - 1)])
        if span is not None:
            title = heading_title(text[slice(*span)]) if kind is BlockKind.HEADING else ""
            if len(title) > LONGEST_HEADING:
                # A rule directly below a paragraph: in Markdown, all of the paragraph is a heading.
                kind, level, title = BlockKind.PARAGRAPH, 0, ""
            found.append(Block(kind, *span, level, title=title))
            position = span[1]
    return fill_gaps(text, found)


_HTML_TABLE = re.compile(r"[ \t]{0,3}<table\b(?:(?!<table\b).)*</table>[ \t]*", re.I | re.S)


def _with_markdown_tables(text: str) -> tuple[str, Sequence[int]]:
    """Return a source with each table that is a separate HTML block converted to Markdown.

    The second value contains the offset into the old source for each line; empty if the source has no table tags.
    """
    if "<table" not in text.lower():
        return text, ()
    # Imported here: few sources need it.
    from workbench.parsing.html_parser import table_markdown
    from workbench.parsing.html_tree import page_tree

    lines = text.split("\n")
    kept = [0, *accumulate(len(line) + 1 for line in lines[:-1])]
    for token in reversed(_block_parser().parse(text)):
        if token.type != "html_block" or token.map is None or token.level:
            continue
        first, last = token.map
        source = "\n".join(lines[first:last]).rstrip()
        table = page_tree(source).css_first("table") if _HTML_TABLE.fullmatch(source) else None
        if table is not None and (rows := table_markdown(table)):
            table_lines = ["", *rows.split("\n"), ""]
            lines[first:last] = table_lines
            kept[first:last] = [kept[first]] * len(table_lines)
    return "\n".join(lines), kept


def _line_blocks(tokens: Sequence[Token]) -> Iterator[tuple[BlockKind, int, int, int]]:
    """Yield kind, first line, line after the last, and heading level of each block, in order."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if token.map is None or token.nesting < 0:
            continue
        first, last = token.map
        if token.type in _ATOMIC:
            yield _ATOMIC[token.type], first, last, 0
        elif token.type == "heading_open":
            yield BlockKind.HEADING, first, last, int(token.tag[1:])
        elif token.type in _CONTAINERS:
            end = _closing(tokens, index - 1)
            yield from _container(_CONTAINERS[token.type], first, last, tokens[index:end])
            index = end + 1
            continue
        else:
            yield BlockKind.PARAGRAPH, first, last, 0
        index = _closing(tokens, index - 1) + 1


def _closing(tokens: Sequence[Token], index: int) -> int:
    """Return the index of the token that closes the one at index; the same index if it opens nothing."""
    if tokens[index].nesting == 0:
        return index
    level = tokens[index].level
    while tokens[index].nesting >= 0 or tokens[index].level != level:
        index += 1
    return index


def _container(
    kind: BlockKind, first: int, last: int, inner: Sequence[Token]
) -> Iterator[tuple[BlockKind, int, int, int]]:
    """Yield a list or a quotation in one piece, or divided by the atomic blocks in it."""
    position = first
    for token in inner:
        if token.type in _ATOMIC and token.map is not None and token.map[0] >= position:
            begin, end = token.map
            if begin > position:
                yield kind, position, begin, 0
            yield _ATOMIC[token.type], begin, end, 0
            position = end
    if last > position:
        yield kind, position, last, 0


_MARKUP = re.compile(r"\s+\{#[^}]*\}\s*$|!?\[([^\]]*)\]\([^)]*\)|<[^>]+>|[*`]+|(?<!\w)_+|_+(?!\w)")


def heading_title(source: str) -> str:
    """Return the text of a heading's source, without #, underline, emphasis or links."""
    lines = source.strip().split("\n")
    if len(lines) > 1 and set(lines[-1].strip()) <= {"=", "-"}:
        lines.pop()
    text = re.sub(r"^#{1,6}\s*|\s+#+\s*$", "", " ".join(lines))
    return " ".join(_MARKUP.sub(lambda match: match[1] or "", text).split())


def _metadata(front: Mapping[str, Any], blocks: Sequence[Block], path: Path) -> Metadata:
    headings = [block for block in blocks if block.kind is BlockKind.HEADING]
    first = next((block for block in headings if block.level == 1), headings[0] if headings else None)
    title = as_text(front.get("title")) or (first.title if first else "")
    return Metadata(
        title=title or stem(path),
        author=", ".join(as_texts(front.get("author") or front.get("authors"))),
        created=iso_date(as_text(front.get("date") or front.get("created") or front.get("published"))),
        keywords=as_texts(front.get("keywords") or front.get("tags")),
        language=as_text(front.get("lang") or front.get("language")),
        modified=iso_date(as_text(front.get("lastmod") or front.get("updated") or front.get("modified"))),
    )
