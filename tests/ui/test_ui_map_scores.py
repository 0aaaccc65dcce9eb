"""Chart of the scores of an answer's hits."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot
from ui_runs import citations, hit, reference, run

from workbench.model.hit import Hit, Scores
from workbench.model.run import Run
from workbench.ui.map.score_chart import NOTHING, ScoreChart, ScorePlot, score_plot
from workbench.ui.theme import Theme


def scored(number: int, **scores: float | None) -> Hit:
    return replace(hit(number), scores=Scores(**scores))  # type: ignore[arg-type]


@pytest.fixture
def answer() -> Run:
    first = scored(1, dense=0.6, keyword=8.0, fused=0.04, relevance=0.9)
    second = scored(2, dense=None, keyword=4.0, fused=0.01, relevance=0.3)
    return run("Sales rose [1].", first, second)


@pytest.fixture
def chart(qtbot: QtBot) -> ScoreChart:
    made = ScoreChart(Theme(choice="light"))
    qtbot.addWidget(made)
    made.resize(300, 220)
    made.show()
    return made


def test_each_step_that_found_anything_has_a_line_beside_its_own_best(answer: Run) -> None:
    plot = score_plot(answer)
    assert [(line.name, line.shares) for line in plot.lines] == [
        ("Meaning", (1.0, None)),
        ("Words", (1.0, 0.5)),
        ("Combined", (1.0, 0.25)),
        ("Relevance", (0.9, 0.3)),
    ]
    assert plot.lines[0].texts == ("0.600", "not found")


def test_the_search_that_the_answer_rests_on_is_drawn() -> None:
    made = replace(
        run(),
        references=(reference(hit(1), query="margins"), reference(hit(2), query="sales")),
        citations=citations("Sales rose [2].", hit(2)),
    )
    assert score_plot(made).query == "sales"
    assert score_plot(replace(made, references=())) == ScorePlot()


def test_the_chart_describes_what_it_draws_and_the_scores_of_a_hit(chart: ScoreChart, answer: Run) -> None:
    assert chart.accessibleDescription() == NOTHING
    chart.grab()
    chart.show_plot(score_plot(answer))
    assert "[2] report_1.pdf, page 3, Meaning: not found, Words: 4.00" in chart.accessibleDescription()
    place = QPoint(80, 90)
    QApplication.sendEvent(chart, QHelpEvent(QHelpEvent.Type.ToolTip, place, chart.mapToGlobal(place)))
    assert QToolTip.text().startswith("[1] report_1.pdf, page 3\nMeaning: 0.600")
    QToolTip.hideText()


def test_lines_are_painted_and_a_click_means_a_hit(chart: ScoreChart, answer: Run, qtbot: QtBot) -> None:
    empty = chart.grab().toImage()
    chart.show_plot(score_plot(answer))
    assert chart.grab().toImage() != empty
    with qtbot.waitSignal(chart.chosen) as chosen:
        qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(220, 90))
    assert chosen.args == [1]
