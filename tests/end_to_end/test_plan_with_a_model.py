"""Planned answers, from the command line to a scripted server and back, through both wire formats."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_servers import Aimock, why_no_aimock

pytestmark = [pytest.mark.aimock, pytest.mark.skipif(bool(why_no_aimock()), reason=why_no_aimock() or "ready")]


@pytest.fixture(scope="module")
def aimock() -> Iterator[Aimock]:
    server = Aimock(Path(__file__).resolve().parents[1] / "data" / "aimock" / "plan.json")
    yield server
    server.stop()


@pytest.fixture
def asked(shell: Any, aimock: Aimock, tmp_path: Path) -> Any:
    """Return a shell with two numbers in its library, and the scripted model."""
    (tmp_path / "revenue.md").write_text("# Revenue\n\nRevenue rose to 5,000 million in 2024.\n", "utf-8")
    (tmp_path / "costs.md").write_text("# Costs\n\nCosts fell to 2,000 million in 2024.\n", "utf-8")
    shell("add", tmp_path / "revenue.md", tmp_path / "costs.md")
    shell("profiles", "add", "chat", "--base-url", aimock.base_url, "--model", "m", "--api", "chat")
    shell("profiles", "add", "responses", "--base-url", aimock.base_url, "--model", "m", "--api", "responses")
    return shell


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_e43_a_plan_is_made_carried_out_and_concluded_with_checked_citations(asked: Any, api: str) -> None:
    (answer,) = asked("ask", "--plan", "--profile", api, "How high are revenue and costs?")
    assert answer["status"] == "completed"
    assert answer["plan"] == {
        "task": "Revenue and costs",
        "steps": [
            {
                "step": 1,
                "text": "Find the revenue,\nSTEP by STEP",
                "state": "done",
                "result": "Revenue rose to 5,000 million [1].",
            },
            {"step": 2, "text": "Find the costs", "state": "done", "result": "Costs fell to 2,000 million [2]."},
        ],
        "finish": "Name both,\nthe revenue first",
    }
    assert [(cited["marker"], cited["valid"], cited["name"]) for cited in answer["citations"]] == [
        (1, True, "revenue.md"),
        (2, True, "costs.md"),
    ]
    assert answer["checked"] == "1 of 1 sentence supported"


def test_e43_the_plan_is_shown_live_and_again_from_what_is_kept(asked: Any) -> None:
    events = asked("ask", "--plan", "--stream", "--profile", "chat", "How high are revenue and costs?")
    names = [event["event"] for event in events if "event" in event]
    made, began = names.index("PlanMade"), names.index("PlanStepStarted", names.index("PlanMade"))
    assert made < began < names.index("PlanStepEnded") < names.index("AnswerDelta")
    kept = [event["event"] for event in asked("runs", "replay", events[-1]["run"])]
    assert [name for name in kept if name.startswith("PlanStep")] == [
        name for name in names if name.startswith("PlanStep")
    ]
    assert "2. Find the costs (done)" in asked.words("runs", "show", events[-1]["run"])
