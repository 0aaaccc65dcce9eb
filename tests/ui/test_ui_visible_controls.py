"""Calm: how many controls are visible at the first start, and after an answer whose first source is open."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from ui_window import open_window
from visible_controls import visible_controls

from workbench.model.document import DocumentStatus
from workbench.model.profile import ModelProfile
from workbench.model.run import Run
from workbench.resources import resource
from workbench.ui.app_controller import AppController
from workbench.ui.chat.answerer import Answerer

pytestmark = pytest.mark.usefixtures("warm_readers")

MOST_AT_FIRST_START = 12
MOST_AFTER_AN_ANSWER = 37
QUESTION = "What is the limit for tributyltin?"


def first_start(qtbot: QtBot, folder: Path) -> AppController:
    shell = open_window(qtbot, folder)
    shell.window.resize(1440, 900)
    qtbot.waitUntil(lambda: shell.documents.loaded and "nothing leaves" in shell.window.status.text, timeout=20_000)
    return shell


def answered(qtbot: QtBot, shell: AppController) -> Run:
    """Ask a question about a sample, for a model that makes plans, and show the page of the first source."""
    shell.documents.add([resource("sample", "harbour-survey.pdf")])

    def is_ready() -> bool:
        return [one.status for one in shell.documents.model.documents()] == [DocumentStatus.READY]

    qtbot.waitUntil(is_ready, timeout=60_000)
    with qtbot.waitSignal(shell.chat.run_selected, timeout=60_000) as selected:
        shell.chat.ask(QUESTION)
    (run,) = selected.args
    shell.chat.citation_activated.emit(next(one for one in run.citations if one.valid))
    page = shell.inspector.passage_view.page_view
    qtbot.waitUntil(lambda: page.page is not None and page.is_sharp(page.page), timeout=20_000)
    model = ModelProfile("here", "http://127.0.0.1:11434/v1", "m")
    shell.chat._answers.surroundings.answerer_changed.emit(Answerer(model))
    qtbot.waitUntil(lambda: shell.sessions.model.rowCount() == 1, timeout=20_000)
    shell.window.toast.hide()
    return run


def test_the_first_start_offers_only_what_an_empty_library_can_use(qtbot: QtBot, tmp_path: Path) -> None:
    shell = first_start(qtbot, tmp_path / "library")
    found = visible_controls(shell.window)
    assert len(found) <= MOST_AT_FIRST_START, found


def test_an_answer_with_its_source_open_leaves_the_window_calm(qtbot: QtBot, tmp_path: Path) -> None:
    shell = first_start(qtbot, tmp_path / "library")
    answered(qtbot, shell)
    found = visible_controls(shell.window)
    assert len(found) <= MOST_AFTER_AN_ANSWER, found
