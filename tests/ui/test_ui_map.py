"""Map pane, with a worker that does only what a test requests."""

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, FakeJob, fake_operations
from ui_maps import passage, ready, small_map
from ui_runs import chunk, document, hit, run

from workbench.errors import IndexUnavailable
from workbench.model.import_progress import DocumentChanged
from workbench.model.map import MapOutlook, MapProgress, MapState
from workbench.ui.map.canvas import MapCanvas
from workbench.ui.map.pane import MapPane
from workbench.ui.map.presenter import MapPresenter
from workbench.ui.map.raster import draw_map_picture
from workbench.ui.map.viewport import View
from workbench.ui.theme import Theme


def point_at(canvas: MapCanvas, place: QPoint) -> None:
    """Move the mouse to a position, even if a window of another test is above it."""
    at, none = QPointF(place), Qt.MouseButton.NoButton
    moved = QMouseEvent(QEvent.Type.MouseMove, at, canvas.mapToGlobal(at), none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(canvas, moved)


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    monkeypatch.setattr("workbench.ui.map.raster.drawing", lambda *args: FakeJob("drawing", args, {}))
    return FakeBridge()


@pytest.fixture
def pane(qtbot: QtBot, bridge: FakeBridge) -> MapPane:
    presenter = MapPresenter(bridge)  # type: ignore[arg-type]
    made = MapPane(presenter, bridge, Theme(choice="light"))  # type: ignore[arg-type]
    presenter.setParent(made)
    qtbot.addWidget(made)
    made.resize(700, 420)
    made.show()
    presenter.set_library(object())  # type: ignore[arg-type]
    return made


@pytest.fixture
def shown(pane: MapPane, bridge: FakeBridge) -> MapPane:
    """Return the pane with a map, its points drawn."""
    pane._presenter.see(True)
    bridge.last("library_map").succeed(ready())
    QApplication.processEvents()
    draw(bridge)
    return pane


def draw(bridge: FakeBridge) -> None:
    """Do the work of the worker: draw until the requested picture is shown."""
    done: list[FakeJob] = []
    while open_jobs := [job for job in bridge.jobs if job.name == "drawing" and job not in done]:
        done.append(open_jobs[-1])
        done.extend(open_jobs[:-1])
        open_jobs[-1].name = "drawn"
        open_jobs[-1].succeed(draw_map_picture(*open_jobs[-1].args))


def count_of(bridge: FakeBridge, name: str) -> int:
    return sum(job.name == name for job in bridge.jobs)


def place_of(canvas: MapCanvas, point: int) -> QPoint:
    return canvas.pixel_of(point).toPoint()


def wheel(canvas: MapCanvas, notches: int, place: QPointF) -> None:
    event = QWheelEvent(
        place,
        QPointF(canvas.mapToGlobal(place.toPoint())),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, event)


def test_the_map_is_not_loaded_while_its_pane_is_hidden(pane: MapPane, bridge: FakeBridge) -> None:
    bridge.publish(DocumentChanged(document()))
    assert not bridge.has("library_map")
    pane._presenter.see(True)
    assert bridge.has("library_map")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (MapState.NO_DOCUMENTS, "No documents yet"),
        (MapState.NOT_EMBEDDED, "no vectors yet"),
        (MapState.KEYWORD_ONLY, "Only keyword search"),
    ],
)
def test_the_pane_shows_why_there_is_no_map(pane: MapPane, bridge: FakeBridge, state: MapState, words: str) -> None:
    pane._presenter.see(True)
    bridge.last("library_map").succeed(MapOutlook(state))
    said = " ".join(one.text() for one in pane._empty.findChildren(type(pane._empty._title)))
    assert words in said
    assert not pane.shows_map
    assert not bridge.has("draw_map")
    assert not pane._draw.isVisible()


def test_a_map_that_is_not_there_is_drawn_with_its_progress_and_can_be_cancelled(
    pane: MapPane, bridge: FakeBridge, qtbot: QtBot
) -> None:
    pane._presenter.see(True)
    bridge.last("library_map").succeed(MapOutlook(MapState.NOT_DRAWN))
    job = bridge.last("draw_map")
    job.emit(MapProgress("Arranging similar passages", 0.3))
    assert pane._bars[0].isVisible()
    assert pane._bars[0].value() == 300
    qtbot.mouseClick(pane._stop, Qt.MouseButton.LeftButton)
    assert job.cancelled
    job.end_cancelled()
    assert pane._draw.isVisible()
    assert not pane._stop.isVisible()
    pane._presenter.see(False)
    pane._presenter.see(True)
    assert count_of(bridge, "draw_map") == 1


def test_an_outdated_map_is_shown_while_it_is_redrawn(pane: MapPane, bridge: FakeBridge) -> None:
    pane._presenter.see(True)
    bridge.last("library_map").succeed(ready(state=MapState.OUTDATED))
    assert pane.shows_map
    assert bridge.has("draw_map")
    bridge.last("draw_map").emit(MapProgress("Choosing sample passages", 0.1))
    assert pane.visible_text == "Redrawing the map: choosing sample passages…"
    bridge.last("draw_map").succeed(ready(small_map(3)))
    assert pane.visible_text == "15 passages of 3 documents"


def test_a_failed_drawing_of_the_map_is_reported_and_not_retried_automatically(
    pane: MapPane, bridge: FakeBridge
) -> None:
    pane._presenter.see(True)
    bridge.last("library_map").succeed(MapOutlook(MapState.NOT_DRAWN))
    bridge.last("draw_map").fail(IndexUnavailable("The map could not be drawn.", "Try again."))
    assert pane.banner.isVisible()
    assert pane._draw.isVisible()
    assert count_of(bridge, "draw_map") == 1


def test_a_damaged_map_is_reported(pane: MapPane, bridge: FakeBridge, qtbot: QtBot) -> None:
    pane._presenter.see(True)
    with qtbot.waitSignal(pane._presenter.noticed) as told:
        bridge.last("library_map").succeed(MapOutlook(MapState.NOT_DRAWN, notice="The map was damaged."))
    assert told.args == ["The map was damaged."]


def test_changes_of_documents_are_followed_when_they_are_over(shown: MapPane, bridge: FakeBridge) -> None:
    before = count_of(bridge, "library_map")
    for _ in range(5):
        bridge.publish(DocumentChanged(document()))
    assert count_of(bridge, "library_map") == before
    assert shown._presenter._later.isActive()
    shown._presenter._later.timeout.emit()
    assert count_of(bridge, "library_map") == before + 1


def test_points_are_painted(shown: MapPane) -> None:
    picture = shown.canvas.grab().toImage()
    place = place_of(shown.canvas, 2)
    # The name of its region covers some of the document's points.
    around = [picture.pixelColor(place + QPoint(x, y)) for x in range(-20, 21) for y in range(-20, 21)]
    assert any(colour.blue() > colour.red() + 60 for colour in around)


def test_the_wheel_comes_nearer_and_the_double_click_and_the_keys(shown: MapPane, qtbot: QtBot) -> None:
    canvas = shown.canvas
    wheel(canvas, 2, QPointF(100, 100))
    assert canvas.view.nearness == pytest.approx(1.2**2, rel=0.05)
    qtbot.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.view == View.whole(canvas.width(), canvas.height())
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(80, 90))
    assert canvas.view.nearness == pytest.approx(2.0)
    qtbot.keyClick(canvas, Qt.Key.Key_Minus)
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.view.nearness == pytest.approx(2.0)
    x = canvas.view.x
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.view.x > x


def test_a_drag_moves_the_map_and_opens_nothing(shown: MapPane, qtbot: QtBot) -> None:
    canvas = shown.canvas
    opened: list[int] = []
    canvas.chosen.connect(opened.append)
    before = canvas.view.pixel(0.0, 0.0)
    start = place_of(canvas, 0)
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(canvas, start + QPoint(-30, 12))
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start + QPoint(-30, 12))
    after = canvas.view.pixel(0.0, 0.0)
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((-30, 12))
    assert opened == []


def test_a_small_move_needs_no_new_picture_and_a_zoom_does(shown: MapPane, bridge: FakeBridge, qtbot: QtBot) -> None:
    before = count_of(bridge, "drawing")
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Right)
    assert count_of(bridge, "drawing") == before
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Plus)
    assert count_of(bridge, "drawing") == before + 1


def test_pointing_at_a_passage_shows_its_card(shown: MapPane, bridge: FakeBridge, qtbot: QtBot) -> None:
    point_at(shown.canvas, place_of(shown.canvas, 7))
    shown._hover.timeout.emit()
    number = int(small_map().ids[shown._point])
    assert bridge.last("passage_on_map").args == (number,)
    bridge.last("passage_on_map").succeed(passage(number))
    assert shown.card.isVisible()
    assert shown.card.visible_text == "report_0.pdf\npage 4 · Results › Sales\nNet sales rose 12 % in 2023…"
    assert shown.canvas.rect().contains(shown.card.geometry())
    point_at(shown.canvas, QPoint(2, 2))
    assert not shown.card.isVisible()


def test_a_card_that_comes_too_late_is_not_shown(shown: MapPane, bridge: FakeBridge, qtbot: QtBot) -> None:
    point_at(shown.canvas, place_of(shown.canvas, 7))
    shown._hover.timeout.emit()
    number = bridge.last("passage_on_map").args[0]
    point_at(shown.canvas, QPoint(2, 2))
    bridge.last("passage_on_map").succeed(passage(number))
    assert not shown.card.isVisible()


def test_a_click_opens_the_passage(shown: MapPane, bridge: FakeBridge, qtbot: QtBot) -> None:
    with qtbot.waitSignal(shown._presenter.opened) as opened:
        qtbot.mouseClick(shown.canvas, Qt.MouseButton.LeftButton, pos=place_of(shown.canvas, 7))
        bridge.last("passage_on_map").succeed(passage(8))
    assert opened.args[0].chunk == 8


def test_an_answer_is_drawn_at_once_and_its_question_when_its_place_is_known(
    shown: MapPane, bridge: FakeBridge, qtbot: QtBot
) -> None:
    first = hit(1)
    first = type(first)(1, type(first.chunk)(*_with_id(4)), first.document_name, "", "", "default", first.scores)
    shown._presenter.show_run(run("Sales rose [1].", first))
    overlay = shown.canvas._overlay
    assert [(spot.chunk, spot.cited) for spot in overlay.spots] == [(4, True)]
    assert overlay.stars[0].x is None
    late = bridge.last("place_on_map")
    shown._presenter.show_run(run("Sales rose [1].", first, number=2))
    late.succeed(((0.9, 0.9),))
    assert shown.canvas._overlay.stars[0].x is None
    bridge.last("place_on_map").succeed(((0.1, 0.2),))
    assert (shown.canvas._overlay.stars[0].x, shown.canvas._overlay.stars[0].y) == (0.1, 0.2)
    shown._hits.click()
    assert shown.canvas.view.nearness > 1.2
    point_at(shown.canvas, place_of(shown.canvas, 3))
    assert shown._point == 3
    shown.canvas.grab()


def _with_id(number: int) -> tuple[Any, ...]:
    made = chunk(1)
    names = ("ordinal", "start", "end", "text", "page", "page_end", "headings", "kind", "tokens", "oversize")
    return (*(getattr(made, name) for name in names), number)


def test_documents_selected_in_the_list_are_highlighted_on_the_map(shown: MapPane, bridge: FakeBridge) -> None:
    rows = shown.lists.documents
    assert [rows.model().index(row).data() for row in range(2)] == ["report_0.pdf", "report_1.pdf"]
    rows.setCurrentIndex(rows.model().index(3))
    assert shown.canvas._chosen == (3,)
    assert bridge.has("drawing")
    assert shown.lists._all.isVisible()
    shown.lists._all.click()
    assert shown.canvas._chosen == ()


def test_regions_are_listed_with_their_documents_and_looked_at(shown: MapPane) -> None:
    shown.lists.setCurrentIndex(1)
    rows = shown.lists.regions
    index = rows.model().index(2)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "topic 2. 5 passages · report_2.pdf 5"
    rows.activated.emit(index)
    region = small_map().regions[2]
    assert (shown.canvas.view.x, shown.canvas.view.y) == pytest.approx((region.x, region.y))


def test_a_wide_pane_has_its_lists_beside_the_map_and_a_narrow_one_below(shown: MapPane) -> None:
    assert shown._splitter.orientation() is Qt.Orientation.Horizontal
    shown.resize(320, 640)
    QApplication.processEvents()
    assert shown._splitter.orientation() is Qt.Orientation.Vertical


def test_every_control_has_an_accessible_name_and_the_map_describes_its_content(shown: MapPane) -> None:
    assert nameless(shown) == []
    said = shown.canvas.accessibleDescription()
    assert "60 passages of 12 documents" in said
    assert "topic 0" in said


def test_another_library_shows_nothing_of_the_first(shown: MapPane, bridge: FakeBridge) -> None:
    shown._presenter.set_library(None)
    assert not shown.shows_map
    assert shown.lists.documents.rows.rowCount() == 0


def test_the_map_follows_the_theme(shown: MapPane, bridge: FakeBridge) -> None:
    shown.canvas._theme.choose("dark")
    draw(bridge)
    assert shown.canvas.grab().toImage().pixelColor(3, 3).lightness() < 60
    shown.canvas._theme.choose("light")


def test_where_there_is_little_room_the_lists_wait_until_they_are_asked_for(shown: MapPane) -> None:
    assert shown.lists.isVisible()
    shown.resize(380, 240)
    assert not shown.lists.isVisible()
    shown._listed.click()
    assert shown.lists.isVisible()
    shown.resize(370, 230)
    assert shown.lists.isVisible()
    shown._listed.click()
    shown.resize(900, 600)
    assert not shown.lists.isVisible()
