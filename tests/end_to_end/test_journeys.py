"""Journeys through the real window by mouse and keyboard: first question, keyboard only, and looks."""

from typing import Any
from xml.etree import ElementTree

import pytest
from journey import ROOT, WHY_NOT, Journey, Journeys, go_to

pytestmark = [pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "ready"), pytest.mark.usefixtures("embedder")]
QUESTION = "What is the limit for tributyltin?"


def _add_samples(journey: Journey, button: str = "Try with sample documents", done: str = "all searchable") -> None:
    journey.click("places", text=button)
    journey.wait_for_text(done)


def test_a_first_question_is_answered_its_source_opens_and_all_is_there_after_a_restart(
    start: Journeys,
) -> None:
    journey = start()
    journey.wait("places", text="Welcome")
    journey.keep("first-run")
    _add_samples(journey)
    journey.click("places", text="Your question")
    journey.type(QUESTION)
    journey.press("Return")
    journey.click("chips")
    journey.check_the_cited_page()
    journey.keep("first-answer")
    again = start.check_restart(journey)
    again.wait("places", text=QUESTION)
    again.wait("chips")
    again.wait_for_text("4 documents")
    again.keep("restart")


def test_a_source_is_reached_by_keys_alone(start: Journeys) -> None:
    journey = start()
    journey.wait("places", text="Try with sample documents")
    go_to(journey, "Try with sample documents")
    journey.press("space")
    journey.wait_for_text("all searchable")
    journey.press("ctrl+2")
    journey.type(QUESTION)
    journey.press("Return")
    journey.wait("chips")
    go_to(journey, "AnswerView", "shift+Tab")
    journey.press("Tab", "Return")
    journey.check_the_cited_page()
    journey.keep("keys-alone")


def _chinese(source: str) -> str:
    """Return the Chinese translation of a text of the window."""
    root = ElementTree.parse(ROOT / "resources" / "translations" / "workbench_zh_CN.ts").getroot()
    return next(one.findtext("translation", "") for one in root.iter("message") if one.findtext("source") == source)


@pytest.mark.parametrize(
    ("display", "preferences", "is_dark"),
    [
        pytest.param("1024x700", {"theme": "dark"}, True, id="dark-small"),
        pytest.param("1280x800", {"theme": "light", "language": "zh_CN"}, False, id="chinese"),
        pytest.param("1600x1000", {"theme": "light", "text_percent": 200}, False, id="large-text"),
    ],
    indirect=["display"],
)
def test_no_text_is_cut_in_any_look(
    start: Journeys, request: pytest.FixtureRequest, preferences: dict[str, Any], is_dark: bool
) -> None:
    tr = _chinese if "language" in preferences else str
    journey = start(**preferences)
    look = request.node.callspec.id
    journey.wait("places", text=tr("Welcome"))
    journey.keep(f"{look}-first-run")
    _add_samples(journey, tr("Try with sample documents"), tr("all searchable"))
    journey.press("ctrl+2")
    journey.type(QUESTION)
    journey.press("Return")
    journey.wait("chips")
    journey.keep(f"{look}-answer")
    journey.check_that_no_text_is_cut()
    assert journey.ask("outside") == []
    assert journey.ask("points") == pytest.approx(10 * preferences.get("text_percent", 100) / 100)
    assert (sum(bytes.fromhex(journey.ask("background")[1:])) < 3 * 128) is is_dark
    journey.press("ctrl+comma")
    journey.wait("shown", **{"class": "SettingsDialog"})
    journey.keep(f"{look}-settings")
    journey.check_that_no_text_is_cut()
    journey.press("Escape")
    journey.wait("hidden", **{"class": "SettingsDialog"})
    start.check_restart(journey).keep(f"{look}-restart")
