"""Passages of answers: marked as right or wrong, and unmarked."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import EvaluationError, NotFound
from workbench.model.evaluation import MARKS, Judgement, JudgementKind
from workbench.model.hit import Hit
from workbench.operations import Library

Run = Callable[[Any], Any]
FROZE = "When did the harbour of Lindhamn freeze?"


@pytest.fixture
def hits(library: Library, run: Run, papers: Path) -> tuple[Hit, ...]:
    run(operations.add_documents(library, [papers]))
    found: tuple[Hit, ...] = run(operations.search(library, FROZE)).hits
    return found


def marks(library: Library, run: Run) -> list[tuple[str, bool]]:
    return [(one.document, one.right) for one in run(operations.marks_of(library, FROZE))]


def test_a_marked_passage_is_named_by_its_document_place_and_words(
    library: Library, run: Run, hits: tuple[Hit, ...]
) -> None:
    mark = run(operations.mark_passage(library, FROZE, hits[0], True))
    document = library.documents.find("harbour.md")
    judgement, chunk = mark.judgement, hits[0].chunk
    assert (judgement.kind, judgement.document, judgement.sha256) == (
        JudgementKind.PASSAGE,
        "harbour.md",
        document.sha256,
    )
    assert (judgement.start, judgement.end, judgement.text) == (chunk.start, chunk.end, chunk.text)
    assert judgement.is_at(document.sha256, chunk.start, chunk.end)
    assert (mark.set, mark.before) == (MARKS, None)


def test_a_chunk_and_the_hit_of_it_are_the_same_passage(library: Library, run: Run, hits: tuple[Hit, ...]) -> None:
    by_hit = run(operations.mark_passage(library, FROZE, hits[0], True))
    by_chunk = run(operations.mark_passage(library, FROZE, hits[0].chunk.id, True))
    assert by_chunk.before == by_hit.judgement


def test_marking_again_replaces_and_undo_brings_the_earlier_mark_back(
    library: Library, run: Run, hits: tuple[Hit, ...]
) -> None:
    first = run(operations.mark_passage(library, FROZE, hits[0], True))
    second = run(operations.mark_passage(library, FROZE, hits[0], False))
    assert marks(library, run) == [("harbour.md", False)]
    run(operations.unmark_passage(library, second))
    assert marks(library, run) == [("harbour.md", True)]
    run(operations.unmark_passage(library, first))
    assert marks(library, run) == []
    assert run(operations.golden_questions(library)) == ()


def test_a_mark_of_one_passage_leaves_those_of_others(library: Library, run: Run, hits: tuple[Hit, ...]) -> None:
    first = run(operations.mark_passage(library, FROZE, hits[0], True))
    run(operations.mark_passage(library, FROZE, hits[1], False))
    run(operations.unmark_passage(library, first))
    assert marks(library, run) == [("港口.txt", False)]


def test_a_mark_is_taken_away_and_put_back(library: Library, run: Run, hits: tuple[Hit, ...]) -> None:
    assert run(operations.remove_mark(library, FROZE, hits[0])) is None
    run(operations.mark_passage(library, FROZE, hits[0], False))
    gone = run(operations.remove_mark(library, FROZE, hits[0]))
    assert marks(library, run) == []
    run(operations.unmark_passage(library, gone))
    assert marks(library, run) == [("harbour.md", False)]


def test_the_same_words_under_another_filter_are_another_question(
    library: Library, run: Run, hits: tuple[Hit, ...]
) -> None:
    run(operations.mark_passage(library, FROZE, hits[0], True, knowledge_base="default", filter="format:markdown"))
    assert marks(library, run) == []
    (question,) = run(operations.golden_questions(library))
    assert question.key == (FROZE, "default", "format:markdown")


def test_a_citation_of_a_kept_answer_is_marked(library: Library, run: Run, hits: tuple[Hit, ...]) -> None:
    answer = run(operations.ask(library, FROZE))
    citation = next(one for one in answer.citations if one.valid)
    mark = run(operations.mark_passage(library, answer.question, citation, True))
    assert mark.judgement.is_at(citation.sha256, citation.start, citation.end)
    assert run(operations.evaluate(library)).outcomes[0].ranks == (1,)


def test_a_citation_of_no_source_and_an_empty_question_cannot_be_marked(
    library: Library, run: Run, hits: tuple[Hit, ...]
) -> None:
    answer = run(operations.ask(library, FROZE))
    with pytest.raises(EvaluationError):
        run(operations.mark_passage(library, FROZE, replace(answer.citations[0], valid=False), True))
    with pytest.raises(EvaluationError):
        run(operations.mark_passage(library, "  ", hits[0], True))


def test_a_deleted_chunk_cannot_be_marked_but_a_hit_stored_with_an_answer_can(
    library: Library, run: Run, hits: tuple[Hit, ...]
) -> None:
    run(operations.remove_documents(library, [hits[0].chunk.document], for_good=True))
    with pytest.raises(NotFound):
        run(operations.mark_passage(library, FROZE, hits[0].chunk.id, True))
    mark = run(operations.mark_passage(library, FROZE, hits[0], True))
    assert (mark.judgement.document, mark.judgement.sha256) == ("harbour.md", "")


def test_marks_follow_a_knowledge_base_that_is_renamed(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers], knowledge_base="work"))
    hit = run(operations.search(library, FROZE)).hits[0]
    run(operations.mark_passage(library, FROZE, hit, True, knowledge_base="work"))
    run(operations.rename_knowledge_base(library, "work", "harbours"))
    assert run(operations.golden_questions(library))[0].knowledge_base == "harbours"
    assert run(operations.evaluate(library)).outcomes[0].ranks == (1,)


def test_marks_survive_the_program(library: Library, run: Run, hits: tuple[Hit, ...]) -> None:
    kept = run(operations.mark_passage(library, FROZE, hits[0], True)).judgement
    folder = library.folder
    library.close()
    again = Library.open(folder)
    try:
        found: tuple[Judgement, ...] = run(operations.marks_of(again, FROZE))
    finally:
        again.close()
    assert found == (kept,)
