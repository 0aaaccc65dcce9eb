"""Questions to a whole library by a scripted model: calls that wait for approval, and models that call by text."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_servers import Aimock, why_no_aimock

from workbench import operations
from workbench.model.approval import Decision
from workbench.model.profile import ModelProfile, ToolCalling, WireApi
from workbench.model.run import (
    ApprovalAsked,
    Run,
    RunBegan,
    RunStatus,
    TimedEvent,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
)
from workbench.operations import Library
from workbench.worker.job import JobContext

pytestmark = [pytest.mark.aimock, pytest.mark.skipif(bool(why_no_aimock()), reason=why_no_aimock() or "ready")]

BOTH = pytest.mark.parametrize("api", [WireApi.CHAT, WireApi.RESPONSES])
SENTENCE = "Revenue rose to 5,000 million in 2024."
Word = tuple[Decision, str]
Ask = Callable[..., Run]


@pytest.fixture
def ask(library: Library, tmp_path: Path, aimock: Aimock) -> Ask:
    """Return a function that asks about a report; each call that waits gets the next decision."""
    (tmp_path / "report.md").write_text(f"# Report\n\n{SENTENCE} Costs fell to 2,000 million.\n", "utf-8")

    async def asked(question: str, words: list[Word], profile: ModelProfile) -> Run:
        await operations.add_documents(library, [tmp_path / "report.md"])(JobContext())
        library.profiles.put(profile)
        deciding: list[asyncio.Task[Any]] = []
        number = 0

        def listen(event: Any) -> None:
            nonlocal number
            if isinstance(event, RunBegan):
                number = event.run
            elif isinstance(event, TimedEvent) and isinstance(event.event, ApprovalAsked):
                say = operations.decide_call(library, number, event.event.call_id, *words.pop(0))
                deciding.append(asyncio.ensure_future(say(JobContext())))

        asking = operations.ask(library, question, profile=profile.name, approver=operations.in_person(library))
        run = await asking(JobContext(listen))
        await asyncio.gather(*deciding)
        return run

    def ask(question: str, api: WireApi, *words: Word, **more: Any) -> Run:
        if words:
            library.setting_values.put("ask_before_tools", "always")
        return asyncio.run(asked(question, list(words), ModelProfile("m", aimock.base_url, "m", api, **more)))

    return ask


def of(run: Run, kind: type[Any]) -> list[Any]:
    return [timed.event for timed in run.events if isinstance(timed.event, kind)]


@BOTH
def test_a_call_that_is_approved_is_made_and_its_passage_cited(ask: Ask, api: WireApi) -> None:
    run = ask("round trip", api, (Decision.APPROVE, ""))
    assert (run.status, run.citations[0].quote) == (RunStatus.COMPLETED, SENTENCE)
    assert len(of(run, ApprovalAsked)) == len(of(run, ToolCompleted)) == 1


@BOTH
def test_a_call_that_is_edited_is_made_as_the_person_wrote_it(ask: Ask, api: WireApi) -> None:
    run = ask("round trip", api, (Decision.EDIT, '{"query": "costs"}'))
    assert run.status is RunStatus.COMPLETED
    assert [reference.query for reference in run.references] == ["costs"]
    assert of(run, ToolStarted)[0].arguments == '{"query": "costs"}'


@BOTH
def test_a_call_that_is_denied_is_not_made_and_the_model_answers_without(ask: Ask, api: WireApi) -> None:
    run = ask("round trip", api, (Decision.DENY, ""))
    assert run.status is RunStatus.COMPLETED
    assert "did not allow" in of(run, ToolFailed)[0].message
    assert (run.references, of(run, ToolStarted)) == ((), [])
    assert [citation.valid for citation in run.citations] == [False, False]


@BOTH
def test_parallel_tool_calls_of_one_turn_each_wait_for_their_own_approval(ask: Ask, api: WireApi) -> None:
    run = ask("parallel", api, (Decision.DENY, ""), (Decision.APPROVE, ""))
    assert run.status is RunStatus.COMPLETED
    assert (len(of(run, ToolFailed)), len(of(run, ToolCompleted))) == (1, 1)
    assert [reference.query for reference in run.references] == ["second"]


@BOTH
def test_e42_a_model_without_tool_calling_is_asked_by_text_and_its_calls_are_made(
    ask: Ask, library: Library, api: WireApi
) -> None:
    run = ask("no tools here", api)
    assert (run.status, run.answer) == (RunStatus.COMPLETED, "By text: it rose to 5,000 million [1].")
    assert [citation.valid for citation in run.citations] == [True]
    assert library.profiles.get("m").detected_tools is ToolCalling.TEXT


@BOTH
def test_e42_a_call_by_text_waits_for_a_person_like_any(ask: Ask, api: WireApi) -> None:
    run = ask("no tools here", api, (Decision.EDIT, '{"query": "costs"}'), tool_calling=ToolCalling.TEXT)
    assert [reference.query for reference in run.references] == ["costs"]
    assert "TOOL:" not in run.answer
