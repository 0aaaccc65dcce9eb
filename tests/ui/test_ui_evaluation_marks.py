"""Passages marked right or wrong, next to the sources of an answer and in the inspector."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLabel, QListView, QMenu
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_evaluations import golden, mark
from ui_fake_worker import FakeBridge, FakeJob, FakeLibrary, fake_operations, shown_chat
from ui_runs import chunk, document, hit, run, session

from workbench.errors import NotFound
from workbench.model.evaluation import Judgement
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.source_list import SourceChip, SourceRating
from workbench.ui.controls import IconLabel
from workbench.ui.evaluation.passage_marks import OTHERWISE, MarkButton, MarkButtons, Marks, PassageSpot, Scope, mark_of
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.inspector.passage_list import MARK_ROLE
from workbench.ui.theme import Theme

QUESTION = run().question
SCOPE = Scope(QUESTION)


def judgement(number: int = 1, *, right: bool = True) -> Judgement:
    made = chunk(number)
    return Judgement(right, "report_1.pdf", "ab", 3, made.start, made.end, made.text)


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def marks(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> Marks:
    fake_operations(monkeypatch)
    made = Marks(bridge)  # type: ignore[arg-type]
    made.set_library(FakeLibrary())  # type: ignore[arg-type]
    return made


@pytest.fixture
def chat(qtbot: QtBot, bridge: FakeBridge, marks: Marks, monkeypatch: pytest.MonkeyPatch) -> ChatPane:
    made = shown_chat(qtbot, bridge, monkeypatch)
    made.show_marks(marks)
    made.open_session(session(run("Sales rose [1], margins held [2].")))
    return made


@pytest.fixture
def inspector(qtbot: QtBot, bridge: FakeBridge, marks: Marks) -> InspectorPane:
    made = InspectorPane(bridge, Theme(choice="light"))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.show_marks(marks)
    made.set_library(FakeLibrary())  # type: ignore[arg-type]
    made.resize(420, 800)
    made.show()
    made.show_run(run("Sales rose [1].", hit(1), hit(2, document=2)))
    return made


def ratings(chat: ChatPane) -> list[SourceRating]:
    return chat.cards[-1].findChildren(SourceRating)


def choose_right(source: SourceRating) -> None:
    next(action for action in source.actions() if action.data() is True).trigger()


def asked(bridge: FakeBridge, name: str) -> list[FakeJob]:
    return [job for job in bridge.jobs if job.name == name]


def test_the_menu_of_a_source_marks_it_as_right_for_the_question(
    qtbot: QtBot, chat: ChatPane, marks: Marks, bridge: FakeBridge
) -> None:
    source = ratings(chat)[0]
    words = [action.text().partition("\t")[0] for action in source.actions()]
    assert words[:2] == ["Right for this question", "Wrong for this question"]
    assert nameless(chat) == []
    choose_right(source)
    job = bridge.last("mark_passage")
    assert job.args == (QUESTION, hit(1), True)
    assert job.kwargs == {"knowledge_base": "", "filter": ""}
    with qtbot.waitSignal(marks.notified) as said:
        job.succeed(mark(golden(QUESTION, judgement()), judgement()))
    assert said.args == ["Marked as right for “How did sales do?”", True]
    assert source.mark is True
    assert source.findChild(IconLabel).accessibleName() == "Right for this question"


def test_an_unmarked_source_shows_only_its_number(chat: ChatPane) -> None:
    assert chat.cards[-1].findChildren(MarkButton) == []
    assert all(one.findChild(IconLabel).isHidden() for one in ratings(chat))


def test_a_mark_is_seen_again_when_the_session_is_opened_again(chat: ChatPane, bridge: FakeBridge) -> None:
    (job,) = asked(bridge, "marks_of")
    job.succeed((judgement(2, right=False),))
    # Both chunks of this run are at the same place of one document.
    assert [one.mark for one in ratings(chat)] == [False, False]
    words = [[one.text() for one in source.findChildren(QLabel) if one.text()] for source in ratings(chat)]
    assert words == [["Wrong"], ["Wrong"]]


def test_the_mark_chosen_again_takes_the_mark_back(qtbot: QtBot, chat: ChatPane, bridge: FakeBridge) -> None:
    bridge.last("marks_of").succeed((judgement(),))
    choose_right(ratings(chat)[0])
    job = bridge.last("remove_mark")
    assert job.args == (QUESTION, hit(1))
    job.succeed(mark(golden(QUESTION, judgement(right=False)), judgement(), judgement()))
    assert ratings(chat)[0].mark is not True


def test_plus_and_minus_mark_the_source_that_has_the_keyboard(qtbot: QtBot, chat: ChatPane, bridge: FakeBridge) -> None:
    source = chat.cards[-1].findChildren(SourceRating)[1]
    chip = source.findChild(SourceChip)
    qtbot.waitActive(chat)
    chip.setFocus()
    qtbot.keyClick(chip, Qt.Key.Key_Minus)
    assert bridge.last("mark_passage").args == (QUESTION, hit(2), False)
    qtbot.keyClick(chip, Qt.Key.Key_Plus)
    assert bridge.last("mark_passage").args == (QUESTION, hit(2), True)


@pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)
def test_the_menu_of_a_number_in_the_text_marks_its_passage(chat: ChatPane, bridge: FakeBridge) -> None:
    view = chat.cards[-1].findChild(AnswerView)
    place = next(
        point
        for x in range(0, view.width(), 4)
        for y in range(0, view.height(), 4)
        if view.anchorAt(point := QPoint(x, y))
    )
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), event)
    (menu,) = view.findChildren(QMenu)
    right, wrong = menu.actions()[-2:]
    assert [right.text(), wrong.text()] == ["Right for this question", "Wrong for this question"]
    wrong.trigger()
    assert bridge.last("mark_passage").args == (QUESTION, hit(1), False)
    menu.close()


def test_undo_takes_the_last_mark_back(marks: Marks, bridge: FakeBridge) -> None:
    marks.mark(SCOPE, hit(1), True)
    made = mark(golden(QUESTION, judgement()), judgement())
    bridge.last("mark_passage").succeed(made)
    marks.of(SCOPE, PassageSpot.of_hit(hit(1)))
    marks.undo()
    job = bridge.last("unmark_passage")
    assert job.args == (made,)
    job.succeed(None)
    bridge.last("marks_of").succeed(())
    assert marks.of(SCOPE, PassageSpot.of_hit(hit(1))) is None


def test_a_mark_that_cannot_be_stored_is_reported_and_not_shown(
    qtbot: QtBot, chat: ChatPane, marks: Marks, bridge: FakeBridge
) -> None:
    choose_right(ratings(chat)[0])
    with qtbot.waitSignal(marks.failed):
        bridge.last("mark_passage").fail(NotFound("This passage is no longer in the library."))
    assert ratings(chat)[0].mark is None


def test_the_same_question_in_another_knowledge_base_has_marks_of_its_own(marks: Marks, bridge: FakeBridge) -> None:
    marks.of(SCOPE, PassageSpot("a", 0, 1))
    bridge.last("marks_of").succeed((judgement(),))
    other = Scope(QUESTION, "reports", "format:pdf")
    assert marks.of(other, PassageSpot.of_hit(hit(1))) is None
    assert bridge.last("marks_of").kwargs == {"knowledge_base": "reports", "filter": "format:pdf"}


def test_a_passage_marked_right_by_its_page_shows_the_mark_and_explains_why_it_cannot_be_unmarked(
    qtbot: QtBot, chat: ChatPane, marks: Marks, bridge: FakeBridge
) -> None:
    bridge.last("marks_of").succeed((Judgement(True, "report_1.pdf", page=3),))
    assert ratings(chat)[0].mark is True
    choose_right(ratings(chat)[0])
    with qtbot.waitSignal(marks.notified) as said:
        bridge.last("remove_mark").succeed(None)
    assert said.args == [OTHERWISE, False]
    assert ratings(chat)[0].mark is True


@pytest.mark.parametrize(
    ("judgement", "mark"),
    [
        (Judgement(True, "a.pdf", page=3), True),
        (Judgement(True, "a.pdf", page=4), None),
        (Judgement(False, "a.pdf"), False),
        (Judgement(True, "b.pdf"), None),
        (Judgement(True, answers=("三年", "x")), True),
        (Judgement(True, "a.pdf", start=90, end=160, text="cut anew"), True),
        (Judgement(True, "a.pdf", start=190, end=900, text="the next one"), None),
        (Judgement(True, "a.pdf", text="保修期为三年"), True),
    ],
)
def test_a_judgement_is_about_its_passage_page_document_or_answer(judgement: Judgement, mark: bool | None) -> None:
    assert mark_of((judgement,), PassageSpot("a.pdf", 100, 200, 3, "保修期为三年。")) is mark


def test_a_mark_on_the_exact_passage_overrides_a_mark_on_its_page() -> None:
    said = (Judgement(False, "a.pdf", start=100, end=200, text="x"), Judgement(True, "a.pdf", page=3))
    assert mark_of(said, PassageSpot("a.pdf", 100, 200, 3, "x")) is False


def test_hits_of_a_golden_question_are_marked_in_its_own_set(
    qtbot: QtBot, inspector: InspectorPane, bridge: FakeBridge
) -> None:
    inspector.show_run(run("", hit(3), number=9), "exam")
    inspector.findChild(QListView).setCurrentIndex(inspector.findChild(QListView).model().index(0, 0))
    right = inspector.passage_view.marks.findChildren(MarkButton)[0]
    qtbot.mouseClick(right, Qt.MouseButton.LeftButton)
    assert bridge.last("mark_passage").kwargs == {"knowledge_base": "", "filter": "", "set": "exam"}


def test_the_inspector_marks_the_passage_that_is_shown_with_a_key(
    qtbot: QtBot, inspector: InspectorPane, bridge: FakeBridge
) -> None:
    rows = inspector.findChild(QListView)
    qtbot.waitActive(inspector)
    rows.setFocus()
    rows.setCurrentIndex(rows.model().index(1, 0))
    qtbot.keyClick(rows, Qt.Key.Key_Minus)
    job = bridge.last("mark_passage")
    assert job.args == (QUESTION, hit(2, document=2), False)
    wrong = Judgement(False, "report_2.pdf", "ab", 3, chunk(2).start, chunk(2).end, "x")
    job.succeed(mark(golden(QUESTION, wrong), wrong))
    marked = [rows.model().index(row, 0).data(MARK_ROLE) for row in range(2)]
    assert marked == [None, False]
    spoken = rows.model().index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "marked as wrong" in spoken
    assert inspector.findChild(MarkButtons).mark is False


def test_the_buttons_above_a_passage_name_the_question(inspector: InspectorPane) -> None:
    (right, wrong) = inspector.passage_view.marks.findChildren(MarkButton)
    assert inspector.passage_view.marks.isVisible()
    assert [right.text(), wrong.text()] == ["Right", "Wrong"]
    assert "“How did sales do?”" in right.toolTip()


def test_a_passage_that_the_search_missed_is_marked_from_its_document(
    qtbot: QtBot, inspector: InspectorPane, bridge: FakeBridge
) -> None:
    inspector.show_document(document())
    bridge.last("list_chunks").succeed([chunk(7)])
    right = inspector.passage_view.marks.findChildren(MarkButton)[0]
    qtbot.mouseClick(right, Qt.MouseButton.LeftButton)
    assert bridge.last("mark_passage").args == (QUESTION, chunk(7).id, True)


def test_without_a_question_nothing_can_be_marked(
    qtbot: QtBot, bridge: FakeBridge, inspector: InspectorPane, marks: Marks
) -> None:
    inspector.set_library(FakeLibrary())  # type: ignore[arg-type]
    inspector.show_document(document())
    bridge.last("list_chunks").succeed([chunk(7)])
    assert not inspector.passage_view.marks.isVisible()
    rows = inspector.findChild(QListView)
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Plus)
    assert not bridge.has("mark_passage")
