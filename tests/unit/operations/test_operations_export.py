"""Export and import of sessions: files, folders, archives, bundles."""

import asyncio
import io
import json
import zipfile
from pathlib import Path

import pymupdf
import pytest

from workbench import operations
from workbench.errors import ExportError, FileIsThere
from workbench.model.session import ExportProgress, Part
from workbench.operations import Library
from workbench.worker.job import JobContext

FORMATS = ("md", "html", "pdf", "docx", "json", "kwbundle")
QUESTION = "How many piles carry the north quay?"


@pytest.fixture
def asked(library, run, tmp_path):
    """Return a library of one PDF with a session of one answered question."""
    page = pymupdf.open()
    page.new_page().insert_text((72, 100), "The north quay stands on 212 piles of steel.")
    page.save(tmp_path / "quay.pdf")
    run(operations.add_documents(library, [tmp_path / "quay.pdf"]))
    answer = run(operations.ask(library, QUESTION))
    assert answer.citations
    return answer


@pytest.mark.parametrize("format", FORMATS)
def test_a_session_becomes_a_file_of_every_format(library, run, asked, tmp_path, format):
    path = run(operations.export_session(library, asked.session, format, tmp_path / f"out.{format}"))
    assert path.stat().st_size > 500
    assert [file.name for file in tmp_path.glob("out*")] == [f"out.{format}"]


def test_export_progress_is_reported_and_ends_at_its_total(library, run, asked, events, tmp_path):
    run(operations.export_session(library, asked.session, "pdf", tmp_path / "out.pdf"))
    told = [event for event in events if isinstance(event, ExportProgress)]
    assert told[0].doing == "Drawing cited page 1 of 1"
    assert [event.done for event in told] == sorted(event.done for event in told)
    assert told[-1].done == told[-1].total


def test_several_sessions_become_a_file_each(library, run, asked, tmp_path):
    other = run(operations.ask(library, QUESTION))
    paths = run(operations.export_sessions(library, [asked.session, other.session], "md", tmp_path / "out"))
    assert [path.name for path in paths] == [f"{QUESTION[:-1]}.md", f"{QUESTION[:-1]} (2).md"]
    assert all(QUESTION in path.read_text("utf-8") for path in paths)


def test_several_sessions_become_one_archive(library, run, asked, tmp_path):
    target = tmp_path / "all.zip"
    other = run(operations.ask(library, QUESTION))
    assert run(operations.export_sessions(library, [asked.session, other.session], "json", target)) == (target,)
    with zipfile.ZipFile(target) as archive:
        assert [Path(name).suffix for name in archive.namelist()] == [".json", ".json"]


def test_an_existing_file_is_not_replaced_unless_that_is_allowed(library, run, asked, tmp_path):
    there = tmp_path / f"{QUESTION[:-1]}.md"
    there.write_text("mine")
    with pytest.raises(FileIsThere, match="already exists"):
        run(operations.export_sessions(library, [asked.session], "md", tmp_path))
    assert there.read_text() == "mine"
    run(operations.export_sessions(library, [asked.session], "md", tmp_path, replace=True))
    assert QUESTION in there.read_text("utf-8")


def test_a_cancelled_export_leaves_nothing(library, asked, tmp_path):
    target = tmp_path / "out" / "x.pdf"

    async def main():
        started = asyncio.Event()

        def told(event):
            if event.doing.startswith("Writing"):
                started.set()

        task = asyncio.ensure_future(operations.export_session(library, asked.session, "pdf", target)(JobContext(told)))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert list(tmp_path.glob("out/*")) == []


@pytest.mark.parametrize("part", [Part.STEPS, Part.SEARCHES])
def test_an_omitted_part_is_not_in_the_exported_file(library, run, asked, tmp_path, part):
    whole = frozenset(Part)
    kinds = {Part.STEPS: "AnswerDelta", Part.SEARCHES: "ReferencesFound"}
    for parts, is_there in ((whole, True), (whole - {part}, False)):
        path = run(operations.export_session(library, asked.session, "json", tmp_path / "s.json", parts=parts))
        types = {event["event"]["type"] for event in json.loads(path.read_bytes())["runs"][0]["events"]}
        assert (kinds[part] in types) is is_there


def test_the_export_inventory_lists_the_contents_of_the_sessions(library, run, asked):
    found = run(operations.export_inventory(library, [asked.session]))
    assert (found.sessions, found.questions.count, found.documents) == (1, 1, ("quay.pdf",))
    assert found.parts[Part.ORIGINALS].count == found.parts[Part.PAGES].count == 1
    assert found.parts[Part.SEARCHES].bytes > found.parts[Part.STEPS].bytes > 0


def _bundle(library, run, asked, tmp_path, **options) -> Path:
    return run(operations.export_session(library, asked.session, "kwbundle", tmp_path / "b.kwbundle", **options))


def test_a_bundle_comes_back_into_its_library_as_a_second_session(library, run, asked, tmp_path):
    arrived = run(operations.import_session(library, _bundle(library, run, asked, tmp_path)))
    assert (arrived.here, arrived.missing) == (1, ())
    (again,) = run(operations.open_session(library, arrived.info.id)).runs
    (first,) = run(operations.open_session(library, asked.session)).runs
    assert arrived.info.id != asked.session
    assert (again.question, again.answer, again.claims) == (first.question, first.answer, first.claims)
    assert [citation.document for citation in again.citations] == [citation.document for citation in first.citations]
    assert [citation.chunk for citation in again.citations] == [citation.chunk for citation in first.citations]
    assert [type(timed.event) for timed in again.events] == [type(timed.event) for timed in first.events]


def test_in_another_library_the_passage_and_its_page_are_kept_until_the_document_comes(
    library, run, asked, tmp_path, embedder
):
    bundle = _bundle(library, run, asked, tmp_path)
    other = Library.open(tmp_path / "other", embedder=embedder)
    try:
        (tmp_path / "note.txt").write_text("Something else altogether.")
        run(operations.add_documents(other, [tmp_path / "note.txt"]))
        arrived = run(operations.import_session(other, bundle))
        assert (arrived.here, arrived.missing) == (0, ("quay.pdf",))
        (answer,) = run(operations.open_session(other, arrived.info.id)).runs
        cited = answer.citations[0]
        assert cited.document < 0
        assert "212 piles" in cited.quote
        page = run(operations.page_image(other, cited.document, cited.page, start=cited.start, end=cited.end))
        assert page.png.startswith(b"\x89PNG")
        span = (cited.start, cited.end)
        part = pymupdf.Pixmap(
            run(operations.place_picture(other, cited.document, cited.page, passage=span, size=(432, 150)))
        )
        assert (part.width, part.height) == pytest.approx((432, 150), abs=2)
        assert bytes((255, 236, 173)) in part.samples  # the highlight
        run(operations.add_documents(other, [tmp_path / "quay.pdf"]))
        (settled,) = run(operations.open_session(other, arrived.info.id)).runs
        assert run(operations.show_document(other, str(settled.citations[0].document))).name == "quay.pdf"
        assert (
            run(operations.document_text(other, settled.citations[0].document))[cited.start : cited.end] == cited.quote
        )
    finally:
        other.close()


def test_an_imported_session_can_be_exported_again_with_its_page(library, run, asked, tmp_path, embedder):
    other = Library.open(tmp_path / "other", embedder=embedder)
    try:
        arrived = run(operations.import_session(other, _bundle(library, run, asked, tmp_path)))
        again = run(operations.export_session(other, arrived.info.id, "kwbundle", tmp_path / "again.kwbundle"))
    finally:
        other.close()
    with zipfile.ZipFile(again) as archive:
        assert "pages/0001.png" in archive.namelist()
    back = run(operations.import_session(library, again))
    assert back.here == 1


def test_kept_pages_of_a_removed_session_are_deleted(library, run, asked, tmp_path, embedder):
    bundle = _bundle(library, run, asked, tmp_path)
    for is_kept in (True, False):
        other = Library.open(tmp_path / "other", embedder=embedder)
        if is_kept:
            arrived = run(operations.import_session(other, bundle))
            run(operations.remove_session(other, arrived.info.id))
        other.close()
    assert list((tmp_path / "other" / "kept-pages").iterdir()) == []


def test_originals_are_in_a_bundle_only_where_they_are_wanted(library, run, asked, tmp_path):
    for wanted in (False, True):
        parts = frozenset({Part.ORIGINALS}) if wanted else None
        with zipfile.ZipFile(_bundle(library, run, asked, tmp_path, parts=parts)) as archive:
            found = [name for name in archive.namelist() if name.startswith("originals/")]
            assert bool(found) is wanted
    with pymupdf.open("pdf", (tmp_path / "quay.pdf").read_bytes()):
        assert found[0].endswith(" quay.pdf")


def test_originals_of_a_bundle_are_written_and_added_where_that_is_wanted(library, run, asked, tmp_path, embedder):
    bundle = _bundle(library, run, asked, tmp_path, parts=frozenset({Part.ORIGINALS}))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "quay.pdf").write_text("another one")
    other = Library.open(tmp_path / "other", embedder=embedder)
    try:
        arrived = run(operations.import_session(other, bundle, documents=tmp_path / "docs"))
        (document,) = run(operations.list_documents(other))
    finally:
        other.close()
    assert (arrived.here, arrived.missing) == (1, ())
    assert document.path == str(tmp_path / "docs" / "quay (2).pdf")
    assert (tmp_path / "docs" / "quay.pdf").read_text() == "another one"


def test_originals_of_a_bundle_are_kept_with_the_session_until_they_are_added(library, run, asked, tmp_path, embedder):
    bundle = _bundle(library, run, asked, tmp_path, parts=frozenset({Part.ORIGINALS}))
    other = Library.open(tmp_path / "other", embedder=embedder)
    try:
        arrived = run(operations.import_session(other, bundle, keep_originals=True))
        (answer,) = run(operations.open_session(other, arrived.info.id)).runs
        number = answer.citations[0].document
        assert arrived.originals == (number,)
        assert run(operations.list_documents(other)) == []
        assert run(operations.kept_original(other, number)).name == "quay.pdf"
        (added,) = run(operations.add_kept_originals(other, [number]))
        (settled,) = run(operations.open_session(other, arrived.info.id)).runs
        assert settled.citations[0].document == added.document
        assert run(operations.show_document(other, str(added.document))).path == str(bundle / "quay.pdf")
        assert run(operations.kept_original(other, number)) is None
        page = run(operations.page_image(other, added.document, 1))
        assert page.png.startswith(b"\x89PNG")
    finally:
        other.close()


def test_an_original_that_is_here_already_is_not_kept(library, run, asked, tmp_path):
    bundle = _bundle(library, run, asked, tmp_path, parts=frozenset({Part.ORIGINALS}))
    arrived = run(operations.import_session(library, bundle, keep_originals=True))
    assert (arrived.here, arrived.originals) == (1, ())


def test_kept_originals_of_a_removed_session_are_deleted(library, run, asked, tmp_path, embedder):
    bundle = _bundle(library, run, asked, tmp_path, parts=frozenset({Part.ORIGINALS}))
    for is_kept in (True, False):
        other = Library.open(tmp_path / "other", embedder=embedder)
        if is_kept:
            arrived = run(operations.import_session(other, bundle, keep_originals=True))
            run(operations.remove_session(other, arrived.info.id))
        other.close()
    assert list((tmp_path / "other" / "kept-originals").iterdir()) == []


def test_without_originals_in_the_bundle_there_is_nothing_to_add(library, run, asked, tmp_path, embedder):
    other = Library.open(tmp_path / "other", embedder=embedder)
    try:
        arrived = run(operations.import_session(other, _bundle(library, run, asked, tmp_path), keep_originals=True))
        (answer,) = run(operations.open_session(other, arrived.info.id)).runs
        assert arrived.originals == ()
        assert run(operations.kept_original(other, answer.citations[0].document)) is None
        assert run(operations.add_kept_originals(other, [answer.citations[0].document])) == []
    finally:
        other.close()


def test_no_folder_of_this_machine_is_in_a_bundle(library, run, asked, tmp_path):
    with zipfile.ZipFile(_bundle(library, run, asked, tmp_path)) as archive:
        held = io.BytesIO(b"".join(archive.read(name) for name in archive.namelist())).getvalue()
    assert str(tmp_path).encode() not in held


def test_a_json_export_comes_back_too(library, run, asked, tmp_path):
    path = run(operations.export_session(library, asked.session, "json", tmp_path / "s.json"))
    arrived = run(operations.import_session(library, path))
    assert (arrived.info.runs, arrived.here) == (1, 1)


@pytest.mark.parametrize("content", [b"", b"hello", b"%PDF-1.7", b"{}", b"PK\x05\x06" + bytes(18), b"PK\x03\x04abc"])
def test_a_file_that_is_not_a_session_is_rejected_with_an_error_message_and_leaves_nothing(
    library, run, tmp_path, content
):
    file = tmp_path / "x.kwbundle"
    file.write_bytes(content)
    with pytest.raises(ExportError, match=r"x\.kwbundle|not a session"):
        run(operations.import_session(library, file))
    assert run(operations.list_sessions(library)) == []
