"""Long files: stored in parts while they are read, continued after a page that takes too long, resumed after a stop."""

import asyncio
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.diagnosis import Remedy, to_be_treated
from workbench.model.document import Document, DocumentStatus, FailureKind, FindingKind, pages_with
from workbench.model.import_progress import DocumentChanged, PagesRead
from workbench.operations import Library
from workbench.operations.imports.page_reading import stored_document
from workbench.parsing.pdf_parser import PdfParser
from workbench.preparation import PartialReading
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]

PAGES = 40
SLOW = b"0 0 m 10 10 l S\n"
"""Drawing of a line: 100,000 of them take one second of CPU time."""


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a part be stored after the first pages."""
    monkeypatch.setattr("workbench.operations.imports.reader_process.PART_SECONDS", 1e-6)


def _pdf(path: Path, drawn: dict[int, int], pages: int = PAGES) -> Path:
    """Write a PDF with pages that draw these numbers of lines."""
    pdf: Any = pymupdf.open()
    for number in range(1, pages + 1):
        page = pdf.new_page()
        page.insert_text((72, 72), f"The heron number {number} stands in the reeds.")
        if lines := drawn.get(number):
            stream = pdf.get_new_xref()
            pdf.update_object(stream, "<<>>")
            pdf.update_stream(stream, SLOW * lines, new=True, compress=True)
            pdf.xref_set_key(page.xref, "Contents", f"[{page.get_contents()[0]} 0 R {stream} 0 R]")
    pdf.save(path)
    return path


def _only(library: Library) -> Document:
    (document,) = library.documents.list()
    return document


def _stop_at_first_part(library: Library, work: Callable[[JobContext], Any]) -> None:
    """Run an import and cancel it when the first part of a file is stored."""
    stored = asyncio.Event()

    def emit(event: object) -> None:
        if isinstance(event, DocumentChanged) and event.document.pages_of_file:
            stored.set()

    async def stopped() -> None:
        adding = asyncio.ensure_future(work(JobContext(emit)))
        await stored.wait()
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding

    asyncio.run(stopped())


def test_a_page_that_takes_too_long_is_left_out_and_named(library: Library, run: Run, tmp_path: Path) -> None:
    library.setting_values.put("parser_seconds", 1)
    (file,) = run(operations.add_documents(library, [_pdf(tmp_path / "a.pdf", {2: 500_000}, pages=3)]))
    document = _only(library)
    assert (file.outcome, document.pages, pages_with(document.findings, FindingKind.SKIPPED)) == ("ready", 3, {2})
    assert "Page 2 was left out" in " ".join(document.warnings)
    assert [f"number {n} " in library.documents.text(document.id) for n in (1, 2, 3)] == [True, False, True]


def test_the_part_of_a_file_that_a_time_limit_ended_is_embedded_and_keeps_its_remedy(
    library: Library, run: Run, tmp_path: Path, parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.imports.reader_process.MOST_SKIPPED", 0)
    library.setting_values.put("parser_seconds", 1)
    (file,) = run(operations.add_documents(library, [_pdf(tmp_path / "a.pdf", {30: 400_000})]))
    document = _only(library)
    assert (file.outcome, document.status, document.failure) == ("failed", DocumentStatus.READY, FailureKind.TIME)
    assert 0 < document.embedded == document.chunks < PAGES
    # As if it was stopped before its last vector.
    library.intake.set_status([document.id], DocumentStatus.EMBEDDING)
    run(operations.resume_import(library))
    symptom = to_be_treated(_only(library))
    assert symptom is not None
    assert (symptom.remedy, _only(library).reason) == (Remedy.MORE_TIME, document.reason)
    run(operations.reindex_documents(library, [document.id], more_time=True))
    assert (_only(library).pages, _only(library).reason) == (PAGES, "")


@pytest.fixture
def begun_after(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that gets, for each reading of a file, whether it goes on after pages that were read before."""
    begun: list[bool] = []

    def noted(skipped: frozenset[int], seconds: float, page_facts: bytes) -> PartialReading:
        begun.append(bool(page_facts))
        return PartialReading(skipped, seconds, page_facts)

    monkeypatch.setattr("workbench.operations.imports.reader_process.PartialReading", noted)
    return begun


def _content(library: Library) -> tuple[Any, ...]:
    """Return what the library holds of its only document, without the numbers of rows."""
    store, document = library.documents, _only(library)
    chunks = [dataclasses.replace(chunk, id=0, document=0) for chunk in store.chunks(document.id)]
    parsed = stored_document(library, document)
    return parsed, chunks, document.status, document.embedded, document.reason


@pytest.mark.usefixtures("parts")
def test_reading_with_more_time_goes_on_after_the_pages_that_were_read_and_gives_the_document_of_one_reading(
    library: Library,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    begun_after: list[bool],
    embedder: Embedder,
) -> None:
    monkeypatch.setattr("workbench.operations.imports.reader_process.MOST_SKIPPED", 0)
    library.setting_values.put("parser_seconds", 1)
    path = _pdf(tmp_path / "a.pdf", {30: 400_000})
    run(operations.add_documents(library, [path]))
    number = _only(library).id
    assert 0 < _only(library).pages < PAGES
    run(operations.reindex_documents(library, [number], more_time=True))
    assert begun_after == [False, True]
    assert library.intake.page_facts(number, _only(library).sha256, PdfParser.version) == b""
    other = Library.open(tmp_path / "other", embedder=embedder)
    run(operations.add_documents(other, [path]))
    assert _content(library) == _content(other)
    other.close()


@pytest.mark.usefixtures("parts")
def test_a_file_that_was_changed_after_its_reading_was_stopped_is_read_from_its_first_page(
    library: Library, run: Run, tmp_path: Path, begun_after: list[bool]
) -> None:
    path = _pdf(tmp_path / "a.pdf", dict.fromkeys(range(1, PAGES + 1), 5_000))
    _stop_at_first_part(library, operations.add_documents(library, [path]))
    _pdf(path, {}, pages=3)
    run(operations.add_documents(library, [path]))
    assert (begun_after, _only(library).pages) == ([False, False], 3)


def test_a_file_that_keeps_making_progress_may_take_longer_than_the_time_limit(
    library: Library, run: Run, tmp_path: Path
) -> None:
    library.setting_values.put("parser_seconds", 1)
    (file,) = run(operations.add_documents(library, [_pdf(tmp_path / "a.pdf", dict.fromkeys(range(1, 9), 25_000), 8)]))
    assert (file.outcome, pages_with(_only(library).findings, FindingKind.SKIPPED)) == ("ready", set())


@pytest.mark.usefixtures("parts")
def test_a_stop_leaves_the_pages_that_were_read_and_reading_again_brings_the_rest(
    library: Library, run: Run, tmp_path: Path, begun_after: list[bool]
) -> None:
    path = _pdf(tmp_path / "a.pdf", dict.fromkeys(range(1, PAGES + 1), 5_000))
    _stop_at_first_part(library, operations.add_documents(library, [path]))
    left = _only(library)
    assert (left.status, left.pages_of_file) == (DocumentStatus.INDEXED, PAGES)
    assert 0 < left.pages < PAGES
    assert left.reason == "Its reading was stopped; the pages that were read are searched."
    assert left.failure is FailureKind.CANCELLED
    hits = run(operations.search(library, "heron number 1")).hits
    assert hits[0].chunk.document == left.id
    (file,) = run(operations.add_documents(library, [path]))
    assert begun_after == [False, True]
    whole = _only(library)
    assert (file.outcome, whole.pages, whole.pages_of_file, whole.id) == ("ready", PAGES, 0, left.id)


@pytest.mark.usefixtures("parts")
def test_a_file_interrupted_by_closing_the_library_is_resumed_at_the_next_start(
    library: Library, run: Run, tmp_path: Path
) -> None:
    path = _pdf(tmp_path / "a.pdf", dict.fromkeys(range(1, PAGES + 1), 5_000))
    library.closing = True
    _stop_at_first_part(library, operations.add_documents(library, [path]))
    library.closing = False
    left = _only(library)
    assert (left.status, left.pages_of_file) == (DocumentStatus.PARSING, PAGES)
    run(operations.resume_import(library))
    whole = _only(library)
    assert (whole.status, whole.pages, whole.pages_of_file) == (DocumentStatus.READY, PAGES, 0)


def test_page_progress_is_reported_while_a_long_file_is_read(
    library: Library, run: Run, tmp_path: Path, events: list[Any]
) -> None:
    run(operations.add_documents(library, [_pdf(tmp_path / "a.pdf", dict.fromkeys(range(1, 9), 5_000), pages=8)]))
    told = [event for event in events if isinstance(event, PagesRead)]
    assert {(event.document, event.total) for event in told} == {(_only(library).id, 8)}
