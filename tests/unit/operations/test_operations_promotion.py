"""Search configurations: saved by name, promoted, used by every search, and reset."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import NotFound, SettingError
from workbench.model.evaluation import NamedConfiguration, Promotion, SearchSettings
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.operations import Library

Run = Callable[[Any], Any]
KEYWORD = SearchConfiguration(SearchMode.KEYWORD)
DENSE = SearchConfiguration(SearchMode.DENSE, names=False, diversity=0.25)
WORK = ChunkFilter("work")


@pytest.fixture
def filled(library: Library, run: Run, papers: Path) -> Library:
    run(operations.add_documents(library, [papers], knowledge_base="work"))
    return library


def mode(library: Library, run: Run, filter: ChunkFilter | None = None) -> SearchMode:
    found: SearchMode = run(operations.search(library, "harbour", filter=filter)).mode
    return found


def test_searches_of_a_knowledge_base_use_the_configuration_promoted_for_it(filled: Library, run: Run) -> None:
    assert run(operations.promote(filled, "work", KEYWORD)) == Promotion("work", None, KEYWORD)
    assert [mode(filled, run, WORK), mode(filled, run)] == [SearchMode.KEYWORD, SearchMode.HYBRID]
    assert run(operations.search_settings(filled, "work")) == SearchSettings("work", KEYWORD, is_own=True)


def test_a_configuration_promoted_for_all_is_used_where_no_other_is_promoted(filled: Library, run: Run) -> None:
    run(operations.promote(filled, None, KEYWORD))
    assert [mode(filled, run, WORK), mode(filled, run)] == [SearchMode.KEYWORD, SearchMode.KEYWORD]
    run(operations.promote(filled, "work", DENSE))
    assert [mode(filled, run, WORK), mode(filled, run)] == [SearchMode.DENSE, SearchMode.KEYWORD]
    assert run(operations.search_settings(filled, "default")) == SearchSettings("default", KEYWORD, is_own=False)


def test_the_configuration_given_with_a_search_overrides_the_promoted_one(filled: Library, run: Run) -> None:
    run(operations.promote(filled, None, KEYWORD))
    assert run(operations.search(filled, "harbour", configuration=DENSE)).mode is SearchMode.DENSE


def test_an_explanation_uses_the_promoted_configuration(filled: Library, run: Run) -> None:
    run(operations.promote(filled, "work", KEYWORD))
    document = filled.documents.find("harbour.md").id
    assert run(operations.explain(filled, "harbour", document, filter=WORK)).mode is SearchMode.KEYWORD
    assert run(operations.explain(filled, "harbour", document)).mode is SearchMode.HYBRID


def test_an_answer_is_searched_for_as_promoted(filled: Library, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run(operations.promote(filled, "work", KEYWORD))
    asked: list[SearchConfiguration] = []
    retriever = filled.models.retriever()
    search = retriever.search

    def noted(*args: Any, configuration: SearchConfiguration, **how: Any) -> Any:
        asked.append(configuration)
        return search(*args, configuration=configuration, **how)

    monkeypatch.setattr(retriever, "search", noted)
    run(operations.ask(filled, "When did the harbour freeze?", knowledge_base="work"))
    assert set(asked) == {KEYWORD}


def test_promoting_what_was_before_undoes_a_promotion(filled: Library, run: Run) -> None:
    first = run(operations.promote(filled, "work", KEYWORD))
    second = run(operations.promote(filled, "work", DENSE))
    run(operations.promote(filled, "work", second.before))
    assert run(operations.search_settings(filled, "work")).configuration == KEYWORD
    run(operations.promote(filled, "work", first.before))
    assert run(operations.search_settings(filled, "work")) == SearchSettings("work", DEFAULT_SEARCH, is_own=False)


def test_the_promotion_of_all_is_reset(filled: Library, run: Run) -> None:
    run(operations.promote(filled, None, KEYWORD))
    assert run(operations.promote(filled, None, None)) == Promotion(None, KEYWORD, None)
    assert mode(filled, run) is SearchMode.HYBRID


def test_a_promotion_goes_with_its_knowledge_base(filled: Library, run: Run) -> None:
    run(operations.promote(filled, "work", DENSE))
    run(operations.rename_knowledge_base(filled, "work", "harbours"))
    removed = run(operations.remove_knowledge_base(filled, "harbours"))
    run(operations.restore_knowledge_base(filled, removed))
    assert run(operations.search_settings(filled, "harbours")).configuration == DENSE


def test_promoting_for_a_missing_knowledge_base_or_an_invalid_configuration_raises(filled: Library, run: Run) -> None:
    with pytest.raises(NotFound):
        run(operations.promote(filled, "nowhere", KEYWORD))
    with pytest.raises(NotFound):
        run(operations.search_settings(filled, "nowhere"))
    with pytest.raises(SettingError):
        run(operations.promote(filled, "work", SearchConfiguration(reranking="magic")))
    assert mode(filled, run, WORK) is SearchMode.HYBRID


def test_configurations_are_kept_by_name_replaced_and_removed(library: Library, run: Run) -> None:
    run(operations.keep_configuration(library, "words", DENSE))
    kept = run(operations.keep_configuration(library, " words ", KEYWORD))
    assert kept == (NamedConfiguration("words", KEYWORD),) == run(operations.list_configurations(library))
    assert run(operations.remove_configuration(library, "words")) == ()
    with pytest.raises(NotFound):
        run(operations.remove_configuration(library, "words"))


@pytest.mark.parametrize("name", ["", "mode=dense", "x" * 101])
def test_a_configuration_needs_a_name_that_is_no_configuration(library: Library, run: Run, name: str) -> None:
    with pytest.raises(SettingError):
        run(operations.keep_configuration(library, name, KEYWORD))


def test_a_configuration_promoted_by_a_later_version_can_be_replaced(filled: Library, run: Run) -> None:
    with filled.database.write() as connection:
        connection.execute('UPDATE knowledge_bases SET configuration = \'{"mode":"telepathy"}\'')
    with pytest.raises(SettingError):
        mode(filled, run, WORK)
    run(operations.promote(filled, "work", None))
    assert mode(filled, run, WORK) is SearchMode.HYBRID
