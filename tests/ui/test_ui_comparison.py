"""Comparison of answers to one question: offered, shown side by side with differences marked, continued from one."""

from dataclasses import replace
from typing import Any

import pytest
from accessibility import nameless, twins
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, shown_chat
from ui_runs import hit, run, session

from workbench.model.run import Run
from workbench.model.text_diff import DiffKind, DiffStretch, text_diff
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.run_card import RunCard
from workbench.ui.comparison.comparison_dialog import ComparisonDialog, differences
from workbench.ui.comparison.comparison_tables import figures, sources, steps
from workbench.ui.theme import Theme

FIRST = run("Sales rose by 12 % [1].", hit(1))
SECOND = run("Sales fell by 9 % [1] and costs, too [2].", hit(1), hit(2), number=2, profile="gpt", seconds=9.0)


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def chat(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> ChatPane:
    return shown_chat(qtbot, bridge, monkeypatch)


def compared(qtbot: QtBot, bridge: FakeBridge, chat: ChatPane, *runs: Run) -> ComparisonDialog:
    """Return the comparison dialog for the last of these answers, with the differences computed."""
    chat.open_session(session(*runs))
    finished(chat)[-1].findChild(QAction, "Compare").trigger()
    dialog = chat.window().findChild(ComparisonDialog)
    work_out(bridge, dialog)
    return dialog


def work_out(bridge: FakeBridge, dialog: ComparisonDialog) -> None:
    bridge.last("compare_texts").succeed(text_diff(*(answer.text for answer in dialog.answers)))


def finished(chat: ChatPane) -> tuple[RunCard, ...]:
    """Return the cards with all their parts, which are created one after another."""
    for card in chat.cards:
        while not card.is_finished:
            card.go_on()
    return chat.cards


def offered(chat: ChatPane) -> list[bool]:
    return [card.findChild(QAction, "Compare").isVisible() for card in finished(chat)]


def test_only_an_answer_with_another_in_its_place_is_offered_for_comparison(chat: ChatPane) -> None:
    chat.open_session(session(FIRST, replace(SECOND, question="And costs?")))
    assert offered(chat) == [False, False]
    chat.open_session(session(FIRST, SECOND))
    assert offered(chat) == [True, True]


def test_an_answer_that_has_just_ended_can_be_compared(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.open_session(session(FIRST))
    chat.ask(FIRST.question)
    bridge.last("ask").succeed(SECOND)
    assert offered(chat) == [True, True]


def test_the_words_that_only_one_answer_has_are_marked_in_it(qtbot: QtBot, bridge: FakeBridge, chat: ChatPane) -> None:
    dialog = compared(qtbot, bridge, chat, FIRST, SECOND)
    left, right = dialog.answers
    assert [one.cursor.selectedText() for one in left.extraSelections()] == ["rose", "12"]
    assert [one.cursor.selectedText() for one in right.extraSelections()][:2] == ["fell", "9"]
    assert all(one.format.fontStrikeOut() for one in left.extraSelections())
    assert all(one.format.fontUnderline() for one in right.extraSelections())
    assert dialog.visible_text == "The answers differ in 3 places."


def test_differences_are_stepped_through_by_key_and_described(qtbot: QtBot, bridge: FakeBridge, chat: ChatPane) -> None:
    dialog = compared(qtbot, bridge, chat, FIRST, SECOND)
    dialog._on_next()
    assert dialog.visible_text == "Difference 1 of 3: left “rose”, right “fell”."
    dialog._on_previous()
    assert dialog.visible_text == "Difference 3 of 3: “and costs, too ￼” is only in the right one."


def test_either_side_is_chosen_from_all_and_a_late_result_is_left(
    qtbot: QtBot, bridge: FakeBridge, chat: ChatPane
) -> None:
    third = run("Sales rose by 12 % [1].", hit(1), number=3)
    dialog = compared(qtbot, bridge, chat, FIRST, SECOND, third)
    assert [one.id for one in dialog.shown] == [2, 3]
    late = bridge.last("compare_texts")
    dialog._choices[0].setCurrentIndex(0)
    late.succeed((DiffStretch(DiffKind.OUT, "late"),))
    assert dialog.visible_text == "Comparing…"
    work_out(bridge, dialog)
    assert dialog.visible_text == "Both answers are identical."


def test_figures_sources_and_steps_are_shown_side_by_side() -> None:
    rows = {row.name: (row.left, row.right) for row in figures(FIRST, SECOND)}
    assert rows["Answered by"] == ("offline", "gpt")
    assert rows["Time"] == ("1.5 s", "9.0 s")
    assert "Question" not in rows
    assert [pair.is_shared for pair in sources(FIRST, SECOND)] == [True, False]
    assert all(pair.is_shared for pair in steps(FIRST, SECOND))


def test_only_the_next_question_continues_from_the_chosen_answer(
    qtbot: QtBot, bridge: FakeBridge, chat: ChatPane
) -> None:
    dialog = compared(qtbot, bridge, chat, FIRST, SECOND)
    dialog._on_go_on_left()
    assert chat._answers.going_on.visible_text.startswith("Your next question continues from the answer of")
    chat.ask("And costs?")
    assert bridge.last("ask").kwargs["after"] == FIRST.id
    assert chat._answers.going_on.visible_text == ""
    bridge.last("ask").succeed(replace(SECOND, id=3, question="And costs?"))
    chat.ask("And profit?")
    assert bridge.last("ask").kwargs["after"] is None


def test_differences_with_only_white_space_between_them_are_merged_into_one() -> None:
    found = differences(text_diff("It rose very fast.", "It fell slowly, then stood."))
    assert [(one.left.text, one.right.text) for one in found] == [("rose very fast", "fell slowly, then stood")]


def test_places_are_counted_as_qt_does() -> None:
    (found,) = differences(text_diff("😀 rose", "😀 fell"))
    assert (found.left.start, found.left.end) == (3, 7)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_in_the_window_has_a_name_and_the_marks_follow_the_theme(
    qtbot: QtBot, bridge: FakeBridge, chat: ChatPane, scheme: Any
) -> None:
    dialog = compared(qtbot, bridge, chat, FIRST, SECOND)
    theme: Theme = chat._theme
    theme.choose(scheme)
    assert nameless(dialog) == []
    assert twins(dialog) == []
    backgrounds = {one.format.background().color().name() for one in dialog.answers[0].extraSelections()}
    assert backgrounds == {theme.tokens().danger_soft}
