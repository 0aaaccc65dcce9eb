"""Context of a chunk in its document: its neighbours, its whole section, and the sections inside it.

Derived from the headings that are stored with a document; the paths of a chunk hold the words of those above it.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Protocol

from workbench.chunking.runs import caption_in, is_introduced_by
from workbench.errors import NotFound
from workbench.model.chunk import Chunk, Stretch
from workbench.model.document import BlockKind, Headings
from workbench.model.hit import HeadingPath
from workbench.retrieval.markdown_stripping import strip_markdown

MOST_TOKENS = 2000
"""Of a section, by the embedder's count; a longer one is cut around the chunk."""


class NeighbourSource(Protocol):
    """The chunks and the text of a document; store/documents.py."""

    def chunks(self, id: int) -> list[Chunk]:
        """Return its chunks in order."""
        ...

    def text(self, id: int) -> str:
        """Return its whole text."""
        ...


class ChunkContextReader:
    """Reads what stands around chunks. Blocking; safe to call from several threads."""

    def __init__(self, documents: NeighbourSource) -> None:
        self._documents = documents

    def neighbours(self, chunk: Chunk, before: int = 1, after: int = 1) -> Stretch:
        """Return a chunk with so many before and after it, fewer at the ends of the document.

        Raises:
            NotFound: The chunk is no longer in the library.
        """
        chunks, place = self._around(chunk)
        return self._stretch(chunks, max(0, place - max(0, before)), min(len(chunks) - 1, place + max(0, after)))

    def section(self, chunk: Chunk, *, most_tokens: int = MOST_TOKENS) -> Stretch:
        """Return the section in which a chunk stands, with what stands under headings of its own in it.

        A section of more tokens is cut: what stands nearest to the chunk is kept.

        Raises:
            NotFound: The chunk is no longer in the library.
        """
        chunks, place = self._around(chunk)
        first, last = section_bounds(chunks, place)
        kept_first, kept_last = within(chunks, place, first, last, most_tokens)
        return self._stretch(chunks, kept_first, kept_last, is_cut=(kept_first, kept_last) != (first, last))

    def _around(self, chunk: Chunk) -> tuple[list[Chunk], int]:
        chunks = self._documents.chunks(chunk.document)
        for place, one in enumerate(chunks):
            # By its place in the text: after an update the numbers may be others.
            if (one.start, one.end) == (chunk.start, chunk.end):
                return chunks, place
        raise NotFound("This passage no longer stands in the library.", "Search again.")

    def _stretch(self, chunks: Sequence[Chunk], first: int, last: int, *, is_cut: bool = False) -> Stretch:
        start, end = chunks[first].start, max(chunk.end for chunk in chunks[first : last + 1])
        text = _as_edited(self._documents.text(chunks[first].document), start, end, chunks[first : last + 1])
        return Stretch(chunks[first].document, start, end, text, chunks[first].ordinal, chunks[last].ordinal, is_cut)


def _as_edited(text: str, start: int, end: int, chunks: Sequence[Chunk]) -> str:
    """Return text[start:end] with what the user wrote in the place of it, and without what they switched off."""
    parts: list[str] = []
    for chunk in chunks:
        if (chunk.is_edited or chunk.disabled) and chunk.start >= start:
            parts += [text[start : chunk.start], "" if chunk.disabled else chunk.text]
            start = chunk.end
    return "".join([*parts, text[start:end]])


def section_bounds(chunks: Sequence[Chunk], place: int) -> tuple[int, int]:
    """Return the first and the last chunk of the section in which the chunk at a place stands."""
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
    """Return the headings over a chunk; what introduces a table opens no section."""
    chunk, before = chunks[place], chunks[max(place - 1, 0)]
    if chunk.kind is not BlockKind.TABLE or not chunk.headings or place == 0:
        return chunk.headings
    if before.kind is BlockKind.TABLE and not caption_in(chunk.slice):
        # It goes on with the table above, or stands below it under the same heading.
        return _section_path(chunks, place - 1)
    if before.headings == chunk.headings:
        return chunk.headings
    return chunk.headings[:-1] if is_introduced_by(chunk.headings[-1], before.slice) else chunk.headings


def within(chunks: Sequence[Chunk], place: int, first: int, last: int, most_tokens: int) -> tuple[int, int]:
    """Return the part of first to last around a place that has no more than so many tokens; the chunk itself always."""
    low = high = place
    left = most_tokens - chunks[place].tokens
    open_before, open_after = low > first, high < last
    while open_before or open_after:
        # By turns, what follows first: a passage is more often read on than back.
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
    """Return the second and each further section of a chunk; none where all of it stands under its own path.

    Args:
        chunk: As it is stored.
        headings: All of its document.
    """
    first, last = (bisect_left(headings.starts, place) for place in (chunk.start, chunk.end))
    if first == last or chunk.kind.is_atomic:
        return ()
    groups = _groups(chunk, headings, first, last)
    above = first - 1
    if not chunk.slice[: headings.starts[first] - chunk.start].strip():
        # The chunk's own path is that of what follows the headings with which it begins.
        above = groups.pop(0)[-1]
    opened = headings.path(above)
    if len(opened) != len(chunk.headings):
        return ()  # the user merged it, or what it was cut from was read otherwise
    words = dict(zip(opened, chunk.headings, strict=True))
    sections = []
    for group in groups:
        for place in group:
            start, end = headings.starts[place], headings.ends[place]
            words[place] = heading_words(chunk.slice[start - chunk.start : end - chunk.start])
        path = tuple(words.get(place, "") for place in headings.path(group[-1]))
        sections.append(HeadingPath(headings.starts[group[0]], path))
    return tuple(sections)


def _groups(chunk: Chunk, headings: Headings, first: int, last: int) -> list[list[int]]:
    """Return the places of the headings of a chunk, those together between which nothing stands."""
    groups = [[first]]
    for place in range(first + 1, last):
        between = chunk.slice[headings.ends[place - 1] - chunk.start : headings.starts[place] - chunk.start]
        if between.strip():
            groups.append([place])
        else:
            groups[-1].append(place)
    return groups


def heading_words(text: str) -> str:
    """Return the words of a heading as its document has it, on one line and without Markdown's marks."""
    marked = _ATX.fullmatch(text) or _UNDERLINED.fullmatch(text)
    return " ".join((strip_markdown(marked["words"]).text if marked else text).split())
