"""Documents and tags mentioned in a question: recognised in its text, completed while typing, used by the search."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, FakeJob, shown_chat

from workbench.model.document import Document, DocumentStatus, Metadata
from workbench.model.filter import EVERYTHING
from workbench.retrieval.filters.text_syntax import text_of
from workbench.ui.chat.mention_completion import MentionCompletion
from workbench.ui.chat.pane import ChatPane
from workbench.ui.library.model import DocumentModel

# The offscreen platform has no keyboard that the list could grab.
pytestmark = pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def chat(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> ChatPane:
    made = shown_chat(qtbot, bridge, monkeypatch)
    model = DocumentModel(made)
    model.replace_all(
        [
            document(1, "report.pdf", tags=("tax", "old")),
            document(2, "annual report.pdf", tags=("tax",)),
            document(3, "b.md"),
        ]
    )
    made.mentioning = MentionCompletion(bridge, made.question_field, model, made)  # type: ignore[arg-type]
    monkeypatch.setattr("workbench.ui.chat.mention_completion.finding", looked)
    made.activateWindow()
    made.focus_composer()
    qtbot.waitUntil(made.question_field.hasFocus)
    return made


def looked(names: dict[int, str], needle: str, _most: int) -> FakeJob:
    return FakeJob("finding", (names, needle), {})


def document(number: int, name: str, tags: tuple[str, ...] = ()) -> Document:
    return Document(
        number, "default", f"/docs/{name}", name, "0", 10, "pdf", DocumentStatus.READY, Metadata(""), tags=tags
    )


def popup(chat: ChatPane) -> QAbstractItemView:
    assert chat.mentioning is not None
    return chat.mentioning._popup


def offered(chat: ChatPane) -> list[str]:
    model = popup(chat).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())] if popup(chat).isVisible() else []


def test_documents_are_offered_and_chosen_by_keyboard(qtbot: QtBot, chat: ChatPane, bridge: FakeBridge) -> None:
    qtbot.keyClicks(chat.question_field, "Is it in @rep")
    job = bridge.last("finding")
    assert job.args == ({1: "report.pdf\n", 2: "annual report.pdf\n", 3: "b.md\n"}, "rep")
    job.succeed([1, 2])
    assert offered(chat) == ["report.pdf", "annual report.pdf"]
    qtbot.keyClick(popup(chat), Qt.Key.Key_Down)
    qtbot.keyClick(popup(chat), Qt.Key.Key_Return)
    assert chat.question_field.toPlainText() == 'Is it in @"annual report.pdf" '
    assert not bridge.has("ask")


def test_the_newest_documents_are_offered_before_a_letter_is_typed(qtbot: QtBot, chat: ChatPane) -> None:
    qtbot.keyClicks(chat.question_field, "@")
    assert offered(chat) == ["b.md", "annual report.pdf", "report.pdf"]


def test_tags_are_offered_the_most_used_first(qtbot: QtBot, chat: ChatPane) -> None:
    qtbot.keyClicks(chat.question_field, "#")
    assert offered(chat) == ["tax", "old"]


def test_the_tags_of_all_documents_are_counted_once_a_mention(
    qtbot: QtBot, chat: ChatPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = []
    count = MentionCompletion._tags_in_use
    monkeypatch.setattr(MentionCompletion, "_tags_in_use", lambda self: counted.append(1) or count(self))
    qtbot.keyClicks(chat.question_field, "#ol")
    assert (offered(chat), len(counted)) == (["old"], 1)
    qtbot.keyClicks(chat.question_field, "d or #t")
    assert (offered(chat), len(counted)) == (["tax"], 2)


def test_escape_closes_the_list_and_leaves_the_text(qtbot: QtBot, chat: ChatPane) -> None:
    qtbot.keyClicks(chat.question_field, "#")
    qtbot.keyClick(popup(chat), Qt.Key.Key_Escape)
    assert (offered(chat), chat.question_field.toPlainText()) == ([], "#")


def test_mentioned_documents_and_tags_restrict_only_that_question(
    qtbot: QtBot, chat: ChatPane, bridge: FakeBridge
) -> None:
    chat.ask("Is #old in @REPORT.pdf?")
    assert text_of(bridge.last("ask").kwargs["filter"]) == "name=REPORT.pdf tag:old"
    bridge.last("ask").end_cancelled()
    bridge.last("list_sessions").succeed([])
    chat.ask("And what else?")
    assert bridge.last("ask").kwargs["filter"] == EVERYTHING
