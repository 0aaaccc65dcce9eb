"""Exhaustive reading in the whole window, on a real library with documents."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless

from workbench.app import build_window
from workbench.ui.app_controller import AppController
from workbench.ui.chat.answer_footer import READ_ALL
from workbench.ui.exhaustive.pane import ExhaustivePane
from workbench.ui.exhaustive.presenter import ExhaustivePresenter

HERON = "The grey heron nests on the east pier and counts forty pairs."
TIDE = "保修期为三年，自交货之日起计算。"


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path, warm_readers: None) -> Iterator[AppController]:
    for name, text in (("heron.md", HERON), ("保修.md", TIDE), ("tide.md", "The tide turns twice a day.")):
        (tmp_path / name).write_text(f"# {name}\n\n{text}\n", "utf-8")
    made = build_window(tmp_path / "library", appearance="light")
    try:
        with qtbot.waitSignal(made.settled, timeout=20_000):
            made.window.resize(1024, 640)
            made.window.show()
        with qtbot.waitSignal(made.documents.notified, timeout=60_000):
            made.documents.add(sorted(tmp_path.glob("*.md")))
        yield made
    finally:
        made.window.close()
        made.shut_down()
        made.window.deleteLater()


def revealed(shell: AppController) -> tuple[ExhaustivePresenter, ExhaustivePane]:
    shell.window.actions_by_name["read_all"].trigger()
    presenter, pane = shell.exhaustive.presenter, shell.exhaustive.pane
    assert presenter is not None
    assert pane is not None
    return presenter, pane


def read(shell: AppController, qtbot: QtBot, question: str) -> tuple[ExhaustivePresenter, ExhaustivePane]:
    presenter, pane = revealed(shell)
    focused = QApplication.focusWidget()
    assert isinstance(focused, QLineEdit)
    focused.insert(question)  # keyClicks supports ASCII only
    with qtbot.waitSignal(presenter.preparing.estimated, timeout=20_000):
        qtbot.keyClick(focused, Qt.Key.Key_Return)
    with qtbot.waitSignal(presenter.notified, timeout=60_000):
        qtbot.keyClick(pane.form.card.start, Qt.Key.Key_Space)
    return presenter, pane


def test_from_the_key_to_the_passage_without_a_mouse(shell: AppController, qtbot: QtBot) -> None:
    _, pane = read(shell, qtbot, "How many pairs of herons nest there?")
    table = pane.result.table
    found = {table.rows.index(row, 1).data(): table.rows.index(row, 0).data() for row in range(table.rows.rowCount())}
    assert found == {"heron.md": "Found", "tide.md": "Not found", "保修.md": "Not found"}
    qtbot.keyClick(table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shell.inspector.shown is not None, timeout=20_000)
    shown = shell.inspector.shown
    assert shown is not None
    assert HERON in shown.text
    assert nameless(pane) == []


def test_the_chat_keeps_its_room_and_what_was_read_is_there_again(shell: AppController, qtbot: QtBot) -> None:
    presenter, pane = read(shell, qtbot, "保修期多长？")
    assert shell.window.height() == 640
    assert pane.result.isVisible()
    presenter.choose(None)
    assert pane.form.isVisible()
    qtbot.waitUntil(lambda: len(presenter.readings) == 1, timeout=20_000)
    with qtbot.waitSignal(presenter.shown, timeout=20_000) as opened:
        pane.choice.activated.emit(1)
    assert [one.quote for row in opened.args[0].documents for one in row.citations] == [TIDE]


def test_another_library_has_readings_of_its_own(shell: AppController, qtbot: QtBot, tmp_path: Path) -> None:
    presenter, pane = read(shell, qtbot, "How many pairs of herons nest there?")
    qtbot.waitUntil(lambda: len(presenter.readings) == 1, timeout=20_000)
    with qtbot.waitSignal(shell.settled, timeout=20_000):
        shell.open_other(tmp_path / "other")
    qtbot.waitUntil(lambda: not presenter.readings, timeout=20_000)
    assert pane.choice.count() == 1
    assert pane.form.isVisible()


def offer_below(shell: AppController, qtbot: QtBot, question: str) -> QAction:
    with qtbot.waitSignal(shell.chat.run_selected, timeout=60_000):
        shell.chat.ask(question)
    qtbot.waitUntil(lambda: shell.chat.findChild(QAction, READ_ALL) is not None, timeout=20_000)
    action = shell.chat.findChild(QAction, READ_ALL)
    assert action is not None
    return action


def test_reading_everything_is_offered_below_a_count_with_its_estimate_and_begins_at_once(
    shell: AppController, qtbot: QtBot
) -> None:
    action = offer_below(shell, qtbot, "How many documents mention herons?")
    qtbot.waitUntil(action.isVisible, timeout=20_000)
    more = next(one for one in shell.chat.findChildren(QToolButton) if action in one.actions())
    assert more.isVisible()
    assert more.menu().toolTipsVisible()
    assert action.text().startswith("Read everything: 3 passages, about 1 second")
    assert "Nothing leaves this computer." in action.toolTip()
    action.trigger()
    presenter, pane = shell.exhaustive.presenter, shell.exhaustive.pane
    assert presenter is not None
    assert pane is not None
    qtbot.waitUntil(lambda: len(presenter.readings) == 1 and not presenter.busy, timeout=60_000)
    assert presenter.readings[0].question == "How many documents mention herons?"
    assert pane.result.isVisible()


def test_reading_everything_is_not_offered_below_an_ordinary_answer(shell: AppController, qtbot: QtBot) -> None:
    action = offer_below(shell, qtbot, "How many pairs of herons nest there?")
    with qtbot.waitSignal(shell.chat.run_selected, timeout=60_000):
        shell.chat.ask("What does the heron do?")
    assert not action.isVisible()
