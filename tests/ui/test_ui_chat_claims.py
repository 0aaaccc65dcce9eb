"""Unsupported claims: highlighted in the answer with the reason, and counted below it."""

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QLabel, QPushButton, QToolTip
from pytestqt.qtbot import QtBot

from workbench.model.claim import Claim, Doubt, Verdict
from workbench.model.run import AnswerDelta, ClaimsChecked, TimedEvent
from workbench.ui.chat.answer_footer import ClaimList
from workbench.ui.chat.answer_view import AnswerView, places
from workbench.ui.chat.transcript import Transcript
from workbench.ui.theme import Theme

ANSWER = "Sales **rose** by 12 % [1]. 😀 Costs *fell* [1] to 9 million.\n\n| A | B |\n| --- | --- |\n| North | 7 |\n"


def claim(text: str, verdict: Verdict, *doubts: Doubt, missing: tuple[str, ...] = ()) -> Claim:
    start = ANSWER.index(text)
    return Claim(start, start + len(text), text, verdict, doubts, missing)


CLAIMS = (
    claim("Sales **rose** by 12 % [1].", Verdict.SUPPORTED),
    claim("Costs *fell* [1] to 9 million.", Verdict.UNSUPPORTED, Doubt.NUMBER_NOT_IN_PASSAGE, missing=("9 million",)),
    claim("North | 7", Verdict.WEAK, Doubt.LITTLE_IN_PASSAGE),
)


@pytest.fixture
def theme(qapp: object) -> Theme:
    return Theme(choice="light")


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> AnswerView:
    made = AnswerView(theme)
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show_answer(ANSWER, ())
    made.show_claims(CLAIMS)
    made.show()
    return made


def marked(view: AnswerView) -> dict[str, QTextCharFormat.UnderlineStyle]:
    """Return the highlighted text and its format."""
    return {one.cursor.selectedText(): one.format.underlineStyle() for one in view.extraSelections()}


def test_weak_ones_have_a_dotted_line_and_unsupported_ones_a_wavy_one(view: AnswerView) -> None:
    styles = list(marked(view).items())
    assert styles[0][0].startswith("Costs fell")
    assert styles[0][1] is QTextCharFormat.UnderlineStyle.WaveUnderline
    assert styles[1][1] is QTextCharFormat.UnderlineStyle.DotLine
    assert len(styles) == 2


def test_the_marks_stay_when_the_answer_or_the_theme_changes(view: AnswerView, theme: Theme) -> None:
    before = list(marked(view))
    theme.choose("dark")
    assert list(marked(view)) == before
    assert {one.format.underlineColor().name() for one in view.extraSelections()} == {
        theme.tokens().danger,
        theme.tokens().warn,
    }
    view.show_claims(())
    assert marked(view) == {}


def test_the_tooltip_shows_why_a_claim_is_unsupported(view: AnswerView, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _widget: said.append(text))
    cursor = QTextCursor(view.document())
    cursor.setPosition(view.document().toPlainText().encode("utf-16-le").index("fell".encode("utf-16-le")) // 2 + 1)
    place = view.cursorRect(cursor).center()
    view.viewportEvent(QHelpEvent(QEvent.Type.ToolTip, place, QPoint()))
    assert said == ["“9 million” is not in the cited passage."]


def test_a_claim_that_cannot_be_found_in_what_is_shown_is_not_marked() -> None:
    assert places("something else", ANSWER, CLAIMS) == []
    assert places("", "", (Claim(0, 0, "", Verdict.WEAK),)) == []


@pytest.fixture
def claim_list(qtbot: QtBot, theme: Theme) -> ClaimList:
    made = ClaimList(theme)
    qtbot.addWidget(made)
    return made


def test_the_line_below_counts_and_unfolds_what_is_doubtful(claim_list: ClaimList) -> None:
    claim_list.show_claims(CLAIMS)
    claim_list.show()
    (button,) = claim_list.findChildren(QPushButton)
    assert button.text() == "1 of 3 sentences supported"
    assert button.accessibleName().endswith("1 of 3 sentences supported")
    assert not claim_list.is_unfolded
    button.click()
    shown = [one.text() for one in claim_list.findChildren(QLabel) if one.isVisible()]
    assert [text.split(":")[0] for text in shown] == ["Unsupported", "Weak"]


def test_where_all_is_supported_there_is_nothing_to_unfold(claim_list: ClaimList) -> None:
    claim_list.show_claims(CLAIMS[:1])
    claim_list.show()
    assert not claim_list.findChildren(QPushButton)[0].isVisible()
    shown = [one.text() for one in claim_list.findChildren(QLabel) if one.isVisible() and one.text()]
    assert shown == ["1 of 1 sentence supported"]
    claim_list.show_claims(())
    assert claim_list.isHidden()


def test_the_transcript_takes_the_claims_from_the_run() -> None:
    transcript = Transcript("How much?")
    events: list[Any] = [AnswerDelta(ANSWER), ClaimsChecked(CLAIMS)]
    feed: Callable[[TimedEvent], None] = transcript.feed
    for number, event in enumerate(events):
        feed(TimedEvent(number, 0.0, event))
    assert transcript.claims == CLAIMS
