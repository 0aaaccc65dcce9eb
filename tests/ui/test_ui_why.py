"""Explanations of search results: requested, typed, shown, and repeated."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QLabel, QLineEdit, QListView, QPushButton, QTabWidget
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, FakeJob, FakeLibrary, fake_operations
from ui_runs import QUOTE, TEXT, chunk, document, hit, reference, run, run_events

from workbench.errors import NotFound
from workbench.model.document import Page
from workbench.model.explanation import (
    Account,
    Advice,
    AdviceKind,
    DocumentSpot,
    Explanation,
    ListKind,
    ListPlace,
    QuestionWord,
    Stage,
    WordStanding,
)
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchMode
from workbench.model.run import RunStarted, TimedEvent
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.theme import Theme
from workbench.ui.why.rank_strip import RankStrip, Strip, build_strips
from workbench.ui.why.tab import (
    LOOKING,
    NO_PASSAGE,
    NO_QUESTION,
    PRESS_ENTER,
    ScoreBar,
    SearchScores,
    ThresholdScores,
    WhyView,
    WordChip,
)

MEANING = ListPlace(ListKind.MEANING, 812, 5000, 50, (1, 2, 9), 0.2, 0.6, 0.4, 0.25)
WORDS = ListPlace(ListKind.WORDS, None, 40, 40, (1, 2), None, 9.0, 1.0, 0.75)
CHIPS = (
    QuestionWord("sales", 0.2, 40, WordStanding.IN_TEXT),
    QuestionWord("保修", 0.2, 4, WordStanding.ABOVE),
    QuestionWord("warranty", 0.6, 0, WordStanding.MISSING),
)
ACCOUNT = Account(
    chunk(0), "page 3", Stage.BEYOND, (MEANING, WORDS), CHIPS, rank=37, compared=60, fused=0.1, fused_last=0.3
)
BETTER = Advice(AdviceKind.ASK_WITH, "Ask with “margins” as well: then it comes 1st.", "sales warranty margins")
SENTENCE = "It came 37th, and 10 were given: “warranty” of your question is not in it."
TOLD = Explanation(
    "sales warranty", SearchMode.HYBRID, 10, 10, 1, "a.pdf", 0, 9, Stage.BEYOND, SENTENCE, (BETTER,), (ACCOUNT,)
)


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def theme(qapp: object) -> Theme:
    return Theme(choice="light")


@pytest.fixture
def pane(qtbot: QtBot, bridge: FakeBridge, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> InspectorPane:
    fake_operations(monkeypatch)
    made = InspectorPane(bridge, theme)  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.set_library(FakeLibrary())  # type: ignore[arg-type]
    made.resize(420, 800)
    made.show()
    return made


def asked(bridge: FakeBridge) -> list[FakeJob]:
    return [job for job in bridge.jobs if job.name == "explain"]


def show_chunks(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_document(document(pages=9))
    bridge.last("list_chunks").succeed([chunk(0), chunk(1)])
    bridge.last("document_text").succeed(TEXT)


def test_a_chunk_is_explained_for_the_last_question_as_it_was_searched_for(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    pane.show_run(run("A [2].", hit(1), hit(2), references=(reference(hit(1), hit(2), query="net sales"),)))
    show_chunks(pane, bridge)
    pane.passage_view.why.explain()
    (job,) = asked(bridge)
    assert job.args == ("net sales", 1, DocumentSpot(chunk(0).start, chunk(0).end))
    job.succeed(TOLD)
    assert pane.passage_view.why.view.visible_text == SENTENCE


def test_why_shows_the_scores_that_the_search_of_the_answer_gave_a_passage(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    pane.show_run(run("A [1].", hit(1)))
    pane.passage_view.why.explain()
    asked(bridge)[-1].succeed(TOLD)
    shown = " ".join(one.text() for one in pane.passage_view.why.view.findChildren(QLabel))
    assert all(part in shown for part in ("Meaning", "cosine 0.600", "BM25 8.00", "Matched words", "sales"))
    assert len(pane.passage_view.why.view.findChildren(ScoreBar)) == 3


def visible_scores(view: WhyView) -> list[SearchScores]:
    return [one for one in view.findChildren(SearchScores) if one.isVisibleTo(view)]


def test_the_scores_of_an_answer_are_gone_when_its_passage_is_forgotten(pane: InspectorPane, shown: WhyView) -> None:
    assert visible_scores(shown)
    pane.passage_view.clear()
    assert not visible_scores(shown)


def test_the_explanation_and_the_scores_are_gone_while_another_question_is_typed(
    qtbot: QtBot, bridge: FakeBridge, shown: WhyView
) -> None:
    field = shown.findChild(QLineEdit)
    qtbot.keyClicks(field, "spring ")
    assert (shown.visible_text, visible_strips(shown), visible_scores(shown)) == (PRESS_ENTER, [], [])
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert asked(bridge)[-1].args[0].startswith("spring ")
    asked(bridge)[-1].succeed(TOLD)
    assert (shown.visible_text, visible_scores(shown)) == (SENTENCE, [])


def test_an_explanation_that_comes_while_another_question_is_typed_is_ignored(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge, shown: WhyView
) -> None:
    pane.passage_view.why.explain()
    qtbot.keyClicks(shown.findChild(QLineEdit), "?")
    asked(bridge)[-1].succeed(TOLD)
    assert shown.visible_text == PRESS_ENTER
    shown.findChild(QLineEdit).clear()
    qtbot.keyClicks(shown.findChild(QLineEdit), " ")
    assert shown.visible_text == NO_QUESTION


def test_a_question_typed_without_enter_makes_room_for_the_one_that_is_explained(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge, shown: WhyView
) -> None:
    field = shown.findChild(QLineEdit)
    qtbot.keyClicks(field, "spring ")
    pane.passage_view.why.explain()
    assert field.text() == asked(bridge)[-1].args[0]


def test_without_a_passage_enter_is_not_offered(qtbot: QtBot, pane: InspectorPane, shown: WhyView) -> None:
    pane.passage_view.clear()
    qtbot.keyClicks(shown.findChild(QLineEdit), "?")
    assert shown.visible_text == NO_PASSAGE


def test_a_passage_that_no_search_of_the_answer_found_has_no_scores(pane: InspectorPane, bridge: FakeBridge) -> None:
    show_chunks(pane, bridge)
    pane.passage_view.why.explain()
    assert not pane.passage_view.why.view.findChildren(ScoreBar)


def test_the_previous_explanation_is_not_shown_under_the_next_question(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_run(run("A [1].", hit(1)))
    pane.passage_view.why.explain()
    asked(bridge)[-1].succeed(TOLD)
    pane.passage_view.why.explain()
    assert pane.passage_view.why.view.visible_text == LOOKING


def test_the_restriction_of_the_answer_holds_for_its_explanation(pane: InspectorPane, bridge: FakeBridge) -> None:
    begun = TimedEvent(0, 0.0, RunStarted("sales", "offline", "", "reports", filter="format:pdf"))
    pane.show_run(run("A [1].", hit(1), events=(begun, *run_events("A [1].", hit(1))[1:])))
    pane.passage_view.why.explain()
    chosen = asked(bridge)[-1].kwargs["filter"]
    assert isinstance(chosen, ChunkFilter)
    assert chosen.knowledge_base == "reports"
    assert len(chosen.where) == 1


def test_a_hit_is_explained_for_the_search_that_found_it(pane: InspectorPane, bridge: FakeBridge) -> None:
    first, second = reference(hit(1), query="sales"), reference(hit(2), query="margins")
    pane.show_run(run("A [2].", hit(1), hit(2), references=(first, second)))
    pane.passage_view.why.explain()
    assert asked(bridge)[-1].args[0] == "margins"


def test_without_a_question_one_can_be_typed(qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge) -> None:
    show_chunks(pane, bridge)
    pane.passage_view.why.explain()
    assert not bridge.has("explain")
    assert pane.passage_view.why.view.visible_text == NO_QUESTION
    field = pane.passage_view.why.view.findChild(QLineEdit)
    qtbot.keyClicks(field, "How did sales do?")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert asked(bridge)[-1].args[0] == "How did sales do?"


def test_the_key_explains_the_row_that_is_chosen(qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_run(run())
    show_chunks(pane, bridge)
    rows = pane.findChild(QListView)
    qtbot.waitActive(pane)
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert len(asked(bridge)) == 1


def test_an_explanation_can_be_requested_for_the_whole_document(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_run(run())
    show_chunks(pane, bridge)
    (whole,) = [one for one in pane.findChild(QListView).actions() if "document" in one.text()]
    whole.trigger()
    assert asked(bridge)[-1].args[1:] == (1, DocumentSpot())


def test_an_explanation_can_be_requested_for_the_page_being_viewed(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_run(run())
    show_chunks(pane, bridge)
    bridge.last("document_pages").succeed([Page(number, 0, 0, 600.0, 800.0) for number in range(1, 10)])
    pane.passage_view.page_view.turn_to(4)
    (page,) = pane.passage_view.page_view.actions()
    page.trigger()
    assert asked(bridge)[-1].args[2] == DocumentSpot(page=4)


def test_selected_text_is_explained_by_its_place_in_the_document(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_run(run())
    show_chunks(pane, bridge)
    text = pane.passage_view.text_view
    start = text.toPlainText().index("Margins held.")
    cursor = QTextCursor(text.document())
    # The document's text has a character of two UTF-16 units before it.
    cursor.setPosition(start + 1)
    cursor.setPosition(start + 1 + len("Margins held."), QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    assert text.selected_span() is not None
    text._on_why()
    spot = asked(bridge)[-1].args[2]
    assert TEXT[spot.start : spot.end] == "Margins held."


def test_selection_in_the_middle_of_a_long_document_keeps_its_offsets(pane: InspectorPane) -> None:
    long = "A line of a long document.\n" * 3000 + QUOTE + "\nThe end of it.\n" * 3000
    place = long.index(QUOTE)
    text = pane.passage_view.text_view
    text.show_text(long, [(place, place + len(QUOTE))])
    cursor = text.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.EndOfLine, QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    assert text.selected_span() == (place, place + len(QUOTE))


def test_while_the_tab_is_in_front_each_row_is_explained(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_run(run())
    show_chunks(pane, bridge)
    pane.passage_view.why.explain()
    rows = pane.findChild(QListView)
    rows.setCurrentIndex(rows.model().index(1, 0))
    assert len(asked(bridge)) == 2
    tabs = pane.findChild(QTabWidget)
    assert tabs.tabText(tabs.currentIndex()) == "Why"


def test_an_explanation_that_comes_too_late_is_ignored(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_run(run())
    show_chunks(pane, bridge)
    pane.passage_view.why.explain()
    late = asked(bridge)[-1]
    pane.passage_view.why.explain()
    late.succeed(replace(TOLD, sentence="Too late."))
    assert pane.passage_view.why.view.visible_text != "Too late."
    asked(bridge)[-1].succeed(TOLD)
    assert pane.passage_view.why.view.visible_text == SENTENCE


def test_another_answer_removes_the_explanation_of_the_last_question_and_requests_a_new_one(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge, shown: WhyView
) -> None:
    with qtbot.waitSignal(pane.passage_view.why.presenter.asked):
        pane.show_run(run("B [2].", hit(2), question="What of the margins?"))
        assert SENTENCE not in shown.visible_text
    assert (shown.visible_text, visible_strips(shown)) == (LOOKING, [])
    assert asked(bridge)[-1].args[0] == shown.findChild(QLineEdit).text()


def test_an_explanation_of_the_last_question_that_comes_under_another_one_is_ignored(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    pane.show_run(run())
    pane.passage_view.why.explain()
    late = asked(bridge)[-1]
    pane.passage_view.why.presenter.follow_search("margins")
    late.succeed(TOLD)
    assert pane.passage_view.why.view.visible_text == NO_PASSAGE


def test_while_an_explanation_is_computed_the_pane_shows_progress_and_no_other_explanation(
    pane: InspectorPane, shown: WhyView
) -> None:
    pane.passage_view.why.explain()
    assert (shown.visible_text, visible_strips(shown)) == (LOOKING, [])


def test_without_a_passage_nothing_is_explained(pane: InspectorPane, shown: WhyView) -> None:
    pane.passage_view.clear()
    assert (shown.visible_text, visible_strips(shown)) == (NO_PASSAGE, [])


def visible_strips(view: WhyView) -> list[RankStrip]:
    return [strip for strip in view.findChildren(RankStrip) if strip.isVisibleTo(view)]


def test_a_failed_explanation_shows_a_plain_error_message(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_run(run())
    pane.passage_view.why.explain()
    asked(bridge)[-1].fail(NotFound("There is no document 1.", "Look at the list."))
    assert pane.passage_view.why.view.visible_text == "There is no document 1. Look at the list."
    pane.passage_view.why.explain()
    asked(bridge)[-1].fail(ValueError("a bug"))
    assert pane.passage_view.why.view.visible_text == "The explanation failed. Try again."


def test_another_library_knows_nothing_of_the_question(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_run(run())
    pane.set_library(FakeLibrary())  # type: ignore[arg-type]
    assert pane.passage_view.why.presenter.question == ""


@pytest.fixture
def shown(pane: InspectorPane, bridge: FakeBridge) -> WhyView:
    pane.show_run(run())
    pane.passage_view.why.explain()
    asked(bridge)[-1].succeed(TOLD)
    return pane.passage_view.why.view


def test_the_better_question_is_asked_with_one_press(qtbot: QtBot, pane: InspectorPane, shown: WhyView) -> None:
    (ask,) = [one for one in shown.findChildren(QPushButton) if one.text() == "Ask this"]
    with qtbot.waitSignal(pane.question_asked) as told:
        ask.click()
    assert told.args == [BETTER.question]


def test_every_list_has_a_strip_and_every_word_a_chip(shown: WhyView) -> None:
    assert [one.accessibleName() for one in shown.findChildren(RankStrip)] == ["By meaning", "By words", "Combined"]
    assert [one.word for one in shown.findChildren(WordChip)] == list(CHIPS)
    said = [one.accessibleName() for one in shown.findChildren(WordChip)]
    assert said[2] == "“warranty”: missing; 60% of the question; does not occur in the library"
    assert nameless(shown) == []


def test_another_explanation_takes_the_place_of_the_last(qtbot: QtBot, shown: WhyView) -> None:
    shown.show_explanation(replace(TOLD, accounts=(), advice=(), stage=Stage.BINNED, sentence="It is in the bin."))
    strips = shown.findChildren(RankStrip)
    assert all(not strip.isVisible() for strip in strips)
    assert shown.visible_text == "It is in the bin."


def test_rank_strips_show_the_rank_of_the_passage_in_each_list() -> None:
    meaning, words, together = build_strips(TOLD, ACCOUNT)
    assert (meaning.place, meaning.came_through) == ("812 of 5,000", False)
    assert (words.place, words.came_through) == ("not in this list", False)
    assert (together.place, together.cut, together.given) == ("37 of 60", 10, tuple(range(1, 11)))
    assert "the first 50 compared" in meaning.spoken
    assert "Weight of this list: 25%" in meaning.detail


@pytest.mark.parametrize(
    ("changes", "rows"),
    [
        ({"certainty": 0.123, "floor": 0.3}, ["Certainty of its best sentence", "0.12", "Required", "0.30"]),
        ({"relevance": 0.05, "floor": 0.07}, ["Relevance", "0.05", "Required", "0.07"]),
    ],
)
def test_the_scores_of_a_passage_below_a_floor_are_rows_below_the_sentence(
    shown: WhyView, changes: dict[str, float], rows: list[str]
) -> None:
    low = replace(ACCOUNT, stage=Stage.BELOW_FLOOR, **changes)
    shown.show_explanation(replace(TOLD, stage=Stage.BELOW_FLOOR, accounts=(low,)))
    (scores,) = shown.findChildren(ThresholdScores)
    assert [one.text() for one in scores.findChildren(QLabel)] == rows


def test_the_head_of_a_list_has_the_most_room() -> None:
    strip = Strip("By words", 10, 10_000, 50, "compared")
    shares = [strip.share(rank) for rank in (1, 10, 100, 10_000)]
    assert shares == pytest.approx([0.0, 0.25, 0.5, 1.0])
    assert Strip("By words", 1, 1, 1, "compared").share(1) == 0.0


def pixels(widget: Any) -> set[int]:
    image = widget.grab().toImage()
    return {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}


@pytest.mark.parametrize("choice", ["light", "dark"])
@pytest.mark.parametrize(
    "strip",
    [
        Strip("By meaning", 812, 5000, 50, "compared", (1, 2, 9)),
        Strip("By words", None, 0, 0, "compared"),
        Strip("Combined", 1, 1, 1, "given", (1,)),
        Strip("By words", 3, 40, 40, "compared", (1, 2, 3)),
    ],
)
def test_a_strip_is_drawn_in_any_state(qtbot: QtBot, strip: Strip, choice: str) -> None:
    theme = Theme(choice=choice)
    drawn = RankStrip(theme, strip)
    qtbot.addWidget(drawn)
    for width in (120, 900):
        drawn.resize(width, drawn.sizeHint().height())
        wanted = theme.tokens().ok if strip.came_through else theme.tokens().warn
        assert int(wanted[1:], 16) | 0xFF000000 in pixels(drawn)


def test_a_missing_word_differs_from_a_found_one_by_more_than_its_colour(qtbot: QtBot, theme: Theme) -> None:
    chips = [WordChip(theme, replace(CHIPS[0], standing=standing), 0.5) for standing in WordStanding]
    for chip in chips:
        qtbot.addWidget(chip)
        chip.resize(chip.sizeHint())
    grey = [chip.grab().toImage().convertToFormat(chip.grab().toImage().Format.Format_Mono) for chip in chips]
    assert grey[0] != grey[2]
    assert len({chip.accessibleName() for chip in chips}) == 3
