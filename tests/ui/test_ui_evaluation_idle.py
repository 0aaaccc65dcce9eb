"""Automatic evaluations: announced by the bridge, listed, and marked as automatic."""

import threading

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from ui_evaluations import evaluation
from ui_fake_worker import FakeBridge, fake_operations

from workbench.model.evaluation import MARKS, EvaluatedAgain
from workbench.ui.bridge import Bridge
from workbench.ui.evaluation.history_page import HistoryPage
from workbench.ui.evaluation.run_presenter import RunPresenter
from workbench.ui.theme import Theme


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def measuring(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> RunPresenter:
    fake_operations(monkeypatch)
    made = RunPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(object())  # type: ignore[arg-type]
    made.choose_set(MARKS)
    return made


def test_automatic_evaluations_are_listed_and_marked_as_automatic(
    qtbot: QtBot, bridge: FakeBridge, measuring: RunPresenter
) -> None:
    page = HistoryPage(measuring, Theme(choice="light"))
    qtbot.addWidget(page)
    asked_for, by_itself = evaluation(number=1).summary, evaluation(number=2, by_itself=True).summary
    bridge.last("list_evaluations").succeed((asked_for,))
    before = len(bridge.jobs)
    bridge.publish(EvaluatedAgain(evaluation(number=2, by_itself=True, set="another").summary))
    assert len(bridge.jobs) == before
    bridge.publish(EvaluatedAgain(by_itself))
    bridge.last("list_evaluations").succeed((by_itself, asked_for))
    assert ["automatic" in row.spoken for row in page.list.rows.rows] == [True, False]


def test_the_bridge_forwards_an_event_that_another_thread_publishes_without_a_job(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    bridge = Bridge(owner)
    event = EvaluatedAgain(evaluation().summary)
    threads: list[threading.Thread] = []
    bridge.domain_event.connect(lambda _event: threads.append(threading.current_thread()))
    with qtbot.waitSignal(bridge.domain_event) as told:
        thread = threading.Thread(target=bridge.publish, args=(event,))
        thread.start()
        thread.join()
    assert (told.args, threads) == ([event], [threading.main_thread()])
