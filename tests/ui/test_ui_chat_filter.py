import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, shown_chat

from workbench.errors import NotFound
from workbench.model.filter import EVERYTHING, ChunkFilter, FilterExtent
from workbench.model.run import RunStarted, TimedEvent
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.ui.chat.composer import Composer
from workbench.ui.chat.filter_bar import FilterBar, FilterLine
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.run_wording import status_line
from workbench.ui.chat.transcript import Transcript


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def chat(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> ChatPane:
    made = shown_chat(qtbot, bridge, monkeypatch)
    made.activateWindow()
    return made


@pytest.fixture
def line(qtbot: QtBot, chat: ChatPane, bridge: FakeBridge) -> FilterLine:
    chat.focus_filter()
    bridge.last("filter_values").succeed({"tag": ("law", "tax law"), "format": ("pdf",)})
    return chat.findChild(FilterLine)  # type: ignore[return-value]


def said(chat: ChatPane) -> str:
    return " ".join(label.text() for label in chat.findChild(FilterBar).findChildren(QLabel))


def send(chat: ChatPane, question: str = "How did sales do?") -> None:
    composer = chat.findChild(Composer)
    composer.set_text(question)
    composer._on_submitted()


def test_a_question_is_asked_within_the_filter_and_the_next_one_too(
    qtbot: QtBot, chat: ChatPane, bridge: FakeBridge, line: FilterLine
) -> None:
    line.setText("format:pdf -draft")
    send(chat)
    assert bridge.last("ask").kwargs["filter"] == filter_of_text("format:pdf -draft")


def test_without_a_filter_everything_is_asked(chat: ChatPane, bridge: FakeBridge) -> None:
    send(chat)
    assert bridge.last("ask").kwargs["filter"] == EVERYTHING


def test_b26_a_question_with_an_invalid_filter_is_not_sent_and_the_reason_is_shown(
    qtbot: QtBot, chat: ChatPane, bridge: FakeBridge, line: FilterLine
) -> None:
    line.setText("colour:red")
    send(chat)
    assert not [job for job in bridge.jobs if job.name == "ask"]
    assert "no filter “colour” (character 1)" in said(chat)
    assert chat.findChild(Composer).text == "How did sales do?"


def test_counts_of_documents_and_passages_in_the_filter_are_shown_for_the_chosen_knowledge_base(
    qtbot: QtBot, chat: ChatPane, bridge: FakeBridge, line: FilterLine
) -> None:
    chat.set_knowledge_base("Law")
    line.setText("tag:law")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    job = bridge.last("filter_extent")
    assert job.args == (ChunkFilter("Law", filter_of_text("tag:law").where),)
    job.succeed(FilterExtent(12, 340))
    assert "Searches 12 documents with 340 passages." in said(chat)
    chat.set_knowledge_base("Other")
    assert job.cancelled
    bridge.last("filter_extent").succeed(FilterExtent(0, 0))
    assert "No document matches this filter." in said(chat)


def test_a_missing_knowledge_base_in_the_filter_is_reported(
    qtbot: QtBot, chat: ChatPane, bridge: FakeBridge, line: FilterLine
) -> None:
    line.setText("kb:Lwa")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    bridge.last("filter_extent").fail(NotFound("There is no knowledge base “Lwa”.", "The knowledge bases are Law."))
    assert "no knowledge base “Lwa”" in said(chat)


# The offscreen platform has no keyboard that the list could grab.
@pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)
def test_keys_and_values_are_offered_and_chosen_by_keyboard(qtbot: QtBot, line: FilterLine) -> None:
    qtbot.keyClicks(line, "-ta")
    popup = line._completer.popup()
    assert popup is not None
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert line.text() == "-tag:"
    qtbot.keyClicks(line, "ta")
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert line.text() == '-tag:"tax law" '
    assert not popup.isVisible()


def test_the_filter_goes_with_its_line(qtbot: QtBot, chat: ChatPane, bridge: FakeBridge, line: FilterLine) -> None:
    line.setText("tag:law")
    qtbot.keyClick(line, Qt.Key.Key_Escape)
    assert line.isVisible()
    chat.findChild(Composer).toggle_filter()
    assert not line.isVisible()
    send(chat)
    assert bridge.last("ask").kwargs["filter"] == EVERYTHING


def test_an_empty_line_closes_on_leaving(qtbot: QtBot, chat: ChatPane, line: FilterLine) -> None:
    qtbot.keyClick(line, Qt.Key.Key_Escape)
    assert not line.isVisible()


def test_another_library_is_asked_without_the_filter_of_the_old_one(
    qtbot: QtBot, chat: ChatPane, bridge: FakeBridge, line: FilterLine
) -> None:
    line.setText("tag:law")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    chat.set_library(object())  # type: ignore[arg-type]
    assert not line.isVisible()
    send(chat)
    assert bridge.last("ask").kwargs["filter"] == EVERYTHING


def test_the_status_line_of_an_answer_shows_the_searched_knowledge_base_and_filter() -> None:
    transcript = Transcript("q")
    transcript.feed(TimedEvent(0, 0.0, RunStarted("q", "offline", "Offline: quotes only", "Law", "format:pdf -draft")))
    assert "only in “Law” · only format:pdf -draft" in status_line(transcript)
