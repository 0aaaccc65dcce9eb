"""Context of a chunk in its document: its neighbours, its whole section, and the sections inside it.

Derived from the headings that are stored with a document; a chunk's heading path holds the words of those above it.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Protocol

from workbench.chunking.block_runs import caption_in, is_introduced_by
from workbench.errors import NotFound
from workbench.model.chunk import Chunk, Stretch
from workbench.model.document import BlockKind, Headings
from workbench.model.hit import HeadingPath
from workbench.retrieval.markdown_stripping import strip_markdown

MOST_TOKENS = 2000
"""Maximum length of a section, counted by the embedder's tokenizer; a longer one is cut around the chunk."""


class NeighbourSource(Protocol):
    """Chunks and text of a document; implemented in store/documents.py."""

    def chunks(self, id: int) -> list[Chunk]:
        """Return the document's chunks in order."""
        ...

    def text(self, id: int) -> str:
        """Return the document's whole text."""
        ...


class ChunkContextReader:
    """Reads the surroundings of chunks. Blocking; safe to call from several threads."""

    def __init__(self, documents: NeighbourSource) -> None:
        self._documents = documents

    def neighbours(self, chunk: Chunk, before: int = 1, after: int = 1) -> Stretch:
        """Return a chunk with this many before and after it; fewer at the ends of the document.

        Raises:
            NotFound: The chunk is no longer in the library.
        """
        chunks, place = self._locate_chunk(chunk)
        return self._make_stretch(chunks, max(0, place - max(0, before)), min(len(chunks) - 1, place + max(0, after)))

    def section(self, chunk: Chunk, *, most_tokens: int = MOST_TOKENS) -> Stretch:
        """Return the section that contains a chunk, including its subsections.

        A section with more tokens is cut: the text nearest to the chunk is kept.

        Raises:
            NotFound: The chunk is no longer in the library.
        """
        chunks, place = self._locate_chunk(chunk)
        first, last = section_bounds(chunks, place)
        kept_first, kept_last = within(chunks, place, first, last, most_tokens)
        return self._make_stretch(chunks, kept_first, kept_last, is_cut=(kept_first, kept_last) != (first, last))

    def _locate_chunk(self, chunk: Chunk) -> tuple[list[Chunk], int]:
        chunks = self._documents.chunks(chunk.document)
        for place, one in enumerate(chunks):
            # Compare offsets in the text: an update may have changed the ids.
            if (one.start, one.end) == (chunk.start, chunk.end):
                return chunks, place
        raise NotFound("This passage is no longer in the library.", "Search again.")

    def _make_stretch(self, chunks: Sequence[Chunk], first: int, last: int, *, is_cut: bool = False) -> Stretch:
        start, end = chunks[first].start, max(chunk.end for chunk in chunks[first : last + 1])
        text = _apply_edits(self._documents.text(chunks[first].document), start, end, chunks[first : last + 1])
        return Stretch(chunks[first].document, start, end, text, chunks[first].ordinal, chunks[last].ordinal, is_cut)


def _apply_edits(text: str, start: int, end: int, chunks: Sequence[Chunk]) -> str:
    """Return text[start:end] with the user's edits applied and disabled chunks removed."""
    parts: list[str] = []
    for chunk in chunks:
        if (chunk.is_edited or chunk.disabled) and chunk.start >= start:
            parts += [text[start : chunk.start], "" if chunk.disabled else chunk.text]
            start = chunk.end
    return "".join([*parts, text[start:end]])


def section_bounds(chunks: Sequence[Chunk], place: int) -> tuple[int, int]:
    """Return the first and the last chunk of the section that contains the chunk at an index."""
    path = _section_path(chunks, place)

    def belongs(at: int) -> bool:
        other = _section_path(chunks, at)
        return other[: len(path)] == path if path else not other

    first = last = place
    while first > 0 and belongs(first - 1):
        first -= 1
    while last + 1 < len(chunks) and belongs(last + 1):
        last += 1
    return first, last


def _section_path(chunks: Sequence[Chunk], place: int) -> tuple[str, ...]:
    """Return the heading path of a chunk; the introduction of a table does not start a section."""
    chunk, before = chunks[place], chunks[max(place - 1, 0)]
    if chunk.kind is not BlockKind.TABLE or not chunk.headings or place == 0:
        return chunk.headings
    if before.kind is BlockKind.TABLE and not caption_in(chunk.slice):
        # It continues the table above, or follows it under the same heading.
        return _section_path(chunks, place - 1)
    if before.headings == chunk.headings:
        return chunk.headings
    return chunk.headings[:-1] if is_introduced_by(chunk.headings[-1], before.slice) else chunk.headings


def within(chunks: Sequence[Chunk], place: int, first: int, last: int, most_tokens: int) -> tuple[int, int]:
    """Return the part of first to last around a chunk with at most this many tokens; the chunk itself always stays."""
    low = high = place
    left = most_tokens - chunks[place].tokens
    open_before, open_after = low > first, high < last
    while open_before or open_after:
        # Alternate, starting with the text after the chunk: it is needed more often than the text before.
        if open_after:
            open_after = chunks[high + 1].tokens <= left
            if open_after:
                high += 1
                left -= chunks[high].tokens
                open_after = high < last
        if open_before:
            open_before = chunks[low - 1].tokens <= left
            if open_before:
                low -= 1
                left -= chunks[low].tokens
                open_before = low > first
    return low, high


_ATX = re.compile(r"[^\S\n]{0,3}#{1,6}[^\S\n]+(?P<words>[^\n]*?)(?:[^\S\n]+#+)?\s*")
_UNDERLINED = re.compile(r"(?P<words>.+?)\s*\n[^\S\n]{0,3}(?:=+|-+)\s*", re.DOTALL)


def sections_in(chunk: Chunk, headings: Headings) -> tuple[HeadingPath, ...]:
    """Return the second and all further sections of a chunk; empty if all of it is under its own heading path.

    Args:
        chunk: Chunk as stored.
        headings: All headings of its document.
    """
    first, last = (bisect_left(headings.starts, place) for place in (chunk.start, chunk.end))
    if first == last or chunk.kind.is_atomic:
        return ()
    groups = _group_headings(chunk, headings, first, last)
    above = first - 1
    if not chunk.slice[: headings.starts[first] - chunk.start].strip():
        # The chunk begins with headings: its own path is that of the text after them.
        above = groups.pop(0)[-1]
    opened = headings.path(above)
    if len(opened) != len(chunk.headings):
        return ()  # the user merged it, or its source text was parsed differently
    words = dict(zip(opened, chunk.headings, strict=True))
    sections = []
    for group in groups:
        for place in group:
            start, end = headings.starts[place], headings.ends[place]
            words[place] = heading_words(chunk.slice[start - chunk.start : end - chunk.start])
        path = tuple(words.get(place, "") for place in headings.path(group[-1]))
        sections.append(HeadingPath(headings.starts[group[0]], path))
    return tuple(sections)


def _group_headings(chunk: Chunk, headings: Headings, first: int, last: int) -> list[list[int]]:
    """Return the indices of a chunk's headings; headings without text between them form one group."""
    groups = [[first]]
    for place in range(first + 1, last):
        between = chunk.slice[headings.ends[place - 1] - chunk.start : headings.starts[place] - chunk.start]
        if between.strip():
            groups.append([place])
        else:
            groups[-1].append(place)
    return groups


def heading_words(text: str) -> str:
    """Return the words of a heading as spelled in its document, on one line and without Markdown marks."""
    marked = _ATX.fullmatch(text) or _UNDERLINED.fullmatch(text)
    return " ".join((strip_markdown(marked["words"]).text if marked else text).split())
