"""Scenes of the other panes: the inspector, the map, the evaluation, exhaustive reading and the network."""

from datetime import UTC, datetime, timedelta

from answers import WORKS
from model import Script
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QTabWidget
from stage import Stage

from workbench.model.egress import NetworkOutcome, NetworkRequest, Purpose
from workbench.operations import Library
from workbench.resources import resource
from workbench.ui.inspector.details_view import DetailsView
from workbench.ui.inspector.pane import InspectorPane
from workbench.worker.job import JobContext, Operation

ANYTHING = "How many tonnes may crane B lift?"


def text(stage: Stage, _script: Script) -> None:
    """Show the text of a passage and its details."""
    show_answer(stage)
    tabs = _tabs(stage)
    tabs.setCurrentIndex(1)
    stage.shoot("inspector-text", "Inspector: the text of a passage with the quoted parts")
    tabs.setCurrentIndex(2)
    # The first lines contain the path of the file.
    bar = stage.find(DetailsView).verticalScrollBar()
    bar.setValue(bar.maximum())
    stage.shoot("inspector-details", "Inspector: the details of a passage")
    tabs.setCurrentIndex(3)
    stage.pause(0.8)
    stage.shoot("inspector-why", "Inspector: why a passage was found, through every stage of the search")
    tabs.setCurrentIndex(0)


def edited(stage: Stage, _script: Script) -> None:
    """Show the editor of a passage's text."""
    stage.pane_command("passage.edit")
    stage.wait(lambda: any(one.isVisible() for one in _editors(stage)), "the editor")
    editor = next(one for one in _editors(stage) if one.isVisible())
    editor.moveCursor(editor.textCursor().MoveOperation.End)
    editor.insertPlainText(" (checked by T. Reyk)")
    stage.pause(0.4)
    stage.shoot("inspector-edit", "Inspector: editing the text of a passage")
    stage.press("Cancel", within=stage.shell.inspector)


def map_drawn(stage: Stage, _script: Script) -> None:
    """Show the map of the library with the hits of the last question."""
    stage.command("focus_map")
    stage.wait(lambda: stage.shell.map.pane.shows_map, "the map")
    stage.pause(0.8)
    stage.shoot("map", "Map: the passages as points, with a question and its hits")
    stage.shell.map.dock.close()


def evaluation(stage: Stage, _script: Script) -> None:
    """Show the evaluation without golden questions, and with a run."""
    stage.command("focus_evaluation")
    stage.shoot("evaluation-empty", "Evaluation without golden questions")
    presenter, pane = stage.shell.evaluation.presenter, stage.shell.evaluation.pane
    presenter.questions.read(resource("sample_questions.jsonl"))
    stage.wait(lambda: not pane.is_inviting and presenter.questions.questions, "the golden questions")
    stage.pause(0.3)
    stage.shoot("evaluation-questions", "Evaluation: golden questions and their relevant passages")
    pane.tabs.setCurrentIndex(1)
    pane.compare.panel.run()
    stage.wait(lambda: presenter.measuring.history and not presenter.measuring.running, "the evaluation")
    stage.pause(0.4)
    stage.shell.window.toast.hide()
    stage.shoot("evaluation", "Evaluation: recall and rank of the relevant passages")
    stage.shell.evaluation.dock.close()


def reading(stage: Stage, _script: Script) -> None:
    """Show the estimate and the result of an exhaustive reading."""
    stage.command("read_all")
    presenter, pane = stage.shell.exhaustive.presenter, stage.shell.exhaustive.pane
    stage.shoot("reading-new", "Read everything: one question for every passage")
    field = stage.find(QLineEdit, within=pane, text="Question for every passage")
    field.setText(ANYTHING)
    reader = stage.find(QComboBox, within=pane, text="Who reads")
    reader.setCurrentIndex(reader.findText("offline", Qt.MatchFlag.MatchStartsWith))
    estimated: list[object] = []
    presenter.preparing.estimated.connect(estimated.append)
    stage.keys(field, Qt.Key.Key_Return)
    stage.wait(lambda: estimated, "the estimate")
    stage.pause(0.3)
    stage.shoot("reading-estimate", "Read everything: the estimate, with the data that would leave this machine")
    said: list[str] = []
    presenter.notified.connect(lambda text, _undoable: said.append(text))
    pane.form.card.start.click()
    stage.wait(lambda: said and presenter.running is None, "the reading")
    stage.pause(0.3)
    stage.shell.window.toast.hide()
    stage.shoot("reading", "Read everything: a verdict for each document, with its evidence")
    stage.shell.exhaustive.dock.close()


def network(stage: Stage, _script: Script) -> None:
    """Show the network ledger: with offline mode only the model on this machine, then more requests."""
    stage.command("focus_network")
    presenter, pane = stage.shell.network.presenter, stage.shell.network.pane
    stage.wait(lambda: not pane.is_empty and presenter.hosts, "the ledger")
    stage.pause(0.4)
    stage.shoot("network", "Network pane: nothing has left this machine")
    stage.do(_made_up(stage.library))
    presenter.refresh()
    stage.wait(lambda: presenter.totals.outside, "what left")
    stage.command("offline_mode")
    stage.wait(lambda: not stage.shell.settings.offline_mode.is_shut, "offline mode to go off")
    stage.pause(0.4)
    stage.shell.window.toast.hide()
    stage.shoot("network-left", "Network pane: the requests, with the passages in them")
    stage.command("offline_mode")
    stage.wait(lambda: stage.shell.settings.offline_mode.is_shut, "offline mode to go on")
    stage.shell.network.dock.close()


def _made_up(library: Library) -> Operation[None]:
    """Write invented requests into the ledger: the scripted model runs on this machine."""
    now = datetime.now(UTC)
    done, failed, refused = NetworkOutcome.DONE, NetworkOutcome.FAILED, NetworkOutcome.REFUSED
    rows = (
        (Purpose.WEB_PAGE, "harbour.example.org", "/north-quay/tides.html", done, 642, 48_112, 311.0, ()),
        (Purpose.WEB_SEARCH, "search.example.com", "/search", refused, 0, 0, 0.0, ()),
        (Purpose.RERANKING, "rerank.example.net", "/v2/rerank", done, 21_930, 1_204, 190.0, (3, 4, 5, 6)),
        (Purpose.ANSWER, "api.example.com", "/v1/responses", failed, 18_204, 512, 90.0, (3, 4)),
        (Purpose.ANSWER, "api.example.com", "/v1/responses", done, 38_771, 5_020, 2_410.0, (3, 4, 5)),
        (Purpose.ANSWER, "api.example.com", "/v1/responses", done, 41_310, 7_744, 3_120.0, (1, 2)),
    )

    def write() -> None:
        for ago, (purpose, host, path, outcome, sent, received, took, chunks) in enumerate(reversed(rows)):
            at = (now - timedelta(minutes=40 - 7 * ago)).isoformat(timespec="microseconds")
            request = NetworkRequest(
                0,
                at,
                purpose,
                host,
                443,
                address=f"https://{host}{path}",
                outcome=outcome,
                status={done: 200, failed: 503}.get(outcome),
                sent=sent,
                received=received,
                milliseconds=took,
                chunks=chunks,
            )
            library.network.begin(request)

    async def operation(_context: JobContext) -> None:
        await library.on_store(write)

    return operation


def show_answer(stage: Stage) -> None:
    """Open the session with the cited answer and the first of its passages."""
    stage.wait(lambda: stage.library and _answers(stage), "the sessions")
    number = _answers(stage)[0]
    stage.shell.sessions.open(number)
    stage.wait(lambda: stage.shell.chat.session == number and stage.shell.inspector.shown, "the session")
    stage.wait_for_page()


def _answers(stage: Stage) -> list[int]:
    return [one.id for one in stage.shell.sessions.model.sessions() if one.title.startswith(WORKS[:20])]


def _tabs(stage: Stage) -> QTabWidget:
    return stage.find(QTabWidget, within=stage.shell.inspector, text="Views of the passage")


def _editors(stage: Stage) -> list[QPlainTextEdit]:
    pane: InspectorPane = stage.shell.inspector
    return [one for one in pane.findChildren(QPlainTextEdit) if not one.isReadOnly()]


SCENES = (text, edited, map_drawn, evaluation, reading, network)
