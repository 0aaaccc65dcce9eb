"""Claim checks of model answers against the cited passages, controlled by a setting and stored with the run."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedProvider, calls, says, search_call

from workbench import operations
from workbench.errors import ModelBusy
from workbench.model.claim import Doubt, Verdict, summary
from workbench.model.profile import ModelProfile
from workbench.model.run import ClaimsChecked, Notice, RunStatus
from workbench.operations import Library
from workbench.worker.job import Operation

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
