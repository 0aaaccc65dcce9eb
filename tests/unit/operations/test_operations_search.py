"""Number of passages of a search, and its notes if there is nothing to search."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.settings import Settings

Run = Callable[[Any], Any]


@pytest.fixture
def tides(library: Library, run: Run, tmp_path: Path) -> Library:
    """Return a library of twelve short documents about tides."""
    folder = tmp_path / "tides"
    folder.mkdir()
    for day in range(12):
        (folder / f"{day}.md").write_text(f"The tide of day {day} came at {day} o'clock.", "utf-8")
    run(operations.add_documents(library, [folder]))
    return library


def test_a_search_that_asks_for_diversity_gives_as_many(tides: Library, run: Run) -> None:
    steps = SearchConfiguration(diversity=0.6)
    plain = run(operations.search(tides, "When was the tide?")).hits
    diverse = run(operations.search(tides, "When was the tide?", configuration=steps)).hits
    assert len(diverse) == len(plain)
    assert diverse[0].chunk.id == plain[0].chunk.id


def test_b6_a_search_returns_ten_passages_unless_another_number_is_given(tides: Library, run: Run) -> None:
    assert Settings().search_results == 10
    assert len(run(operations.search(tides, "When was the tide?")).hits) == 10
    assert len(run(operations.search(tides, "When was the tide?", k=12)).hits) == 12


def test_e28_one_setting_determines_the_number_of_passages(tides: Library, run: Run) -> None:
    run(operations.put_setting(tides, "search_results", 3))
    assert len(run(operations.search(tides, "When was the tide?")).hits) == 3
    answered = run(operations.ask(tides, "When was the tide of day 3?"))
    assert {len(reference.hits) for reference in answered.references} == {3}
