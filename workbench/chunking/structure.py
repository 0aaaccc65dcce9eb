"""Chunker protocol, and StructureChunker: headings first, sentences packed into even chunks, blocks cut between lines.

A table row may contain a whole book, and a listing may be a data file. A block that is not cut is shown and embedded as
one chunk.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from workbench.chunking.block_runs import LONGEST_NAME, AtomicBlock, Prose, join, kept_together, runs
from workbench.chunking.table_heads import PIPE
from workbench.chunking.units import CutQuality, TokenOffsets, Unit, fit, prose_units, weight
from workbench.model.chunk import Chunk, text_in_context
from workbench.model.document import BlockKind, ParsedDocument
from workbench.model.embedder import TokenCounter


class Chunker(Protocol):
    """Cuts a document's text into chunks."""

    def chunk(self, document: ParsedDocument, name: str = "") -> list[Chunk]:
        """Return the chunks in order: every non-whitespace character is in at least one.

        Args:
            document: Parsed document.
            name: Name of its file, which precedes the text in the embedding.
        """
        ...


_SPECIAL_TOKENS = 2

# A section shorter than this share of the target joins a neighbour: alone, only its heading would match a question.
_TINY = 1 / 6

# The context (name, title and heading path) may reduce the space for text to this share; beyond that, the chunk is
# embedded in windows.
_LEAST_SHARE = 1 / 2


class StructureChunker:
    """Cuts a document along its structure; the same document always yields the same chunks."""

    def __init__(self, tokenizer: TokenCounter, *, target_tokens: int = 200, overlap_sentences: int = 0) -> None:
        """Store the embedder's tokenizer and the limits.

        Args:
            tokenizer: Counts tokens, and has the token limit of the embedder.
            target_tokens: Maximum length of a prose chunk, which is also limited to what the embedder accepts in
                addition to the context. At 200 a retrieved chunk has 840 characters, at 220 920, and the same share of
                the evidence of chunk_spans is found in five (0.912, 0.913); 190 gives 0.901, 245 0.921.
            overlap_sentences: Number of sentences that a chunk repeats from the previous one in the same section.
        """
        self._tokenizer = tokenizer
        self._target = target_tokens
        self._overlap = overlap_sentences

    def chunk(self, document: ParsedDocument, name: str = "") -> list[Chunk]:
        """Return the chunks in order: every non-whitespace character is in at least one."""
        return _Cutter(document, name, self._tokenizer, target=self._target, overlap=self._overlap).chunks()


class _Cutter:
    """Chunking of one document."""

    def __init__(
        self, document: ParsedDocument, name: str, tokenizer: TokenCounter, *, target: int, overlap: int
    ) -> None:
        self._document = document
        self._name = name
        self._tokenizer = tokenizer
        self._target = target
        self._overlap = overlap
        self._ruler = TokenOffsets(document.text, tokenizer)
        self._page_starts = [page.start for page in document.pages]
        self._context_tokens: dict[tuple[str, ...], int] = {}

    def chunks(self) -> list[Chunk]:
        chunks: list[Chunk] = []
        for run in self._merge_tiny(runs(self._document, self._ruler)):
            if isinstance(run, AtomicBlock):
                chunks.extend(self._atomic_chunks(len(chunks), run))
                continue
            limit = self._limit(run.units)
            text = self._document.text
            units = [piece for unit in run.units for piece in fit(unit, text, self._ruler, limit=limit)]
            for group in pack(kept_together(text, units), limit=limit, overlap=self._overlap):
                chunks.append(self._chunk_of(len(chunks), group))
        return chunks

    def _merge_tiny(self, sections: Iterable[AtomicBlock | Prose]) -> list[AtomicBlock | Prose]:
        """Return the runs; each tiny one is merged with neighbouring prose if both fit into one chunk."""
        merged: list[AtomicBlock | Prose] = []
        for run in sections:
            before = merged[-1] if merged else None
            if isinstance(run, Prose) and isinstance(before, Prose) and self._belong_together(before, run):
                merged[-1] = join(before, run)
            else:
                merged.append(run)
        return merged

    def _belong_together(self, before: Prose, run: Prose) -> bool:
        tiny = self._target * _TINY
        if before.tokens >= tiny and run.tokens >= tiny:
            return False
        # A short introduction joins its first subsection, and a short section its neighbour, but never across a heading
        # of a higher level, because the text before that heading does not belong to it.
        if run.level < before.inner and not run.bare:
            return False
        return before.tokens + run.tokens <= self._limit((*before.units, *run.units))

    def _limit(self, units: Sequence[Unit]) -> int:
        """Return the maximum number of tokens of a chunk of these units, without its context."""
        return self._limit_under(*{unit.headings for unit in units})

    def _limit_under(self, *paths: tuple[str, ...]) -> int:
        seen = self._tokenizer.max_tokens - _SPECIAL_TOKENS
        context = max(map(self._count_context, paths))
        return max(1, min(self._target, max(seen - context, int(seen * _LEAST_SHARE))))

    def _count_context(self, headings: tuple[str, ...]) -> int:
        tokens = self._context_tokens.get(headings)
        if tokens is None:
            context = text_in_context(self._name, self._document.metadata.title, headings, "")
            tokens = self._tokenizer.count(context)
            self._context_tokens[headings] = tokens
        return tokens

    def _atomic_chunks(self, ordinal: int, atom: AtomicBlock) -> Iterator[Chunk]:
        """Yield the block whole, or in parts if it is so long that one vector could not represent it."""
        size = weight(atom.block.start, atom.block.end, self._ruler)
        if size <= MOST_WINDOWS * self._tokenizer.max_tokens:
            yield self._atomic_chunk(ordinal, atom)
            return
        if atom.caption:
            yield self._chunk_of(ordinal, atom.caption)
            ordinal += 1
        for part in atom_parts(self._document.text, atom, self._ruler, self._limit_under):
            for group in pack(part.units, limit=part.limit):
                yield self._chunk_of(ordinal, group, atom.block.kind)
                ordinal += 1

    def _chunk_of(self, ordinal: int, units: Sequence[Unit], kind: BlockKind = BlockKind.PARAGRAPH) -> Chunk:
        start, end = units[0].start, units[-1].end
        return Chunk(
            ordinal=ordinal,
            start=start,
            end=end,
            text=self._document.text[start:end],
            page=self._find_page(start),
            page_end=self._find_page(end - 1),
            headings=units[0].headings,
            kind=kind,
            tokens=self._ruler.count(start, end),
        )

    def _atomic_chunk(self, ordinal: int, atom: AtomicBlock) -> Chunk:
        start, end = atom.start, atom.block.end
        tokens = self._ruler.count(start, end)
        return Chunk(
            ordinal=ordinal,
            start=start,
            end=end,
            text=self._document.text[start:end],
            page=self._find_page(start),
            page_end=self._find_page(end - 1),
            headings=atom.headings,
            kind=atom.block.kind,
            tokens=tokens,
            oversize=tokens + self._count_context(atom.headings) + _SPECIAL_TOKENS > self._tokenizer.max_tokens,
        )

    def _find_page(self, offset: int) -> int | None:
        pages = self._document.pages
        if not pages:
            return None
        return pages[max(0, bisect_right(self._page_starts, offset) - 1)].number


Headings = tuple[str, ...]

MOST_WINDOWS = 128
"""Maximum number of embedder windows in an uncut block: 28,000 tokens, some 2,000 lines of code. Its vector is their
mean.

Readers prefer whole blocks, but no model reads a chunk of 5 MB, and no list shows one. Share of questions that find
their block among the first 10 of 240, if the block has 2 / 4 / 8 / 16 / 32 windows: 1.00 / 0.88 / 0.79 / 0.55 / 0.48;
longer blocks are found by keywords only.
"""

_RULER = re.compile(r"[|:\-+=\s]+")
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class ChunkingSection:
    """Units that are packed separately, into chunks of at most this many tokens."""

    units: tuple[Unit, ...]
    limit: int


def atom_parts(
    text: str, atom: AtomicBlock, ruler: TokenOffsets, limit_under: Callable[[Headings], int]
) -> Iterator[ChunkingSection]:
    """Yield an atomic block in parts: consecutive lines together, and each overlong line separately.

    Parts of a table get its header row as a heading; parts of a row also get its first cell.

    Args:
        text: Text of the whole document.
        atom: The block.
        ruler: Counts its tokens.
        limit_under: Returns the maximum number of tokens of a chunk under these headings.
    """
    lines = [match.span() for match in _LINE.finditer(text, atom.block.start, atom.block.end) if match.group().strip()]
    head = _table_head(text, lines) if atom.block.kind is BlockKind.TABLE and not atom.is_headed else ""
    under = (*atom.headings, head) if head else atom.headings
    limit = limit_under(under)
    short: list[Unit] = []
    for number, (start, end) in enumerate(lines):
        line = Unit(start, end, weight(start, end, ruler), under if number > 1 else atom.headings, CutQuality.PARAGRAPH)
        if line.tokens <= limit:
            short.append(line)
            continue
        if short:
            yield ChunkingSection(tuple(short), limit)
            short = []
        key = _row_key(text[start:end]) if head or atom.is_headed else ""
        yield _cut_line(text, line, ruler, limit_under, (*under, key) if key else under)
    if short:
        yield ChunkingSection(tuple(short), limit)


def _cut_line(
    text: str, line: Unit, ruler: TokenOffsets, limit_under: Callable[[Headings], int], under: Headings
) -> ChunkingSection:
    limit = limit_under(under)
    sentences = prose_units(text, line.start, line.end, under, ruler, last=CutQuality.SECTION)
    first, *rest = [piece for unit in sentences for piece in fit(unit, text, ruler, limit=limit)]
    return ChunkingSection((first._replace(headings=line.headings), *rest), limit)


def _table_head(text: str, lines: list[tuple[int, int]]) -> str:
    """Return the column names of a table; empty if there is no ruler below its first line.

    For very many columns, return the first ones, and none of them cut: a cut name would be a different one.
    """
    if len(lines) < 3 or not _RULER.fullmatch(text[slice(*lines[1])]):
        return ""
    line = text[slice(*lines[0])].strip().strip("|")
    return _name(line) or _name(line[:LONGEST_NAME].rpartition("|")[0])


def _row_key(row: str) -> str:
    return _name(PIPE.split(row.strip().removeprefix("|"), maxsplit=1)[0])


def _name(text: str) -> str:
    """Return a text on one line if it is short enough to be a name, else an empty string."""
    line = " ".join(text[: 2 * LONGEST_NAME].split())
    return line if len(line) <= LONGEST_NAME else ""


# A better kind of cut (paragraph rather than sentence) is preferred from this share of the even size.
_EARLIEST = 0.6

# Without a better cut, a group that ends in the introduction of the next must be this many times as long as one that
# does not: of 200 tables in chunk_spans' financial texts, 43 are separated from their introductions without this, and
# 15 with it.
_AS_LONG = 3


def pack(units: Sequence[Unit], *, limit: int, overlap: int = 0) -> list[list[Unit]]:
    """Return the units in groups of at most `limit` tokens, of similar size (227 become 114 + 113, not 220 + 7).

    Args:
        units: Units in order, none above the limit.
        limit: Maximum number of tokens of a group, repeated units included.
        overlap: Number of units that a group repeats from the previous one, up to a third of the limit.
    """
    groups: list[list[Unit]] = []
    start = 0
    remaining = sum(unit.tokens for unit in units)
    while start < len(units):
        repeated = _repeated_units(units, start, count=overlap, limit=limit // 3)
        room = limit - sum(unit.tokens for unit in repeated)
        end = _next_cut(units, start, remaining=remaining, room=room)
        groups.append([*repeated, *units[start:end]])
        remaining -= sum(unit.tokens for unit in units[start:end])
        start = end
    return groups


def _next_cut(units: Sequence[Unit], start: int, *, remaining: int, room: int) -> int:
    """Return the index after the last unit of the group that begins at start."""
    if remaining <= room:
        return len(units)
    aim = remaining / ceil(remaining / room)
    best, best_score = start + 1, (CutQuality.NEVER, 0.0)
    size = 0
    for index in range(start, len(units)):
        size += units[index].tokens
        if size > room and index > start:
            break
        if units[index].cut is CutQuality.NEVER:
            score = (CutQuality.NEVER, size / _AS_LONG)
        elif size < _EARLIEST * aim:
            # Before this size all kinds of cut count the same: the longest group wins.
            score = (CutQuality.NEVER, float(size))
        else:
            score = (units[index].cut, -abs(size - aim))
        if score > best_score:
            best, best_score = index + 1, score
    return best


def _repeated_units(units: Sequence[Unit], start: int, *, count: int, limit: int) -> Sequence[Unit]:
    first = start
    size = 0
    while first > 0 and start - first < count and size + units[first - 1].tokens <= limit:
        first -= 1
        size += units[first].tokens
    return units[first:start]
