"""Evaluations, readings and exports in another language: whole sentences, and choices independent of their words."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pseudo_language import brackets, untranslated
from pytestqt.qtbot import QtBot
from test_ui_exhaustive import info
from ui_evaluations import MEANING, comparison, evaluation
from ui_fake_worker import FakeBridge

from workbench.language import Catalogue, speak
from workbench.model.evaluation import NamedConfiguration
from workbench.model.exhaustive import DocumentVerdict, ReadingMeter, ReadingStatus
from workbench.model.session import Inventory, Part, PartSize
from workbench.ui.evaluation.configuration_form import ConfigurationForm
from workbench.ui.evaluation.question_list import EvaluationRow
from workbench.ui.evaluation.result_summary import figures_of, notes_of, sentence_of
from workbench.ui.evaluation.result_view import ResultView
from workbench.ui.evaluation.run_presenter import ConfigurationPresenter, ShownEvaluations
from workbench.ui.exhaustive.presenter import pause_reason, status_line, verdict_of
from workbench.ui.export.presenter import what_leaves
from workbench.ui.theme import Theme

FIGURES = frozenset({"MRR", "nDCG"})
WORDS = {
    (
        "Of {n:,} question, B is better on {better:,} and worse on {worse:,}.",
        "",
    ): "好 {better:,}，差 {worse:,}。",
    ("Since the previous run: {changes}.", ""): "与上次相比：{changes}。",
    ("{0:d} documents more", ""): "多了 {0} 个文档",
    ("the embedding model changed", ""): "换了嵌入模型",
    ("{before}, {after}", ""): "{before}，{after}",
    ("{sentence} {next}", ""): "{sentence}{next}",
    ("{before} to {after}", ""): "{before} 到 {after}",
    ("not found", ""): "未找到",
    ("Found", "verdict"): "找到",
    ("Read {passages}, {documents}", ""): "已读 {passages}、{documents}",
    ("{read:,} of {n:,} passage", ""): "{read:,} / {n:,} 个段落",
    ("The model could not be reached.", ""): "连不上模型。",
    ("Check the address.", ""): "请检查地址。",
    ("Choose “Continue” to go on.", ""): "请选择“继续”。",
    ("{n:,} question with the answers", ""): "{n:,} 个问题及回答",
    ("The file contains {things}. Nothing is sent anywhere.", ""): "对方会得到：{things}。",
}


@pytest.fixture
def chinese() -> Iterator[None]:
    speak(Catalogue("zh_CN", WORDS))
    yield
    speak(None)


@pytest.fixture
def bracketed() -> Iterator[None]:
    speak(brackets())
    yield
    speak(None)


@pytest.mark.usefixtures("chinese")
def test_numbers_in_a_comparison_are_placed_as_the_language_requires() -> None:
    assert sentence_of(ShownEvaluations(evaluation(), comparison())).startswith("好 2，差 1。The")


@pytest.mark.usefixtures("chinese")
def test_changes_stored_in_english_are_shown_in_the_current_language() -> None:
    changed = replace(evaluation(), changed=("1,200 documents more", "the embedding model changed"))
    assert notes_of(ShownEvaluations(changed)) == "与上次相比：多了 1,200 个文档，换了嵌入模型。"


@pytest.mark.usefixtures("chinese")
def test_a_row_is_spoken_in_it() -> None:
    assert EvaluationRow("保修期多长?", figure="3 → –").spoken == "保修期多长?. 3 到 未找到"


@pytest.mark.usefixtures("chinese")
def test_a_verdict_and_the_meter_of_a_reading_are_translated() -> None:
    word, _icon, _colour = verdict_of(DocumentVerdict.YES, offline=True)
    meter = ReadingMeter(8, 4, 2, 1)
    assert word == "找到"
    assert status_line(replace(info(), meter=meter), running=True) == "已读 4 / 8 个段落、1 of 2 documents"


@pytest.mark.usefixtures("chinese")
def test_the_reason_for_a_paused_reading_is_translated_sentence_by_sentence() -> None:
    hint = "Check the address. Choose “Continue” to go on."
    paused = info(ReadingStatus.PAUSED, reason="The model could not be reached.", hint=hint)
    assert pause_reason(paused) == "连不上模型。请检查地址。请选择“继续”。"


@pytest.mark.usefixtures("chinese")
def test_the_summary_of_an_exported_file_is_one_translated_sentence() -> None:
    held = Inventory(1, PartSize(3, 9000), 0, (), {part: PartSize() for part in Part})
    assert what_leaves(held, frozenset()) == "对方会得到：3 个问题及回答。"


@pytest.mark.usefixtures("bracketed")
def test_a_configuration_of_ones_own_stays_so_in_every_language(qtbot: QtBot) -> None:
    form = ConfigurationForm()
    qtbot.addWidget(form)
    column = form._columns[0]
    form.offer((NamedConfiguration("Custom", MEANING),))
    column._diversity.setValue(30)
    assert (column._choice.currentText(), column.chosen.name) == ("⟦Custom⟧", "")
    column._choice.setCurrentIndex(1)
    column._choice.activated.emit(1)
    assert (column.chosen.configuration, column.chosen.name) == (MEANING, "Custom")


@pytest.mark.usefixtures("bracketed")
def test_every_figure_of_a_result_is_named_in_it(qtbot: QtBot) -> None:
    view = ResultView(ConfigurationPresenter(FakeBridge()), Theme(choice="light"))  # type: ignore[arg-type]
    qtbot.addWidget(view)
    view.show_result(ShownEvaluations(evaluation(), comparison()))
    known = FIGURES | {"question", "report", "pdf", "page"}
    assert untranslated(view, known) == []
    assert {figure.name.strip("⟦⟧") for figure in figures_of(ShownEvaluations(evaluation()))} >= {"MRR", "Recall@10"}
