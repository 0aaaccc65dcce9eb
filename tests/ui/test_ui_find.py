"""Find bars in the conversation and in the shown document."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot
from ui_runs import run, session
from ui_window import fill, open_window

from workbench.ui.app_controller import AppController
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.find_bar import FindBar

pytestmark = pytest.mark.usefixtures("warm_readers")


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> AppController:
    return open_window(qtbot, tmp_path / "library")


def press_find(shell: AppController, qtbot: QtBot) -> FindBar:
    shell.window.actions_by_name["find_here"].trigger()
    (bar,) = [bar for bar in shell.window.findChildren(FindBar) if bar.isVisible()]
    assert QApplication.focusWidget() is field(bar)
    return bar


def field(bar: FindBar) -> QLineEdit:
    found = bar.findChild(QLineEdit)
    assert isinstance(found, QLineEdit)
    return found


def type_in(bar: FindBar, text: str, qtbot: QtBot) -> None:
    with qtbot.waitSignal(bar.looked):
        qtbot.keyClicks(field(bar), text)


def test_words_are_found_in_questions_and_answers_the_newest_first(shell: AppController, qtbot: QtBot) -> None:
    shell.chat.open_session(session(*(run(number=number) for number in range(1, 9))))
    bar = press_find(shell, qtbot)
    needle = shell.chat.cards[-1].transcript.answer.split()[0].strip("*#")
    type_in(bar, needle.upper(), qtbot)
    qtbot.waitUntil(lambda: bar.count != "" and not bar.count.endswith("+"), timeout=10_000)
    place, _of, places = bar.count.split()
    assert place == places
    assert int(places) >= 8
    qtbot.keyClick(field(bar), Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.count == f"{int(places) - 1} of {places}"
    qtbot.keyClick(field(bar), Qt.Key.Key_Return)
    selected = [view.textCursor().selectedText() for view in shell.chat.findChildren(AnswerView)]
    assert [text.casefold() for text in selected if text] == [needle.casefold()]


def test_words_far_up_in_a_long_session_are_found_and_brought_into_sight(shell: AppController, qtbot: QtBot) -> None:
    runs = [run(f"Answer {number} [1].", number=number) for number in range(1, 101)]
    runs[3] = run("The *grey* heron [1] came **back**.", number=4)
    shell.chat.open_session(session(*runs))
    bar = press_find(shell, qtbot)
    type_in(bar, "grey HERON", qtbot)
    qtbot.waitUntil(lambda: bar.count == "1 of 1", timeout=10_000)
    qtbot.waitUntil(lambda: marked(shell) == ["grey heron"])
    assert len(shell.chat.cards) < 40


def marked(shell: AppController) -> list[str]:
    """Return the selected text in the visible answers."""
    seen = (view for view in shell.chat.findChildren(AnswerView) if not view.visibleRegion().isEmpty())
    return [view.textCursor().selectedText() for view in seen if view.textCursor().hasSelection()]


def test_the_next_place_is_in_a_card_that_is_not_there_yet(shell: AppController, qtbot: QtBot) -> None:
    shell.chat.open_session(session(*(run(f"Answer {number} [1].", number=number) for number in range(1, 101))))
    bar = press_find(shell, qtbot)
    type_in(bar, "answer 5", qtbot)
    qtbot.waitUntil(lambda: bar.count == "11 of 11", timeout=10_000)
    qtbot.keyClick(field(bar), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: marked(shell) == ["Answer 5"])
    card = next(card for card in shell.chat.cards if card.findChild(AnswerView).textCursor().hasSelection())
    assert (bar.count, card.transcript.answer) == ("1 of 11", "Answer 5 [1].")


def test_find_shows_not_found_for_missing_text_and_escape_closes_the_bar(shell: AppController, qtbot: QtBot) -> None:
    shell.chat.open_session(session(run()))
    bar = press_find(shell, qtbot)
    type_in(bar, "zeppelin", qtbot)
    qtbot.waitUntil(lambda: bar.count == "Not found")
    qtbot.keyClick(field(bar), Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert not any(view.textCursor().hasSelection() for view in shell.chat.findChildren(AnswerView))


def test_words_are_found_in_a_document_wherever_its_lines_end(
    shell: AppController, qtbot: QtBot, tmp_path: Path
) -> None:
    fill(qtbot, shell, tmp_path / "papers")
    heron = next(one for one in shell.documents.model.documents() if one.name.startswith("heron"))
    shell.library_pane.document_chosen.emit(heron)
    text_view = shell.inspector.passage_view.text_view
    qtbot.waitUntil(lambda: "willow" in text_view.toPlainText(), timeout=20_000)
    shell.inspector.setFocus()
    bar = press_find(shell, qtbot)
    type_in(bar, "nest", qtbot)
    qtbot.waitUntil(lambda: text_view.textCursor().selectedText() == "Nest", timeout=5000)
    assert bar.count == "1 of 2"
    qtbot.keyClick(field(bar), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: text_view.textCursor().selectedText() == "nest", timeout=5000)
    field(bar).clear()
    type_in(bar, "nests  its", qtbot)
    assert bar.count == "1 of 1"


def test_a_place_far_away_in_a_long_document_is_brought_here(
    shell: AppController, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    lines = [f"Line {number} of the log says nothing new about the quay.\n\n" for number in range(3000)]
    (folder / "long.md").write_text("".join(lines) + "Zeppelin 😀 moored.\n", "utf-8")
    shell.documents.add([folder])
    qtbot.waitUntil(lambda: any(one.chunks for one in shell.documents.model.documents()), timeout=60_000)
    shell.library_pane.document_chosen.emit(shell.documents.model.documents()[0])
    text_view = shell.inspector.passage_view.text_view
    qtbot.waitUntil(lambda: "Line 1" in text_view.toPlainText(), timeout=20_000)
    shell.inspector.setFocus()
    bar = press_find(shell, qtbot)
    type_in(bar, "zeppelin", qtbot)
    qtbot.waitUntil(lambda: text_view.textCursor().selectedText() == "Zeppelin", timeout=5000)
