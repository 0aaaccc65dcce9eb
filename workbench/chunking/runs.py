"""Blocks into runs: stretches of prose, each under its headings, and atomic blocks on their own."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.chunking.introductions import introduction
from workbench.chunking.ruler import TokenRuler
from workbench.chunking.units import Cut, Unit, prose_units
from workbench.model.document import Block, BlockKind, ParsedDocument


@dataclass(frozen=True, slots=True)
class Atom:
    """An atomic block with its heading path."""

    block: Block
    headings: tuple[str, ...]


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
    for block in whole_blocks(document):
        if block.kind is BlockKind.HEADING:
            if body:
                yield _prose(titles, body, level, path)
                titles, body, level = [], [], 0
            path = [entry for entry in path if entry[0] < block.level]
            path.append((block.level, block.title or " ".join(document.text[block.start : block.end].split())))
            level = min(level, block.level) if titles else block.level
            headings = tuple(title for _, title in path)
            titles.extend(prose_units(document.text, block.start, block.end, headings, ruler, last=Cut.NEVER))
            continue
        headings = tuple(title for _, title in path)
        if block.kind.is_atomic:
            # A piece of source code is found by the names of what it defines, a table by the sentence above it.
            name = block.title
            if block.kind is BlockKind.TABLE and body and not name:
                name = introduction(document.text[body[-1].start : body[-1].end])
            if titles or body:
                yield _prose(titles, body, level, path)
                titles, body, level = [], [], 0
            yield Atom(block, (*headings, name) if name else headings)
        else:
            body.extend(prose_units(document.text, block.start, block.end, headings, ruler, last=Cut.PARAGRAPH))
    if titles or body:
        yield _prose(titles, body, level, path)


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
