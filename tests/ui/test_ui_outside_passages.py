"""Passages of custom retrievers in the window: sources like others, with text but without a document."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton, QTabWidget
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, FakeLibrary, fake_operations
from ui_runs import reference
from ui_runs import run as a_run

from workbench.agent.citations import find_citations
from workbench.model.hit import Hit, NumberedHit, OutsidePassage, outside_hit
from workbench.model.run import Run
from workbench.ui.chat.run_wording import sources
from workbench.ui.chat.source_list import SourceChip, SourceList, SourceRating
from workbench.ui.external_programs import LinkDialog
from workbench.ui.inspector.details_view import DetailsView, facts
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.inspector.passage_rows import of_run
from workbench.ui.theme import Theme

SENTENCE = "The harbour opened on 9 May."
PASSAGE = OutsidePassage(
    f"The council met. {SENTENCE} Then it went home.", "Minutes", '{"year": 1893}', "https://a.example/m"
)
ANSWER = "It opened on 9 May [1]."


def hit(passage: OutsidePassage = PASSAGE) -> Hit:
    return outside_hit(passage, origin="minutes", rank=1)


@pytest.fixture
def run() -> Run:
    citations = find_citations(ANSWER, {1: NumberedHit(1, hit())})
    return replace(a_run(ANSWER), citations=citations, references=(reference(hit()),))


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def pane(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> InspectorPane:
    fake_operations(monkeypatch)
    made = InspectorPane(bridge, Theme(choice="light"))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.set_library(FakeLibrary())  # type: ignore[arg-type]
    made.resize(420, 800)
    made.show()
    return made


def tabs(pane: InspectorPane) -> list[str]:
    found = pane.findChild(QTabWidget)
    return [found.tabText(index) for index in range(found.count()) if found.isTabVisible(index)]


def test_a_click_shows_the_text_that_was_kept_with_the_run(pane: InspectorPane, bridge: FakeBridge, run: Run) -> None:
    pane.show_run(run)
    pane.show_citation(run.citations[0])
    view = pane.passage_view
    assert view.text_view.toPlainText() == PASSAGE.text
    assert view.text_view.marked_text == SENTENCE
    assert (view.notice, tabs(pane)) == ("", ["Text", "Details"])
    assert not [job for job in bridge.jobs if job.name == "document_text"]


def test_another_passage_after_it_is_shown_in_full(pane: InspectorPane, run: Run) -> None:
    other = hit(OutsidePassage("Another note.", "Note"))
    several = replace(run, references=(reference(hit(), replace(other, rank=2)),))
    pane.show_run(several)
    pane.show_citation(run.citations[0])
    assert [passage.place for passage in pane.passages] == ["Minutes", "Note"]
    pane.passage_view.show_passage(pane.passages[1])
    assert pane.passage_view.text_view.toPlainText() == "Another note."


def test_a_passage_of_the_library_after_it_has_its_page_again(
    pane: InspectorPane, bridge: FakeBridge, run: Run
) -> None:
    pane.show_run(run)
    pane.show_citation(run.citations[0])
    found = a_run()
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    assert tabs(pane) == ["Page", "Text", "Details", "Why"]


def test_the_row_of_an_outside_passage_shows_its_retriever_and_draws_no_scores(run: Run) -> None:
    (passage,) = of_run(run)
    assert (passage.badges, passage.lanes, passage.quality) == (("From minutes",), (), "")


def test_the_details_of_an_outside_passage_show_all_its_known_fields(run: Run) -> None:
    ((_title, rows),) = facts(of_run(run)[0])
    assert dict(rows)["From"] == "minutes"
    assert dict(rows)["Address"] == "https://a.example/m"
    assert dict(rows)["Metadata"] == '{"year": 1893}'


def test_its_address_is_shown_by_a_click_and_opened_only_where_it_is_one_of_the_web(
    qtbot: QtBot, bridge: FakeBridge, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda address: opened.append(address.toString()))
    view = DetailsView(bridge, Theme(choice="light"))
    qtbot.addWidget(view)
    view.show_passage(of_run(run)[0])
    assert '<a href="https://a.example/m">' in view.toHtml()
    for address in ("https://a.example/m", "file:///etc/passwd"):
        view.anchorClicked.emit(QUrl(address))
    assert opened == []
    for dialog in view.findChildren(LinkDialog):
        for one in dialog.findChildren(QPushButton):
            if one.text() == "Open in the browser":
                one.click()
    assert opened == ["https://a.example/m"]


def test_it_is_a_source_that_cannot_be_marked(qtbot: QtBot, run: Run) -> None:
    made = SourceList(Theme(choice="light"))
    qtbot.addWidget(made)
    made.offer_marks(lambda _citation: None)
    made.show_citations(run.citations)
    assert made.findChildren(SourceRating) == []
    assert made.findChild(SourceChip).accessibleName() == "Source 1: Minutes · from minutes"
    assert [source.document_name for source in sources(run.citations)] == ["Minutes"]
