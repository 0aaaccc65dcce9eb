"""Coverage: every answer reports how much of the library was searchable."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.document import DocumentStatus
from workbench.model.hit import Coverage, SearchMode, narrowest
from workbench.model.run import Certainty
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.retrieval.filters.json_forms import filter_of

Run = Callable[[Any], Any]


@pytest.mark.parametrize(
    ("coverage", "sentence"),
    [
        (Coverage(0), "There was no document to search."),
        (Coverage(1), "Searched the only document."),
        (Coverage(2960), "Searched all 2,960 documents."),
        (Coverage(1, by_keyword=1), "Searched the only document, only by keyword."),
        (Coverage(296, by_keyword=30), "Searched all 296 documents, 30 of them only by keyword."),
        (Coverage(9, locked=1), "Searched 8 of 9 documents. Not searched: 1 locked by a password."),
        (
            Coverage(296, by_keyword=30, waiting=150, locked=2, failed=24),
            "Searched 120 of 296 documents, 30 of them only by keyword."
            " Not searched: 150 still to be read, 2 locked by a password and 24 not read (failed or cancelled).",
        ),
        (Coverage(3, not_embedded=1), "Searched 2 of 3 documents. Not searched: 1 without all vectors yet."),
    ],
)
def test_what_was_seen_is_said_in_plain_words(coverage: Coverage, sentence: str) -> None:
    assert coverage.sentence == sentence


def test_of_several_searches_the_one_that_saw_least_counts() -> None:
    assert narrowest([Coverage(9), Coverage(9, by_keyword=4), Coverage(9, waiting=2)]) == Coverage(9, by_keyword=4)
    assert narrowest([]) is None


def test_a_complete_library_is_said_to_be_searched_as_a_whole(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    found = run(operations.search(library, "ferry"))
    assert (found.coverage, found.notes) == (Coverage(2), ())
    kept = run(operations.ask(library, "How long did the ferry stay in port?"))
    assert (kept.coverage, kept.knowledge_base) == (Coverage(2), "")


def test_documents_without_vectors_are_counted_by_what_the_search_is(
    library: Library, run: Run, papers: Path, embedder: Embedder
) -> None:
    run(operations.add_documents(library, [papers]))
    first = library.documents.list()[0]
    with library.database.write() as connection:
        connection.execute("DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)", (first.id,))
        connection.execute("UPDATE documents SET embedded = 0 WHERE id = ?", (first.id,))
    seen = {
        mode: run(operations.search(library, "ferry", configuration=SearchConfiguration(mode))).coverage
        for mode in SearchMode
    }
    assert seen == {
        SearchMode.HYBRID: Coverage(2, by_keyword=1),
        SearchMode.DENSE: Coverage(2, not_embedded=1),
        SearchMode.KEYWORD: Coverage(2),
    }


def test_a_document_still_to_be_read_counts_only_where_it_is(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    run(operations.add_knowledge_base(library, "Other"))
    library.intake.set_status([library.documents.list()[0].id], DocumentStatus.QUEUED)
    with library.database.write() as connection:
        connection.execute("UPDATE documents SET chunks = 0, embedded = 0 WHERE status = 'queued'")
    assert run(operations.ask(library, "ferry?", knowledge_base="default")).coverage == Coverage(2, waiting=1)
    elsewhere = run(operations.ask(library, "ferry?", knowledge_base="Other"))
    assert (elsewhere.coverage, elsewhere.knowledge_base) == (Coverage(0), "Other")


def test_whoever_asks_about_one_document_is_not_told_about_the_others(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    one = filter_of({"name": "harbour.md"})
    assert run(operations.search(library, "ferry", filter=one)).coverage is None


def test_e32_a_question_about_a_document_that_is_still_to_be_read_is_told_of_it(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    document = next(one for one in library.documents.list() if one.name == "harbour.md")
    library.intake.set_status([document.id], DocumentStatus.QUEUED)
    with library.database.write() as connection:
        connection.execute("DELETE FROM chunks WHERE document = ?", (document.id,))
        connection.execute("UPDATE documents SET chunks = 0, embedded = 0 WHERE status = 'queued'")
    answer = run(operations.ask(library, "How long was the ferry in port?", filter=filter_of({"name": "harbour.md"})))
    assert (answer.certainty, answer.refused) == (Certainty.UNKNOWN, False)
    assert answer.answer.startswith("It is not known yet whether your documents answer this.")
