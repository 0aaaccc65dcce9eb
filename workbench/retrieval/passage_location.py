"""Lookup of the chunks at a place in a document, or of the reason why no search can find it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.errors import NotFound
from workbench.language import mark
from workbench.model.chunk import Chunk
from workbench.model.document import Document, DocumentStatus, FindingKind, Page, pages_with, place
from workbench.model.explanation import Advice, AdviceKind, DocumentSpot, Stage

_CAN_BE_READ_BY_OCR = ("pdf", "image")
_PARTS = (mark("pages"), mark("slides"), mark("sheets"), mark("chapters"), mark("messages"), mark("cells"))
"""Parts that a format may lack, marked for translation."""


class LocatedContents(Protocol):
    """Contents of documents; implemented in store/documents.py."""

    def text(self, id: int) -> str:
        """Return the whole text."""
        ...

    def pages(self, id: int) -> Sequence[Page]:
        """Return all pages."""
        ...

    def chunks(self, id: int) -> Sequence[Chunk]:
        """Return the chunks in order."""
        ...


@dataclass(frozen=True, slots=True)
class PassageLocation:
    """Location of a place: its characters, and the chunks that contain them.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
        chunks: Chunks in order; empty if the place cannot be searched.
        stage: Stage at which it was lost, if chunks is empty.
        sentence: Explanation for the user, if chunks is empty.
        advice: Remedies; also present for a searchable place whose text differs from the visible page.
    """

    start: int = 0
    end: int = 0
    chunks: tuple[Chunk, ...] = ()
    stage: Stage = Stage.FOUND
    sentence: str = ""
    advice: tuple[Advice, ...] = ()


def locate_in_bin(document: Document) -> PassageLocation:
    """Return the location for a document in the bin."""
    text = mark("Take it out of the bin again: “File › Bin…”, or “workbench bin --restore”.")
    sentence = mark(f"“{document.name}” lies in the bin, so nothing in it is searched.")
    return _make_lost(Stage.BINNED, sentence, Advice(AdviceKind.RESTORE, text))


def locate(document: Document, contents: LocatedContents, spot: DocumentSpot) -> PassageLocation:
    """Return the chunks that contain a place in a document, or the reason why there are none.

    Raises:
        NotFound: The document has no such page, or fewer characters.
    """
    if not document.chunks:
        return _explain_status(document)
    text = contents.text(document.id)
    if spot.page is not None:
        start, end = _span_of_page(document, contents.pages(document.id), spot.page)
    elif spot.quote.strip():
        span = find_quote(text, spot.quote) or _find_in_edited(contents.chunks(document.id), spot.quote)
        if span is None:
            return _explain_missing_quote(document)
        start, end = span
    else:
        start, end = spot.start or 0, len(text) if spot.end is None else spot.end
    if not 0 <= start <= end <= len(text):
        raise NotFound(f"“{document.name}” has no characters {start} to {end}.", f"It has {len(text):,}.")
    if not text[start:end].strip():
        return _explain_blank(document, contents, start, end, spot.page)
    chunks = tuple(chunk for chunk in contents.chunks(document.id) if chunk.start < end and chunk.end > start)
    if not chunks:
        sentence = mark("This part of the text stands in no chunk, so no search sees it.")
        advice = Advice(AdviceKind.READ_AGAIN, mark("Have the document read again."))
        return PassageLocation(start, end, (), Stage.NO_CHUNK, sentence, (advice,))
    enabled = tuple(chunk for chunk in chunks if not chunk.disabled)
    if not enabled:
        sentence = mark("You disabled this passage, so no search sees it.")
        text = mark("Enable it: the menu of the passage does, and “workbench chunk enable”.")
        advice = Advice(AdviceKind.ENABLE, text)
        return PassageLocation(start, end, (), Stage.DISABLED, sentence, (advice,))
    chunks = enabled
    garbled = pages_with(document.findings, FindingKind.GARBLED) & _pages_of(chunks)
    scan = _advise_ocr(document, tuple(sorted(garbled))) if garbled else None
    return PassageLocation(start, end, chunks, advice=(scan,) if scan else ())


def _find_in_edited(chunks: Sequence[Chunk], quote: str) -> tuple[int, int] | None:
    """Return the source span of a chunk whose edited text contains a quote; None if no edited chunk does."""
    written = (chunk for chunk in chunks if chunk.is_edited and find_quote(chunk.text, quote))
    return next(((chunk.start, chunk.end) for chunk in written), None)


def _pages_of(chunks: Sequence[Chunk]) -> set[int]:
    spans = ((chunk.page, chunk.page_end or chunk.page) for chunk in chunks)
    return {page for first, last in spans if first and last for page in range(first, last + 1)}


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return the span of a quote in a text, ignoring differences in white space; None if it does not occur."""
    words = quote.split()
    match = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE) if words else None
    if match is None:
        return None
    return match.start(), match.end()


def _make_lost(stage: Stage, sentence: str, *advice: Advice | None) -> PassageLocation:
    return PassageLocation(stage=stage, sentence=sentence, advice=tuple(one for one in advice if one is not None))


def _explain_status(document: Document) -> PassageLocation:
    """Return the explanation for a document without chunks."""
    name = document.name
    scan = _advise_ocr(document, ())
    match document.status:
        case DocumentStatus.LOCKED:
            unlock = Advice(AdviceKind.UNLOCK, document.hint or mark("Give its password, and it is read."))
            return _make_lost(Stage.LOCKED, mark(f"“{name}” is locked by a password, so it was not read."), unlock)
        case DocumentStatus.FAILED:
            again = Advice(AdviceKind.READ_AGAIN, document.hint) if document.hint else None
            reason = document.reason or mark("it failed.")
            return _make_lost(Stage.FAILED, mark(f"“{name}” was not read: {reason}"), again, scan)
        case DocumentStatus.READY | DocumentStatus.INDEXED | DocumentStatus.EMBEDDING:
            return _make_lost(Stage.NO_TEXT, mark(f"No text was found in “{name}”."), scan)
    wait = mark("Wait until it is read; “Read first” in its menu puts it before the others.")
    sentence = mark(f"“{name}” has not been read yet: it waits for its turn.")
    return _make_lost(Stage.NOT_READ, sentence, Advice(AdviceKind.WAIT, wait))


def _span_of_page(document: Document, pages: Sequence[Page], number: int) -> tuple[int, int]:
    page = next((page for page in pages if page.number == number), None)
    if page is None:
        kind = document.page_kind
        has = mark(f"It has {len(pages)}.")
        if not pages:
            has = mark(f"Its format has no {kind.plural}: quote some of its words instead.")
        raise NotFound(f"“{document.name}” has no {place(kind, number)}.", has)
    return page.start, page.end


def _explain_missing_quote(document: Document) -> PassageLocation:
    scan = _advise_ocr(document, tuple(sorted(_unread_pages(document))))
    again = Advice(AdviceKind.READ_AGAIN, mark("Look at “Document check”: it tells what was lost when it was read."))
    sentence = mark(f"These words do not stand in the text that was read of “{document.name}”.")
    return _make_lost(Stage.NO_TEXT, sentence, scan or again)


def _explain_blank(
    document: Document, contents: LocatedContents, start: int, end: int, number: int | None
) -> PassageLocation:
    """Return the explanation for a place without text, which is usually a page that is an image."""
    if number is None:
        pages = contents.pages(document.id)
        number = next((page.number for page in pages if page.start <= start <= page.end), None)
    if number is None:
        return PassageLocation(start, end, (), Stage.NO_TEXT, mark("There is no text at this place."))
    scan = _advise_ocr(document, (number,))
    sentence = mark(f"No text was read of {place(document.page_kind, number)}, so no search sees it.")
    return PassageLocation(start, end, (), Stage.NO_TEXT, sentence, (scan,) if scan else ())


def _unread_pages(document: Document) -> set[int]:
    return pages_with(document.findings, FindingKind.NO_TEXT, FindingKind.GARBLED, FindingKind.IMAGES)


def _advise_ocr(document: Document, pages: tuple[int, ...]) -> Advice | None:
    """Return the advice to read pages by OCR; None if the format has no page images or all text was read."""
    if document.format not in _CAN_BE_READ_BY_OCR or not (pages or _unread_pages(document)):
        return None
    named = place(document.page_kind, pages[0]) if len(pages) == 1 else mark("its pages without text")
    text = mark(f"Have {named} read by OCR: “Document check” has a button for it.")
    return Advice(AdviceKind.OCR, text, pages=pages)
