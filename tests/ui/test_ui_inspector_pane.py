from dataclasses import replace

import pytest
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QListView, QTabWidget
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, FakeJob, fake_operations
from ui_runs import QUOTE, TEXT, chunk, citations, document, hit, run

from workbench.errors import DamagedDocument, NotFound
from workbench.model.document import DocumentStatus
from workbench.model.progress import DocumentsRemoved
from workbench.model.stretch import Stretch
from workbench.operations import PageImage
from workbench.ui.inspector.page_loader import PageLoader, WantedPage
from workbench.ui.inspector.page_view import PageView
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.inspector.passage_view import CHANGED, GONE, LONG_SECTION, MOVED
from workbench.ui.inspector.text_view import TextView
from workbench.ui.theme import Theme


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def pane(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> InspectorPane:
    fake_operations(monkeypatch)
    made = InspectorPane(bridge, Theme(choice="light"))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.set_library(object())  # type: ignore[arg-type]
    made.resize(420, 800)
    made.show()
    return made


def png(width: int = 120, height: int = 160) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def picture(
    page: int = 3, *, marks: tuple[tuple[float, float, float, float], ...] = (), scale: float = 2.0
) -> PageImage:
    return PageImage(png(), page, 9, scale, 600.0, 800.0, marks)


def pages(bridge: FakeBridge) -> list[FakeJob]:
    return [job for job in bridge.jobs if job.name == "page_image"]


def tab(pane: InspectorPane) -> str:
    tabs = pane.findChild(QTabWidget)
    return str(tabs.tabText(tabs.currentIndex()))


def test_citation_opens_its_page_with_the_very_sentence_marked(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run()
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    bridge.last("document_text").succeed(TEXT)
    job = pages(bridge)[-1]
    assert job.args == (1, 3)
    assert TEXT[job.kwargs["start"] : job.kwargs["end"]] == QUOTE
    job.succeed(picture(3, marks=((50.0, 600.0, 300.0, 615.0),)))
    assert pane.passage_view.page_view.page == 3
    assert tab(pane) == "Page"


def test_answer_shows_its_first_cited_passage_by_itself(pane: InspectorPane) -> None:
    pane.show_run(run("A [2].", hit(1), hit(2), hit(3)))
    assert pane.shown is not None
    assert (pane.shown.number, pane.shown.marked) == (2, QUOTE)


def test_document_that_could_not_be_read_says_why(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_document(replace(document(), status=DocumentStatus.FAILED, reason="It is damaged.", chunks=0))
    assert bridge.jobs == []
    assert "It is damaged." in [label.text() for label in pane.findChildren(QLabel) if label.isVisible()]


def test_removed_document_is_listed_no_longer(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_document(document())
    bridge.last("list_chunks").succeed([chunk(0)])
    bridge.domain_event.emit(DocumentsRemoved((1,)))
    assert pane.passages == ()


def test_citation_selects_its_row(pane: InspectorPane) -> None:
    found = run("A [2].", hit(1), hit(2), hit(3))
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    assert pane.findChild(QListView).currentIndex().row() == 0
    assert pane.shown is not None
    assert pane.shown.number == 2


def test_row_is_shown_with_the_keyboard(qtbot: QtBot, pane: InspectorPane) -> None:
    pane.show_run(run("A [2].", hit(1), hit(2), hit(3)))
    view = pane.findChild(QListView)
    view.setCurrentIndex(view.model().index(0, 0))
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert pane.shown is not None
    assert pane.shown.number == 1


def test_document_without_pages_shows_its_text_marked(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run("A [1].", hit(1, page=None))
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    bridge.last("document_text").succeed(TEXT)
    assert tab(pane) == "Text"
    assert pane.passage_view.text_view.marked_text == QUOTE
    assert pages(bridge) == []


def test_removed_document_shows_the_quote_that_was_kept(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run()
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    bridge.last("document_text").fail(NotFound("There is no document 1."))
    assert pane.passage_view.notice == GONE
    assert pane.passage_view.text_view.toPlainText() == QUOTE
    assert tab(pane) == "Text"


def test_changed_document_is_never_marked_at_the_wrong_place(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run()
    pane.show_citation(found.citations[0])
    bridge.last("document_text").succeed("Something else entirely, and long enough to hold the offsets. " * 3)
    assert pane.passage_view.notice == CHANGED
    assert pages(bridge) == []


def test_passage_that_moved_is_found_again(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_citation(run().citations[0])
    text = "A new beginning.\n" + TEXT
    bridge.last("document_text").succeed(text)
    assert pane.passage_view.notice == MOVED
    job = pages(bridge)[-1]
    assert text[job.kwargs["start"] : job.kwargs["end"]] == QUOTE


def test_page_that_cannot_be_drawn_gives_way_to_the_text(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_citation(run().citations[0])
    bridge.last("document_text").succeed(TEXT)
    pages(bridge)[-1].fail(DamagedDocument("This page cannot be drawn.", "Read its text."))
    assert pane.passage_view.notice == "This page cannot be drawn. Read its text."
    assert tab(pane) == "Text"
    assert pane.passage_view.text_view.marked_text == QUOTE


def test_invented_citation_opens_nothing(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_citation(citations("A [9].", hit(1))[0])
    assert bridge.jobs == []
    assert pane.shown is None


def test_showing_the_same_run_again_keeps_what_is_open(pane: InspectorPane) -> None:
    found = run()
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    pane.show_run(run())
    assert pane.shown is not None


def test_document_lists_its_chunks_and_shows_the_first(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_document(document(pages=9))
    bridge.last("list_chunks").succeed([chunk(0), chunk(1)])
    assert [passage.number for passage in pane.passages] == [1, 2]
    assert pane.title == "report_1.pdf"
    assert pane.shown is not None
    assert pane.shown.number == 1


def test_chunks_that_come_too_late_are_ignored(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_document(document(1))
    late = bridge.last("list_chunks")
    pane.show_document(document(2))
    bridge.last("list_chunks").succeed([chunk(0, document=2)])
    late.succeed([chunk(0), chunk(1)])
    assert [passage.document for passage in pane.passages] == [2]


def test_text_that_comes_too_late_is_ignored(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run("A [1], b [2].", hit(1), hit(2, document=2))
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    late = bridge.last("document_text")
    pane.show_citation(found.citations[1])
    late.succeed(TEXT)
    assert pages(bridge) == []


def test_turning_pages_keeps_the_marks_where_they_belong(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_citation(run().citations[0])
    bridge.last("document_text").succeed(TEXT)
    pages(bridge)[-1].succeed(picture(3))
    pane.passage_view.page_view.page_wanted.emit(4)
    job = pages(bridge)[-1]
    assert job.args == (1, 4)
    assert TEXT[job.kwargs["start"] : job.kwargs["end"]] == QUOTE


def test_removal_of_the_shown_document_forgets_its_text(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run()
    pane.show_citation(found.citations[0])
    bridge.last("document_text").succeed(TEXT)
    bridge.domain_event.emit(DocumentsRemoved((1,)))
    asked = len([job for job in bridge.jobs if job.name == "document_text"])
    pane.show_citation(found.citations[0])
    assert len([job for job in bridge.jobs if job.name == "document_text"]) == asked + 1


def loader_of(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> PageLoader:
    fake_operations(monkeypatch)
    loader = PageLoader(bridge)  # type: ignore[arg-type]
    loader.set_library(object())  # type: ignore[arg-type]
    return loader


def wanted(page: int) -> WantedPage:
    return WantedPage(1, page, 2.0, 0, 0)


def test_late_page_is_ignored_and_its_job_cancelled(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = loader_of(bridge, monkeypatch)
    loaded: list[int] = []
    loader.loaded.connect(lambda want, _image: loaded.append(want.page))
    loader.want(wanted(1))
    first = bridge.jobs[-1]
    loader.want(wanted(2))
    bridge.jobs[-1].succeed(picture(2))
    first.succeed(picture(1))
    assert first.cancelled
    assert loaded == [2]


def test_page_seen_before_is_not_drawn_again(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = loader_of(bridge, monkeypatch)
    for page in (1, 2, 1):
        loader.want(wanted(page))
        if len(bridge.jobs) < 3:
            bridge.jobs[-1].succeed(picture(page))
    assert [job.args[1] for job in bridge.jobs] == [1, 2]


def test_only_a_few_pages_are_kept(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = loader_of(bridge, monkeypatch)
    for page in [*range(1, 12), 1]:
        loader.want(wanted(page))
        bridge.jobs[-1].succeed(picture(page))
    assert [job.args[1] for job in bridge.jobs][-1] == 1


@pytest.fixture
def view(qtbot: QtBot) -> PageView:
    made = PageView(Theme(choice="light"))
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    return made


def test_page_is_scrolled_to_its_mark(view: PageView) -> None:
    view.show_image(picture(marks=((50.0, 700.0, 300.0, 715.0),)))
    bar = view._scroll.verticalScrollBar()
    top = 700 * view._points_to_pixels() - bar.value()
    assert 0 <= top <= view._scroll.viewport().height()


def test_page_fits_the_width_until_it_is_zoomed(view: PageView) -> None:
    view.show_image(picture())
    assert view._canvas.width() <= view._scroll.viewport().width()
    before = view.zoom
    view._in.click()
    assert view.zoom > before
    view._fit.click()
    assert view.zoom == pytest.approx(before)


def test_passage_in_a_narrow_pane_is_zoomed_to_be_read(view: PageView) -> None:
    view.show_image(picture(2))
    fitted = view.zoom
    view.show_image(picture(3, marks=((320.0, 300.0, 540.0, 315.0),)))
    assert view.zoom > 1.4 * fitted
    left = 320 * view._points_to_pixels() - view._scroll.horizontalScrollBar().value()
    assert 0 <= left < 60
    view._fit.click()
    assert view.zoom == pytest.approx(fitted)


def test_zoom_asks_for_a_sharper_picture(qtbot: QtBot, view: PageView) -> None:
    view.show_image(picture(scale=1.0))
    with qtbot.waitSignal(view.sharper_wanted) as asked:
        for _ in range(6):
            view._in.click()
    assert asked.args[0] > 1.0


def test_first_and_last_page_cannot_be_turned_further(view: PageView) -> None:
    view.show_image(picture(1))
    assert (view._previous.isEnabled(), view._next.isEnabled()) == (False, True)
    view.show_image(picture(9))
    assert (view._previous.isEnabled(), view._next.isEnabled()) == (True, False)


def test_mark_in_a_text_counts_characters_as_qt_does_not(qtbot: QtBot) -> None:
    text_view = TextView(Theme(choice="light"))
    qtbot.addWidget(text_view)
    text = "😀😀 before " + TEXT
    start = text.index(QUOTE)
    text_view.show_text(text, start, start + len(QUOTE))
    assert text_view.marked_text == QUOTE


def test_long_text_is_shown_around_its_passage(qtbot: QtBot) -> None:
    text_view = TextView(Theme(choice="light"))
    qtbot.addWidget(text_view)
    text = "x" * 200_000 + QUOTE + "y" * 200_000
    text_view.show_text(text, 200_000, 200_000 + len(QUOTE))
    assert text_view.marked_text == QUOTE
    assert len(text_view.toPlainText()) < 70_000


def test_whole_section_is_shaded_in_the_text_around_the_marked_passage(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run()
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    view = pane.passage_view
    assert not view.section_button.isEnabled()
    bridge.last("document_text").succeed(TEXT)
    view.section_button.click()
    job = bridge.last("section_at")
    assert job.args == (1, TEXT.index(QUOTE))
    start = TEXT.index(QUOTE)
    end = TEXT.index("Résumé")
    job.succeed(Stretch(1, start, end, TEXT[start:end], 0, 1, is_cut=True))
    assert tab(pane) == "Text"
    assert view.text_view.shaded_text.startswith("Net sales rose 12 % 😀 in 2023. Margins held.")
    assert view.text_view.marked_text == QUOTE
    assert view.notice == LONG_SECTION


def test_a_section_that_is_gone_is_told_and_one_that_comes_too_late_is_ignored(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    found = run()
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    bridge.last("document_text").succeed(TEXT)
    view = pane.passage_view
    view.section_button.click()
    bridge.last("section_at").fail(NotFound("No passage of this document stands there."))
    assert view.notice == "No passage of this document stands there."
    view.section_button.click()
    late = bridge.last("section_at")
    pane.clear()
    late.succeed(Stretch(1, 0, 5, TEXT[:5], 0, 0))
    assert view.text_view.shaded_text == ""
