"""Scenes of the other panes: the inspector, the map, the evaluation, the reading of everything."""

from answers import WORKS
from model import Script
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QTabWidget
from stage import Stage

from workbench.resources import resource
from workbench.ui.inspector.details_view import DetailsView
from workbench.ui.inspector.pane import InspectorPane

ANYTHING = "How many tonnes may crane B lift?"


def text(stage: Stage, _script: Script) -> None:
    """The text of a passage and its details."""
    show_answer(stage)
    tabs = _tabs(stage)
    tabs.setCurrentIndex(1)
    stage.shoot("inspector-text", "The inspector: the text of a passage, with what the answer took from it")
    tabs.setCurrentIndex(2)
    # At its beginning stands where the file is.
    bar = stage.find(DetailsView).verticalScrollBar()
    bar.setValue(bar.maximum())
    stage.shoot("inspector-details", "The inspector: all there is to know of a passage")
    tabs.setCurrentIndex(3)
    stage.pause(0.8)
    stage.shoot("inspector-why", "Why a passage was found: its way through every stage of the search")
    tabs.setCurrentIndex(0)


def edited(stage: Stage, _script: Script) -> None:
    """The text of a passage is being changed."""
    stage.press("Edit the text")
    stage.wait(lambda: any(one.isVisible() for one in _editors(stage)), "the editor")
    editor = next(one for one in _editors(stage) if one.isVisible())
    editor.moveCursor(editor.textCursor().MoveOperation.End)
    editor.insertPlainText(" (checked by T. Reyk)")
    stage.pause(0.4)
    stage.shoot("inspector-edit", "The inspector: a passage while its text is changed")
    stage.press("Cancel", within=stage.shell.inspector)


def map_drawn(stage: Stage, _script: Script) -> None:
    """The library as a picture, with the hits of the last question."""
    stage.command("focus_map")
    stage.wait(lambda: stage.shell.map.pane.shows_map, "the map")
    stage.pause(0.8)
    stage.shoot("map", "The map: each passage a point, and the question with what was found for it")
    stage.shell.map.dock.close()


def evaluation(stage: Stage, _script: Script) -> None:
    """Golden questions, first none, then asked."""
    stage.command("focus_evaluation")
    stage.shoot("evaluation-empty", "The evaluation before there is a golden question")
    presenter, pane = stage.shell.evaluation.presenter, stage.shell.evaluation.pane
    presenter.questions.read(resource("sample", "questions.jsonl"))
    stage.wait(lambda: not pane.is_inviting and presenter.questions.questions, "the golden questions")
    stage.pause(0.3)
    stage.shoot("evaluation-questions", "The evaluation: golden questions and their right passages")
    pane.tabs.setCurrentIndex(1)
    pane.compare.panel.run()
    stage.wait(lambda: presenter.measuring.history and not presenter.measuring.running, "the evaluation")
    stage.pause(0.4)
    stage.shell.window.toast.hide()
    stage.shoot("evaluation", "The evaluation: how often the right passages were found, and how far up")
    stage.shell.evaluation.dock.close()


def reading(stage: Stage, _script: Script) -> None:
    """A question for every passage: what it would take, and what came of it."""
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
    stage.shoot("reading-estimate", "Read everything: what it would take and what would leave this machine")
    said: list[str] = []
    presenter.said.connect(lambda text, _undoable: said.append(text))
    pane.form.card.start.click()
    stage.wait(lambda: said and presenter.running is None, "the reading")
    stage.pause(0.3)
    stage.shell.window.toast.hide()
    stage.shoot("reading", "Read everything: a verdict for each document, with its evidence")
    stage.shell.exhaustive.dock.close()


def show_answer(stage: Stage) -> None:
    """Open the session with the cited answer, and the first of its passages."""
    stage.wait(lambda: stage.library and _answers(stage), "the sessions")
    number = _answers(stage)[0]
    stage.shell.sessions.open(number)
    stage.wait(lambda: stage.shell.chat.session == number and stage.shell.inspector.shown, "the session")
    stage.wait_for_page()


def _answers(stage: Stage) -> list[int]:
    return [one.id for one in stage.shell.sessions.model.sessions() if one.title.startswith(WORKS[:20])]


def _tabs(stage: Stage) -> QTabWidget:
    return stage.find(QTabWidget, within=stage.shell.inspector, text="Ways to look at the passage")


def _editors(stage: Stage) -> list[QPlainTextEdit]:
    pane: InspectorPane = stage.shell.inspector
    return [one for one in pane.findChildren(QPlainTextEdit) if not one.isReadOnly()]


SCENES = (text, edited, map_drawn, evaluation, reading)
