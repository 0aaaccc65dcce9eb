"""Choice of passages by the user before the answerer receives them."""

import asyncio
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from fakes import Recorder, ScriptedProvider, calls, make_hit, says, search_call, searching

from workbench.agent.agent_loop import AgentLoop, RunLimits
from workbench.agent.references import RunReferences
from workbench.agent.search_step import CurationGate
from workbench.agent.tools.search import NOTHING_FOUND, SearchTool
from workbench.model.approval import CurationAsked, CurationGiven, PassageChoice
from workbench.model.hit import Hit, Scores, SearchMode, SearchResult
from workbench.model.run import ReferencesFound, RunCancelled, RunCompleted, ToolCompleted

FIRST, SECOND, THIRD = (make_hit(f"Passage {number}.", chunk=number) for number in (1, 2, 3))


class Person:
    """Curator that keeps the hits with these chunk ids, and waits forever without any."""

    def __init__(self, *wanted: Sequence[Hit], pinned: tuple[Hit, ...] = (), after: float = 0) -> None:
        self._wanted = list(wanted)
        self._pinned = pinned
        self._after = after
        self.asked: list[CurationAsked] = []

    def pinned(self) -> tuple[Hit, ...]:
        return self._pinned

    async def choose(self, asked: CurationAsked) -> PassageChoice:
        self.asked.append(asked)
        await asyncio.sleep(self._after)
        if not self._wanted:
            await asyncio.Event().wait()
        return PassageChoice(tuple(self._wanted.pop(0)))


def runner(person: Person, *turns: Any, found: tuple[Hit, ...] = (FIRST, SECOND), **more: Any) -> AgentLoop:
    references, gate = RunReferences(), CurationGate(person)
    tool = SearchTool(more.pop("search", searching(*found)), references, curation=gate)
    return AgentLoop(ScriptedProvider(*turns), [tool], references=references, curation=gate, **more)


def finished(person: Person, *turns: Any, **more: Any) -> tuple[RunCompleted, Recorder]:
    recorder = Recorder()
    end = asyncio.run(runner(person, *turns, **more).run("How much?", emit=recorder))
    assert isinstance(end, RunCompleted)
    return end, recorder


def test_the_answerer_is_handed_what_was_chosen_in_the_order_wanted() -> None:
    _end, recorder = finished(Person([THIRD, FIRST]), calls(search_call("sums")), says("So it is [1]."))
    (reference,) = (event.reference for event in recorder.of(ReferencesFound))
    assert [(one.number, one.hit.chunk.id, one.hit.rank) for one in reference.hits] == [(1, 3, 1), (2, 1, 2)]
    assert recorder.of(CurationGiven) == [CurationGiven(1, (3, 1), left_out=1, added=1)]


def test_a_marker_cites_what_was_chosen_and_nothing_that_was_left_out() -> None:
    end, _recorder = finished(Person([SECOND]), calls(search_call("sums")), says("So it is [1], or [2]."))
    assert [(one.marker, one.valid, one.chunk) for one in end.citations] == [(1, True, 2), (2, False, None)]


def test_choosing_no_passage_is_reported_to_the_model_as_nothing_found() -> None:
    _end, recorder = finished(Person([]), calls(search_call("sums")), says("There is nothing."))
    assert [event.result for event in recorder.of(ToolCompleted)] == [NOTHING_FOUND]


def test_e32_a_passage_chosen_by_hand_is_offered_even_if_its_relevance_is_below_the_floor() -> None:
    far = replace(FIRST, scores=Scores(relevance=0.01))

    async def search(query: str) -> SearchResult:
        return SearchResult(query, SearchMode.HYBRID, (far,), 1.0, floor=0.5)

    person = Person([far])
    _end, recorder = finished(person, calls(search_call("sums")), says("So [1]."), search=search)
    assert not person.asked[0].is_relevant
    assert not recorder.of(ReferencesFound)[0].reference.withheld


def test_pinned_passages_are_listed_first_and_only_once() -> None:
    person = Person([SECOND], pinned=(SECOND,))
    finished(person, calls(search_call("sums")), says("So [1]."))
    assert [hit.chunk.id for hit in person.asked[0].hits] == [2, 1]
    assert person.asked[0].pinned == (2,)


def test_a_search_without_hits_does_not_ask_the_user() -> None:
    person = Person()
    finished(person, calls(search_call("sums")), says("Nothing."), found=())
    assert person.asked == []


def test_searches_of_one_turn_ask_one_after_another() -> None:
    person = Person([FIRST], [SECOND])
    _end, recorder = finished(person, calls(search_call("sums"), search_call("debts")), says("So [1][2]."))
    asked = [type(event).__name__ for event in recorder.events if isinstance(event, CurationAsked | CurationGiven)]
    assert asked == ["CurationAsked", "CurationGiven"] * 2
    assert [one.number for one in person.asked] == [1, 2]


def test_the_time_of_a_person_counts_neither_for_the_run_nor_for_the_search() -> None:
    limits = RunLimits(seconds=0.05)
    end, recorder = finished(Person([FIRST], after=0.1), calls(search_call("sums")), says("So [1]."), limits=limits)
    assert end.answer == "So [1]."
    assert recorder.of(ReferencesFound)[0].reference.time < 0.05


def test_stop_ends_a_run_that_waits() -> None:
    async def scenario() -> Recorder:
        recorder, person = Recorder(), Person()
        task = asyncio.create_task(runner(person, calls(search_call("sums"))).run("How much?", emit=recorder))
        while not person.asked:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return recorder

    assert len(asyncio.run(scenario()).of(RunCancelled)) == 1


def test_the_curation_request_includes_the_token_budget_left_and_the_found_passages() -> None:
    async def room(texts: Sequence[str]) -> float:
        return 100.4 * len(texts)

    async def scenario() -> CurationAsked:
        person = Person([FIRST])
        await CurationGate(person, room).passed("sums", await searching(FIRST, SECOND)("sums"))
        return person.asked[0]

    assert asyncio.run(scenario()).room == 201


def test_the_waiting_context_is_entered_while_the_user_chooses() -> None:
    seen: list[str] = []

    @contextmanager
    def waiting() -> Any:
        seen.append("entered")
        yield
        seen.append("left")

    async def scenario() -> None:
        gate = CurationGate(Person([FIRST]))
        gate.begin(lambda event: seen.append(type(event).__name__), waiting)
        await gate.passed("sums", await searching(FIRST)("sums"))

    asyncio.run(scenario())
    assert seen == ["CurationAsked", "entered", "left", "CurationGiven"]
