"""Claim checks of model answers against the cited passages, controlled by a setting and stored with the run."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedProvider, calls, says, search_call

from workbench import operations
from workbench.agent.run_log import replay_until
from workbench.errors import ModelBusy
from workbench.model.claim import Doubt, Verdict, summary
from workbench.model.message import TextDelta
from workbench.model.profile import ModelProfile
from workbench.model.run import ClaimsChecked, Notice, RunBegan, RunStatus, ToolCompleted
from workbench.operations import Library
from workbench.operations.questions.stopped_answers import complete_sentences
from workbench.store.sessions import SessionMaintenance
from workbench.ui.chat.transcript import Transcript
from workbench.worker.job import JobContext, Operation

Run = Callable[[Operation[Any]], Any]
ANSWER = "The harbour froze on 3 May 1893 [1]. The ice was 40 cm thick [1]."


@pytest.fixture(autouse=True)
def log(library: Library, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_text("# Harbour log\n\nThe harbour froze on 3 May 1893. The ice was 30 cm thick.\n", "utf-8")
    run(operations.add_documents(library, [path]))
    library.profiles.put(ModelProfile("far", "http://127.0.0.1:9/v1", "llama"))


@pytest.fixture
def ask(library: Library, run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function that asks a model which answers with one false number, then gives a scripted reply."""

    def ask(setting: str, *then: Any) -> Any:
        provider = ScriptedProvider(calls(search_call("frozen harbour")), says(ANSWER), *then)

        async def made(_library: Library, _profile: ModelProfile) -> ScriptedProvider:
            return provider

        monkeypatch.setattr(import_module("workbench.operations.questions.ask"), "provider_of", made)
        run(operations.put_setting(library, "check_answers", setting))
        return run(operations.ask(library, "When did the harbour freeze?", profile="far"))

    return ask


def test_e37_each_sentence_has_a_verdict_that_is_kept_with_the_run(library: Library, ask: Callable[..., Any]) -> None:
    run = ask("text")
    assert [claim.verdict for claim in run.claims] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]
    assert run.claims[1].missing == ("40",)
    assert summary(run.claims) == "1 of 2 sentences supported"
    assert library.sessions.run(run.id).claims == run.claims


def test_by_setting_nothing_is_checked(ask: Callable[..., Any]) -> None:
    assert ask("off").claims == ()


def test_by_setting_the_model_is_asked_too(ask: Callable[..., Any]) -> None:
    run = ask("model", says("1: unsupported: It was another year.\n2: unsupported: 30 cm."))
    (checked,) = (timed.event for timed in run.events if isinstance(timed.event, ClaimsChecked))
    assert checked.by == "far"
    assert [claim.verdict for claim in checked.claims] == [Verdict.UNSUPPORTED, Verdict.UNSUPPORTED]
    assert checked.claims[0].doubts == (Doubt.MODEL_DISAGREES,)
    assert run.answer == ANSWER


def test_a_model_that_cannot_check_leaves_the_check_by_text_and_a_notice(ask: Callable[..., Any]) -> None:
    run = ask("model", [ModelBusy("The server is busy.", "Wait.")])
    assert run.status is RunStatus.COMPLETED
    assert [claim.verdict for claim in run.claims] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]
    notices = [timed.event.text for timed in run.events if isinstance(timed.event, Notice)]
    assert any("could not check its answer" in notice and "busy" in notice for notice in notices)


def test_the_offline_answerer_quotes_and_needs_no_check(library: Library, run: Run) -> None:
    assert run(operations.ask(library, "When did the harbour freeze?")).claims == ()


@pytest.fixture
def stop(library: Library, run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function that asks a model, stops it when it has written a text, and returns the stored run."""

    def stop(text: str, setting: str = "text") -> Any:
        async def scenario() -> int:
            began, written = list[int](), asyncio.Event()

            async def forever() -> None:
                written.set()
                await asyncio.Event().wait()

            provider = ScriptedProvider(calls(search_call("frozen harbour")), [TextDelta(text), forever])

            async def made(_library: Library, _profile: ModelProfile) -> ScriptedProvider:
                return provider

            def heard(event: object) -> None:
                if isinstance(event, RunBegan):
                    began.append(event.run)

            monkeypatch.setattr(import_module("workbench.operations.questions.ask"), "provider_of", made)
            question = operations.ask(library, "When did the harbour freeze?", profile="far")
            asking = asyncio.ensure_future(question(JobContext(heard)))
            await asyncio.wait_for(written.wait(), 10)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            return began[0]

        run(operations.put_setting(library, "check_answers", setting))
        return library.sessions.run(asyncio.run(scenario()))

    return stop


def test_a_stopped_answer_is_checked_up_to_its_last_complete_sentence(
    library: Library, run: Run, stop: Callable[..., Any]
) -> None:
    stopped = stop(f"{ANSWER} The ferry stayed in")
    assert (stopped.status, stopped.claims) == (RunStatus.CANCELLED, ())
    checked = run(operations.check_stopped_answer(library, stopped))
    assert [claim.verdict for claim in checked.claims] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]
    spans = [checked.answer[claim.start : claim.end] for claim in checked.claims]
    assert [span.split()[-2] for span in spans] == ["1893", "thick"]
    assert library.sessions.run(stopped.id) == checked
    assert run(operations.check_stopped_answer(library, checked)) is checked


def test_a_stopped_answer_is_not_checked_by_the_setting_or_without_a_sentence(
    library: Library, run: Run, stop: Callable[..., Any]
) -> None:
    for given in ((ANSWER, "off"), ("The harbour froze on 3", "text")):
        stopped = stop(*given)
        assert run(operations.check_stopped_answer(library, stopped)) is stopped
    whole = replace(stop(ANSWER), status=RunStatus.COMPLETED)
    assert run(operations.check_stopped_answer(library, whole)) is whole


def test_an_event_after_the_end_of_a_stopped_run_survives_replay_export_and_restart(
    library: Library, run: Run, stop: Callable[..., Any], tmp_path: Path
) -> None:
    checked = run(operations.check_stopped_answer(library, stop(f"{ANSWER} The ferry")))
    shown = Transcript.of_run(checked)
    assert (shown.status, shown.claims, shown.answer) == (RunStatus.CANCELLED, checked.claims, checked.answer)
    assert Transcript.until(checked, len(checked.events) - 1).claims == ()
    run(operations.export_session(library, checked.session, "json", tmp_path / "session.json"))
    run(operations.import_session(library, tmp_path / "session.json"))
    (copy,) = library.sessions.get(max(one.id for one in library.sessions.list())).runs
    assert (copy.claims, copy.status, copy.answer) == (checked.claims, RunStatus.CANCELLED, checked.answer)
    SessionMaintenance(library.database).interrupt_unfinished()
    assert library.sessions.run(checked.id) == checked
    result = next(timed for timed in checked.events if isinstance(timed.event, ToolCompleted))
    assert replay_until(checked, result.number, "nothing").references == checked.references


@pytest.mark.parametrize(
    ("answer", "complete"),
    [
        ("", ""),
        ("The harbour froze in", ""),
        ("It froze [1]. It", "It froze [1]."),
        ("It froze [1]. It rose to 3.", "It froze [1]."),
        ("It froze. It was cold [1", "It froze."),
        ("It froze [1]. It was cold. [2]", "It froze [1]. It was cold. [2]"),
        ("港口结冰了[1]。渡轮停", "港口结冰了[1]。"),
        ("- It froze [1].\n- It was", "- It froze [1]."),
    ],
)
def test_the_complete_sentences_of_a_stopped_answer(answer: str, complete: str) -> None:
    assert complete_sentences(answer) == complete
