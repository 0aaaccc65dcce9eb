"""Blocks into runs: stretches of prose, each under its headings, and atomic blocks on their own."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.chunking.introductions import caption_of, goes_on, introduction, table_head
from workbench.chunking.ruler import TokenRuler
from workbench.chunking.units import Cut, Unit, prose_units
from workbench.model.document import Block, BlockKind, ParsedDocument


@dataclass(frozen=True, slots=True)
class Atom:
    """An atomic block with its heading path.

    Attributes:
        caption: Of a table, what stands above it and is in one chunk with it.
        introduced: Of a table, its caption on one line, or that of the table that it goes on with.
        head: Of a table, the names of its columns, or of those of the table that it goes on with.
    """

    block: Block
    headings: tuple[str, ...]
    caption: tuple[Unit, ...] = ()
    introduced: str = ""
    head: str = ""

    @property
    def start(self) -> int:
        """Where its chunk starts."""
        return self.caption[0].start if self.caption else self.block.start


@dataclass(frozen=True, slots=True)
class Prose:
    """Prose that nothing interrupts.

    Attributes:
        units: Its headings first, if it starts with some, then its sentences.
        level: Of the topmost heading it starts with; 0 where it starts with none.
        inner: Of the heading under which its last text stands; 0 where there is none.
        bare: Nothing but headings.
    """

    units: tuple[Unit, ...]
    level: int
    inner: int
    bare: bool

    @property
    def tokens(self) -> int:
        """How many tokens it has."""
        return sum(unit.tokens for unit in self.units)


def join(before: Prose, after: Prose) -> Prose:
    """Return two neighbouring stretches as one."""
    return Prose((*before.units, *after.units), before.level, after.inner, before.bare and after.bare)


def runs(document: ParsedDocument, ruler: TokenRuler) -> Iterator[Atom | Prose]:
    """Yield the document's runs in order; together they hold every non-whitespace character."""
    path: list[tuple[int, str]] = []
    titles: list[Unit] = []
    body: list[Unit] = []
    level = 0
    above: Atom | None = None
    for block in whole_blocks(document):
        headings = tuple(title for _, title in path)
        if block.kind.is_atomic:
            atom = _atom(document, block, headings, titles, body, above)
            kept = len(titles) + len(body) - len(atom.caption)
            titles, body = titles[:kept], body[: max(0, kept - len(titles))]
            if titles or body:
                yield _prose(titles, body, level, path)
            titles, body, level = [], [], 0
            yield atom
            above = atom if block.kind is BlockKind.TABLE else None
            continue
        above = None
        if block.kind is BlockKind.HEADING:
            if body:
                yield _prose(titles, body, level, path)
                titles, body, level = [], [], 0
            path = [entry for entry in path if entry[0] < block.level]
            path.append((block.level, block.title or " ".join(document.text[block.start : block.end].split())))
            level = min(level, block.level) if titles else block.level
            headings = tuple(title for _, title in path)
            titles.extend(prose_units(document.text, block.start, block.end, headings, ruler, last=Cut.NEVER))
        else:
            body.extend(prose_units(document.text, block.start, block.end, headings, ruler, last=Cut.PARAGRAPH))
    if titles or body:
        yield _prose(titles, body, level, path)


def _atom(
    document: ParsedDocument,
    block: Block,
    headings: tuple[str, ...],
    titles: Sequence[Unit],
    body: Sequence[Unit],
    above: Atom | None,
) -> Atom:
    """Return an atomic block under what names it: a piece of code what it defines, a table what stands above it."""
    if block.kind is not BlockKind.TABLE:
        return Atom(block, (*headings, block.title) if block.title else headings)
    text = document.text
    page = _page_start(document, block)
    caption = caption_of(text, titles, body, page)
    name = block.title
    introduced = introduction(" ".join(text[unit.start : unit.end] for unit in caption))
    head = table_head(text[block.start : block.end])
    before = body[: max(0, len(body) - len(caption))]
    if name:
        pass
    elif before and (not caption or before[-1].start >= page):
        name = introduction(text[before[-1].start : before[-1].end])
    elif not titles and not body and above is not None and goes_on(text, above.block, block):
        introduced, head = above.introduced, head or above.head
        name = introduction(f"{introduced} {head}")
    return Atom(block, (*headings, name) if name else headings, tuple(caption), introduced or name, head)


def _page_start(document: ParsedDocument, block: Block) -> int:
    """Return where the page begins on which a block does, 0 where the format has no pages."""
    place = bisect_right(document.pages, block.start, key=lambda page: page.start) - 1
    return document.pages[place].start if place >= 0 else 0


def _prose(titles: list[Unit], body: list[Unit], level: int, path: list[tuple[int, str]]) -> Prose:
    # Headings stay with what follows them, and stand under the path of what follows them.
    headings = body[0].headings if body else titles[-1].headings
    together = [replace(unit, headings=headings, cut=Cut.NEVER) for unit in titles] + body
    together[-1] = replace(together[-1], cut=Cut.SECTION)
    return Prose(tuple(together), level, inner=path[-1][0] if path else 0, bare=not body)


def whole_blocks(document: ParsedDocument) -> Iterator[Block]:
    """Yield the document's blocks, and as paragraphs what a parser left between them, so that nothing is lost."""
    at = 0
    for block in document.blocks:
        start = max(block.start, at)
        if document.text[at:start].strip():
            yield Block(BlockKind.PARAGRAPH, at, start)
        if document.text[start : block.end].strip():
            yield block if start == block.start else replace(block, start=start)
        at = max(at, block.end)
    if document.text[at:].strip():
        yield Block(BlockKind.PARAGRAPH, at, len(document.text))
