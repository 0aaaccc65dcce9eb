"""Scenes of the conversation: an answer while it is written, a complete one, and questions without an answer."""

from model import AGAIN, Script, Turn
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit
from stage import Stage

from workbench import operations
from workbench.model.profile import ModelProfile, WireApi
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.curation_card import CurationCard
from workbench.ui.chat.steps_panel import StepsPanel
from workbench.ui.chat.timeline import Timeline
from workbench.ui.find_bar import FindBar

WORKS = "Which works come first, and what do they cost?"
PILES = "What did the divers find on the piles of the North Quay?"
OIL = "启闭机减速箱的润滑油多久更换一次？"
CHESS = "Who won the chess world championship in 1987?"
COMPARE = "Is the Corran Gate or the North Quay more urgent?"
CHANNEL = "How deep is the approach channel today?"
BATTERY = "How long does the battery of the sonde last in winter?"
HOURS = "When is the battery of a sonde replaced?"
WRONG_KEY = "Which storm moved the breakwater?"
_LOOK = "search_knowledge_base"
_TABLE = """Of the seven priorities of the survey these three come first; they cost **5.70 million euros** together \
{No. | Work | To be finished by}:

| Work | Finished by | Million euros |
| --- | --- | ---: |
| Jackets on 37 piles of the North Quay | September 2027 | 2.14 |
| New seals and sill repair at the Corran Gate | November 2026 | 0.86 |
| Maintenance dredging of the approach channel | October 2028 | 2.70 |

The order follows the consequence of failure first and the rate of deterioration second {follows the consequence}. \
The whole programme costs 9.62 million euros over five years {9.62 million}."""

SCRIPT = {
    "<planning>": [
        Turn(
            "TASK: Compare how urgent the work at the Corran Gate and at the North Quay is\n"
            "STEP1: Find out what the survey says of the Corran Gate\n"
            "STEP2: Find out what the survey says of the North Quay\n"
            "FINISH: Say which of the two cannot wait, and why"
        )
    ],
    "only step 1 now": [
        Turn(calls=[(_LOOK, {"query": "Corran Gate leakage licence"})]),
        Turn("The gate leaks 38 litres per second; the licence allows 25 {38 litres per second}."),
    ],
    "only step 2 now": [
        Turn(calls=[(_LOOK, {"query": "North Quay piles wall thickness"})]),
        Turn("37 of the 212 piles have lost more than a quarter of their wall {37 of the 212}.", held=True),
    ],
    "Write the answer to the question now": [
        Turn(
            "The Corran Gate cannot wait: it leaks 38 litres per second, where the licence allows 25 "
            "{38 litres per second}. "
            "At the North Quay 37 of the 212 piles have lost more than a quarter of their wall {37 of the 212}."
        )
    ],
    WORKS: [
        Turn(
            calls=[
                (
                    "think",
                    {
                        "title": "What is asked",
                        "thought": "The survey has a table of priorities with their cost. I look for that first.",
                        "action": "Search for the priorities",
                        "confidence": 0.9,
                    },
                ),
                (_LOOK, {"query": "the seven priorities in order and their cost"}),
            ]
        ),
        Turn(calls=[(_LOOK, {"query": "cost of the whole programme in million euros"})]),
        Turn(_TABLE),
    ],
    PILES: [
        Turn(calls=[(_LOOK, {"query": "North Quay piles diving inspection"})]),
        Turn(
            "Of the 212 tubular steel piles 37 have lost more than a quarter of their wall {37 of the 212}. "
            "Nine of these have lost more than 40 per cent, all of them in sections D and E {37 of the 212}. "
            "The accelerated corrosion that many harbours know from the low water line was found on 61 piles "
            "{found on 61 of them}.",
            held=True,
        ),
    ],
    OIL: [
        Turn(calls=[(_LOOK, {"query": "启闭机减速箱 润滑油 更换"})]),
        Turn("启闭机减速箱的润滑油每 18 个月更换一次 {每18个月更换一次}。"),
    ],
    CHESS: [
        Turn(calls=[(_LOOK, {"query": "chess world championship 1987"})]),
        Turn("Your documents hold nothing about this."),
    ],
    CHANNEL: [
        Turn(calls=[(_LOOK, {"query": "least depth of the approach channel"})]),
        Turn("The least depth is 13.6 m below chart datum; the design depth is 14.5 m {13.6 m below}."),
    ],
    BATTERY: [
        Turn(calls=[(_LOOK, {"query": "battery life of the sonde below 10 °C"})]),
        Turn("It lasts 210 days at one measurement every ten minutes, and below 10 °C a fifth less {210 days}."),
    ],
    HOURS: [
        Turn(calls=[(_LOOK, {"query": "battery of the sonde replaced"})]),
        Turn("A battery lasts 210 days {210 days}. Replace it every spring."),
    ],
    HOURS + AGAIN: [
        Turn(calls=[(_LOOK, {"query": "battery of the sonde replaced, battery life in days"})]),
        Turn("A battery lasts 210 days at one measurement every ten minutes {210 days}. Replace it before winter."),
    ],
    WRONG_KEY: [Turn("Incorrect API key provided.", status=401)],
}


def use_model(stage: Stage, script: Script) -> None:
    """Use the scripted model for the following questions."""
    profile = ModelProfile("harbour", script.base_url, "harbour-8b", WireApi.CHAT)
    settings = stage.shell.settings
    settings.put_profile(profile, None)
    stage.wait(lambda: profile in settings.profiles, "the profile")
    settings.put("profile", profile.name)
    stage.wait(lambda: settings.profile == profile, "the model to be chosen")
    stage.pause()


def streaming(stage: Stage, script: Script) -> None:
    """Show a half-written answer below its steps."""
    stage.shell.sessions.new()
    stage.begin(PILES)
    stage.wait(lambda: "212" in _answer(stage), "the first words of the answer")
    stage.shoot("streaming", "A streaming answer with its steps and first citations")
    script.go_on()
    stage.wait(lambda: not stage.shell.chat.running, "the answer to end")


def cited(stage: Stage, _script: Script) -> None:
    """Show an answer with citations, one of them open on its page, and the preview card of a citation."""
    stage.shell.sessions.new()
    run = stage.ask(WORKS)
    citation = next(one for one in run.citations if one.valid)
    stage.shell.chat.citation_activated.emit(citation)
    stage.wait(lambda: stage.shell.inspector.passage_view.page_view.page == citation.page, "the cited page")
    stage.wait_for_page()
    _scroll_to_question(stage)
    stage.shoot("answer", "An answer with its citations; the cited passage is marked on its page")
    view = stage.find(AnswerView)
    stage.keys(view, Qt.Key.Key_Tab, Qt.Key.Key_Space)
    stage.pause(0.6)
    stage.shoot("hover-card", "The card of a citation")
    stage.clear()
    panel = stage.find(StepsPanel)
    header = panel.findChild(QAbstractButton)
    if panel.folded and isinstance(header, QAbstractButton):
        header.click()
    stage.press("Show the details of all steps", within=panel)
    _scroll_to_question(stage)
    stage.shoot("steps", "The steps of an answer with all details")
    stage.press("Show the details of all steps", within=panel)


def approval(stage: Stage, script: Script) -> None:
    """Show a tool call that waits for approval."""
    stage.do(operations.put_setting(stage.library, "ask_before_tools", "always"))
    stage.shell.sessions.new()
    stage.begin(CHANNEL)
    stage.wait(lambda: any(one.isVisible() for one in _buttons(stage, "Approve")), "the call to wait")
    stage.shoot("approval", "A tool call that waits for approval")
    stage.press("Approve")
    stage.wait(lambda: not stage.shell.chat.running, "the answer to end")
    stage.do(operations.put_setting(stage.library, "ask_before_tools", "network"))
    script.go_on()


def planned(stage: Stage, script: Script) -> None:
    """Show a plan while its second step runs."""
    stage.shell.sessions.new()
    stage.command("plan_first")
    stage.begin(COMPARE)
    stage.wait(lambda: all(one in _shown(stage) for one in ("North Quay piles", "Searched ")), "the second step")
    stage.shoot("plan", "A plan: the first step is complete, the second is running")
    script.go_on()
    stage.wait(lambda: not stage.shell.chat.running, "the answer to end")
    stage.shoot("plan-done", "A completed plan with its answer")


def curation(stage: Stage, _script: Script) -> None:
    """Show the choice of passages before the answer."""
    stage.shell.sessions.new()
    stage.command("curate")
    stage.begin(BATTERY)
    stage.wait(lambda: any(one.isVisible() for one in stage.shell.chat.findChildren(CurationCard)), "the choice")
    stage.shoot("curation", "Choosing passages before the answer")
    stage.press("Answer with selected")
    stage.wait(lambda: not stage.shell.chat.running, "the answer to end")
    stage.command("curate")


def compared(stage: Stage, _script: Script) -> None:
    """Show two answers to one question side by side."""
    stage.shell.sessions.new()
    stage.ask(HOURS)
    stage.wait_for_run(lambda: stage.command("ask_again"), "the second answer")
    stage.command("compare")
    stage.pause(0.5)
    stage.shoot("compared", "Two answers to one question side by side, with the differences marked")


def none_found(stage: Stage, _script: Script) -> None:
    """Show a question that the documents do not answer."""
    stage.shell.sessions.new()
    stage.ask(CHESS)
    stage.shoot("no-answer", "A question that the documents do not answer")


def refused(stage: Stage, _script: Script) -> None:
    """Show an error of the model server."""
    stage.shell.sessions.new()
    stage.ask(WRONG_KEY)
    stage.shoot("server-error", "An error of the model server, with the reason and a remedy")


def _scroll_to_question(stage: Stage) -> None:
    stage.pause()
    stage.find(Timeline).verticalScrollBar().setValue(0)


def _answer(stage: Stage) -> str:
    return " ".join(view.toPlainText() for view in stage.shell.chat.findChildren(AnswerView) if view.isVisible())


def _shown(stage: Stage) -> str:
    return " ".join(one.text() for one in stage.shell.chat.findChildren(QLabel) if one.isVisible())


def _buttons(stage: Stage, text: str) -> list[QAbstractButton]:
    return [one for one in stage.shell.chat.findChildren(QAbstractButton) if one.text().startswith(text)]


def looked_for(stage: Stage, _script: Script) -> None:
    """Show a search in the conversation and in all sessions, and the prompt of the model."""
    infos = stage.shell.sessions.model.sessions()
    stage.shell.sessions.open(next(one.id for one in infos if one.title.startswith(WORKS[:20])))
    stage.wait(lambda: stage.shell.chat.cards, "the session")
    stage.command("find_here")
    bar = next(one for one in stage.shell.chat.findChildren(FindBar) if one.isVisible())
    stage.find(QLineEdit, within=bar).setText("million")
    stage.pause(0.5)
    stage.shoot("find-bar", "Find in the conversation")
    bar.leave()
    stage.command("focus_sessions")
    field = stage.find(QLineEdit, within=stage.shell.sessions_pane)
    field.setText("licence")
    stage.pause(0.8)
    stage.shoot("sessions-found", "Sessions found by their text")
    field.clear()
    stage.command("prompt")
    stage.pause(0.5)
    stage.shoot("prompt", "The prompt of an answer, section by section")


def filtered(stage: Stage, _script: Script) -> None:
    """Show a search with a filter."""
    stage.shell.sessions.new()
    stage.command("filter")
    stage.find(QLineEdit, within=stage.shell.chat).setText("format:pdf year>=2025")
    stage.pause(0.8)
    stage.shoot("filter", "A question restricted by a filter")
    stage.command("filter")
    stage.find(QLineEdit, within=stage.shell.chat).clear()
    stage.keys(stage.find(QLineEdit, within=stage.shell.chat), Qt.Key.Key_Escape)


SCENES = (streaming, cited, approval, planned, curation, compared, none_found, refused, looked_for, filtered)
