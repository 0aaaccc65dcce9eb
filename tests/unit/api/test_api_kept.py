"""Stored answers, exhaustive readings and descriptions of documents, from a script."""

from pathlib import Path

import pytest

import workbench

QUESTION = "When did the harbour freeze?"


def test_answers_are_listed_compared_and_asked_otherwise(filled: workbench.Library) -> None:
    first = filled.ask(QUESTION)
    second = filled.ask("How long does the ferry stay?", session=first.session)
    runs = filled.runs
    assert [one.id for one in runs.list(first.session)] == [second.id, first.id]
    assert runs.open(first.id).answer == first.answer
    assert "Question" in [one.part for one in runs.diff(first.id, second.id)]
    fork = runs.fork(first.id, question="Who stays in port?")
    assert (fork.parent, fork.session) == (first.id, first.session)
    assert "ferry" in fork.answer
    beside = filled.ask("And then?", session=first.session, after=first.id)
    assert beside.parent == first.id
    with pytest.raises(ValueError, match="either the 'result'"):
        runs.fork(first.id)


def test_a_reading_is_estimated_kept_and_exported(filled: workbench.Library, tmp_path: Path) -> None:
    readings = filled.readings
    estimate = readings.estimate(QUESTION, {"name": "Ice"}, price=(0.5, 1.5))
    assert (estimate.passages, estimate.host) == (1, "")
    reading = filled.read_all(QUESTION, name="Frost")
    assert [(one.id, one.name) for one in readings.list()] == [(reading.info.id, "Frost")]
    readings.rename(reading.info.id, "Ice")
    assert readings.resume(reading.info.id, retry_unreadable=True).info.is_complete
    table = readings.export(reading.info.id, tmp_path / "table.md")
    assert "3 May 1893" in table.read_text("utf-8")
    with pytest.raises(workbench.ExportError, match="csv or md"):
        readings.export(reading.info.id, tmp_path / "table.pdf")
    readings.delete(reading.info.id)
    assert readings.list() == []
    readings.restore(reading.info.id)
    assert readings.open(reading.info.id).info.name == "Ice"
    with pytest.raises(TypeError, match="'price' is what a million tokens"):
        readings.estimate(QUESTION, price=3)  # type: ignore[arg-type]


def test_a_reading_is_offered_where_it_would_do_better_than_an_answer(filled: workbench.Library) -> None:
    offer = filled.readings.offer(filled.ask("How many documents mention the harbour?"))
    assert offer is not None
    assert offer.estimate.passages == 2
    assert filled.read_all(offer.question, offer.filter, profile=offer.profile).info.is_complete
    assert filled.readings.offer(filled.ask(QUESTION)) is None


def test_documents_are_described_and_notes_replaced(filled: workbench.Library, tmp_path: Path) -> None:
    edited = filled.edit_document("Ice", title="Frost", author="Nansen", keywords=["ice", "harbour"], created="1893")
    assert (edited.metadata.title, edited.metadata.author) == ("Frost", "Nansen")
    table = tmp_path / "table.csv"
    table.write_text("file,ship\nIce,Ada\nNone,Ida\n", "utf-8")
    assert filled.import_metadata(table).unknown == ("None",)
    filled.tag("Ice", "cold")
    assert (filled.metadata_keys(), filled.tags()) == ({"ship": 1}, {"cold": 1})
    (file,) = filled.edit_note("Ferry", "The ferry left.", title="Ferry")
    assert file.outcome == "ready"
    assert [one.text for one in filled.chunks("Ferry")] == ["The ferry left."]
    with pytest.raises(workbench.MetadataError):
        filled.edit_document("Ice", created="some day")


def test_a_paused_library_continues_reading_when_it_is_resumed(library: workbench.Library) -> None:
    library.pause()
    assert library.is_paused()
    assert library.resume() == []
    assert not library.is_paused()


def test_reindex_reads_all_documents_again_when_no_document_is_named(filled: workbench.Library) -> None:
    assert [file.outcome for file in filled.reindex()] == ["ready", "ready"]
    assert [file.outcome for file in filled.reindex("Ice", more_time=True)] == ["ready"]
    assert filled.refetch() == []
