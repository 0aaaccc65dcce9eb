"""Explanations of search results on a real document: every step that can drop a passage, and the command line."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench import operations
from workbench.cli import main
from workbench.errors import NotFound, RetrievalError
from workbench.model.document import DocumentStatus
from workbench.model.explanation import AdviceKind, DocumentSpot, Explanation, ListKind, Stage
from workbench.model.filter import ChunkFilter
from workbench.operations import Library

Run = Callable[[Any], Any]


@pytest.fixture
def harbour(library: Library, run: Run, papers: Path) -> int:
    """Return the number of a document about a harbour, in a library with another document."""
    run(operations.add_documents(library, [papers]))
    return int(library.documents.find("harbour.md").id)


def explained(
    library: Library, run: Run, question: str, document: int, spot: DocumentSpot | None = None, **how: Any
) -> Explanation:
    explanation: Explanation = run(operations.explain(library, question, document, spot or DocumentSpot(), **how))
    return explanation


def test_a_found_passage_is_explained_with_its_ranks(library: Library, run: Run, harbour: int) -> None:
    told = explained(
        library, run, "When did the harbour of Lindhamn freeze?", harbour, DocumentSpot(quote="froze in\n1987")
    )
    assert told.stage is Stage.FOUND
    assert told.sentence.startswith("It came 1st of the 2 given: “")
    assert [one.rank for one in told.accounts[0].lists] == [1, 1]
    text = library.documents.text(harbour)
    assert text[told.start : told.end] == "froze in 1987"


def test_the_explanation_reports_that_the_question_names_the_document(library: Library, run: Run, harbour: int) -> None:
    name = library.documents.get(harbour).name
    told = explained(
        library, run, f"When did it freeze according to {name}?", harbour, DocumentSpot(quote="froze in 1987")
    )
    assert told.accounts[0].named == 1.0
    assert "your question names its document" in told.sentence
    told = explained(library, run, "When did the ferry freeze?", harbour, DocumentSpot(quote="froze in 1987"))
    assert told.accounts[0].named == 0.0
    assert "names its document" not in told.sentence


def test_a_document_in_the_bin_is_reported_with_advice_to_restore_it(library: Library, run: Run, harbour: int) -> None:
    run(operations.remove_documents(library, [harbour]))
    told = explained(library, run, "harbour", harbour)
    assert (told.stage, [one.kind for one in told.advice]) == (Stage.BINNED, [AdviceKind.RESTORE])
    assert "is in the bin" in told.sentence


def test_a_document_that_is_nowhere_is_an_error(library: Library, run: Run) -> None:
    with pytest.raises(NotFound):
        explained(library, run, "harbour", 77)


def test_a_locked_document_was_not_read(library: Library, run: Run, encrypted_pdf: Path) -> None:
    run(operations.add_documents(library, [encrypted_pdf]))
    told = explained(library, run, "vault", library.documents.find("secret.pdf").id)
    assert (told.stage, [one.kind for one in told.advice]) == (Stage.LOCKED, [AdviceKind.UNLOCK])


def test_a_broken_file_is_reported_with_its_reason(library: Library, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7 and nothing more")
    run(operations.add_documents(library, [path]))
    document = library.documents.find("broken.pdf")
    told = explained(library, run, "anything", document.id)
    assert told.stage is Stage.FAILED
    assert document.reason in told.sentence


def test_a_queued_document_is_reported_as_not_read_yet(library: Library, run: Run, tmp_path: Path) -> None:
    document = library.documents.queue(
        tmp_path / "a.md", knowledge_base="default", sha256="a" * 64, size=1, format="markdown"
    )
    assert document.status is DocumentStatus.QUEUED
    told = explained(library, run, "anything", document.id)
    assert (told.stage, [one.kind for one in told.advice]) == (Stage.NOT_READ, [AdviceKind.WAIT])


def test_a_page_without_text_asks_for_ocr(library: Library, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "half.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The vault opens at seven in the morning, says the keeper of the keys.")
        pdf.new_page()
        pdf.save(path)
    run(operations.add_documents(library, [path]))
    number = library.documents.find("half.pdf").id
    told = explained(library, run, "When does the vault open?", number, DocumentSpot(page=2))
    assert told.stage is Stage.NO_TEXT
    assert [(one.kind, one.pages) for one in told.advice] == [(AdviceKind.OCR, (2,))]
    assert explained(library, run, "When does the vault open?", number, DocumentSpot(page=1)).stage is Stage.FOUND
    with pytest.raises(NotFound, match="no page 9"):
        explained(library, run, "vault", number, DocumentSpot(page=9))


def test_words_missing_from_the_text_that_was_read_are_reported(library: Library, run: Run, harbour: int) -> None:
    told = explained(library, run, "harbour", harbour, DocumentSpot(quote="the submarine stayed"))
    assert (told.stage, told.accounts) == (Stage.NO_TEXT, ())
    assert "does not contain these words" in told.sentence


def test_a_passage_in_another_knowledge_base_was_left_out(library: Library, run: Run, harbour: int) -> None:
    library.documents.ensure_knowledge_base("other")
    told = explained(library, run, "harbour", harbour, filter=ChunkFilter("other"))
    assert (told.stage, told.given) == (Stage.FILTERED, 0)
    assert "the knowledge base “other”" in told.sentence


def test_a_passage_without_a_vector_is_reported_as_such(library: Library, run: Run, tmp_path: Path) -> None:
    for number in range(14):
        (tmp_path / f"{number}.md").write_text(f"The tide of day {number} came to the harbour at {number} o'clock.")
    run(operations.add_documents(library, [tmp_path]))
    # In any order of reading: among equal passages, those of the document added last come last.
    last = max(library.documents.list(), key=lambda document: library.documents.chunks(document.id)[0].id)
    chunk = library.documents.chunks(last.id)[0]
    with library.database.write() as connection:
        connection.execute("DELETE FROM vectors WHERE chunk = ?", (chunk.id,))
        connection.execute("UPDATE embedders SET generation = generation + 1")
    library.models.follow_documents()
    told = explained(library, run, "When did the tide come?", last.id, k=3)
    assert told.stage is Stage.NO_VECTOR
    assert told.accounts[0].in_list(ListKind.MEANING).rank is None  # type: ignore[union-attr]


def test_a_place_outside_every_chunk_is_reported(library: Library, run: Run, harbour: int) -> None:
    with library.database.write() as connection:
        connection.execute("UPDATE chunks SET start = 30 WHERE document = ?", (harbour,))
    told = explained(library, run, "harbour", harbour, DocumentSpot(0, 9))
    assert (told.stage, [one.kind for one in told.advice]) == (Stage.NO_CHUNK, [AdviceKind.READ_AGAIN])


def test_an_empty_question_is_an_error(library: Library, run: Run, harbour: int) -> None:
    with pytest.raises(RetrievalError):
        explained(library, run, " \n", harbour)


@pytest.mark.logs_warnings
def test_s23_the_explanation_of_a_search_without_vectors_reports_that_only_keywords_were_searched(
    library: Library, run: Run, harbour: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.retrieval.retriever import Retriever

    monkeypatch.setattr(library.models, "_retriever", Retriever(library.documents, library.keywords, None, None))
    told = explained(library, run, "Lindhamn", harbour)
    assert told.notes
    assert told.notes[0].startswith("Only keywords were searched")
    assert [one.kind for one in told.accounts[0].lists] == [ListKind.WORDS]


def test_a_hit_keeps_its_scores_in_its_explanation(library: Library, run: Run, harbour: int) -> None:
    question = "How long did the ferry stay in port?"
    hits = run(operations.search(library, question)).hits
    assert hits
    for hit in hits:
        told = explained(library, run, question, hit.chunk.document, DocumentSpot(hit.chunk.start, hit.chunk.end))
        (account,) = told.accounts
        assert (account.rank, account.fused, account.relevance) == (hit.rank, hit.scores.fused, hit.scores.relevance)
        assert account.in_list(ListKind.MEANING).rank == hit.scores.dense_rank  # type: ignore[union-attr]


def test_the_explain_command_prints_the_explanation_as_plain_text_and_as_json(
    library: Library, run: Run, harbour: int, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = str(library.folder), library.close()
    assert main(["explain", "When did the harbour freeze?", "harbour.md", "--library", folder, "--chunk", "1"]) == 0
    said = capsys.readouterr().out
    assert "It came 1st of the 2 given" in said
    assert "meaning   rank 1 of 2" in said
    assert main(["--json", "--library", folder, "explain", "harbour", "harbour.md", "--quote", "no such words"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["stage"], record["passages"]) == ("no text there", [])
    assert main(["--library", folder, "explain", "harbour", "harbour.md", "--chunk", "9"]) == 1


def test_every_field_of_an_account_is_in_the_json_record(library: Library, run: Run, harbour: int) -> None:
    from workbench.cli.chunks import explanation_record

    told = explained(library, run, "harbour", harbour)
    (passage,) = explanation_record(told)["passages"]
    assert {field.name for field in dataclasses.fields(told.accounts[0])} <= set(passage)
    json.dumps(passage)
