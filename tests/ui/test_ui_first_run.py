"""First run: a welcome in three sentences, the sample documents with one press, and then questions about them."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, shown_chat
from ui_runs import document
from ui_window import open_window

from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.resources import resource
from workbench.ui.chat import empty_state
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.chat.pane import ChatPane

pytestmark = pytest.mark.usefixtures("warm_readers")


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def chat(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> ChatPane:
    return shown_chat(qtbot, bridge, monkeypatch)


EXAMPLES = list(empty_state.EXAMPLES.values())


def offered(chat: ChatPane) -> list[str]:
    return [one.text() for one in chat.findChild(EmptyState).findChildren(QPushButton) if not one.isHidden()]


def samples() -> list[DocumentChanged]:
    return [DocumentChanged(replace(document(n), name=name)) for n, name in enumerate(empty_state.EXAMPLES, 1)]


def test_the_welcome_takes_three_sentences_and_needs_no_account() -> None:
    _icon, _title, text = empty_state.NO_DOCUMENTS
    assert text.count(". ") + text.endswith(".") == 3
    assert "you need no account" in text


def test_every_example_is_about_a_sample_document() -> None:
    there = {path.name for path in resource("sample").iterdir()}
    assert set(empty_state.EXAMPLES) == there


def test_examples_are_offered_once_every_sample_can_be_asked(chat: ChatPane, bridge: FakeBridge) -> None:
    bridge.last("list_documents").succeed([])
    assert offered(chat) == [empty_state.SAMPLES]
    *first, last = samples()
    for event in first:
        bridge.domain_event.emit(event)
    bridge.domain_event.emit(DocumentChanged(replace(last.document, status=DocumentStatus.PARSING)))
    assert offered(chat) == []
    bridge.domain_event.emit(last)
    assert offered(chat) == EXAMPLES


def test_examples_go_with_the_first_document_of_ones_own(chat: ChatPane, bridge: FakeBridge) -> None:
    bridge.last("list_documents").succeed([event.document for event in samples()])
    assert offered(chat) == EXAMPLES
    bridge.domain_event.emit(DocumentChanged(document(9)))
    assert offered(chat) == []
    bridge.domain_event.emit(DocumentsRemoved((9,)))
    assert offered(chat) == EXAMPLES


def test_pressing_an_example_asks_it(chat: ChatPane, bridge: FakeBridge) -> None:
    bridge.last("list_documents").succeed([event.document for event in samples()])
    next(one for one in chat.findChildren(QPushButton) if one.text() == EXAMPLES[0]).click()
    assert bridge.last("ask").args[0] == EXAMPLES[0]


@pytest.mark.parametrize("appearance", ["light", "dark"])
def test_one_press_adds_the_sample_documents(tmp_path: Path, qtbot: QtBot, appearance: str) -> None:
    shell = open_window(qtbot, tmp_path, appearance=appearance)
    (press,) = (one for one in shell.chat.findChildren(QPushButton) if one.text() == empty_state.SAMPLES)
    assert press.isVisible()
    press.click()
    qtbot.waitUntil(lambda: offered(shell.chat) == EXAMPLES, timeout=60_000)
    assert {one.name for one in shell.documents.model.documents()} == set(empty_state.EXAMPLES)
