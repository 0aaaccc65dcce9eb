"""Tables that the fast parser misses: found by the layout model, and the document read again with them."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from second_reading import add_and_cancel_at_the_first_page, only, pages

from workbench import operations
from workbench.errors import DiskFull, DocumentError, EmbeddingError, LayoutUnavailable
from workbench.model.diagnosis import Remedy
from workbench.model.document import BlockKind, Document, DocumentStatus, FindingKind
from workbench.model.import_progress import DocumentChanged, FileOutcome, ImportProgress, PageRead
from workbench.operations import Library
from workbench.operations.imports.page_reading import PageReader, TableReader, UnfinishedDocument
from workbench.operations.imports.progress import Progress
from workbench.operations.imports.second_pass import SecondPass
from workbench.operations.imports.temp_files import staging_of
from workbench.parsing.ocr_engines import OcrLine
from workbench.parsing.ocr_page import ReadPage
from workbench.parsing.pdf_parser import PdfParser
from workbench.parsing.pdf_tables import Grid
from workbench.preparation import with_tables
from workbench.worker.job import JobContext, Operation

Run = Callable[[Operation[Any]], Any]
PROSE = "Ferry {} stayed in port for {} days while the keeper of the light bought oil for the winter."
HARBOURS = (
    ("Harbour", "Depth", "Opened", "Boats"),
    ("Lindhamn", "12.5 m", "in 1887", "40 boats"),
    ("Hirtshals", "11.0 m", "in 1930", "75 boats"),
    ("Thorshav", "10.5 m", "in 1866", "60 boats"),
    ("Klaksvik", "14.0 m", "in 1902", "55 boats"),
)
COLUMNS = ((60.0, 110.0), (112.0, 150.0), (152.0, 194.0), (196.0, 260.0))
"""Columns so close to one another that the words of a row seem to be one line of text."""
GRID: Grid = tuple(
    tuple((x0, 181.0 + 14 * row, x1, 194.0 + 14 * row) for x0, x1 in COLUMNS) for row in range(len(HARBOURS))
)
ROWS = "\n".join(f"| {' | '.join(row)} |" for row in (HARBOURS[0], ("---",) * 4, *HARBOURS[1:]))


def add_page(pdf: Any, *, table: bool = True) -> None:
    page = pdf.new_page()
    for row in range(6):
        page.insert_text((60, 60 + 14 * row), PROSE.format(page.number + 1, row), fontsize=10)
    for row, cells in enumerate(HARBOURS if table else ()):
        for (x0, _), cell in zip(COLUMNS, cells, strict=True):
            page.insert_text((x0, 190 + 14 * row), cell, fontsize=10)
    if table:
        page.insert_text((60, 170), f"Table {page.number + 1}: Harbours in the north", fontsize=10)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Return a PDF with tables on its first and third page that are parsed as lines, and none on the second."""
    with pymupdf.open() as pdf:
        for has_table in (True, False, True):
            add_page(pdf, table=has_table)
        pdf.save(tmp_path / "book.pdf")
    return tmp_path / "book.pdf"


@pytest.fixture
def scanned_book(book: Path) -> Path:
    """Return the same PDF with a scanned page at its end."""
    with pymupdf.open(book) as pdf:
        picture = pdf[1].get_pixmap(dpi=72)
        pdf.new_page().insert_image(pdf[3].rect, pixmap=picture)
        pdf.save(book.with_name("scanned.pdf"))
    return book.with_name("scanned.pdf")


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Replace the layout model by a function, and return the list of pages it examines."""
    numbers: list[int] = []

    async def read(
        _reader: TableReader, _library: Library, _waiting: UnfinishedDocument, number: int
    ) -> tuple[Grid, ...]:
        numbers.append(number)
        return (GRID,)

    monkeypatch.setattr(TableReader, "read", read)
    return numbers


@pytest.fixture
def ocr(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Replace OCR by a function without an engine, and return the list of pages it reads."""
    numbers: list[int] = []

    async def read(_reader: PageReader, _library: Library, _waiting: UnfinishedDocument, number: int) -> ReadPage:
        numbers.append(number)
        line = OcrLine(((30.0, 40.0, 80.0, 60.0, "Seagulls"), (90.0, 40.0, 140.0, 60.0, "cried.")), 0.99)
        return ReadPage(number, (line,), 0, 595, 842, 0.99)

    monkeypatch.setattr(PageReader, "read", read)
    return numbers


def tables(library: Library) -> list[str]:
    text, blocks = library.documents.text(only(library).id), library.documents.blocks(only(library).id)
    return [text[block.start : block.end] for block in blocks if block.kind is BlockKind.TABLE]


def test_the_layout_model_reads_a_table_that_the_fast_way_loses(
    library: Library, run: Run, book: Path, events: list[Any]
) -> None:
    with pymupdf.open(book) as pdf:
        pdf[2].set_rotation(90)
        pdf.saveIncr()
    run(operations.add_documents(library, [book]))
    assert tables(library) == [ROWS, ROWS]
    document = only(library)
    assert document.status is DocumentStatus.READY
    assert (pages(document, FindingKind.LOST_TABLES), pages(document, FindingKind.LAYOUT)) == ((), (1, 3))
    assert any(ROWS in chunk.text for chunk in library.documents.chunks(document.id))
    assert run(operations.search(library, "Klaksvik depth opened boats")).hits[0].place in ("page 1", "page 3")
    changed = [event.document for event in events if isinstance(event, DocumentChanged)]
    before = next(one for one in changed if one.status is DocumentStatus.INDEXED)
    assert (pages(before, FindingKind.LOST_TABLES), before.chunks > 0) == ((1, 3), True), "found by keyword before"


def test_table_reading_reports_its_progress_page_by_page(
    library: Library, run: Run, book: Path, looks: list[int], events: list[Any]
) -> None:
    run(operations.add_documents(library, [book]))
    number = only(library).id
    told = [event for event in events if isinstance(event, PageRead)]
    assert told == [PageRead(number, 1, 1, 2, tables=True), PageRead(number, 3, 2, 2, tables=True)]
    assert looks == [1, 3]


def test_chunks_of_other_pages_keep_their_vectors(library: Library, run: Run, book: Path, looks: list[int]) -> None:
    run(operations.put_setting(library, "chunk_tokens", 64))
    run(operations.put_setting(library, "layout_model", "off"))
    run(operations.add_documents(library, [book]))
    before = {chunk.text: chunk.id for chunk in library.documents.chunks(only(library).id)}
    document = run(operations.read_tables(library, only(library).id))
    after = {chunk.text: chunk.id for chunk in library.documents.chunks(document.id)}
    same = before.keys() & after.keys()
    assert len(same) > 1
    assert {text: before[text] for text in same} == {text: after[text] for text in same}
    assert document.embedded == document.chunks


def test_switched_off_it_is_offered_by_the_check_and_done_by_hand(
    library: Library, run: Run, book: Path, looks: list[int]
) -> None:
    run(operations.put_setting(library, "layout_model", "off"))
    run(operations.add_documents(library, [book]))
    assert (looks, tables(library)) == ([], [])
    number = only(library).id
    (offered,) = [one for one in run(operations.diagnose(library, number)).symptoms if one.remedy is Remedy.TABLES]
    assert (offered.title, offered.pages) == ("Tables read as plain lines on 2 pages", (1, 3))
    run(operations.read_tables(library, number))
    assert (looks, tables(library)) == ([1, 3], [ROWS, ROWS])
    symptoms = run(operations.diagnose(library, number)).symptoms
    assert [one.detail for one in symptoms if "layout model" in one.title] == ["Pages 1 and 3. 2 tables found there."]
    assert not [one for one in symptoms if one.remedy is not None]


def test_page_without_a_table_is_looked_at_once(
    library: Library, run: Run, book: Path, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(
        _reader: TableReader, _library: Library, _waiting: UnfinishedDocument, number: int
    ) -> tuple[Grid, ...]:
        looks.append(number)
        return ()

    monkeypatch.setattr(TableReader, "read", nothing)
    run(operations.add_documents(library, [book]))
    run(operations.read_tables(library, only(library).id))
    run(operations.add_documents(library, [book]))
    assert looks == [1, 3]
    assert pages(only(library), FindingKind.LOST_TABLES) == ()


@pytest.mark.parametrize(
    ("error", "tried"), [(DocumentError("Broken."), [1, 3]), (LayoutUnavailable("Not installed."), [1])]
)
def test_a_page_that_cannot_be_examined_reports_the_reason_and_the_rest_is_unaffected(
    library: Library, run: Run, book: Path, monkeypatch: pytest.MonkeyPatch, error: DocumentError, tried: list[int]
) -> None:
    asked: list[int] = []

    async def fail(
        _reader: TableReader, _library: Library, _waiting: UnfinishedDocument, number: int
    ) -> tuple[Grid, ...]:
        asked.append(number)
        raise error

    monkeypatch.setattr(TableReader, "read", fail)
    run(operations.add_documents(library, [book]))
    assert (only(library).status, asked) == (DocumentStatus.READY, tried)
    (problem,) = [one for one in run(operations.diagnose(library, only(library).id)).symptoms if one.remedy]
    assert problem.detail == f"Pages 1 and 3. Rows and columns may be mixed up. {error.message}"
    with pytest.raises(DocumentError) as told:
        run(operations.read_tables(library, only(library).id))
    assert told.value.hint == error.message


def test_page_that_failed_can_be_read_later_and_the_others_keep_their_tables(
    library: Library, run: Run, book: Path, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = TableReader.read

    async def fail_on_3(
        reader: TableReader, library: Library, waiting: UnfinishedDocument, number: int
    ) -> tuple[Grid, ...]:
        if number == 3:
            raise DocumentError("Broken.")
        return await read(reader, library, waiting, number)

    monkeypatch.setattr(TableReader, "read", fail_on_3)
    run(operations.add_documents(library, [book]))
    assert (tables(library), pages(only(library), FindingKind.LOST_TABLES)) == ([ROWS], (3,))
    monkeypatch.setattr(TableReader, "read", read)
    run(operations.read_tables(library, only(library).id))
    assert (tables(library), pages(only(library), FindingKind.LAYOUT)) == ([ROWS, ROWS], (1, 3))


def test_scanned_pages_of_the_same_document_are_read_after_its_tables(
    library: Library, run: Run, scanned_book: Path, looks: list[int], ocr: list[int]
) -> None:
    run(operations.add_documents(library, [scanned_book]))
    assert (looks, ocr, tables(library)) == ([1, 3], [4], [ROWS, ROWS])
    document = only(library)
    assert (pages(document, FindingKind.OCR), pages(document, FindingKind.LAYOUT)) == ((4,), (1, 3))
    assert library.documents.text(document.id).endswith("Seagulls cried.")


def test_pages_that_ocr_read_are_kept_when_tables_are_read_later(
    library: Library, run: Run, scanned_book: Path, looks: list[int], ocr: list[int]
) -> None:
    run(operations.put_setting(library, "layout_model", "off"))
    run(operations.add_documents(library, [scanned_book]))
    scan = library.documents.page(only(library).id, 4)
    document = run(operations.read_tables(library, only(library).id))
    assert (looks, ocr, tables(library)) == ([1, 3], [4], [ROWS, ROWS])
    assert (pages(document, FindingKind.OCR), pages(document, FindingKind.NO_TEXT)) == ((4,), ())
    text, kept = library.documents.text(document.id), library.documents.page(document.id, 4)
    assert kept is not None
    assert scan is not None
    assert text[kept.start : kept.end] == "Seagulls cried."
    assert [(word.x0, word.y0) for word in kept.words] == [(word.x0, word.y0) for word in scan.words]


def test_cancelled_looking_leaves_the_pages_listed_and_resume_reads_them(
    library: Library, run: Run, book: Path, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    add_and_cancel_at_the_first_page(library, book, TableReader, monkeypatch)
    assert (only(library).status, pages(only(library), FindingKind.LOST_TABLES)) == (DocumentStatus.INDEXED, (1, 3))
    run(operations.resume_import(library))
    assert (only(library).status, tables(library)) == (DocumentStatus.READY, [ROWS, ROWS])


def test_file_that_changed_meanwhile_is_not_read_into_the_old_document(
    library: Library, run: Run, book: Path, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def change(
        _reader: TableReader, _library: Library, waiting: UnfinishedDocument, _number: int
    ) -> tuple[Grid, ...]:
        waiting.file.chmod(0o644)
        waiting.file.write_bytes(waiting.file.read_bytes() + b"\n")
        return (GRID,)

    monkeypatch.setattr(TableReader, "read", change)
    run(operations.add_documents(library, [book]))
    assert (only(library).status, tables(library)) == (DocumentStatus.READY, [])
    assert pages(only(library), FindingKind.LOST_TABLES) == (1, 3)
    with pytest.raises(DocumentError):
        run(operations.read_tables(library, only(library).id))


def test_document_that_is_taken_out_before_its_turn_is_not_looked_at(
    library: Library, run: Run, book: Path, looks: list[int]
) -> None:
    run(operations.put_setting(library, "layout_model", "off"))
    run(operations.add_documents(library, [book]))
    run(operations.put_setting(library, "layout_model", "auto"))

    async def never(*_args: object) -> None:
        raise AssertionError("nothing is to be stored or ended")

    async def main() -> None:
        deepening = SecondPass(library, JobContext(), never, never, progress=Progress())
        assert await deepening.takes(only(library), book)
        deepening.drop(only(library).id)
        deepening.no_more()
        await deepening.run()

    asyncio.run(main())
    assert looks == []


def test_one_child_looks_at_the_pages_of_all_documents(
    library: Library, run: Run, book: Path, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[list[int]] = []
    close = TableReader.close

    def told(reader: TableReader) -> None:
        closed.append(list(looks))
        close(reader)

    monkeypatch.setattr(TableReader, "close", told)
    with pymupdf.open(book) as pdf:
        pdf[1].insert_text((60, 700), "Fog", fontsize=10)
        pdf.save(book.with_name("other.pdf"))
    run(operations.add_documents(library, [book, book.with_name("other.pdf")]))
    assert closed == [[1, 3, 1, 3]]


def test_the_document_is_parsed_again_in_the_same_child_from_the_pages_that_were_read_before(
    library: Library, run: Run, book: Path, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    received: list[bytes] = []
    call = TableReader.call

    def record(reader: TableReader, library: Library, waiting: UnfinishedDocument, function: Any, *more: Any) -> Any:
        assert function is with_tables
        received.append(more[2])
        return call(reader, library, waiting, function, *more)

    monkeypatch.setattr(TableReader, "call", record)
    run(operations.add_documents(library, [book]))
    assert tables(library) == [ROWS, ROWS]
    first = PdfParser()
    first.parse(book)
    assert received == [first.page_facts]
    assert list(staging_of(library).iterdir()) == []


def test_pages_that_cannot_be_stored_for_the_second_look_are_read_again(
    library: Library, run: Run, book: Path, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: Path, _data: bytes) -> Path:
        raise DiskFull("The disk is full.", "Free some space.")

    monkeypatch.setattr("workbench.operations.imports.second_pass.write_staged", full)
    run(operations.add_documents(library, [book]))
    assert tables(library) == [ROWS, ROWS]


def test_pages_that_need_no_second_look_are_embedded_while_others_are_looked_at(
    library: Library, run: Run, book: Path, events: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(operations.put_setting(library, "chunk_tokens", 64))
    embedded: list[set[int | None]] = []

    async def read(
        _reader: TableReader, _library: Library, _waiting: UnfinishedDocument, _number: int
    ) -> tuple[Grid, ...]:
        while not only(library).embedded:
            await asyncio.sleep(0)
        missing = library.vectors.missing(library.models.embedder().id)
        embedded.append({chunk.page for chunk in library.documents.chunks(only(library).id) if chunk not in missing})
        return (GRID,)

    monkeypatch.setattr(TableReader, "read", read)
    run(operations.add_documents(library, [book]))
    assert embedded[0] == {2}
    told = [event for event in events if isinstance(event, ImportProgress)][-1]
    assert told.chunks_done == told.chunks >= only(library).chunks
    assert (only(library).embedded, only(library).status) == (only(library).chunks, DocumentStatus.READY)


def test_document_that_is_taken_out_while_it_is_looked_at_is_embedded_no_further(
    library: Library, run: Run, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(operations.put_setting(library, "chunk_tokens", 64))
    monkeypatch.setattr("workbench.operations.imports.embedding.BATCH", 1)
    embedded: list[int] = []

    async def read(
        _reader: TableReader, _library: Library, _waiting: UnfinishedDocument, _number: int
    ) -> tuple[Grid, ...]:
        while not only(library).embedded:
            await asyncio.sleep(0)
        library.queue.cancel([only(library).id])
        embedded.append(only(library).embedded)
        return (GRID,)

    monkeypatch.setattr(TableReader, "read", read)
    run(operations.add_documents(library, [book]))
    document = only(library)
    assert embedded[0] <= document.embedded <= embedded[0] + 1 < document.chunks
    assert pages(document, FindingKind.LOST_TABLES) == (1, 3)


def test_an_embedder_failure_during_the_second_pass_is_reported_once_and_the_tables_are_read(
    library: Library, run: Run, book: Path, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> Any:
        raise EmbeddingError("The model is away.", "Wait for it.")

    monkeypatch.setattr("workbench.operations.imports.embedding.embedded", refuse)
    (finished,) = run(operations.add_documents(library, [book]))
    assert (finished.outcome, only(library).status) == (FileOutcome.FAILED, DocumentStatus.INDEXED)
    assert (only(library).reason, tables(library)) == (
        "The model is away. It is found by keyword only.",
        [ROWS, ROWS],
    )


@pytest.mark.parametrize("asked", [False, True], ids=["waiting", "asked about"])
def test_a_short_scan_goes_before_the_rest_of_a_long_document_whose_tables_are_kept(
    library: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: bool, ocr: list[int]
) -> None:
    with pymupdf.open() as pdf:
        for _ in range(6):
            add_page(pdf)
        picture = pdf[0].get_pixmap(dpi=72)
        pdf.save(tmp_path / "tables.pdf")
    with pymupdf.open() as pdf:
        add_page(pdf, table=False)
        pdf.new_page().insert_image(pdf[0].rect, pixmap=picture)
        pdf.save(tmp_path / "letter.pdf")
    order: list[str] = []

    async def read(*_args: Any) -> tuple[Grid, ...]:
        order.append("tables")
        if asked:
            library.queue.urgent.update(one.id for one in library.documents.list() if one.name == "letter.pdf")
        return (GRID,)

    async def store(function: Callable[..., Any], *args: object) -> Any:
        return await library.on_store(function, *args)

    async def ended(_number: int, outcome: Document | Exception) -> None:
        assert isinstance(outcome, Document)
        order.append(outcome.name)

    async def main() -> None:
        deepening = SecondPass(library, JobContext(), store, ended, progress=Progress())
        for document in library.documents.list():
            await deepening.takes(document, Path(document.path))
        if asked:
            # Longer than the tables, so that it does not go first by itself.
            monkeypatch.setattr("workbench.operations.imports.second_pass._OCR_COST", 20)
        deepening.no_more()
        await deepening.run()

    monkeypatch.setattr(TableReader, "read", read)
    for setting, value in (("ocr", "off"), ("layout_model", "off")):
        run(operations.put_setting(library, setting, value))
    run(operations.add_documents(library, [tmp_path / "tables.pdf", tmp_path / "letter.pdf"]))
    for setting in ("ocr", "layout_model"):
        run(operations.put_setting(library, setting, "auto"))
    asyncio.run(main())
    late = ["letter.pdf", *["tables"] * (5 if asked else 6), "tables.pdf"]
    assert order == (["tables", *late] if asked else late)
    book = next(one for one in library.documents.list() if one.name == "tables.pdf")
    assert (pages(book, FindingKind.LAYOUT), ocr) == ((1, 2, 3, 4, 5, 6), [2])
