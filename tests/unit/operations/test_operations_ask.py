"""Asking: what is kept of a question, also when nobody could be asked."""

from collections.abc import Callable
from typing import Any

import pytest

from workbench import operations
from workbench.model.profile import ModelProfile
from workbench.model.run import PromptAssembled, RunFailed, RunStarted, RunStatus, TimedEvent
from workbench.operations import Library
from workbench.worker.job import Operation

Run = Callable[[Operation[Any]], Any]


@pytest.mark.parametrize(
    ("profile", "error"),
    [
        (
            ModelProfile("far", "http://127.0.0.1:9/v1", "llama", key_env="A_KEY_THAT_IS_NOT_SET"),
            "The environment variable A_KEY_THAT_IS_NOT_SET, which should hold the key, is not set.",
        ),
        (ModelProfile("far", "http://127.0.0.1:port/v1", "llama"), "The server's address is not a valid URL."),
    ],
)
def test_a_question_that_could_not_be_asked_is_kept_as_failed(
    library: Library, run: Run, events: list[Any], profile: ModelProfile, error: str
) -> None:
    library.profiles.put(profile)
    kept = run(operations.ask(library, "When did the harbour freeze?", profile="far"))
    assert (kept.status, kept.mode) == (RunStatus.FAILED, "Model: llama; it could not be asked.")
    assert error in kept.error
    assert kept.hint
    (session,) = run(operations.list_sessions(library))
    assert run(operations.open_session(library, session.id)).runs == (kept,)
    said = [type(timed.event) for timed in events if isinstance(timed, TimedEvent)]
    assert said == [RunStarted, PromptAssembled, RunFailed]
