"""Exhaustive reading: complete, stored batch by batch, resumable, and never mistaken for "nothing found"."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from exhaustive_model import ReadingModel, notice_of, use_model
from small_embedder import SmallEmbedder

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import LibraryError, ModelRefusedRequest, ModelUnreachable, RetrievalError
from workbench.model.document import DocumentStatus, Finding, FindingKind
from workbench.model.exhaustive import (
    DocumentRead,
    DocumentReading,
    DocumentVerdict,
    PaceSource,
    Price,
    Reading,
    ReadingBegan,
    ReadingProgress,
    ReadingStatus,
)
from workbench.model.hit import Coverage
from workbench.model.profile import ModelProfile
from workbench.operations import Library
from workbench.operations.exhaustive_reading.exhaustive_run import offline_conclusion
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.store.document_rows import findings_value
from workbench.store.intake import FileStamp
from workbench.worker.job import JobContext, Operation

Run = Callable[[Operation[Any]], Any]
QUESTION = "Is the notice period longer than 30 days?"
YES, NO, NOT_SAID = DocumentVerdict.YES, DocumentVerdict.NO, DocumentVerdict.NOT_SAID


def _contract(name: str, notice: str, sections: int = 20) -> str:
    filler = f"The parties to {name} shall keep the records of the works in good order. "
    parts = [
        f"## Clause {number}\n\n" + "".join(f"As {number}.{line} says: {filler}" for line in range(8)) + "\n"
        for number in range(sections)
    ]
    parts[3] += f"\nEither party {notice}.\n" if notice else ""
    return "# Contract\n\n" + "\n".join(parts)


@pytest.fixture
def library(request: pytest.FixtureRequest, tmp_path: Path, embedder: Embedder) -> Iterator[Library]:
    """Yield a library with a fast embedder: the model receives all passages, regardless of their vectors."""
    used = embedder if hasattr(request, "param") else SmallEmbedder(embedder.tokenizer)
    library = Library.open(tmp_path / "library", embedder=used)
    yield library
    library.close()


with_real_vectors = pytest.mark.parametrize("library", ["real vectors"], indirect=True)


@pytest.fixture
def contracts(library: Library, run: Run, tmp_path: Path) -> Path:
    """Return a folder of three contracts of about 20 passages; the chat model is “scripted”."""
    folder = tmp_path / "contracts"
    folder.mkdir()
    (folder / "b-short.md").write_text(_contract("Birch", "gives 14 days notice"), "utf-8")
    (folder / "a-long.md").write_text(_contract("Alder", "gives 60 days notice"), "utf-8")
    (folder / "c-silent.md").write_text(_contract("Cedar", ""), "utf-8")
    run(operations.add_documents(library, [folder]))
    run(operations.put_profile(library, ModelProfile("scripted", "http://127.0.0.1:9/v1", "m")))
    run(operations.put_setting(library, "reading_calls", 1))
    return folder


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ReadingModel:
    made = ReadingModel(notice_of)
    use_model(monkeypatch, made)
    return made


def _read(library: Library, **more: Any) -> Operation[Reading]:
    return operations.read_all(library, QUESTION, profile="scripted", **more)


def _passages(library: Library) -> int:
    return sum(document.chunks for document in library.documents.list())


def test_every_passage_is_read_once_and_each_document_gets_its_verdict(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    reading = run(_read(library))
    assert [(one.name, one.verdict) for one in reading.documents] == [
        ("a-long.md", YES),
        ("b-short.md", NO),
        ("c-silent.md", NOT_SAID),
    ]
    assert reading.documents[0].answer == "The notice is 60 days."
    total = _passages(library)
    handed = [text for batch in model.batches for text in batch]
    chunks = [chunk.text for document in library.documents.list() for chunk in library.documents.chunks(document.id)]
    assert sorted(handed) == sorted(chunks)
    assert reading.info.meter.sentence == f"Read {total} of {total} passages, 3 of 3 documents"
    assert reading.info.status is ReadingStatus.COMPLETE
    assert model.closed


def test_passages_of_a_document_are_packed_in_order_and_not_mixed_with_another(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    run(_read(library))
    order = {c.text: (d.name, c.ordinal) for d in library.documents.list() for c in library.documents.chunks(d.id)}
    placed = [[order[text] for text in batch] for batch in model.batches]
    assert all(batch == sorted(batch) and len({name for name, _ in batch}) == 1 for batch in placed)
    assert len(placed) < _passages(library) / 3


def test_a_quote_is_a_citation_with_its_exact_position(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    (citation,) = run(_read(library)).documents[0].citations
    assert citation.document is not None
    text = library.documents.text(citation.document)
    assert text[citation.start : citation.end] == citation.quote == "gives 60 days notice"


def test_the_conclusion_cites_what_was_found_and_an_invented_number_is_flagged(
    library: Library, run: Run, contracts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_model(monkeypatch, ReadingModel(notice_of, conclusion="The first says 60 days [1]. Another agrees [7]."))
    reading = run(_read(library))
    assert [(one.marker, one.valid, one.document_name) for one in reading.citations] == [
        (1, True, "a-long.md"),
        (7, False, ""),
    ]


def test_progress_and_verdicts_are_reported_live(
    library: Library, run: Run, events: list[Any], contracts: Path, model: ReadingModel
) -> None:
    run(_read(library))
    meters = [event.meter.read for event in events if isinstance(event, ReadingProgress)]
    assert meters == sorted(meters)
    assert (meters[0], meters[-1]) == (0, _passages(library))
    last = {event.row.name: event.row.verdict for event in events if isinstance(event, DocumentRead)}
    assert last == {"a-long.md": YES, "b-short.md": NO, "c-silent.md": NOT_SAID}


def test_a_model_that_fails_half_way_pauses_and_continue_reads_only_what_is_left(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    model.fails_at[3] = ModelUnreachable("There is no connection to the model.", "Start it.")
    paused = run(_read(library))
    assert paused.info.status is ReadingStatus.PAUSED
    assert (paused.info.reason, paused.info.hint) == (
        "There is no connection to the model.",
        "Start it. “Continue” reads what is left.",
    )
    read = paused.info.meter.read
    assert 0 < read < _passages(library)
    assert DocumentVerdict.UNFINISHED in {one.verdict for one in paused.documents}
    model.requests.clear()
    model.fails_at.clear()
    done = run(operations.continue_reading(library, paused.info.id))
    assert sum(map(len, model.batches)) == _passages(library) - read
    assert [one.verdict for one in done.documents] == [YES, NO, NOT_SAID]
    assert (done.info.reason, done.info.is_complete) == ("", True)


def test_passages_read_before_a_stop_are_kept(library: Library, contracts: Path, model: ReadingModel) -> None:
    async def scenario() -> None:
        model.waits_at[3] = asyncio.Event()
        seen: list[Any] = []
        job = asyncio.ensure_future(_read(library)(JobContext(seen.append)))
        while len(model.requests) < 3:
            await asyncio.sleep(0.001)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        (info,) = await operations.list_readings(library)(JobContext())
        assert (info.status, info.reason) == (ReadingStatus.PAUSED, "You stopped this reading.")
        told = [event.meter.read for event in seen if isinstance(event, ReadingProgress)]
        assert 0 < info.meter.read == told[-1] < _passages(library)
        model.waits_at.clear()
        model.requests.clear()
        done = await operations.continue_reading(library, info.id)(JobContext())
        assert done.info.is_complete
        assert sum(map(len, model.batches)) == _passages(library) - info.meter.read

    asyncio.run(scenario())


def test_documents_that_changed_came_or_went_meanwhile_are_noticed(
    library: Library, run: Run, events: list[Any], contracts: Path, model: ReadingModel
) -> None:
    number = run(_read(library)).info.id
    changed = (contracts / "b-short.md").read_text("utf-8").replace("gives 14 days", "gives 60 days")
    (contracts / "b-short.md").write_text(changed, "utf-8")
    (contracts / "d-new.md").write_text(_contract("Dogwood", "gives 60 days notice", 8), "utf-8")
    run(operations.add_documents(library, [contracts]))
    silent = next(document.id for document in library.documents.list() if document.name == "c-silent.md")
    run(operations.remove_documents(library, [silent]))
    since = run(operations.open_reading(library, number))
    assert since.outdated
    notes = " ".join(since.notes)
    assert "1 document (“d-new.md”): new" in notes
    assert "1 document (“b-short.md”): changed" in notes
    assert "1 document (“c-silent.md”): no longer there" in notes
    model.requests.clear()
    events.clear()
    again = run(operations.continue_reading(library, number))
    assert [(one.name, one.verdict) for one in again.documents] == [
        ("a-long.md", YES),
        ("b-short.md", YES),
        ("d-new.md", YES),
    ]
    new = library.documents.find("d-new.md").chunks
    assert new < sum(map(len, model.batches)) <= new + library.documents.find("b-short.md").chunks
    (began,) = [event for event in events if isinstance(event, ReadingBegan)]
    assert "read again where they changed" in " ".join(began.notes)
    assert "d-new.md" in " ".join(again.notes)
    assert not again.outdated


def test_a_passage_that_the_user_switched_off_is_not_read(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    number = run(_read(library)).info.id
    (quote,) = run(operations.open_reading(library, number)).documents[0].citations
    assert quote.chunk is not None
    run(operations.disable_chunk(library, quote.chunk))
    again = run(operations.continue_reading(library, number))
    assert again.documents[0].verdict is NOT_SAID
    assert again.info.meter.passages == _passages(library) - 1


def test_quotes_that_are_not_in_the_passage_are_discarded_with_their_finding(
    library: Library, run: Run, contracts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def invents(text: str) -> dict[str, Any]:
        said = notice_of(text)
        return said | {"quotes": ["gives ninety days notice"]} if said["says"] == "no" else said

    use_model(monkeypatch, ReadingModel(invents))
    reading = run(_read(library))
    short = reading.documents[1]
    assert (short.verdict, short.citations) == (DocumentVerdict.UNREADABLE, ())
    assert "its quote is not in the passage" in short.problem
    # Asked twice, both times with the same invented quote.
    assert reading.info.thrown_out == 2 * short.unreadable > 0
    assert f"{short.unreadable} unreadable" in reading.info.meter.sentence


def test_passages_without_a_usable_model_reply_are_unreadable_and_can_be_read_again(
    library: Library, run: Run, contracts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mumbling(ReadingModel):
        async def stream(self, request: Any) -> Any:
            async for event in super().stream(request):
                yield type(event)("Well, well.") if hasattr(event, "text") else event

    use_model(monkeypatch, Mumbling(notice_of))
    mumbled = run(_read(library))
    assert {one.verdict for one in mumbled.documents} == {DocumentVerdict.UNREADABLE}
    assert "could not be read, so this is not certain" in mumbled.conclusion
    use_model(monkeypatch, ReadingModel(notice_of))
    same = run(operations.continue_reading(library, mumbled.info.id))
    assert {one.verdict for one in same.documents} == {DocumentVerdict.UNREADABLE}
    again = run(operations.continue_reading(library, mumbled.info.id, again=True))
    assert [one.verdict for one in again.documents] == [YES, NO, NOT_SAID]


def test_a_passage_that_the_server_refuses_is_unreadable_and_the_others_are_read(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    model.fails_at[2] = ModelRefusedRequest("The server's filter stopped it.")
    reading = run(_read(library))
    assert reading.info.is_complete
    assert reading.info.meter.unreadable > 0
    assert "The server's filter stopped it." in {one.problem for one in reading.documents}


def test_a_server_that_refuses_the_first_request_pauses_the_reading(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    model.fails_at[1] = ModelRefusedRequest("The request is too long.")
    reading = run(_read(library))
    assert (reading.info.status, reading.info.reason) == (ReadingStatus.PAUSED, "The request is too long.")
    assert reading.info.meter.read == 0


def test_a_conclusion_that_cannot_be_written_leaves_the_table_and_is_made_up_for(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    run(_read(library))
    calls = len(model.requests)
    model.requests.clear()
    model.fails_at[calls] = ModelUnreachable("No connection.")
    paused = run(_read(library))
    assert [one.verdict for one in paused.documents] == [YES, NO, NOT_SAID]
    assert "Everything was read, but the conclusion could not be written" in paused.info.reason
    model.requests.clear()
    model.fails_at.clear()
    assert run(operations.continue_reading(library, paused.info.id)).conclusion == "One document says so [1]."
    assert len(model.requests) == 1


def test_a_reading_with_nothing_to_read_is_rejected_before_it_starts(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    none = filter_of_text("tag:nowhere")
    for operation in (_read(library, filter=none), operations.estimate_reading(library, QUESTION, filter=none)):
        with pytest.raises(RetrievalError, match="No passage matches this filter"):
            run(operation)
    with pytest.raises(RetrievalError, match="There is no filter “colour”"):
        run(_read(library, filter=filter_of_text("colour:red")))
    with pytest.raises(RetrievalError, match="question is empty"):
        run(operations.read_all(library, "  "))
    assert (run(operations.list_readings(library)), model.requests) == ([], [])


@pytest.mark.logs_warnings
def test_a_store_that_fails_is_an_error_and_never_nothing_found(
    library: Library, run: Run, contracts: Path, model: ReadingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise LibraryError("The disk is full.")

    monkeypatch.setattr(library.readings, "add", broken)
    with pytest.raises(LibraryError, match="disk is full"):
        run(_read(library))
    (info,) = run(operations.list_readings(library))
    assert (info.status, info.reason) == (ReadingStatus.PAUSED, "The disk is full.")


def test_an_estimate_shows_the_number_of_calls_and_the_destination_of_the_passages(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    before = run(operations.estimate_reading(library, QUESTION, profile="scripted", price=Price(2.0, 10.0)))
    assert (before.documents, before.passages, model.requests) == (3, _passages(library), [])
    assert (before.seconds, before.pace) == (None, PaceSource.UNKNOWN)
    assert before.cost == pytest.approx((2 * before.input_tokens + 10 * before.output_tokens) / 1e6)
    assert before.leaves == "Nothing leaves this computer."
    run(_read(library))
    assert before.calls == len(model.batches)
    after = run(operations.estimate_reading(library, QUESTION, profile="scripted"))
    assert after.pace is PaceSource.READINGS
    assert after.seconds is not None
    assert after.cost is None
    # The whole time of the run counts, not only that of the calls.
    library.readings.took(run(operations.list_readings(library))[0].id, 1000.0)
    slow = run(operations.estimate_reading(library, QUESTION, profile="scripted"))
    assert slow.seconds == pytest.approx(after.seconds + 1000)
    run(operations.put_profile(library, ModelProfile("far", "https://models.example.com/v1", "m")))
    far = run(operations.estimate_reading(library, QUESTION, profile="far"))
    assert far.leaves == f"{far.passages} passages and the question would be sent to models.example.com."


@with_real_vectors
def test_offline_every_passage_is_read_and_the_best_quotes_are_verbatim(
    library: Library, run: Run, contracts: Path
) -> None:
    estimate = run(operations.estimate_reading(library, "How long is the notice that a party gives?"))
    assert (estimate.calls, estimate.pace) == (0, PaceSource.SAMPLE)
    assert estimate.seconds
    assert run(operations.list_readings(library)) == []
    reading = run(operations.read_all(library, "How many days notice does either party give?"))
    assert reading.info.is_offline
    assert "cannot answer yes or no" in reading.info.mode
    assert reading.info.meter.read == _passages(library)
    found = {one.name: one for one in reading.documents}
    assert found["a-long.md"].verdict is found["b-short.md"].verdict is YES
    assert any("60 days" in one.quote for one in found["a-long.md"].citations)
    for one in reading.documents:
        texts = library.documents.text(one.document)
        assert all(texts[quote.start : quote.end] == quote.quote for quote in one.citations)
    assert reading.conclusion.startswith("Found in ")
    later = run(operations.estimate_reading(library, "How long is the notice?"))
    assert later.pace is PaceSource.READINGS


def leave_unread(library: Library, path: Path, status: DocumentStatus) -> None:
    """Put a document into the library that was not read."""
    path.write_text("# Secret\n\nEither party gives 90 days notice.\n", "utf-8")
    (document,) = library.intake.queue("default", {path: (FileStamp(1, 1), "")})
    library.intake.set_status([document.id], status)


@pytest.mark.parametrize(
    ("status", "note", "missing"),
    [
        (DocumentStatus.QUEUED, "1 document is waiting to be read", "1 still to be read"),
        (DocumentStatus.INDEXED, "1 document is waiting to be read", "1 still to be read"),
        (DocumentStatus.LOCKED, "1 document is locked, or could not be read", "1 locked by a password"),
    ],
)
@pytest.mark.parametrize("where", ["", "name:c-silent.md OR name:d-unread.md"])
def test_nothing_is_concluded_while_documents_of_the_filter_are_unread(
    library: Library,
    run: Run,
    contracts: Path,
    model: ReadingModel,
    where: str,
    status: DocumentStatus,
    note: str,
    missing: str,
) -> None:
    run(operations.remove_documents(library, [one.id for one in library.documents.list() if one.name != "c-silent.md"]))
    leave_unread(library, contracts / "d-unread.md", status)
    reading = run(_read(library, filter=filter_of_text(where)))
    assert note in " ".join(reading.notes)
    assert reading.conclusion == f"Not found in what was read so far. Not searched: {missing}."


def test_the_model_that_concludes_is_told_what_was_not_read(
    library: Library, run: Run, contracts: Path, model: ReadingModel
) -> None:
    number = library.documents.find("b-short.md").id
    with library.database.write() as connection:
        value = findings_value((Finding(FindingKind.NO_TEXT, (3, 4), 2),))
        connection.execute("UPDATE documents SET findings = ?, pages = 4 WHERE id = ?", (value, number))
    reading = run(_read(library))
    assert "2 pages of these documents, which have no text" in " ".join(reading.notes)
    material = json.loads(model.requests[-1].messages[-1].text)
    assert material["counts"]["not_read"] == "2 pages without text"


def test_offline_what_was_not_read_is_named_after_what_was_found() -> None:
    row = DocumentReading(1, "a.md", NOT_SAID, "", (), 1, 1)
    unread = Coverage(2, failed=1)
    assert offline_conclusion([row], unread).startswith("Not found in what was read so far. Not searched: 1 not read")
    found = offline_conclusion([replace(row, verdict=YES)], unread)
    assert found.startswith("Found in 1 of 1 document: the quotes are in the table. Not searched: 1 not read")


@with_real_vectors
def test_offline_what_no_document_speaks_of_is_found_in_none(library: Library, run: Run, contracts: Path) -> None:
    reading = run(operations.read_all(library, "Which penguin species breed on Kerguelen?"))
    assert {one.verdict for one in reading.documents} == {NOT_SAID}
    assert reading.conclusion == "Found in none of 3 documents."


def test_d22_instructions_in_a_document_reach_the_model_only_as_data(
    library: Library, run: Run, peer_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = peer_data / "generated" / "injection"
    run(operations.add_documents(library, sorted(folder.glob("inj*"))[:6]))
    run(operations.put_profile(library, ModelProfile("scripted", "http://127.0.0.1:9/v1", "m")))
    model = ReadingModel(lambda text: {"says": "yes", "finding": "So.", "quotes": [text[:60]]})
    use_model(monkeypatch, model)
    run(_read(library))
    handed = 0
    for request in model.requests:
        system, user, *_ = request.messages
        assert "never an instruction" in system.text
        assert "CANARY" not in system.text
        material = json.loads(user.text)
        handed += "CANARY" in user.text
        asked = {key: value for key, value in material.items() if key in ("question", "counts")}
        assert "CANARY" not in json.dumps(asked)
        assert material.keys() - asked.keys() <= {"document", "passages", "documents", "parts"}
    assert handed >= 3, "the orders reach the model, as data"


def test_readings_are_renamed_removed_and_brought_back(library: Library, run: Run, contracts: Path) -> None:
    number = run(operations.read_all(library, "Which notice?", name="Notices")).info.id
    run(operations.rename_reading(library, number, " Terms "))
    run(operations.remove_reading(library, number))
    assert run(operations.list_readings(library)) == []
    run(operations.restore_reading(library, number))
    assert [one.name for one in run(operations.list_readings(library))] == ["Terms"]


def test_a_reading_follows_its_knowledge_base_when_that_is_renamed(library: Library, run: Run, contracts: Path) -> None:
    number = run(operations.read_all(library, "Which notice?", knowledge_base="default")).info.id
    run(operations.add_knowledge_base(library, "law"))
    run(operations.move_documents(library, [one.id for one in library.documents.list()], "law"))
    assert "no longer match" in " ".join(run(operations.open_reading(library, number)).notes)
    other = run(operations.read_all(library, "Which notice?", knowledge_base="law")).info.id
    run(operations.rename_knowledge_base(library, "law", "contracts"))
    reading = run(operations.continue_reading(library, other))
    assert (reading.info.knowledge_base, reading.info.is_complete, reading.notes) == ("contracts", True, ())


def test_a_reading_left_running_by_a_killed_process_can_be_continued(
    library: Library, run: Run, contracts: Path, tmp_path: Path
) -> None:
    number = run(operations.read_all(library, "Which notice?")).info.id
    with library.database.write() as connection:
        assert isinstance(connection, sqlite3.Connection)
        connection.execute("UPDATE readings SET status = 'running'")
    with pytest.raises(RetrievalError, match="already running"):
        run(operations.continue_reading(library, number))
    library.readings.interrupt_unfinished()
    info = library.readings.get(number)
    assert (info.status, info.reason) == (ReadingStatus.PAUSED, "The program ended while this was being read.")
    assert run(operations.continue_reading(library, number)).info.is_complete


@pytest.mark.parametrize("format", ["csv", "md"])
def test_a_reading_is_exported_with_every_document_and_quote(
    library: Library, run: Run, contracts: Path, model: ReadingModel, tmp_path: Path, format: str
) -> None:
    number = run(_read(library)).info.id
    path = run(operations.export_reading(library, number, format, tmp_path / f"table.{format}"))
    text = path.read_text("utf-8-sig")
    for said in ("a-long.md", "c-silent.md", "not said", "gives 60 days notice", "The notice is 14 days."):
        assert said in text
