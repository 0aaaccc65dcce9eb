"""OCR of pages without usable text after the document is stored, which is consistent at every moment."""

import asyncio
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pymupdf
import pytest
from second_reading import add_and_cancel_at_the_first_page, only, pages

from workbench import operations
from workbench.errors import DocumentError, OcrUnavailable, ParserTimedOut
from workbench.model.diagnosis import Gravity, Remedy, is_out_of_time, symptoms_of
from workbench.model.document import Document, DocumentStatus, Finding, FindingKind, Metadata
from workbench.model.import_progress import DocumentChanged, FileFinished, FileOutcome, PageRead
from workbench.operations import Library
from workbench.operations.imports.page_reading import PageReader, UnfinishedDocument
from workbench.operations.imports.progress import Progress
from workbench.operations.imports.second_pass import SecondPass, pages_to_read
from workbench.parsing.ocr_engines import OcrLine
from workbench.parsing.ocr_page import ReadPage
from workbench.settings import Settings
from workbench.worker.job import JobContext, Operation

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[[Operation[Any]], Any]
OWN = "The harbour of Lindhamn froze in 1987, and the ferry stayed in port."
SEEN = "The lighthouse keeper bought forty lamps."


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """Return a PDF with a page of text and two scanned ones."""
    with pymupdf.open() as drawing:
        page = drawing.new_page(width=420, height=200)
        page.insert_text((30, 60), SEEN, fontsize=16)
        picture = page.get_pixmap(dpi=150)
    with pymupdf.open() as pdf:
        pdf.new_page(width=420, height=200).insert_textbox((20, 10, 400, 190), f"{OWN} " * 20, fontsize=7)
        for _ in range(2):
            page = pdf.new_page(width=420, height=200)
            page.insert_image(page.rect, pixmap=picture)
        pdf.save(tmp_path / "scan.pdf")
    return tmp_path / "scan.pdf"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Replace OCR by a function without an engine, and return the list of pages it reads."""
    numbers: list[int] = []

    async def read(_reader: PageReader, _library: Library, _waiting: UnfinishedDocument, number: int) -> ReadPage:
        numbers.append(number)
        words = tuple((30.0 + 60 * n, 40.0, 80.0 + 60 * n, 60.0, word) for n, word in enumerate(SEEN.split()))
        return ReadPage(number, (OcrLine(words, 0.99),), 0, 420, 200, 0.99)

    monkeypatch.setattr(PageReader, "read", read)
    return numbers


def test_e4_scanned_pages_are_read_found_and_marked(library: Library, run: Run, scan: Path, events: list[Any]) -> None:
    run(operations.add_documents(library, [scan]))
    document = only(library)
    assert (document.status, pages(document, FindingKind.OCR)) == (DocumentStatus.READY, (2, 3))
    hit = run(operations.search(library, "lighthouse keeper forty lamps")).hits[0]
    assert hit.place == "page 2 (read by OCR)"
    assert run(operations.search(library, "harbour of Lindhamn froze")).hits[0].place == "page 1"
    start = library.documents.text(document.id).index("keeper")
    image = run(operations.page_image(library, document.id, 2, start=start, end=start + 6))
    ((x0, y0, x1, y1),) = image.marks
    assert 120 < x0 < x1 < 220
    assert 40 < y0 < y1 < 70
    changed = [event.document for event in events if isinstance(event, DocumentChanged)]
    before = next(one for one in changed if one.status is DocumentStatus.INDEXED)
    assert before.chunks > 0, "found by keyword before OCR begins"


def test_e2_encrypted_scan_is_read_with_the_password_that_opened_it(library: Library, run: Run, scan: Path) -> None:
    locked = scan.with_name("locked.pdf")
    with pymupdf.open(scan) as pdf:
        pdf.select([1])
        pdf.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="harbour", owner_pw="harbour")
    run(operations.add_documents(library, [locked], password="harbour"))
    assert pages(only(library), FindingKind.OCR) == (1,)
    assert "lighthouse" in library.documents.text(only(library).id)


def test_ocr_progress_is_reported_page_by_page(
    library: Library, run: Run, scan: Path, events: list[Any], reads: list[int]
) -> None:
    run(operations.add_documents(library, [scan]))
    number = only(library).id
    told = [event for event in events if isinstance(event, PageRead)]
    assert told == [PageRead(number, 2, 1, 2), PageRead(number, 3, 2, 2)]
    assert reads == [2, 3]


def test_picture_that_is_switched_off_fails_and_can_be_read_by_hand(
    library: Library, run: Run, scan: Path, tmp_path: Path, reads: list[int]
) -> None:
    with pymupdf.open(scan) as pdf:
        pdf[1].get_pixmap(dpi=150).save(tmp_path / "photo.png")
    run(operations.put_setting(library, "ocr", "off"))
    (file,) = run(operations.add_documents(library, [tmp_path / "photo.png"]))
    assert (file.outcome, only(library).status) == (FileOutcome.FAILED, DocumentStatus.FAILED)
    assert "OCR" in file.reason
    document = run(operations.ocr_pages(library, only(library).id))
    assert (document.status, document.chunks, document.embedded) == (DocumentStatus.READY, 1, 1)
    assert reads == [1]


def test_more_time_reads_only_the_pages_whose_ocr_a_time_limit_ended(
    library: Library, run: Run, scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[int, int]] = []

    async def read(reader: PageReader, _library: Library, _waiting: UnfinishedDocument, number: int) -> ReadPage:
        tried.append((number, reader.settings.parser_seconds))
        if number == 3 and reader.settings.parser_seconds < 200:
            raise ParserTimedOut("Reading the file made no progress for 2 minutes.", "Try it again with more time.")
        words = ((30.0, 40.0, 80.0, 60.0, f"Lantern{number}"),)
        return ReadPage(number, (OcrLine(words, 0.99),), 0, 420, 200, 0.99)

    monkeypatch.setattr(PageReader, "read", read)
    run(operations.add_documents(library, [scan]))
    (symptom,) = [one for one in symptoms_of(only(library)) if one.gravity is Gravity.PROBLEM]
    assert (symptom.remedy, symptom.pages, is_out_of_time(only(library))) == (Remedy.MORE_TIME, (3,), True)
    assert tried == [(2, 120), (3, 120)]
    run(operations.reindex_documents(library, [only(library).id], more_time=True))
    assert tried[2:] == [(3, 1200)]
    text = library.documents.text(only(library).id)
    assert [words in text for words in (OWN, "Lantern2", "Lantern3")] == [True, True, True]
    assert not is_out_of_time(only(library))


def test_only_the_pages_asked_for_are_read_and_other_chunks_keep_their_vectors(
    library: Library, run: Run, scan: Path, reads: list[int]
) -> None:
    run(operations.put_setting(library, "ocr", "off"))
    run(operations.add_documents(library, [scan]))
    first = library.documents.chunks(only(library).id)[0].id
    document = run(operations.ocr_pages(library, only(library).id, [3]))
    assert reads == [3]
    assert (pages(document, FindingKind.NO_TEXT), pages(document, FindingKind.OCR)) == ((2,), (3,))
    assert library.documents.chunks(document.id)[0].id == first
    assert document.embedded == document.chunks


def test_cancelled_reading_leaves_its_pages_listed_and_resume_reads_them(
    library: Library, run: Run, scan: Path, monkeypatch: pytest.MonkeyPatch, reads: list[int]
) -> None:
    add_and_cancel_at_the_first_page(library, scan, PageReader, monkeypatch)
    assert only(library).status is DocumentStatus.INDEXED
    assert pages(only(library), FindingKind.NO_TEXT) == (2, 3)
    run(operations.resume_import(library))
    assert (only(library).status, pages(only(library), FindingKind.OCR)) == (DocumentStatus.READY, (2, 3))


@pytest.mark.parametrize("how", ["everything", "document"])
def test_pages_that_were_read_before_a_cancel_are_kept(
    library: Library, scan: Path, monkeypatch: pytest.MonkeyPatch, reads: list[int], how: str
) -> None:
    read = PageReader.read
    began = asyncio.Event()

    async def hang_on_3(*args: Any) -> ReadPage:
        if args[-1] == 2:
            return await read(*args)
        began.set()
        return await asyncio.get_running_loop().create_future()

    async def main() -> None:
        monkeypatch.setattr(PageReader, "read", hang_on_3)
        adding = asyncio.ensure_future(operations.add_documents(library, [scan])(JobContext()))
        await began.wait()
        if how == "document":
            library.queue.cancel([only(library).id])
        else:
            adding.cancel()
        await asyncio.wait([adding])

    asyncio.run(main())
    document = only(library)
    assert (document.status, pages(document, FindingKind.OCR)) == (DocumentStatus.INDEXED, (2,))
    assert pages(document, FindingKind.NO_TEXT) == (3,)
    assert SEEN in " ".join(library.documents.text(document.id).split())


def scans_of(scan: Path, counts: dict[str, int]) -> list[Path]:
    """Save scans with these numbers of scanned pages, each of another content."""
    for name, count in counts.items():
        with pymupdf.open(scan) as pdf:
            pdf.select([0, *[1] * count])
            pdf[0].insert_text((20, 195), name, fontsize=6)
            pdf.save(scan.with_name(name))
    return [scan.with_name(name) for name in counts]


def read_order(
    library: Library,
    files: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    at: dict[int, Callable[[], Any]],
    *,
    add: Operation[Any] | None = None,
) -> list[str]:
    """Add files and return the name of the document of each page in the order of OCR.

    Functions in at are called at that page, which waits for a future that they return.
    """
    adding = add or operations.add_documents(library, files)
    order: list[str] = []
    begun: list[asyncio.Future[Any]] = []

    async def read(_reader: PageReader, _library: Library, waiting: UnfinishedDocument, number: int) -> ReadPage:
        order.append(waiting.document.name)
        if isinstance(pending := at.get(len(order), lambda: None)(), asyncio.Future):
            begun.append(pending)
            await asyncio.wait([pending])
        words = tuple((30.0 + 60 * n, 40.0, 80.0 + 60 * n, 60.0, word) for n, word in enumerate(SEEN.split()))
        return ReadPage(number, (OcrLine(words, 0.99),), 0, 420, 200, 0.99)

    monkeypatch.setattr(PageReader, "read", read)

    async def main() -> None:
        library.queue.pause(False)
        await adding(JobContext())
        await asyncio.gather(*begun)

    asyncio.run(main())
    return order


def second_pass_order(
    library: Library, files: list[Path], reads: list[int], monkeypatch: pytest.MonkeyPatch, at: dict[int, str]
) -> list[str]:
    """Return the name of the document of each page in the order of OCR; at has what is asked about at a page."""
    order: list[str] = []
    read = PageReader.read

    async def noted(reader: PageReader, library: Library, waiting: UnfinishedDocument, number: int) -> ReadPage:
        order.append(waiting.document.name)
        if asked := at.get(len(order)):
            library.queue.urgent.update(one.id for one in library.documents.list() if one.name == asked)
        return await read(reader, library, waiting, number)

    async def store(function: Callable[..., Any], *args: object) -> Any:
        return await library.on_store(function, *args)

    async def ended(_number: int, outcome: Document | Exception) -> None:
        assert isinstance(outcome, Document)

    async def main() -> None:
        await operations.put_setting(library, "ocr", "off")(JobContext())
        await operations.add_documents(library, files)(JobContext())
        await operations.put_setting(library, "ocr", "auto")(JobContext())
        second_pass = SecondPass(library, JobContext(), store, ended, progress=Progress())
        for document in library.documents.list():
            await second_pass.takes(document, Path(document.path))
        second_pass.no_more()
        await second_pass.run()

    monkeypatch.setattr(PageReader, "read", noted)
    asyncio.run(main())
    return order


def test_ocr_reads_short_documents_before_long_ones(
    library: Library, scan: Path, monkeypatch: pytest.MonkeyPatch, reads: list[int]
) -> None:
    files = scans_of(scan, {"deck.pdf": 10, "letter.pdf": 1, "minutes.pdf": 3})
    order = second_pass_order(library, files, reads, monkeypatch, {})
    assert order == ["letter.pdf", *["minutes.pdf"] * 3, *["deck.pdf"] * 10]


def test_a_document_that_is_asked_about_interrupts_the_ocr_of_another_which_loses_no_page(
    library: Library, scan: Path, monkeypatch: pytest.MonkeyPatch, reads: list[int]
) -> None:
    files = scans_of(scan, {"deck.pdf": 8, "book.pdf": 11})
    order = second_pass_order(library, files, reads, monkeypatch, {3: "book.pdf"})
    assert order == [*["deck.pdf"] * 3, *["book.pdf"] * 11, *["deck.pdf"] * 5]
    read = {document.name: pages(document, FindingKind.OCR) for document in library.documents.list()}
    assert read == {"deck.pdf": tuple(range(2, 10)), "book.pdf": tuple(range(2, 13))}


def test_removing_a_document_ends_its_ocr(library: Library, scan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = scans_of(scan, {"deck.pdf": 8, "book.pdf": 11})

    def remove() -> asyncio.Future[Any]:
        (deck,) = [one.id for one in library.documents.list() if one.name == "deck.pdf"]
        return asyncio.ensure_future(operations.remove_documents(library, [deck])(JobContext()))

    order = read_order(library, files, monkeypatch, {2: remove})
    assert order.count("deck.pdf") < 8
    assert order[-11:] == ["book.pdf"] * 11
    assert [one.name for one in library.documents.list()] == ["book.pdf"]


@pytest.mark.parametrize("how", ["knowledge base", "linked folder", "file of a linked folder"])
def test_removing_what_a_document_is_in_ends_its_ocr(
    library: Library, run: Run, scan: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr("workbench.operations.folders.folder_linking.SETTLE_SECONDS", 0.02)
    folder = scan.parent / "linked"
    folder.mkdir()
    (folder / "letter.md").write_text("# Letter\n\nThe ferry stayed in port.\n", "utf-8")
    if how == "file of a linked folder":
        run(operations.link_folder(library, folder))
    (deck,) = scans_of(scan, {"deck.pdf": 11})
    file = deck.rename(folder / deck.name)

    def remove() -> asyncio.Future[Any]:
        removal: Operation[Any]
        if how == "knowledge base":
            removal = operations.remove_knowledge_base(library, "Ships")
        elif how == "linked folder":
            removal = operations.unlink_folder(library, library.linked.list()[0].id, remove_documents=True)
        else:
            file.unlink()
            removal = operations.check_linked_folders(library)
        return asyncio.ensure_future(removal(JobContext()))

    adding: dict[str, Operation[Any]] = {
        "knowledge base": operations.add_documents(library, [file], knowledge_base="Ships"),
        "linked folder": operations.link_folder(library, folder),
        "file of a linked folder": operations.add_documents(library, [file]),
    }
    order = read_order(library, [], monkeypatch, {2: remove}, add=adding[how])
    assert 2 <= len(order) <= 4
    assert "deck.pdf" not in [one.name for one in library.documents.list()]


def test_pages_that_ocr_has_read_get_vectors_while_it_reads_the_others(
    library: Library, scan: Path, monkeypatch: pytest.MonkeyPatch, reads: list[int]
) -> None:
    monkeypatch.setattr("workbench.operations.imports.second_pass.BATCH", 2)
    read, (file,) = PageReader.read, scans_of(scan, {"deck.pdf": 10})
    more = asyncio.Event()

    async def wait_at_the_last(*args: Any) -> ReadPage:
        if args[-1] == 11:
            await asyncio.wait_for(more.wait(), 60)
        return await read(*args)

    def hear(event: object) -> None:
        # The first chunk is that of the page with a text of its own.
        if isinstance(event, DocumentChanged) and event.document.embedded > 1:
            more.set()

    monkeypatch.setattr(PageReader, "read", wait_at_the_last)
    asyncio.run(operations.add_documents(library, [file])(JobContext(hear)))  # type: ignore[arg-type]
    assert only(library).status is DocumentStatus.READY


def test_only_formats_whose_pages_can_be_drawn_are_read() -> None:
    picture = Finding(FindingKind.IMAGES, (1,), 1)
    slides = Document(1, "default", "/a", "a", "", 1, "pptx", DocumentStatus.READY, Metadata("A"), findings=(picture,))
    assert pages_to_read(slides, Settings(ocr="always")) == ()
    assert pages_to_read(dataclasses.replace(slides, format="pdf"), Settings(ocr="always")) == (1,)


@pytest.mark.parametrize(
    ("error", "tried"), [(DocumentError("Broken."), [2, 3]), (OcrUnavailable("Not installed."), [2])]
)
def test_page_that_cannot_be_read_costs_only_itself(
    library: Library, run: Run, scan: Path, monkeypatch: pytest.MonkeyPatch, error: DocumentError, tried: list[int]
) -> None:
    asked: list[int] = []

    async def fail(_reader: PageReader, _library: Library, _waiting: UnfinishedDocument, number: int) -> ReadPage:
        asked.append(number)
        raise error

    monkeypatch.setattr(PageReader, "read", fail)
    (file,) = run(operations.add_documents(library, [scan]))
    assert (file.outcome, asked) == (FileOutcome.READY, tried)
    assert pages(only(library), FindingKind.NO_TEXT) == (2, 3)
    (problem, *_) = run(operations.diagnose(library, only(library).id)).symptoms
    assert problem.detail.endswith(f"is not searched. {error.message}")
    with pytest.raises(DocumentError) as told:
        run(operations.ocr_pages(library, only(library).id))
    assert told.value.hint == error.message


def test_a_picture_without_text_is_reported(library: Library, run: Run, tmp_path: Path) -> None:
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 300, 200))
    pixmap.clear_with(230)
    pixmap.save(tmp_path / "sky.png")
    (file,) = run(operations.add_documents(library, [tmp_path / "sky.png"]))
    assert isinstance(file, FileFinished)
    assert file.reason.startswith("No text was found in the picture.")
    assert only(library).status is DocumentStatus.FAILED


def test_pause_holds_the_next_page_back(
    library: Library, scan: Path, monkeypatch: pytest.MonkeyPatch, reads: list[int]
) -> None:
    read = PageReader.read

    async def then_pause(*args: Any) -> ReadPage:
        library.queue.pause(True)
        return await read(*args)

    async def main() -> None:
        monkeypatch.setattr(PageReader, "read", then_pause)
        told: asyncio.Queue[Any] = asyncio.Queue()
        adding = asyncio.ensure_future(operations.add_documents(library, [scan])(JobContext(told.put_nowait)))
        while not isinstance(await told.get(), PageRead):
            pass
        await asyncio.sleep(0)
        assert reads == [2]
        monkeypatch.setattr(PageReader, "read", read)
        library.queue.pause(False)
        await adding

    asyncio.run(main())
    assert reads == [2, 3]


def test_the_export_of_an_answer_from_a_scan_matches_the_schema(
    library: Library, run: Run, scan: Path, reads: list[int], tmp_path: Path
) -> None:
    run(operations.add_documents(library, [scan]))
    answer = run(operations.ask(library, "How many lamps did the lighthouse keeper buy?"))
    content = json.loads(
        run(operations.export_session(library, answer.session, "json", tmp_path / "x.json")).read_text("utf-8")
    )
    schema = json.loads((ROOT / "resources" / "schema" / "session-1.schema.json").read_text("utf-8"))
    # An unknown field is an error here, although readers of exports must accept new ones.
    for described in schema["$defs"].values():
        described["additionalProperties"] = False
    jsonschema.Draft202012Validator(schema).validate(content)
    (cited,) = content["runs"][0]["citations"]
    assert (cited["page"], cited["page_kind"], cited["ocr"]) == (2, "page", True)
    assert content["runs"][0]["references"][0]["hits"][0]["hit"]["ocr_pages"] == [2, 3]


def test_pages_without_text_are_read_on_request_even_if_ocr_is_switched_off(
    library: Library, run: Run, scan: Path, reads: list[int]
) -> None:
    run(operations.put_setting(library, "ocr", "off"))
    run(operations.add_documents(library, [scan]))
    assert run(operations.search(library, "lighthouse keeper")).coverage.pages == 2
    assert run(operations.prioritise_unread(library)) == 1
    (file,) = run(operations.read_unread(library))
    assert (file.outcome, reads, only(library).status) == (FileOutcome.READY, [2, 3], DocumentStatus.READY)
    assert run(operations.search(library, "lighthouse keeper")).coverage.is_complete
    assert (run(operations.prioritise_unread(library)), run(operations.read_unread(library))) == (0, [])


def test_a_document_whose_pages_cannot_be_read_on_request_stays_as_it_was(
    library: Library, run: Run, scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def break_down(*_args: object) -> ReadPage:
        raise OcrUnavailable("The engine is broken.", "Install it again.")

    monkeypatch.setattr(PageReader, "read", break_down)
    run(operations.add_documents(library, [scan]))
    before = only(library)
    run(operations.read_unread(library))
    assert (only(library).status, only(library).chunks) == (DocumentStatus.READY, before.chunks)
    assert pages(only(library), FindingKind.NO_TEXT) == (2, 3)


@pytest.mark.parametrize("status", [DocumentStatus.QUEUED, DocumentStatus.FAILED])
def test_documents_that_no_import_is_reading_are_read_on_request(
    library: Library, run: Run, papers: Path, status: DocumentStatus
) -> None:
    run(operations.add_documents(library, [papers]))
    first = library.documents.list()[0]
    library.intake.set_status([first.id], status)
    with library.database.write() as connection:
        connection.execute("DELETE FROM chunks WHERE document = ?", (first.id,))
        connection.execute("UPDATE documents SET chunks = 0, embedded = 0 WHERE id = ?", (first.id,))
    assert run(operations.prioritise_unread(library)) == 1
    (file,) = run(operations.read_unread(library))
    assert (file.document, file.outcome) == (first.id, FileOutcome.READY)


def test_only_unread_documents_of_the_filter_are_read_on_request(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    numbers = {one.name: one.id for one in library.documents.list()}
    library.intake.set_status([*numbers.values()], DocumentStatus.QUEUED)
    with library.database.write() as connection:
        connection.execute("DELETE FROM chunks")
        connection.execute("UPDATE documents SET chunks = 0, embedded = 0")
    assert run(operations.prioritise_unread(library, "default", filter="name:harbour.md")) == 1
    (file,) = run(operations.read_unread(library, "default", filter="name:harbour.md"))
    assert file.document == numbers["harbour.md"]


def test_a_document_whose_pages_are_being_read_is_not_read_twice(
    library: Library, scan: Path, monkeypatch: pytest.MonkeyPatch, reads: list[int]
) -> None:
    add_and_cancel_at_the_first_page(library, scan, PageReader, monkeypatch)

    async def both() -> list[FileFinished]:
        first, second = (operations.resume_import(library)(JobContext()) for _ in range(2))
        return [one for results in await asyncio.gather(first, second) for one in results]

    outcomes = sorted(one.outcome for one in asyncio.run(both()))
    assert (reads, outcomes[0]) == ([2, 3], FileOutcome.READY)
    assert not library.active
