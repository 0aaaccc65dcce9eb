"""Questions: what is stored of them, even when no model could be reached."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.model.hit import SearchMode
from workbench.model.profile import ModelProfile
from workbench.model.run import PromptAssembled, RunFailed, RunStarted, RunStatus, TimedEvent
from workbench.model.search_configuration import SearchConfiguration
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


def test_an_answer_and_its_json_keep_how_it_was_searched(library: Library, run: Run, tmp_path: Path) -> None:
    library.setting_values.put("search_results", 3)
    run(operations.promote(library, None, SearchConfiguration(mode=SearchMode.KEYWORD, diversity=0.5)))
    kept = run(operations.ask(library, "When did the harbour freeze?"))
    path = run(operations.export_session(library, kept.session, "json", tmp_path / "session.json"))
    (started, *_) = (timed["event"] for timed in json.loads(path.read_text("utf-8"))["runs"][0]["events"])
    assert started["search"]["passages"] == 3
    assert started["search"]["configuration"] == {
        "mode": "keyword",
        "reranking": "tokens",
        "names": True,
        "parts": True,
        "diversity": 0.5,
        "dense_weight": None,
        "floor": None,
    }
    assert run(operations.open_session(library, kept.session)).runs == (kept,)
