"""Notifications at the end of long tasks, and answers announced sentence by sentence."""

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, shown_chat
from ui_runs import run

from workbench.model.exhaustive import ReadingBegan
from workbench.model.run import AnswerDelta, RunStarted, TimedEvent
from workbench.settings import Settings
from workbench.ui import desktop_notifications
from workbench.ui.chat import answer_announcer
from workbench.ui.chat.answer_announcer import AnswerAnnouncer
from workbench.ui.desktop_notifications import LONG, Notifications
from workbench.ui.library.imports import ImportState


class Told(QObject):
    """Stand-in for a shell that records the announcements of a pane."""

    import_changed = Signal(object)
    domain_event = Signal(object)
    notified = Signal(str, bool)
    running_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.documents = self.chat = self.bridge = self.exhaustive = self.presenter = self
        self.running: int | None = None
        self.window = QWidget()


class Clock:
    """Stand-in for the module time that shows the time now."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(desktop_notifications, "time", made)
    return made


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    said: list[str] = []
    monkeypatch.setattr(Notifications, "show", lambda _self, text: said.append(text))
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: Qt.ApplicationState.ApplicationInactive)
    return said


def told(settings: Settings, qtbot: QtBot) -> Told:
    shell = Told()
    qtbot.addWidget(shell.window)
    shell.settings = type("Presenter", (), {"settings": settings})()
    Notifications(shell)  # type: ignore[arg-type]
    return shell


def test_a_long_import_shows_a_notification_with_its_file_count_and_a_short_one_does_not(
    clock: Clock, shown: list[str], qtbot: QtBot
) -> None:
    shell = told(Settings(), qtbot)
    for seconds in (LONG - 1, LONG + 1):
        shell.import_changed.emit(ImportState(1, files=7))
        clock.now += seconds
        shell.import_changed.emit(ImportState(0))
    assert shown == ["7 files read."]


def test_a_long_answer_shows_a_notification_without_any_of_its_text(
    clock: Clock, shown: list[str], qtbot: QtBot
) -> None:
    shell = told(Settings(), qtbot)
    shell.running_changed.emit(True)
    clock.now += 2 * LONG
    shell.running_changed.emit(False)
    assert shown == ["Your answer is ready."]


def test_the_end_of_a_long_reading_shows_a_notification(clock: Clock, shown: list[str], qtbot: QtBot) -> None:
    shell = told(Settings(), qtbot)
    for _again in range(2):
        shell.running = 1
        shell.domain_event.emit(ReadingBegan.__new__(ReadingBegan))
        clock.now += 2 * LONG
        shell.notified.emit("Exported.", False)
        shell.running = None
        shell.notified.emit("812 of 812 passages.", False)
    assert shown == ["Your documents have been read for your question."] * 2


def test_no_notification_is_shown_when_the_program_is_active_or_notifications_are_off(
    clock: Clock, shown: list[str], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    unwanted = told(Settings(notifications="no"), qtbot)
    unwanted.running_changed.emit(True)
    clock.now += 2 * LONG
    unwanted.running_changed.emit(False)
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: Qt.ApplicationState.ApplicationActive)
    looking = told(Settings(), qtbot)
    looking.running_changed.emit(True)
    clock.now += 2 * LONG
    looking.running_changed.emit(False)
    assert shown == []


def test_notifications_go_to_the_desktop_s_own_program_where_there_is_no_tray(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    started: list[tuple[str, list[str]]] = []
    monkeypatch.setattr("PySide6.QtWidgets.QSystemTrayIcon.isSystemTrayAvailable", lambda: False)
    monkeypatch.setattr(desktop_notifications.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(desktop_notifications.QProcess, "startDetached", lambda *call: started.append(call))
    shell = told(Settings(), qtbot)
    shell.findChild(Notifications).show("--7 files read.")
    ((program, arguments),) = started
    assert program == "/bin/notify-send"
    assert arguments[-3:] == ["--", "Knowledge Workbench", "--7 files read."]


def test_an_answer_is_announced_sentence_by_sentence_and_its_end_is_announced_too(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, bool]] = []
    monkeypatch.setattr(answer_announcer, "announce", lambda _widget, text, at_once=False: said.append((text, at_once)))
    bridge = FakeBridge()
    chat = shown_chat(qtbot, bridge, monkeypatch)
    AnswerAnnouncer(chat)
    chat.ask("How high?")
    job = bridge.last("ask")
    started = RunStarted("How high?", "default", "offline", "agentic", "")
    job.emit(TimedEvent(0, 0.0, started))
    for number, text in enumerate(("Net sales **rose** [1]. The mar", "gin held 3.5 % [2].", " 利润上升。成本")):
        job.emit(TimedEvent(number + 1, 0.1, AnswerDelta(text)))
        qtbot.wait(60)
    qtbot.waitUntil(lambda: len(said) == 2)
    assert said == [("Net sales rose.", False), ("The margin held 3.5 %. 利润上升。", False)]
    job.fail(RuntimeError("bug"))
    assert said[-1] == ("The answer failed because of an internal error. Try again.", True)


def test_the_end_of_an_answer_is_announced_with_its_sources(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(answer_announcer, "announce", lambda _widget, text, **_how: said.append(text))
    bridge = FakeBridge()
    chat = shown_chat(qtbot, bridge, monkeypatch)
    AnswerAnnouncer(chat)
    chat.ask("sales?")
    bridge.last("ask").succeed(run())
    assert said[-1].startswith("End of the answer. ")
    assert said[-1].endswith(("source.", "sources."))
