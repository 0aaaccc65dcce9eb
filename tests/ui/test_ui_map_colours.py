"""Colours of documents on the map, the document under the pointer, and the map of one knowledge base."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_ui_map import draw, place_of, point_at
from ui_fake_worker import FakeBridge, FakeJob, fake_operations
from ui_maps import ready, small_map

from workbench.model.map import LibraryMap
from workbench.ui.map.colouring import COLOURS, first_slots, visible_slots
from workbench.ui.map.pane import MapPane
from workbench.ui.map.presenter import MapPresenter, MapScope, part_of
from workbench.ui.map.viewport import View
from workbench.ui.theme import Theme

WHOLE = View.whole(400, 300)


def near(map: LibraryMap, document: int) -> View:
    x, y = map.points[map.documents == document].mean(axis=0).tolist()
    return WHOLE.around(x, y, 0.2)


def of_two_bases() -> LibraryMap:
    """Return a map whose every third document is in “law”."""
    map = small_map(12)
    bases = ("law", "default", "default")
    shown = tuple(replace(one, knowledge_base=bases[place % 3]) for place, one in enumerate(map.shown))
    return replace(map, shown=shown)


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
    made.resize(900, 500)
    made.show()
    presenter.set_library(object())  # type: ignore[arg-type]
    presenter.see(True)
    bridge.last("library_map").succeed(ready(of_two_bases()))
    QApplication.processEvents()
    draw(bridge)
    return made


def listed(pane: MapPane) -> list[str]:
    rows = pane.lists.documents.rows
    return [str(rows.data(rows.index(row))) for row in range(rows.rowCount())]


def test_seen_whole_the_documents_with_most_points_have_the_colours() -> None:
    map = small_map(12)
    assert first_slots(map) == tuple(range(COLOURS))
    assert visible_slots(map, WHOLE, first_slots(map)) == first_slots(map)


def test_a_grey_document_gets_a_colour_where_only_it_is_in_sight() -> None:
    map = small_map(12)
    slots = visible_slots(map, near(map, 11), first_slots(map))
    assert 11 in slots
    assert len(set(slots)) == COLOURS


def test_a_document_keeps_its_colour_while_one_looks_around() -> None:
    map = small_map(12)
    slots = visible_slots(map, near(map, 11), first_slots(map))
    assert visible_slots(map, near(map, 11).moved(3, 3), slots) == slots
    assert visible_slots(map, WHOLE, slots) == first_slots(map)


def test_with_as_many_colours_as_documents_none_changes() -> None:
    map = small_map(COLOURS)
    assert visible_slots(map, near(map, 3), first_slots(map)) == first_slots(map)


def test_the_list_names_those_first_that_have_the_colours(pane: MapPane, qtbot: QtBot) -> None:
    assert listed(pane)[:2] == ["report_0.pdf", "report_1.pdf"]
    pane.canvas.look(near(small_map(12), 11))
    with qtbot.waitSignal(pane.canvas.coloured, timeout=5_000):
        pass
    assert "report_11.pdf" in listed(pane)[:COLOURS]
    assert sorted(listed(pane)) == sorted(f"report_{number}.pdf" for number in range(12))


def test_colours_stay_while_documents_are_chosen(pane: MapPane) -> None:
    pane.canvas.stand_out((2,))
    pane.canvas.look(near(small_map(12), 11))
    pane.canvas._colour()
    assert listed(pane)[0] == "report_0.pdf"


def test_pointing_at_a_passage_marks_all_of_its_document(pane: MapPane, qtbot: QtBot) -> None:
    point_at(pane.canvas, place_of(pane.canvas, 7))
    qtbot.waitUntil(lambda: pane.canvas._marked is not None)
    assert pane.canvas._marked is not None
    assert np.array_equal(pane.canvas._marked, small_map(12).points[5:10])


def test_pointing_at_a_row_marks_the_document_on_the_map(pane: MapPane) -> None:
    pane.lists.documents.entered.emit(pane.lists.documents.rows.index(3))
    assert pane.canvas._marked is not None
    pane.canvas.mark_document(-1)
    assert pane.canvas._marked is None
    assert not pane.canvas.grab().isNull()


def test_a_part_keeps_places_and_names_only_its_documents() -> None:
    map = of_two_bases()
    law = part_of(map, "law")
    assert [one.name for one in law.shown] == ["report_0.pdf", "report_3.pdf", "report_6.pdf", "report_9.pdf"]
    assert np.array_equal(law.points, map.points[map.documents % 3 == 0])
    assert np.array_equal(np.unique(law.documents), [0, 1, 2, 3])
    assert {one.name for region in law.regions for one in region.documents} == {one.name for one in law.shown}
    assert sum(region.chunks for region in law.regions) == len(law.ids)
    assert part_of(map, "nowhere").regions == ()


def test_the_map_follows_the_knowledge_base_that_is_worked_in(pane: MapPane) -> None:
    presenter = pane._presenter
    assert not pane._only.isVisible()
    presenter.show_within(MapScope("law"))
    assert pane.visible_text == "20 passages of 4 documents in “law”"
    assert pane._only.isChecked()
    pane._only.click()
    assert pane.visible_text == "60 passages of 12 documents"
    pane._only.click()
    assert len(listed(pane)) == 4
    presenter.show_within(MapScope())
    assert len(listed(pane)) == 12


def test_a_row_that_is_chosen_after_others_came_first_is_the_right_document(pane: MapPane) -> None:
    pane.lists.show_colours((11, 1, 2, 3, 4, 5, 6, 7))
    chosen: list[tuple[int, ...]] = []
    pane.lists.documents_chosen.connect(chosen.append)
    view = pane.lists.documents
    view.setCurrentIndex(QModelIndex(view.rows.index(0)))
    assert chosen[-1] == (11,)
