"""Cited pages of a session: each page once, with all passages marked that any answer cites on it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.export.base import PageImage, drawn
from workbench.export.run_transcript import Footnote, footnotes
from workbench.language import translate
from workbench.model.hit import Citation
from workbench.model.session import Session
from workbench.parsing.mupdf import mupdf

PageKey = tuple[int | None, str, int | None]
"""Document id, document name and page."""


@dataclass(frozen=True, slots=True)
class CitedPage:
    """Picture of a page.

    Attributes:
        name: Name of the document, and the page in words.
        png: The picture with all cited passages marked.
        sources: Questions by number from 1, each with a footnote on the page.
    """

    name: str
    png: bytes
    sources: tuple[tuple[int, Footnote], ...]

    @property
    def shape(self) -> float:
        """Height of the picture divided by its width."""
        width, height = (int.from_bytes(self.png[at : at + 4], "big") for at in (16, 20))
        return height / max(1, width)


class CitedPages:
    """Pictures of the cited pages of a session, drawn when they are first needed."""

    def __init__(self, session: Session, draw: PageImage) -> None:
        self._draw = draw
        self._sources: dict[PageKey, list[tuple[int, Footnote]]] = {}
        self._pages: dict[PageKey, CitedPage | None] = {}
        for number, run in enumerate(session.runs, start=1):
            for note in footnotes(run, number=number):
                self._sources.setdefault(_key(note.citation), []).append((number, note))

    def __iter__(self) -> Iterator[CitedPage]:
        """Yield the pages that can be drawn, in the order in which they are first cited."""
        for key in self._sources:
            page = self._page(key)
            if page is not None:
                yield page

    def of(self, citation: Citation) -> CitedPage | None:
        """Return the page of a citation; None if it cannot be drawn."""
        return self._page(_key(citation))

    def _page(self, key: PageKey) -> CitedPage | None:
        if key not in self._pages:
            self._pages[key] = self._draw_page(self._sources.get(key, []))
        return self._pages[key]

    def _draw_page(self, sources: Sequence[tuple[int, Footnote]]) -> CitedPage | None:
        passages = {(note.citation.start, note.citation.end): note.citation for _, note in sources}
        pictures = [png for citation in passages.values() if (png := drawn(self._draw, citation))]
        if not pictures:
            return None
        citation = sources[0][1].citation
        name = ", ".join(part for part in (citation.document_name, translate(citation.place)) if part)
        return CitedPage(name, merge_marks(pictures), tuple(sources))


def merge_marks(pictures: Sequence[bytes]) -> bytes:
    """Return one picture with the marks of several pictures of the same page, as PNG.

    A mark only darkens paper, so that the darkest color of each pixel is that of the page with all marks.
    """
    first, *others = dict.fromkeys(pictures)
    if not others:
        return first
    page: Any = mupdf().Pixmap(first)
    pixels = np.frombuffer(page.samples, np.uint8)
    for png in others:
        other: Any = mupdf().Pixmap(png)
        if (other.width, other.height, other.n) == (page.width, page.height, page.n):
            pixels = np.minimum(pixels, np.frombuffer(other.samples, np.uint8))
    merged: Any = mupdf().Pixmap(page.colorspace, page.width, page.height, pixels.tobytes(), bool(page.alpha))
    return bytes(merged.tobytes("png"))


def _key(citation: Citation) -> PageKey:
    return citation.document, citation.document_name, citation.page
