"""A document and some of its pages as OCR read them -> the document with their text, and findings that say so."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence

from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, Page, ParsedDocument, pages_with
from workbench.parsing.ocr_layout import Fragment, fragments
from workbench.parsing.ocr_page import ReadPage
from workbench.parsing.ocr_splice import spliced
from workbench.parsing.pdf_findings import no_text_warning

_AGREES = 0.8
"""Of the characters: a text layer that says what OCR reads is good, whatever it looked like."""

_SURE = 0.75
"""Confidence from which on OCR is believed more than a text layer that looks garbled."""

_UNSURE = mark("OCR was not sure of what it read there, so that the text was left as it is.")


def with_read_pages(document: ParsedDocument, read: Sequence[ReadPage], failure: str = "") -> ParsedDocument:
    """Return the document with the text of pages that OCR read.

    What a page has as text stays, and only lines that stand elsewhere on it are added. The text of a page gives way
    when it is garbled and OCR reads something else, or was read by OCR before.

    Args:
        document: As the library has it.
        read: Pages of it, in order.
        failure: Why others could not be read, as a sentence; told with the findings on what is left.
    """
    garbled = pages_with(document.findings, FindingKind.GARBLED)
    pages = {page.number: page for page in document.pages}
    read = [one for one in read if one.number in pages]
    replaced = {one.number for one in read if one.number in garbled or pages[one.number].ocr}
    known = {one.number: pages[one.number].words for one in read if one.number not in replaced}
    found = {fragment.page: fragment for fragment in fragments(read, known)}
    keeping: set[int] = set()
    agreeing: set[int] = set()
    for one in read:
        own = document.text[pages[one.number].start : pages[one.number].end]
        if one.number in replaced and own.strip():
            if one.number in garbled and _agrees(own, found[one.number].text):
                agreeing.add(one.number)
            elif one.confidence < _SURE or not found[one.number].text:
                keeping.add(one.number)
    put_in = {number: fragment for number, fragment in found.items() if number not in agreeing | keeping}
    result = spliced(document, put_in, replaced=replaced)
    done = put_in.keys() | agreeing
    findings = _findings(result, done, failure, _UNSURE if keeping else "")
    return dataclasses.replace(
        result,
        metadata=_metadata(document, put_in.values()),
        findings=findings,
        warnings=_warnings(document, findings),
    )


def with_pages_kept(document: ParsedDocument, older: ParsedDocument) -> ParsedDocument:
    """Return a document that was read again, with the pages that OCR read when it was read before.

    Args:
        document: As it is now.
        older: As it was, with pages of OCR.
    """
    pages = {page.number: page for page in document.pages}
    kept = {page.number: _fragment(older, page) for page in older.pages if page.ocr and page.number in pages}
    reasons = {one.kind: one.detail for one in older.findings}
    result = spliced(document, kept, replaced=kept)
    findings = _findings(result, set(kept), reasons.get(FindingKind.NO_TEXT, ""), reasons.get(FindingKind.GARBLED, ""))
    return dataclasses.replace(result, findings=findings, warnings=_warnings(document, findings))


def _fragment(document: ParsedDocument, page: Page) -> Fragment:
    """Return a page's part of a document, as it would be put into another."""
    start, end = page.start, page.end
    blocks = [
        dataclasses.replace(block, start=max(block.start, start) - start, end=min(block.end, end) - start)
        for block in document.blocks
        if block.start < end and block.end > start
    ]
    words = [dataclasses.replace(word, start=word.start - start, end=word.end - start) for word in page.words]
    return Fragment(page.number, document.text[start:end], tuple(blocks), tuple(words))


def _agrees(text: str, other: str) -> bool:
    ours, theirs = Counter("".join(text.split())), Counter("".join(other.split()))
    return 2 * (ours & theirs).total() >= _AGREES * (ours.total() + theirs.total())


def _findings(document: ParsedDocument, done: set[int], failure: str, doubt: str) -> tuple[Finding, ...]:
    """Return the findings of a document of which some pages are done, with the reason for what is left."""
    reasons = {FindingKind.NO_TEXT: failure, FindingKind.GARBLED: doubt or failure}
    found: list[Finding] = []
    for finding in document.findings:
        if finding.kind in (FindingKind.OCR, FindingKind.TABLES):
            continue
        if finding.kind in (FindingKind.NO_TEXT, FindingKind.GARBLED, FindingKind.IMAGES) and done & {*finding.pages}:
            left = tuple(page for page in finding.pages if page not in done)
            finding = dataclasses.replace(finding, pages=left, count=min(finding.count, len(left)))
            if not left:
                continue
        if finding.kind in reasons:
            finding = dataclasses.replace(finding, detail=reasons[finding.kind])
        found.append(finding)
    tables = [block for block in document.blocks if block.kind is BlockKind.TABLE]
    if tables:
        places = tuple(sorted({block.page for block in tables if block.page is not None}))
        found.append(Finding(FindingKind.TABLES, places, len(tables)))
    read = [page for page in document.pages if page.ocr]
    if read:
        found.append(Finding(FindingKind.OCR, tuple(page.number for page in read), len(read), _without_text(read)))
    return tuple(found)


def _without_text(read: Sequence[Page]) -> str:
    empty = sum(1 for page in read if page.start == page.end)
    return mark(f"on {empty} of them no text was found") if empty else ""


def _warnings(document: ParsedDocument, findings: Sequence[Finding]) -> tuple[str, ...]:
    def sentence(of: Sequence[Finding]) -> str:
        missing = sorted(pages_with(of, FindingKind.NO_TEXT))
        return no_text_warning(missing) if missing else ""

    before, now = sentence(document.findings), sentence(findings)
    warnings = [now if warning == before else warning for warning in document.warnings]
    return tuple(warning for warning in warnings if warning)


def _metadata(document: ParsedDocument, put_in: Iterable[Fragment]) -> Metadata:
    """Return the metadata; a scan that has only its file's name for a title takes its first heading."""
    if document.text.strip():
        return document.metadata
    for fragment in put_in:
        heading = next((block for block in fragment.blocks if block.kind is BlockKind.HEADING), None)
        if fragment.page == 1 and heading is not None and document.format == "pdf":
            title = " ".join(fragment.text[heading.start : heading.end].split())
            return dataclasses.replace(document.metadata, title=title)
    return document.metadata
