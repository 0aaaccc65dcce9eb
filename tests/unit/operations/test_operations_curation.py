"""Questions whose searches wait for the user to choose passages."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import NotFound
from workbench.model.approval import CurationAsked
from workbench.model.hit import Hit
from workbench.model.run import Run, RunBegan, TimedEvent
from workbench.operations import Library
from workbench.worker.job import JobContext, Operation

RunIt = Callable[[Operation[Any]], Any]
Choose = Callable[[Sequence[Hit]], tuple[Sequence[Hit], Sequence[int]]]


@pytest.fixture
def report(tmp_path: Path, library: Library, run: RunIt) -> Library:
    paragraphs = "\n\n".join(
        f"## Part {number}\n\n{name} rose to {number},000 in 2024. " + f"{name} had been lower before. " * 60
        for number, name in enumerate(("Revenue", "Profit", "Debt", "Stock"), 1)
    )
    file = tmp_path / "report.md"
    file.write_text(f"# Annual report\n\n{paragraphs}\n")
    run(operations.add_documents(library, [file]))
    return library


def asked(library: Library, question: str, choose: Choose, session: int | None = None) -> tuple[Run, CurationAsked]:
    """Ask offline; choose returns the hits to keep and the ids to pin."""
    seen: list[CurationAsked] = []
    numbers: list[int] = []

    async def scenario() -> Run:
        waits = asyncio.Event()

        def emit(event: object) -> None:
            if isinstance(event, RunBegan):
                numbers.append(event.run)
            elif isinstance(event, TimedEvent) and isinstance(event.event, CurationAsked):
                seen.append(event.event)
                waits.set()

        curator = operations.chosen_in_person(library)
        ask = operations.ask(library, question, session=session, curator=curator)
        task = asyncio.ensure_future(ask(JobContext(emit)))
        await waits.wait()
        await asyncio.sleep(0)
        hits, pinned = choose(seen[0].hits)
        await operations.choose_passages(library, numbers[0], seen[0].number, hits, pinned=pinned)(JobContext())
        return await task

    return asyncio.run(scenario()), seen[0]


def test_the_offline_answer_quotes_only_what_was_chosen(report: Library) -> None:
    def debt(hits: Sequence[Hit]) -> tuple[Sequence[Hit], Sequence[int]]:
        return [hit for hit in hits if "Debt rose" in hit.chunk.text], ()

    run, _asked = asked(report, "How much did debt and profit rise?", debt)
    assert "Debt rose to 3,000" in run.answer
    assert "Profit" not in run.answer


def test_pinned_passages_come_first_in_the_next_search_of_the_session(report: Library) -> None:
    run, first = asked(report, "How much did debt rise?", lambda hits: (hits[:1], [hits[0].chunk.id]))
    _run, second = asked(report, "How much did stock rise?", lambda hits: (hits, ()), session=run.session)
    assert second.pinned == (first.hits[0].chunk.id,)
    assert second.hits[0].chunk.id == first.hits[0].chunk.id


def test_a_passage_is_widened_by_those_around_it(report: Library, run: RunIt) -> None:
    (hit,) = run(operations.search(report, "How much did debt rise?", k=1)).hits
    around = [one.chunk for one in run(operations.passages_around(report, hit)) if one is not None]
    assert [chunk.ordinal for chunk in around] == [hit.chunk.ordinal - 1, hit.chunk.ordinal + 1]


def test_the_first_passage_has_no_passage_before_it(report: Library, run: RunIt) -> None:
    (hit,) = run(operations.search(report, "Annual report revenue rose", k=1)).hits
    assert hit.chunk.ordinal == 0
    assert run(operations.passages_around(report, hit))[0] is None


def test_choosing_passages_for_a_search_that_is_not_waiting_raises_not_found(library: Library, run: RunIt) -> None:
    with pytest.raises(NotFound, match="no longer waiting"):
        run(operations.choose_passages(library, 1, 1, ()))
