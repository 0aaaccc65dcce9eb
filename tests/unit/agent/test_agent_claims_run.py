"""Claim check at the end of a run: an event before the last one, never the end of an answer."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import pytest
from fakes import Recorder, ScriptedProvider, calls, make_hit, says, search_call, searching

from workbench.agent.agent_loop import AgentLoop
from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences
from workbench.agent.tools.toolbox import run_tools
from workbench.model.claim import Claim, Verdict
from workbench.model.hit import Coverage, NumberedHit
from workbench.model.message import ToolSpec
from workbench.model.run import Certainty, ClaimsChecked, Notice, RunCancelled, RunCompleted

CHECKED = ClaimsChecked((Claim(0, 3, "So.", Verdict.WEAK),), milliseconds=1.0)
Check = Callable[[], Awaitable[Sequence[ClaimsChecked | Notice]]]


class Checking:
    """Checker with a scripted result that keeps its requests."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self.asked: list[tuple[str, str, list[int]]] = []

    async def check(
        self, known: str, answer: str, references: Mapping[int, NumberedHit]
    ) -> Sequence[ClaimsChecked | Notice]:
        self.asked.append((known, answer, list(references)))
        return await self._check()


class Adds:
    spec = ToolSpec("adds", "Adds.", {"type": "object", "properties": {}, "required": []})

    async def call(self, arguments: dict[str, object]) -> ToolResult:
        return ToolResult("42")


def runner(checker: Checking, *turns: list, references: RunReferences | None = None) -> AgentLoop:  # type: ignore[type-arg]
    references = references or RunReferences()
    tools = (*run_tools(searching(make_hit("Revenue rose to 5,000 in 2024.")), references), Adds())
    provider = ScriptedProvider(*(turns or (calls(search_call("revenue")), says("So it is [1]."))))
    return AgentLoop(provider, tools, references=references, checker=checker)


async def well() -> Sequence[ClaimsChecked | Notice]:
    return [CHECKED]


async def badly() -> Sequence[ClaimsChecked | Notice]:
    raise ZeroDivisionError


def test_e37_the_answer_is_checked_against_what_the_run_found_before_the_run_ends() -> None:
    recorder, checker = Recorder(), Checking(well)
    end = asyncio.run(runner(checker).run("How much?", emit=recorder))
    assert isinstance(end, RunCompleted)
    assert checker.asked == [("How much?", "So it is [1].", [1])]
    assert recorder.events[-2:] == [CHECKED, end]


def test_the_claim_check_receives_results_of_tools_but_not_thoughts_of_the_model() -> None:
    thought = ("think", {"title": "Sum", "thought": "It may be 99."})
    turns = [calls(thought, ("adds", {}), search_call("revenue")), says("It is 42 [1].")]
    checker = Checking(well)
    asyncio.run(runner(checker, *turns).run("How much?", emit=Recorder()))
    assert [known for known, _, _ in checker.asked] == ["How much?\n42"]


@pytest.mark.logs_warnings
def test_a_check_that_fails_is_a_notice_and_the_answer_stays() -> None:
    recorder = Recorder()
    end = asyncio.run(runner(Checking(badly)).run("How much?", emit=recorder))
    assert isinstance(end, RunCompleted)
    assert end.answer == "So it is [1]."
    assert recorder.of(Notice) == [Notice("The answer could not be checked against its sources.")]


@pytest.mark.parametrize("waiting", [0, 1])
def test_a_refusal_claims_nothing_also_while_documents_are_unread(waiting: int) -> None:
    checker, references = Checking(well), RunReferences()
    references.seen(Coverage(3, waiting=waiting))
    refusal = says("Your documents hold nothing about this.")
    run = runner(checker, calls(search_call("x")), refusal, references=references)
    end = asyncio.run(run.run("How much?", emit=Recorder()))
    assert isinstance(end, RunCompleted)
    assert (end.certainty, checker.asked) == (Certainty.UNKNOWN if waiting else Certainty.NOT_FOUND, [])


def test_an_answer_without_any_search_is_not_checked_against_the_documents() -> None:
    checker = Checking(well)
    asyncio.run(runner(checker, says("Good morning.")).run("Hello", emit=Recorder()))
    assert checker.asked == []


def test_stopped_while_it_is_checked_the_answer_is_kept() -> None:
    recorder = Recorder()

    async def stopped() -> None:
        begun = asyncio.Event()

        async def waits() -> Sequence[ClaimsChecked | Notice]:
            begun.set()
            await asyncio.Event().wait()
            return []

        task = asyncio.create_task(runner(Checking(waits)).run("How much?", emit=recorder))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(stopped())
    assert isinstance(recorder.events[-1], RunCancelled)
    assert recorder.events[-1].answer == "So it is [1]."
