"""Filters, from the library to the answer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import NotFound
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchMode
from workbench.model.run import Notice, RunStatus
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.retrieval.filters.json_forms import filter_of, with_model_filter
from workbench.retrieval.filters.text_syntax import filter_of_text

Run = Callable[[Any], Any]


@pytest.fixture
def filled(library: Library, run: Run, tmp_path: Path) -> Library:
    """Return a library of twenty notes on the ferry of which one is tagged, and one in another knowledge base."""
    for number in range(20):
        (tmp_path / f"note{number}.txt").write_text(f"The ferry Aurora left on day {number}.\n", "utf-8")
    (tmp_path / "other.md").write_text("# Ferry\n\nThe ferry Aurora belongs to Lindhamn.\n", "utf-8")
    run(operations.add_documents(library, [tmp_path / f"note{number}.txt" for number in range(20)]))
    run(operations.add_knowledge_base(library, "Other"))
    run(operations.add_documents(library, [tmp_path / "other.md"], knowledge_base="Other"))
    (last,) = (one for one in library.documents.list() if one.name == "note19.txt")
    run(operations.tag_documents(library, [last.id], add=["Law"]))
    return library


def names(found: Any) -> set[str]:
    return {hit.document_name for hit in found.hits}


@pytest.mark.parametrize("mode", list(SearchMode))
def test_b17_every_mode_filters_before_the_limit_and_finds_the_same(
    filled: Library, run: Run, mode: SearchMode
) -> None:
    def search(text: str) -> set[str]:
        steps, chosen = SearchConfiguration(mode), filter_of_text(text)
        return names(run(operations.search(filled, "ferry Aurora", k=2, filter=chosen, configuration=steps)))

    assert search("tag:law") == {"note19.txt"}
    assert search("-name:note") == {"other.md"}
    assert search("format:md OR tag:law") == {"other.md", "note19.txt"}
    assert search("kb:other tag:law") == set()


@pytest.mark.parametrize("mode", list(SearchMode))
def test_b26_an_unknown_filter_key_finds_nothing_and_is_reported(filled: Library, run: Run, mode: SearchMode) -> None:
    for form in ({"cuisine": "french"}, [{"op": "NOT", "condition": {"cuisine": "french"}}]):
        found = run(operations.search(filled, "ferry", configuration=SearchConfiguration(mode), filter=filter_of(form)))
        assert found.hits == ()
        assert "no filter “cuisine”" in found.notes[0]


@pytest.mark.parametrize("mode", list(SearchMode))
def test_b28_a_model_cannot_search_outside_the_knowledge_base(filled: Library, run: Run, mode: SearchMode) -> None:
    wide = {"op": "OR", "conditions": [{"knowledge_base": "default"}, {"format": "text"}, {"format": "markdown"}]}
    chosen = with_model_filter(ChunkFilter("Other"), wide)
    steps = SearchConfiguration(mode)
    assert names(run(operations.search(filled, "ferry", k=50, filter=chosen, configuration=steps))) <= {"other.md"}


def test_an_answer_keeps_what_was_searched(filled: Library, run: Run) -> None:
    kept = run(operations.ask(filled, "Who owns the ferry Aurora?", filter=filter_of_text("tag:Law -name:x")))
    assert (kept.filter, kept.knowledge_base) == ("tag:Law -name:x", "")
    assert {citation.document_name for citation in kept.citations} <= {"note19.txt"}
    (session,) = run(operations.list_sessions(filled))
    assert run(operations.open_session(filled, session.id)).runs[0].filter == "tag:Law -name:x"


def test_b26_an_answer_reports_an_unknown_filter(filled: Library, run: Run) -> None:
    kept = run(operations.ask(filled, "Who owns the ferry Aurora?", filter=filter_of({"cuisine": "x"})))
    told = [timed.event.text for timed in kept.events if isinstance(timed.event, Notice)]
    assert any("no filter “cuisine”" in text for text in told)
    assert (kept.status, kept.citations) == (RunStatus.COMPLETED, ())


def test_a_missing_knowledge_base_is_reported_before_any_question_is_asked(filled: Library, run: Run) -> None:
    with pytest.raises(NotFound, match="“Lwa”"):
        run(operations.ask(filled, "Who?", filter=filter_of_text("-kb:Lwa")))
    assert run(operations.list_sessions(filled)) == []


def test_b27_the_keys_of_the_library_are_listed_with_their_values(filled: Library, run: Run) -> None:
    values = run(operations.filter_values(filled))
    assert values["format"] == ("text", "markdown")
    assert values["tag"] == ("Law",)
    assert values["knowledge_base"] == ("default", "Other")
    assert "author" not in values


def test_how_much_a_filter_lets_through_is_counted(filled: Library, run: Run) -> None:
    extent = run(operations.filter_extent(filled, ChunkFilter("default", filter_of_text("name:note").where)))
    assert extent.documents == 20
    assert extent.sentence.startswith("Searches 20 documents with 20 passages")
    assert run(operations.filter_extent(filled, filter_of_text("tag:none"))).documents == 0
