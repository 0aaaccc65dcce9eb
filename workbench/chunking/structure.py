"""The chunker: headings first, then sentences up to a target, atomic blocks whole unless they are huge."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from workbench.chunking.atoms import MOST_WINDOWS, atom_parts
from workbench.chunking.introductions import kept_together
from workbench.chunking.packing import pack
from workbench.chunking.ruler import TokenRuler
from workbench.chunking.runs import Atom, Prose, join, runs
from workbench.chunking.units import Unit, fit, weight
from workbench.model.chunk import Chunk, text_in_context
from workbench.model.document import BlockKind, ParsedDocument
from workbench.model.embedder import TokenCounter

_SPECIAL_TOKENS = 2

# A section shorter than this share of the target joins a neighbour: alone it would be found for its heading only.
_TINY = 1 / 6

# The context (name, title and heading path) may take all but this share; a longer one is embedded in windows.
_LEAST_SHARE = 1 / 2


class StructureChunker:
    """Cuts a document into slices along its structure; the same document always gives the same chunks."""

    def __init__(self, tokenizer: TokenCounter, *, target_tokens: int = 200, overlap_sentences: int = 0) -> None:
        """Take the embedder's tokenizer.

        Args:
            tokenizer: Counts, and says how many tokens the embedder sees.
            target_tokens: A chunk of prose is never longer, nor longer than the embedder sees beside its context. At
                200 a found chunk has 840 characters, at 220 920, and as much of the evidence of chunk_spans is found
                in five (0.912, 0.913); 190 gives 0.901, 245 0.921.
            overlap_sentences: Sentences that a chunk repeats from the one before it in the same section.
        """
        self._tokenizer = tokenizer
        self._target = target_tokens
        self._overlap = overlap_sentences

    def chunk(self, document: ParsedDocument, name: str = "") -> list[Chunk]:
        """Return the chunks in order: every non-whitespace character is in at least one."""
        return _Cutter(document, name, self._tokenizer, target=self._target, overlap=self._overlap).chunks()


class _Cutter:
    """One document being cut."""

    def __init__(
        self, document: ParsedDocument, name: str, tokenizer: TokenCounter, *, target: int, overlap: int
    ) -> None:
        self._document = document
        self._name = name
        self._tokenizer = tokenizer
        self._target = target
        self._overlap = overlap
        self._ruler = TokenRuler(document.text, tokenizer)
        self._page_starts = [page.start for page in document.pages]
        self._context_tokens: dict[tuple[str, ...], int] = {}

    def chunks(self) -> list[Chunk]:
        chunks: list[Chunk] = []
        for run in self._merged(runs(self._document, self._ruler)):
            if isinstance(run, Atom):
                chunks.extend(self._atomic_chunks(len(chunks), run))
                continue
            limit = self._limit(run.units)
            text = self._document.text
            units = [piece for unit in run.units for piece in fit(unit, text, self._ruler, limit=limit)]
            for group in pack(kept_together(text, units), limit=limit, overlap=self._overlap):
                chunks.append(self._chunk_of(len(chunks), group))
        return chunks

    def _merged(self, sections: Iterable[Atom | Prose]) -> list[Atom | Prose]:
        """Return the runs with each tiny one joined to the prose beside it, where both fit into one chunk."""
        merged: list[Atom | Prose] = []
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
        # A short introduction joins its first subsection, and a short section its neighbour; but never across a
        # heading of a higher level, under which the text before it does not stand.
        if run.level < before.inner and not run.bare:
            return False
        return before.tokens + run.tokens <= self._limit((*before.units, *run.units))

    def _limit(self, units: Sequence[Unit]) -> int:
        """Return how many tokens a chunk of these units may have beside its context."""
        return self._limit_under(*{unit.headings for unit in units})

    def _limit_under(self, *paths: tuple[str, ...]) -> int:
        seen = self._tokenizer.max_tokens - _SPECIAL_TOKENS
        context = max(map(self._context, paths))
        return max(1, min(self._target, max(seen - context, int(seen * _LEAST_SHARE))))

    def _context(self, headings: tuple[str, ...]) -> int:
        tokens = self._context_tokens.get(headings)
        if tokens is None:
            context = text_in_context(self._name, self._document.metadata.title, headings, "")
            tokens = self._tokenizer.count(context)
            self._context_tokens[headings] = tokens
        return tokens

    def _atomic_chunks(self, ordinal: int, atom: Atom) -> Iterator[Chunk]:
        """Yield the block whole, or in parts where it is so long that one vector would stand for nothing in it."""
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
            page=self._page(start),
            page_end=self._page(end - 1),
            headings=units[0].headings,
            kind=kind,
            tokens=self._ruler.count(start, end),
        )

    def _atomic_chunk(self, ordinal: int, atom: Atom) -> Chunk:
        start, end = atom.start, atom.block.end
        tokens = self._ruler.count(start, end)
        return Chunk(
            ordinal=ordinal,
            start=start,
            end=end,
            text=self._document.text[start:end],
            page=self._page(start),
            page_end=self._page(end - 1),
            headings=atom.headings,
            kind=atom.block.kind,
            tokens=tokens,
            oversize=tokens + self._context(atom.headings) + _SPECIAL_TOKENS > self._tokenizer.max_tokens,
        )

    def _page(self, offset: int) -> int | None:
        pages = self._document.pages
        if not pages:
            return None
        return pages[max(0, bisect_right(self._page_starts, offset) - 1)].number
