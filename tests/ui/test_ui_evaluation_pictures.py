"""Charts of evaluations, and their accessible descriptions."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot
from ui_evaluations import MEANING, comparison, evaluation, golden, outcome

from workbench.model.evaluation import Comparison
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.ui.evaluation.comparison_charts import (
    ComparisonFigure,
    DifferenceKind,
    DumbbellChart,
    SlopeChart,
    change_of,
    slopes_of,
)
from workbench.ui.evaluation.history_page import HistoryLine, HistoryPoint, TrendChart, lines_of, scale_of
from workbench.ui.evaluation.result_summary import (
    RowFilter,
    chance_words,
    figures_of,
    notes_of,
    row_of_question,
    rows_of,
    sentence_of,
    sieves_of,
)
from workbench.ui.evaluation.run_presenter import ShownEvaluations, configuration_words, seconds_words
from workbench.ui.theme import DARK, LIGHT, Theme, Tokens


def shown(both: Comparison) -> ShownEvaluations:
    return ShownEvaluations(both.first, both)


def colours(widget: QWidget) -> set[str]:
    image = widget.grab().toImage()
    return {QColor(image.pixel(x, y)).name() for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)}


@pytest.mark.parametrize(("choice", "tokens"), [("light", LIGHT), ("dark", DARK)], ids=["light", "dark"])
def test_figures_are_drawn_with_their_difference_in_both_themes(qtbot: QtBot, choice: str, tokens: Tokens) -> None:
    theme = Theme(choice=choice)
    drawn = DumbbellChart(theme)
    qtbot.addWidget(drawn)
    drawn.resize(320, 120)
    drawn.show_figures(figures_of(shown(comparison())))
    assert {tokens.accent, tokens.ok} <= colours(drawn)
    assert drawn.accessibleDescription().startswith("Recall@10: A 0.65, B 0.75, better; ")


def test_a_difference_too_small_to_be_shown_counts_as_no_difference() -> None:
    both = comparison()
    close = replace(both.second.summary.metrics, ndcg=0.552, p50=12.6)
    nearly = replace(both, second=replace(both.second, summary=replace(both.second.summary, metrics=close)))
    figures = {figure.name: figure for figure in figures_of(shown(nearly))}
    assert (figures["nDCG@10"].difference, figures["nDCG@10"].change) == ("", DifferenceKind.SAME)
    assert (figures["Time, p50"].difference, figures["Time, p50"].change) == ("", DifferenceKind.SAME)


def test_fewer_hits_that_are_marked_as_wrong_are_better() -> None:
    both = comparison()
    first = replace(
        both.first, summary=replace(both.first.summary, metrics=replace(both.first.summary.metrics, wrong=0.5))
    )
    figures = {figure.name: figure for figure in figures_of(shown(replace(both, first=first)))}
    assert (figures["Wrong@10"].difference, figures["Wrong@10"].change) == ("0.50", DifferenceKind.BETTER)
    assert "Wrong@10" not in {figure.name for figure in figures_of(shown(both))}


def test_slower_is_worse() -> None:
    both = comparison()
    slow = replace(both.second.summary.metrics, p50=40.0)
    slower = replace(both, second=replace(both.second, summary=replace(both.second.summary, metrics=slow)))
    time = figures_of(shown(slower))[-1]
    assert (time.first, time.second, time.difference, time.change) == ("12", "40 ms", "28 ms", DifferenceKind.WORSE)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (3, 1, DifferenceKind.BETTER),
        (1, 3, DifferenceKind.WORSE),
        (None, 9, DifferenceKind.BETTER),
        (9, None, DifferenceKind.WORSE),
        (2, 2, DifferenceKind.SAME),
    ],
)
def test_not_found_is_worse_than_any_rank(before: int | None, after: int | None, change: DifferenceKind) -> None:
    assert change_of(before, after) is change


def test_questions_that_moved_alike_are_one_line_and_those_that_moved_are_on_top() -> None:
    slopes = slopes_of([(1, 1), (1, 1), (8, 2), (None, 3), (8, 2), (8, 2)])
    assert [(slope.before, slope.after, slope.number) for slope in slopes] == [(1, 1, 2), (8, 2, 3), (None, 3, 1)]
    assert [slope.words for slope in slopes[1:]] == [
        "3 questions: rank 8 → rank 2",
        "1 question: not found → rank 3",
    ]


def test_the_tooltip_of_a_slope_shows_how_many_questions_the_line_represents(qtbot: QtBot) -> None:
    drawn = SlopeChart(Theme(choice="light"))
    qtbot.addWidget(drawn)
    drawn.resize(260, 160)
    drawn.show_slopes(slopes_of([(1, 1), (1, 1), (8, 2)]), 10)
    drawn.show()
    start, end = drawn._ends(drawn._slopes[0])
    over = QPoint(round((start.x() + end.x()) / 2), round(start.y()))
    QApplication.sendEvent(drawn, QHelpEvent(QEvent.Type.ToolTip, over, drawn.mapToGlobal(over)))
    assert QToolTip.text() == "2 questions: rank 1 → rank 1"
    assert drawn.accessibleDescription() == "1 question: rank 8 → rank 2"


def test_lines_that_got_worse_are_red_and_better_ones_green(qtbot: QtBot) -> None:
    drawn = SlopeChart(Theme(choice="light"))
    qtbot.addWidget(drawn)
    drawn.resize(260, 160)
    drawn.show_slopes(slopes_of([(1, 1)]), 10)
    assert not {LIGHT.ok, LIGHT.danger} & colours(drawn)
    drawn.show_slopes(slopes_of([(1, 9), (None, 1)]), 10)
    assert {LIGHT.ok, LIGHT.danger} <= colours(drawn)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([0.61, 0.64], (0.6, 0.64, 0.02)),
        ([0.5], (0.5, 0.54, 0.02)),
        ([1.0], (0.96, 1.0, 0.02)),
        ([0.0, 1.0], (0.0, 1.0, 0.5)),
        ([], (0.0, 1.0, 0.5)),
    ],
)
def test_the_scale_of_a_trend_is_as_narrow_as_its_values_allow(
    values: list[float], scale: tuple[float, float, float]
) -> None:
    assert scale_of(values) == pytest.approx(scale)


def test_a_point_of_the_trend_is_pressed_to_see_that_evaluation(qtbot: QtBot) -> None:
    drawn = TrendChart(Theme(choice="light"))
    qtbot.addWidget(drawn)
    drawn.resize(300, 180)
    points = tuple(HistoryPoint(10 + place, place, 0.6 + place / 50, f"{place} Nov", f"{place}") for place in range(3))
    drawn.show_lines(
        (HistoryLine("both lists", points), HistoryLine("by meaning only", (HistoryPoint(20, 1, 0.7, "1 Nov", "x"),)))
    )
    drawn.show()
    with qtbot.waitSignal(drawn.chosen) as chosen:
        qtbot.mouseClick(drawn, Qt.MouseButton.LeftButton, pos=drawn._place(points[2]).toPoint())
    assert chosen.args == [12]
    assert {LIGHT.accent, LIGHT.warn} <= colours(drawn)


def test_the_configuration_that_was_run_last_is_the_first_line() -> None:
    history = tuple(
        evaluation(number=number, configuration=SearchConfiguration(diversity=(number % 7) / 10)).summary
        for number in range(9, 0, -1)
    )
    lines = lines_of(history)
    assert len(lines) == 5
    assert "diversity 0.2" in lines[0].name
    assert [point.id for point in lines[0].points] == [2, 9]


def test_questions_that_moved_farthest_are_listed_first() -> None:
    rows = rows_of(shown(comparison((1, 1), (5, 4), (None, 1), (1, None))), RowFilter.ALL)
    assert [row.figure for row in rows] == ["– → 1", "1 → –", "5 → 4", "1 → 1"]
    assert rows[0].spoken.endswith("not found to 1. better")


def test_the_row_filters_show_how_many_questions_they_match() -> None:
    both = comparison((1, 1), (5, 4), (None, 1), (1, None))
    assert sieves_of(shown(both)) == {RowFilter.ALL: 4, RowFilter.BETTER: 2, RowFilter.WORSE: 1, RowFilter.MISSED: 1}
    assert sieves_of(ShownEvaluations(evaluation())) == {RowFilter.ALL: 3, RowFilter.MISSED: 1}


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (0.002, "significant (p < 0.01)"),
        (0.03, "significant (p = 0.03)"),
        (0.4, "due to chance (p = 0.40)"),
        (1.0, "due to chance. Add more questions"),
    ],
)
def test_the_summary_shows_whether_the_difference_could_be_chance(p_value: float, words: str) -> None:
    assert words in chance_words(comparison(p_value=p_value))


def test_equal_configurations_are_reported_as_equal() -> None:
    assert sentence_of(shown(comparison((1, 1), (3, 3)))) == "A and B do equally well on all of 2 questions."


def test_passages_missing_from_the_library_are_reported_with_the_result() -> None:
    made = evaluation(outcome("one", 1), lost=3, unmeasured=2)
    told = notes_of(
        ShownEvaluations(replace(made, missing=("a.pdf", "b.pdf", "c.pdf", "d.pdf"), notes=("By words only.",)))
    )
    assert told == (
        "By words only. 3 right passages are no longer in the library: a.pdf, b.pdf, c.pdf and 1 more. "
        "2 questions could not be measured."
    )


def test_changes_since_the_previous_run_are_reported_with_the_result() -> None:
    made = replace(evaluation(), changed=("2 documents more", "the reranker is another"))
    assert notes_of(ShownEvaluations(made)) == "Since the previous run: 2 documents more, the reranker is another."


def test_an_unmeasured_question_shows_the_reason() -> None:
    (row,) = rows_of(
        ShownEvaluations(evaluation(outcome("one", None, ranks=(), problem="no knowledge base “x”"))), RowFilter.ALL
    )
    assert (row.second, row.warning, row.figure) == ("no knowledge base “x”", "not measured", "")


def test_a_golden_question_shows_the_knowledge_base_and_filter_of_its_search() -> None:
    row = row_of_question(golden(knowledge_base="reports", filter="year:2020.."), {})
    assert row.second == "1 right passage · only in “reports” · only year:2020.."


def test_a_search_configuration_is_described_in_one_line() -> None:
    assert configuration_words(DEFAULT_SEARCH) == "meaning and keywords, default reranking, names, parts"
    plain = replace(MEANING, reranking="none", names=False, parts=False, diversity=0.3)
    assert configuration_words(plain) == "meaning only, no reranking, diversity 0.3"


def test_durations_are_shown_in_seconds_or_minutes() -> None:
    assert [seconds_words(seconds) for seconds in (0.2, 42.0, 130.0)] == ["1 s", "42 s", "2 min"]


def test_the_accessible_text_of_a_figure_of_one_configuration_has_no_second_value() -> None:
    assert ComparisonFigure("MRR", "0.50", 0.5).spoken == "MRR 0.50"
