"""The sections inside a chunk: several short ones are cut as one, and each place in it has a heading path of its own.

Derived from the headings that are stored with a document; the paths of a chunk hold the words of those above it.
"""

import re
from bisect import bisect_left

from workbench.model.chunk import Chunk
from workbench.model.document import Headings
from workbench.model.hit import HeadingPath
from workbench.retrieval.plain_reading import plain_reading

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
    return " ".join((plain_reading(marked["words"]).text if marked else text).split())
