"""The evaluation pane: golden questions, runs and their results, history, promotion."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QObject, QPoint, QPointF, Qt, QUrl, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QInputDialog, QPushButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_evaluations import MEANING, comparison, evaluation, golden, outcome
from ui_fake_worker import FakeBridge, FakeJob, fake_operations
from ui_runs import document, hit

from workbench.errors import EvaluationError, RetrievalError
from workbench.model.evaluation import (
    MARKS,
    BadLine,
    EvaluationProgress,
    GoldenQuestion,
    GoldenSet,
    Judgement,
    NamedConfiguration,
    Promotion,
    QuestionsRead,
    SearchSettings,
)
from workbench.model.hit import SearchMode, SearchResult
from workbench.model.import_progress import DocumentChanged
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.ui.evaluation.pane import EvaluationPane
from workbench.ui.evaluation.passage_marks import Marks
from workbench.ui.evaluation.presenter import EvaluationPresenter
from workbench.ui.evaluation.question_list import RowView
from workbench.ui.evaluation.result_summary import RowFilter
from workbench.ui.theme import Theme

KEPT = (golden("How did sales do?"), golden("保修期多长?"), golden("Only wrong", Judgement(False, "a.pdf")))


class FakeDocuments(QObject):
    """Stand-in for the library's presenter, as far as the evaluation uses it."""

    knowledge_bases_changed = Signal(list)
    knowledge_base_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.knowledge_bases = ["default", "reports"]
        self.knowledge_base = "reports"
        self.model = self

    def documents(self) -> list[Any]:
        return [document()]


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> EvaluationPresenter:
    fake_operations(monkeypatch)
    marks, documents = Marks(bridge), FakeDocuments()  # type: ignore[arg-type]
    made = EvaluationPresenter(bridge, marks, documents)  # type: ignore[arg-type]
    for kept in (marks, documents):
        kept.setParent(made)
    return made


@pytest.fixture
def pane(qtbot: QtBot, presenter: EvaluationPresenter) -> EvaluationPane:
    made = EvaluationPane(presenter, Theme(choice="light"))
    qtbot.addWidget(made)
    made.resize(420, 700)
    made.show()
    return made


def open_library(
    presenter: EvaluationPresenter, bridge: FakeBridge, questions: tuple[GoldenQuestion, ...] = KEPT
) -> None:
    presenter.set_library(object())  # type: ignore[arg-type]
    list_questions(bridge, questions)


def list_questions(bridge: FakeBridge, questions: tuple[GoldenQuestion, ...], *others: GoldenSet) -> None:
    bridge.last("golden_sets").succeed((GoldenSet(MARKS, len(questions)), *others))
    bridge.last("golden_questions").succeed(questions)


def button(pane: EvaluationPane, text: str) -> QPushButton:
    return next(one for one in pane.findChildren(QPushButton) if one.text() == text and one.isVisible())


def choose(qtbot: QtBot, rows: RowView, number: int) -> None:
    """Give a row the keyboard focus."""
    qtbot.waitActive(rows.window())
    rows.setFocus()
    rows.setCurrentIndex(rows.rows.index(number))


def titles(pane: EvaluationPane) -> list[str]:
    return [row.title for row in pane.questions.list.rows.rows]


def compared(pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge) -> None:
    """Run two configurations and show the result."""
    open_library(presenter, bridge)
    pane.tabs.setCurrentWidget(pane.compare)
    pane.compare.panel.form._compare.setChecked(True)
    button(pane, "Run").click()
    bridge.last("evaluate_both").succeed(comparison())


def drop(pane: EvaluationPane, path: Path, kind: type[QDropEvent]) -> QDropEvent:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    place: Any = QPoint(9, 9) if kind is QDragEnterEvent else QPointF(9, 9)
    event = kind(place, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    event.setAccepted(False)
    (pane.dragEnterEvent if kind is QDragEnterEvent else pane.dropEvent)(event)
    event.data = data  # type: ignore[attr-defined]
    return event


def test_the_pane_without_questions_explains_its_purpose_and_offers_to_add_questions(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    assert not button_is_there(pane, "Add questions from a file…")
    open_library(presenter, bridge, ())
    assert pane.is_inviting
    assert button_is_there(pane, "Add questions from a file…")
    assert nameless(pane) == []


def button_is_there(pane: EvaluationPane, text: str) -> bool:
    return any(one.text() == text and one.isVisible() for one in pane.findChildren(QPushButton))


def test_each_golden_question_shows_its_marked_passages_and_warns_when_no_right_one_is_marked(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge, qtmodeltester: ModelTester
) -> None:
    open_library(presenter, bridge)
    assert titles(pane) == ["How did sales do?", "保修期多长?", "Only wrong"]
    rows = pane.questions.list.rows.rows
    assert [(row.second, row.warning) for row in (rows[0], rows[2])] == [
        ("1 right passage", ""),
        ("1 wrong", "no right passages marked"),
    ]
    qtmodeltester.check(pane.questions.list.rows)


def test_a_passage_that_the_library_lost_is_flagged_at_its_question(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    bridge.last("list_evaluations").succeed((evaluation().summary,))
    lost = outcome("保修期多长?", None, ranks=(), lost=1, problem="its passage is not in the library")
    bridge.last("open_evaluation").succeed(evaluation(outcome("How did sales do?", 1), lost))
    assert [row.warning for row in pane.questions.list.rows.rows] == ["", "1 missing", "no right passages marked"]


def test_a_file_is_added_by_the_dialog_and_taken_back_by_undo(
    qtbot: QtBot,
    pane: EvaluationPane,
    presenter: EvaluationPresenter,
    bridge: FakeBridge,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_library(presenter, bridge)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/x/exam.jsonl", ""))
    qtbot.mouseClick(button(pane, "Add from file…"), Qt.MouseButton.LeftButton)
    assert bridge.last("read_questions").args == (Path("/x/exam.jsonl"),)
    with qtbot.waitSignal(presenter.notified) as said:
        bridge.last("read_questions").succeed(QuestionsRead("exam", 2, (BadLine(3, "It is not JSON."),)))
    assert said.args == ["2 questions added; skipped 1 line, first in line 3: It is not JSON.", True]
    list_questions(bridge, KEPT[:2], GoldenSet("exam", 2))
    assert bridge.last("golden_questions").args == ("exam",)
    assert pane.questions._sets.currentText() == "exam"
    presenter.undo()
    assert bridge.last("put_questions").args == ("exam", ())


def test_a_file_of_questions_can_be_dropped_and_other_files_are_left_to_the_window(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    assert drop(pane, Path("/x/exam.jsonl"), QDragEnterEvent).isAccepted()
    assert not drop(pane, Path("/x/report.pdf"), QDragEnterEvent).isAccepted()
    drop(pane, Path("/x/exam.jsonl"), QDropEvent)
    assert bridge.last("read_questions").args == (Path("/x/exam.jsonl"),)


def test_a_file_without_questions_is_an_error_in_the_pane_that_can_be_closed(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    presenter.questions.read(Path("/x/exam.jsonl"))
    bridge.last("read_questions").fail(EvaluationError("“exam.jsonl” holds no golden question.", "Give JSON lines."))
    assert pane.banner.isVisible()
    assert "Give JSON lines." in pane.banner.text


def test_a_question_is_removed_with_a_key_and_comes_back_by_undo(
    qtbot: QtBot, pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    rows = pane.questions.list
    choose(qtbot, rows, 1)
    qtbot.keyClick(rows, Qt.Key.Key_Delete)
    assert bridge.last("remove_question").args == (MARKS, KEPT[1])
    bridge.last("remove_question").succeed(KEPT[1])
    list_questions(bridge, (KEPT[0], KEPT[2]))
    assert rows.currentIndex().row() == 1
    presenter.undo()
    assert bridge.last("put_question").args == (MARKS, KEPT[1])


def test_a_set_is_exported_and_removed_as_a_whole(
    qtbot: QtBot,
    pane: EvaluationPane,
    presenter: EvaluationPresenter,
    bridge: FakeBridge,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_library(presenter, bridge)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("/x/marks.jsonl", ""))
    pane.questions._on_export()
    assert bridge.last("write_questions").args == (MARKS, Path("/x/marks.jsonl"))
    presenter.questions.remove_set()
    bridge.last("remove_set").succeed(KEPT)
    presenter.undo()
    assert bridge.last("put_questions").args == (MARKS, KEPT)


def test_there_is_nothing_to_run_without_a_right_passage(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge, KEPT[2:])
    pane.tabs.setCurrentWidget(pane.compare)
    assert not button(pane, "Run").isEnabled()


def test_a_run_shows_how_far_it_is_and_can_be_stopped(
    qtbot: QtBot, pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    pane.tabs.setCurrentWidget(pane.compare)
    qtbot.mouseClick(button(pane, "Run"), Qt.MouseButton.LeftButton)
    job = bridge.last("evaluate")
    assert (job.args, job.kwargs) == ((MARKS,), {"configuration": None, "name": "", "k": 10})
    job.emit(EvaluationProgress(40, 120, 130.0))
    assert pane.compare.panel._words.text() == "40 of 120, 2 min left"
    assert pane.compare.panel._bar.value() == 40
    qtbot.mouseClick(button(pane, "Stop"), Qt.MouseButton.LeftButton)
    assert job.cancelled
    job.end_cancelled()
    assert button(pane, "Run").isEnabled()
    assert not pane.compare.panel._bar.isVisible()


def test_the_reason_why_a_run_cannot_start_is_shown_in_the_pane(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    pane.tabs.setCurrentWidget(pane.compare)
    button(pane, "Run").click()
    bridge.last("evaluate").fail(RetrievalError("There are no vectors yet.", "Search by words."))
    assert "Search by words." in pane.banner.text
    assert button(pane, "Run").isEnabled()


def test_one_configuration_shows_its_figures_and_the_questions_that_need_a_look_first(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    pane.tabs.setCurrentWidget(pane.compare)
    button(pane, "Run").click()
    bridge.last("evaluate").succeed(evaluation())
    result = pane.compare.result
    figures = [(figure.name, figure.first) for figure in result.dumbbells.figures]
    assert figures == [
        ("Recall@10", "0.70"),
        ("Hit@10", "0.80"),
        ("MRR", "0.50"),
        ("nDCG@10", "0.60"),
        ("Time, p50", "12 ms"),
    ]
    assert [row.figure for row in result.list.rows.rows] == ["–", "8", "1"]
    assert not result.slopes.isVisible()
    assert nameless(pane) == []


def test_two_configurations_are_run_side_by_side_and_compared(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    pane.tabs.setCurrentWidget(pane.compare)
    form = pane.compare.panel.form
    form._compare.setChecked(True)
    second = form._columns[1]
    second._lists.setCurrentIndex(second._lists.findText("Meaning only"))
    second._lists.activated.emit(1)
    button(pane, "Run").click()
    job = bridge.last("evaluate_both")
    assert (job.args, job.kwargs) == ((MARKS, None, MEANING), {"names": ("", ""), "k": 10})
    assert isinstance(job.args[2].mode, SearchMode)
    job.succeed(comparison())
    result = pane.compare.result
    assert result.slopes.isVisible()
    assert [(row.figure, str(row.change)) for row in result.list.rows.rows] == [
        ("8 → 2", "better"),
        ("– → 3", "better"),
        ("2 → 5", "worse"),
        ("1 → 1", "same"),
    ]
    assert result._sentence.text() == (
        "Of 4 questions, B is better on 2 and worse on 1. The difference is significant (p = 0.02)."
    )


def test_the_questions_that_got_worse_are_listed_alone_with_one_press(
    qtbot: QtBot, pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    compared(pane, presenter, bridge)
    result = pane.compare.result
    qtbot.mouseClick(button(pane, "Worse 1"), Qt.MouseButton.LeftButton)
    assert [row.figure for row in result.list.rows.rows] == ["2 → 5"]
    button(pane, "Not found 0").click()
    assert not result.list.isVisible()
    assert result._none.text() == "Every question found a right passage."
    assert result._sieves[RowFilter.MISSED].isChecked()


def test_a_double_click_shows_the_hits_of_a_question_with_the_right_one_in_front(
    qtbot: QtBot, pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    right = Judgement(True, "report_2.pdf", "ab", 3, hit(1).chunk.start, hit(1).chunk.end, "x")
    asked = golden("question 0", right)
    compared(pane, presenter, bridge)
    presenter.questions.questions = (asked,)
    rows = pane.compare.result.list
    place = rows.visualRect(rows.rows.index(0)).center()
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    job = bridge.last("search")
    assert (job.args, job.kwargs["configuration"]) == (("question 0",), MEANING)
    found = SearchResult("question 0", SearchMode.DENSE, (hit(1), hit(2, document=2)), 9.0)
    with qtbot.waitSignal(presenter.hits_found) as shown:
        job.succeed(found)
    run, first = shown.args
    assert [numbered.hit for numbered in run.references[0].hits] == list(found.hits)
    assert (first.document, first.marker) == (2, 2)


def test_a_right_passage_that_the_search_missed_is_shown_at_its_place_in_its_document(
    qtbot: QtBot, pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    rows = pane.questions.list
    choose(qtbot, rows, 0)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    job = bridge.last("search")
    assert job.kwargs["configuration"] is None
    with qtbot.waitSignal(presenter.hits_found) as shown:
        job.succeed(SearchResult(KEPT[0].question, SearchMode.HYBRID, (hit(1, document=9),), 9.0))
    (gold,) = KEPT[0].right
    assert (shown.args[1].document, shown.args[1].quote, shown.args[1].page) == (1, gold.text, 3)


def test_a_golden_question_with_an_invalid_filter_shows_an_error_and_is_not_searched(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    presenter.look_at(golden("x", filter="(format:pdf"))
    assert not bridge.has("search")
    assert pane.banner.isVisible()


def test_figures_outdated_by_changed_documents_are_marked_and_rerun_with_one_click(
    qtbot: QtBot, pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    compared(pane, presenter, bridge)
    presenter.measuring._again.setInterval(0)
    bridge.domain_event.emit(DocumentChanged(document()))
    qtbot.waitUntil(lambda: bridge.has("evaluation_changes"))
    bridge.last("evaluation_changes").succeed(("2 documents more", "the reranker is another"))
    assert pane.compare.notice == "Out of date: 2 documents more, the reranker is another."
    qtbot.mouseClick(button(pane, "Run again"), Qt.MouseButton.LeftButton)
    assert bridge.jobs[-1].name == "evaluate_both"
    assert bridge.jobs[-1].args == (MARKS, DEFAULT_SEARCH, MEANING)
    bridge.jobs[-1].succeed(comparison())
    assert pane.compare.notice == ""


def test_the_better_configuration_is_used_with_one_click_and_undo_takes_it_back(
    qtbot: QtBot, pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    compared(pane, presenter, bridge)
    qtbot.mouseClick(button(pane, "Use B for “reports”"), Qt.MouseButton.LeftButton)
    assert bridge.last("promote").args == ("reports", MEANING)
    with qtbot.waitSignal(presenter.notified) as said:
        bridge.last("promote").succeed(Promotion("reports", DEFAULT_SEARCH, MEANING))
    assert said.args == ["Applied the search settings to “reports”", True]
    presenter.undo()
    assert bridge.last("promote").args == ("reports", DEFAULT_SEARCH)


def test_the_configuration_in_use_is_shown_and_can_be_reset(
    qtbot: QtBot, pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    compared(pane, presenter, bridge)
    assert not button(pane, "Reset").isEnabled()
    assert bridge.last("search_settings").args == ("reports",)
    bridge.last("search_settings").succeed(SearchSettings("reports", MEANING, True))
    assert not button(pane, "In use for “reports”").isEnabled()
    qtbot.mouseClick(button(pane, "Reset"), Qt.MouseButton.LeftButton)
    assert bridge.last("promote").args == ("reports", None)


@pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)
def test_another_knowledge_base_is_chosen_in_the_menu(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    compared(pane, presenter, bridge)
    row = pane.compare.result._promote
    row._on_more()
    (first, second, _reset) = [action.menu() for action in row.children()[-1].actions()]
    assert [action.text() for action in first.actions()] == ["all knowledge bases", "“default”", "“reports”"]
    second.actions()[0].trigger()
    assert bridge.last("promote").args == (None, MEANING)
    first.parent().close()


def test_named_configurations_are_offered_kept_and_shown(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_library(presenter, bridge)
    bridge.last("search_settings").succeed(SearchSettings("reports", SearchConfiguration(parts=False), False))
    bridge.last("list_configurations").succeed((NamedConfiguration("meaning", MEANING),))
    pane.tabs.setCurrentWidget(pane.compare)
    column = pane.compare.panel.form._columns[0]
    assert not column._parts.isChecked()
    column._choice.setCurrentIndex(1)
    column._choice.activated.emit(1)
    assert (column.chosen.configuration, column.chosen.name) == (MEANING, "meaning")
    column._diversity.setValue(30)
    assert (column._choice.currentText(), column.chosen.name) == ("Custom", "")
    assert column.configuration.diversity == pytest.approx(0.3)
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("varied", True))
    presenter.promoting.keep("varied", column.configuration)
    assert bridge.last("keep_configuration").args == ("varied", column.configuration)


def test_weight_and_floor_are_asked_for_like_every_other_step(pane: EvaluationPane, bridge: FakeBridge) -> None:
    column = pane.compare.panel.form._columns[0]
    assert (column._weight.text(), column._floor.text()) == ("Automatic", "None")
    column._weight.setValue(70)
    column._floor.setValue(20)
    assert column.chosen.configuration == SearchConfiguration(dense_weight=0.7, floor=0.2)
    column._weight.setValue(column._weight.minimum())
    assert column.configuration.dense_weight is None


def test_of_one_list_alone_nothing_is_weighed(pane: EvaluationPane) -> None:
    column = pane.compare.panel.form._columns[0]
    column._lists.setCurrentIndex(column._lists.findText("Keywords only"))
    column._lists.activated.emit(2)
    assert not column._weight.isEnabled()
    assert column._floor.isEnabled()


def test_a_share_kept_to_the_thousandth_is_not_rounded_by_being_shown(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    kept = SearchConfiguration(dense_weight=0.555, floor=0.123, diversity=0.333)
    bridge.last("search_settings").succeed(SearchSettings("reports", kept, False))
    column = pane.compare.panel.form._columns[0]
    assert column._floor.text() == "12 %"
    column._names.setChecked(False)
    assert column.configuration == replace(kept, names=False)


def test_history_draws_a_line_a_configuration_and_opens_what_is_chosen(
    qtbot: QtBot, pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    old = evaluation(number=1, ndcg=0.5, began="2026-11-01T09:00:00+00:00").summary
    other = evaluation(number=2, ndcg=0.7, configuration=MEANING, began="2026-11-09T09:00:00+00:00").summary
    new = evaluation(number=3, ndcg=0.6).summary
    bridge.last("list_evaluations").succeed((new, other, old))
    pane.tabs.setCurrentWidget(pane.history)
    assert [[point.id for point in line.points] for line in pane.history.trend.lines] == [[1, 3], [2]]
    rows = pane.history.list
    choose(qtbot, rows, 1)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert bridge.last("open_evaluation").args == (2,)
    bridge.last("open_evaluation").succeed(evaluation(number=2))
    assert pane.tabs.currentWidget() is pane.compare
    pane.tabs.setCurrentWidget(pane.history)
    choose(qtbot, rows, 2)
    qtbot.keyClick(rows, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert bridge.last("compare_evaluations").args == (1, 2)
    qtbot.keyClick(rows, Qt.Key.Key_Delete)
    assert bridge.last("remove_evaluation").args == (1,)


def test_a_late_evaluation_of_another_question_set_is_not_shown(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    open_library(presenter, bridge)
    bridge.last("list_evaluations").succeed((evaluation().summary,))
    late = bridge.last("open_evaluation")
    presenter.questions.choose("exam")
    late.succeed(evaluation())
    assert presenter.measuring.on_show is None


def test_closing_the_library_stops_the_run_and_forgets_everything(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    compared(pane, presenter, bridge)
    pane.compare.run_again()
    job: FakeJob = bridge.last("evaluate_both")
    presenter.set_library(None)
    assert job.cancelled
    assert pane.is_inviting
    assert presenter.measuring.on_show is None


def test_the_questions_are_beside_the_figures_when_the_pane_is_wide_enough(
    pane: EvaluationPane, presenter: EvaluationPresenter, bridge: FakeBridge
) -> None:
    compared(pane, presenter, bridge)
    assert pane.compare.result.orientation() is Qt.Orientation.Vertical
    pane.resize(900, 600)
    assert pane.compare.result.orientation() is Qt.Orientation.Horizontal
