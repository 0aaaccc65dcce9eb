from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QLabel, QListView, QPushButton, QTabWidget, QToolButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, FakeJob, FakeLibrary, fake_operations
from ui_runs import QUOTE, TEXT, chunk, citations, document, hit, run, timed

from workbench.errors import DamagedDocument, NotFound
from workbench.model.chunk import Stretch
from workbench.model.document import DocumentStatus, FailureKind, Page
from workbench.model.hit import Coverage
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.model.run import LibrarySeen, Run, RunStatus
from workbench.operations import PagePicture
from workbench.ui.inspector.page_canvas import GAP, PagePictureCache, Picture, pixels_of
from workbench.ui.inspector.page_presenter import PageLoader, WantedPage
from workbench.ui.inspector.page_view import PageView
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.inspector.passage_view import CHANGED, GONE, LONG_SECTION, MOVED
from workbench.ui.inspector.text_view import TextView
from workbench.ui.theme import Theme

MARGINS = "Margins held."


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


def ppm(width: int = 120, height: int = 160) -> bytes:
    return b"P6\n%d %d\n255\n" % (width, height) + b"\xff\x00\x00" * (width * height)


def frames(count: int = 9) -> tuple[Page, ...]:
    """Return pages of which the third contains the beginning of the text."""
    spans = ((max(0, 1000 * (number - 3)), max(0, 1000 * (number - 2))) for number in range(1, count + 1))
    return tuple(Page(number, *span, 600.0, 800.0) for number, span in enumerate(spans, start=1))


def pages(bridge: FakeBridge) -> list[FakeJob]:
    return [job for job in bridge.jobs if job.name == "page_picture"]


def show_cited_page(pane: InspectorPane, bridge: FakeBridge, text: str = TEXT) -> None:
    found = run()
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    bridge.last("document_text").succeed(text)
    bridge.last("document_pages").succeed(frames())


def tab(pane: InspectorPane) -> str:
    tabs = pane.findChild(QTabWidget)
    return str(tabs.tabText(tabs.currentIndex()))


READ, UNREAD = Coverage(documents=30), Coverage(documents=30, waiting=28)


@pytest.mark.parametrize(
    ("status", "coverage", "says"),
    [
        (RunStatus.COMPLETED, READ, "Nothing was found"),
        (RunStatus.COMPLETED, UNREAD, "Not found in what was read so far"),
        (RunStatus.COMPLETED, None, "This answer did not use any passages."),
        (RunStatus.FAILED, None, "The answer ended before a search found any."),
        (RunStatus.CANCELLED, READ, "The answer ended before a search found any."),
    ],
)
def test_an_answer_without_passages_is_called_nothing_found_only_if_everything_was_searched(
    pane: InspectorPane, status: RunStatus, coverage: Coverage | None, says: str
) -> None:
    seen = timed(LibrarySeen(coverage)) if coverage is not None else ()
    pane.show_run(replace(run("Nothing."), status=status, references=(), events=seen))
    texts = [one.text() for one in pane.findChildren(QLabel) if one.isVisible()]
    assert says in texts


def test_a_citation_opens_its_page_with_the_exact_sentence_marked(pane: InspectorPane, bridge: FakeBridge) -> None:
    show_cited_page(pane, bridge)
    job = bridge.last("page_marks")
    document, page, ((start, end),) = job.args
    assert (document, page, TEXT[start:end]) == (1, 3, QUOTE)
    job.succeed(((50.0, 600.0, 300.0, 615.0),))
    assert pane.passage_view.page_view.page == 3
    assert pane.passage_view.page_view.canvas.marks(3)
    assert tab(pane) == "Page"


def of_two_sentences() -> Run:
    """Return a run whose answer cites two sentences of one passage, one after the other."""
    found = run("Sales rose [1]. So did margins [1].", hit(1), hit(2))
    first, second = found.citations
    second = replace(second, start=TEXT.index(MARGINS), end=TEXT.index(MARGINS) + len(MARGINS), quote=MARGINS)
    return replace(found, citations=(first, second))


def test_a_passage_of_the_list_is_marked_where_the_answer_used_it(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_run(of_two_sentences())
    bridge.last("document_text").succeed(TEXT)
    assert pane.passage_view.text_view.marked_text == f"{QUOTE}\n{MARGINS}"
    bridge.last("document_pages").succeed(frames())
    assert [TEXT[slice(*span)] for span in bridge.last("page_marks").args[2]] == [QUOTE, MARGINS]


def test_a_citation_marks_the_same_sentences_as_its_row(qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge) -> None:
    found = of_two_sentences()
    pane.show_run(found)
    for citation in found.citations:
        pane.show_citation(citation)
        bridge.last("document_text").succeed("A new beginning.\n" + TEXT)
        assert pane.passage_view.text_view.marked_text == f"{QUOTE}\n{MARGINS}"
    view = pane.findChild(QListView)
    place = view.visualRect(view.model().index(0, 0)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert pane.passage_view.text_view.marked_text == f"{QUOTE}\n{MARGINS}"


def test_a_citation_of_a_second_sentence_is_shown_on_its_own_page(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = of_two_sentences()
    found = replace(found, citations=(found.citations[0], replace(found.citations[1], page=4)))
    pane.show_run(found)
    pane.show_citation(found.citations[1])
    bridge.last("document_text").succeed(TEXT)
    bridge.last("document_pages").succeed(frames())
    assert pane.passage_view.page_view.page == 4
    assert [TEXT[slice(*span)] for span in bridge.last("page_marks").args[2]] == [QUOTE, MARGINS]


def test_answer_shows_its_first_cited_passage_by_itself(pane: InspectorPane) -> None:
    pane.show_run(run("A [2].", hit(1), hit(2), hit(3)))
    assert pane.shown is not None
    assert (pane.shown.number, pane.shown.marked) == (2, QUOTE)


def test_a_document_that_could_not_be_read_shows_the_reason(pane: InspectorPane, bridge: FakeBridge) -> None:
    pane.show_document(replace(document(), status=DocumentStatus.FAILED, reason="It is damaged.", chunks=0))
    assert bridge.jobs == []
    assert "It is damaged." in [label.text() for label in pane.findChildren(QLabel) if label.isVisible()]


@pytest.mark.parametrize(
    ("failure", "words"),
    [(FailureKind.OTHER, "Try again"), (FailureKind.TIME, "Try again with more time")],
)
def test_a_document_that_could_not_be_read_offers_to_try_again(
    pane: InspectorPane, qtbot: QtBot, failure: FailureKind, words: str
) -> None:
    failed = replace(document(), status=DocumentStatus.FAILED, reason="It broke.", failure=failure, chunks=0)
    pane.show_document(failed)
    (offered,) = [one for one in pane.findChildren(QPushButton) if one.isVisible()]
    assert offered.text() == words
    with qtbot.waitSignal(pane.retry_asked) as asked:
        offered.click()
    assert asked.args == [failed.id, words != "Try again"]
    pane.clear()
    assert [one for one in pane.findChildren(QPushButton) if one.isVisible()] == []


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
    text = "A new beginning.\n" + TEXT
    show_cited_page(pane, bridge, text)
    assert pane.passage_view.notice == MOVED
    _document, _page, ((start, end),) = bridge.last("page_marks").args
    assert text[start:end] == QUOTE


def test_a_page_that_cannot_be_drawn_is_replaced_by_the_text(pane: InspectorPane, bridge: FakeBridge) -> None:
    show_cited_page(pane, bridge)
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


def test_a_passage_that_continues_on_the_next_page_is_marked_there_too(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run()
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    bridge.last("document_text").succeed(TEXT)
    middle = TEXT.index(QUOTE) + 5
    bridge.last("document_pages").succeed((Page(3, 0, middle, 600.0, 800.0), Page(4, middle, 1000, 600.0, 800.0)))
    assert [job.args[1] for job in bridge.jobs if job.name == "page_marks"] == [3, 4]


def test_a_passage_shown_twice_before_its_pages_are_known_is_on_its_page(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    found = run("A [1].", hit(1))
    for _ in range(2):
        pane.show_citation(found.citations[0])
        bridge.last("document_text").succeed(TEXT)
    bridge.last("document_pages").succeed(frames())
    assert pane.passage_view.page_view.page == found.citations[0].page


def test_another_passage_of_the_document_asks_for_its_pages_no_more(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run("A [1], b [2].", hit(1), hit(2))
    pane.show_run(found)
    for citation in found.citations:
        pane.show_citation(citation)
        bridge.last("document_text").succeed(TEXT)
        bridge.last("document_pages").succeed(frames())
    assert len([job for job in bridge.jobs if job.name == "document_pages"]) == 1


def test_marks_that_come_too_late_are_ignored(pane: InspectorPane, bridge: FakeBridge) -> None:
    show_cited_page(pane, bridge)
    late = bridge.last("page_marks")
    pane.show_document(document(pages=9))
    bridge.last("list_chunks").succeed([chunk(0), chunk(1)])
    bridge.last("document_text").succeed(TEXT)
    late.succeed(((50.0, 600.0, 300.0, 615.0),))
    assert not pane.passage_view.page_view.canvas.marks(3)


def test_scrolling_still_works_while_the_document_is_being_embedded(pane: InspectorPane, bridge: FakeBridge) -> None:
    show_cited_page(pane, bridge)
    pages(bridge)[-1].succeed(PagePicture(ppm()))
    bridge.domain_event.emit(DocumentChanged(document()))
    pane.passage_view.page_view.turn_to(8)
    pages(bridge)[-1].succeed(PagePicture(ppm()))
    assert pages(bridge)[-1].args[1] == 8


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
    loader.set_library(FakeLibrary())  # type: ignore[arg-type]
    return loader


def wanted(*pages: int) -> list[WantedPage]:
    return [WantedPage(1, page, 2.0) for page in pages]


def test_pages_are_drawn_one_at_a_time_and_what_is_wanted_last_comes_next(
    bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    loader = loader_of(bridge, monkeypatch)
    loader.want(wanted(1, 2, 3))
    loader.want(wanted(8, 9))
    assert [job.args[1] for job in bridge.jobs] == [1]
    bridge.jobs[0].succeed(PagePicture(ppm()))
    assert [job.args[1] for job in bridge.jobs] == [1, 8]


def test_page_that_is_being_drawn_is_never_cancelled(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = loader_of(bridge, monkeypatch)
    loaded: list[int] = []
    loader.loaded.connect(lambda want, _picture: loaded.append(want.page))
    loader.want(wanted(1))
    loader.want(wanted(2))
    bridge.jobs[0].succeed(PagePicture(ppm()))
    assert not bridge.jobs[0].cancelled
    assert loaded == [1]


def test_page_of_a_library_that_was_closed_is_ignored(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = loader_of(bridge, monkeypatch)
    loaded: list[object] = []
    loader.loaded.connect(lambda want, _picture: loaded.append(want))
    loader.want(wanted(1))
    loader.set_library(None)
    bridge.jobs[0].succeed(PagePicture(ppm()))
    assert loaded == []


def test_pictures_are_kept_within_a_bound_and_those_in_sight_beyond_it(qapp: object) -> None:
    size = 4 * 120 * 160
    kept = PagePictureCache(most_bytes=3 * size)
    for page in range(1, 7):
        kept.put(page, Picture(pixels_of(ppm()), 1.0), needed=(1,))
    assert [page for page in range(1, 7) if kept.get(page)] == [1, 5, 6]
    assert kept.bytes == 3 * size


def test_uncompressed_page_has_the_colours_it_was_drawn_with(qapp: object) -> None:
    drawn = pixels_of(ppm(3, 2)).toImage()
    assert (drawn.width(), drawn.height()) == (3, 2)
    assert drawn.pixelColor(2, 1).name() == "#ff0000"


@pytest.fixture
def view(qtbot: QtBot) -> PageView:
    made = PageView(Theme(choice="light"))
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    return made


def asked(view: PageView) -> list[list[int]]:
    seen: list[list[int]] = []
    view.pages_wanted.connect(lambda pages: seen.append([page for page, _scale in pages]))
    return seen


def test_page_is_scrolled_to_its_mark(view: PageView) -> None:
    view.show_pages(frames())
    view.go_to(3, ((50.0, 700.0, 300.0, 715.0),))
    top = view.canvas.place_of(3).top() + 700 * view.canvas.stack.factor(3)
    assert 0 <= top <= view.canvas.viewport().height()


def test_page_fits_the_width_until_it_is_zoomed(view: PageView) -> None:
    view.show_pages(frames())
    assert view.canvas.stack.width <= view.canvas.viewport().width()
    before = view.zoom
    view.bar.nearer.trigger()
    assert view.zoom > before
    view.bar.fit.click()
    assert view.zoom == pytest.approx(before)


@pytest.mark.parametrize("height", [500, 801, 1234])
def test_the_evidence_list_holds_whole_rows(pane: InspectorPane, qtbot: QtBot, height: int) -> None:
    pane.resize(420, height)
    pane.show_run(run("A [2].", *(hit(number) for number in range(1, 12))))
    rows = pane.findChild(QListView)
    assert rows is not None
    row = rows.sizeHintForRow(0)
    qtbot.waitUntil(lambda: rows.viewport().height() % row == 0)
    assert rows.viewport().height() >= 2 * row
    rows.scrollToBottom()
    assert rows.visualRect(rows.indexAt(QPoint(5, 5))).top() == 0


def test_two_passages_leave_the_height_to_their_page(pane: InspectorPane, qtbot: QtBot) -> None:
    pane.resize(420, 1200)
    pane.show_run(run("A [2].", hit(1), hit(2)))
    rows = pane.findChild(QListView)
    assert rows is not None
    qtbot.waitUntil(lambda: rows.viewport().height() == 2 * rows.sizeHintForRow(0))


def test_each_newly_opened_document_is_fitted_to_the_width(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run("A [1], b [2].", hit(1), hit(2, document=2))
    pane.show_run(found)
    view, zooms = pane.passage_view.page_view, []
    for number in (0, 0, 1):
        pane.show_citation(found.citations[number])
        bridge.last("document_text").succeed(TEXT)
        bridge.last("document_pages").succeed(frames())
        zooms.append(view.zoom)
        view.bar.nearer.trigger()
        bridge.domain_event.emit(DocumentChanged(document()))
    assert zooms[1] > zooms[0]
    assert zooms[2] == pytest.approx(zooms[0])


@pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)
def test_the_menu_of_fit_holds_what_else_changes_the_page_and_opens_by_key(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge
) -> None:
    show_cited_page(pane, bridge)
    fit = pane.passage_view.page_view.bar.fit
    texts = [action.text().partition("\t")[0] for action in fit.menu().actions()]
    assert texts == ["Zoom in (Ctrl+wheel)", "Zoom out (Ctrl+wheel)", "Show every passage on the page"]
    opened: list[bool] = []

    def close() -> None:
        opened.append(fit.menu().isVisible())
        fit.menu().close()

    fit.menu().aboutToShow.connect(lambda: QTimer.singleShot(0, fit.menu(), close))
    qtbot.keyClick(fit, Qt.Key.Key_Down)
    assert opened == [True]


def test_a_page_with_a_mark_opens_at_the_width_and_fit_zooms_to_the_mark_and_back(view: PageView) -> None:
    view.show_pages(frames())
    view.go_to(2)
    fitted = view.zoom
    view.go_to(3, ((320.0, 300.0, 540.0, 315.0),))
    assert view.zoom == pytest.approx(fitted)
    assert view.bar.fit.isChecked()
    view.bar.fit.click()
    assert view.zoom > 1.4 * fitted
    assert not view.bar.fit.isChecked()
    left = view.canvas.place_of(3).left() + 320 * view.canvas.stack.factor(3)
    assert 0 <= left < 60
    view.bar.fit.click()
    assert view.zoom == pytest.approx(fitted)


@pytest.mark.parametrize(("paper", "ink"), [("white", "black"), ("black", "white")])
def test_a_mark_keeps_the_full_contrast_of_the_print(view: PageView, paper: str, ink: str) -> None:
    view.show_pages(frames())
    view.go_to(1, ((0.0, 0.0, 200.0, 100.0),))
    page = QPixmap(view.canvas.place_of(1).size())
    page.fill(QColor(paper))
    painter = QPainter(page)
    painter.fillRect(4, 4, 4, 4, QColor(ink))
    painter.end()
    view.canvas.pictures.put(1, Picture(page, view.canvas.stack.factor(1)), ())
    shown = view.canvas.viewport().grab().toImage()
    corner = view.canvas.place_of(1).topLeft()
    assert shown.pixelColor(corner + QPoint(6, 6)) == QColor(ink)
    assert shown.pixelColor(corner + QPoint(12, 12)) not in (QColor(paper), QColor(ink))


def test_zoom_asks_for_sharper_pictures(qtbot: QtBot, view: PageView) -> None:
    view.show_pages(frames())
    with qtbot.waitSignal(view.pages_wanted) as wanted_pages:
        view.bar.nearer.trigger()
    page, scale = wanted_pages.args[0][0]
    assert page == 1
    assert scale == pytest.approx(view.canvas.stack.factor(1))


def test_first_and_last_page_cannot_be_turned_further(view: PageView) -> None:
    view.show_pages(frames())
    assert (view.bar.previous.isEnabled(), view.bar.next.isEnabled()) == (False, True)
    view.turn_to(9)
    assert (view.bar.previous.isEnabled(), view.bar.next.isEnabled()) == (True, False)


def test_pages_follow_one_another_as_one_scrolls(view: PageView) -> None:
    view.show_pages(frames())
    bar = view.canvas.verticalScrollBar()
    bar.setValue(view.canvas.stack.top(4) - 100)
    assert list(view.in_sight) == [3, 4]
    assert view.canvas.place_of(4).top() == 100


def test_pages_next_to_those_in_sight_are_drawn_before_they_are_seen(view: PageView) -> None:
    view.show_pages(frames())
    wanted_pages = asked(view)
    view.turn_to(5)
    assert wanted_pages[-1] == [5, 6, 7, 4]
    view.turn_to(4)
    assert wanted_pages[-1] == [4, 3, 2, 5]


def test_page_that_is_there_is_not_asked_for_again(view: PageView) -> None:
    view.show_pages(frames())
    wanted_pages = asked(view)
    view.turn_to(5)
    view.take(6, view.canvas.stack.factor(6), PagePicture(ppm()))
    view.turn_to(5)
    assert 6 not in wanted_pages[-1]
    assert view.is_sharp(6)


def test_pages_of_different_sizes_keep_their_place_when_zoomed(view: PageView) -> None:
    view.show_pages([Page(number, 0, 0, 400.0 + 100 * number, 300.0 + 200 * number) for number in range(1, 8)])
    view.turn_to(5)
    view.bar.nearer.trigger()
    assert view.page == 5
    assert 0 <= view.canvas.place_of(5).top() <= 2 * GAP


@pytest.mark.parametrize(("key", "page"), [(Qt.Key.Key_End, 9), (Qt.Key.Key_Home, 1)])
def test_keys_go_to_both_ends_of_the_document(qtbot: QtBot, view: PageView, key: Qt.Key, page: int) -> None:
    view.show_pages(frames())
    view.turn_to(5)
    qtbot.keyClick(view.canvas, key)
    assert view.page == page


def test_page_keys_scroll_by_what_is_in_sight(qtbot: QtBot, view: PageView) -> None:
    view.show_pages(frames())
    qtbot.keyClick(view.canvas, Qt.Key.Key_PageDown)
    assert view.canvas.verticalScrollBar().value() == view.canvas.viewport().height() - 24


def test_only_what_is_in_sight_is_painted(view: PageView) -> None:
    view.show_pages(frames(2000))
    painted: list[int] = []
    view.canvas.overlay = lambda _painter, page, _factor: painted.append(page)
    view.turn_to(1000)
    view.grab()
    assert 0 < len(set(painted)) < 4


def test_mark_in_a_text_counts_characters_as_qt_does_not(qtbot: QtBot) -> None:
    text_view = TextView(Theme(choice="light"))
    qtbot.addWidget(text_view)
    text = "😀😀 before " + TEXT
    start = text.index(QUOTE)
    text_view.show_text(text, [(start, start + len(QUOTE))])
    assert text_view.marked_text == QUOTE


def test_long_text_is_shown_around_its_passage(qtbot: QtBot) -> None:
    text_view = TextView(Theme(choice="light"))
    qtbot.addWidget(text_view)
    text = "x" * 200_000 + QUOTE + "y" * 200_000
    text_view.show_text(text, [(200_000, 200_000 + len(QUOTE))])
    assert text_view.marked_text == QUOTE
    assert len(text_view.toPlainText()) < 70_000


@pytest.mark.parametrize("is_shown_first", [True, False])
def test_a_mark_near_the_end_of_long_lines_stays_in_view(qtbot: QtBot, is_shown_first: bool) -> None:
    text_view = TextView(Theme(choice="light"))
    qtbot.addWidget(text_view)
    text = f"{'我们可以定义一个枚举，让它的各个变体分别持有不同类型的值。' * 8}\n\n" * 12
    start = text.index("枚举", len(text) - 600)
    if is_shown_first:
        text_view.show()
        text_view.resize(430, 330)
        qtbot.waitExposed(text_view)
    text_view.show_text(text, [(start, start + 2)])
    text_view.show()
    text_view.resize(430, 330)
    text_view.grab()
    QCoreApplication.processEvents()
    place = text_view.cursorRect(text_view.textCursor())
    assert text_view.marked_text == "枚举"
    assert text_view.viewport().rect().contains(place.center())


def test_whole_section_is_shaded_in_the_text_around_the_marked_passage(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run()
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    view = pane.passage_view
    assert not view.section_action.isEnabled()
    bridge.last("document_text").succeed(TEXT)
    more = next(one for one in view.changes.tools.findChildren(QToolButton))
    assert more.menu().actions()[0] is view.section_action
    view.section_action.trigger()
    job = bridge.last("section_at")
    assert job.args == (1, TEXT.index(QUOTE))
    start = TEXT.index(QUOTE)
    end = TEXT.index("Résumé")
    job.succeed(Stretch(1, start, end, TEXT[start:end], 0, 1, is_cut=True))
    assert tab(pane) == "Text"
    assert view.text_view.shaded_text.startswith("Net sales rose 12 % 😀 in 2023. Margins held.")
    assert view.text_view.marked_text == QUOTE
    assert view.notice == LONG_SECTION


def test_a_missing_section_is_reported_and_one_that_arrives_too_late_is_ignored(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    found = run()
    pane.show_run(found)
    pane.show_citation(found.citations[0])
    bridge.last("document_text").succeed(TEXT)
    view = pane.passage_view
    view.section_action.trigger()
    bridge.last("section_at").fail(NotFound("There is no passage of this document at this place."))
    assert view.notice == "There is no passage of this document at this place."
    view.section_action.trigger()
    late = bridge.last("section_at")
    pane.clear()
    late.succeed(Stretch(1, 0, 5, TEXT[:5], 0, 0))
    assert view.text_view.shaded_text == ""
