"""Map in the whole window, on a real library with documents."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless

from workbench.app import build_window
from workbench.ui.app_controller import AppController
from workbench.ui.map.pane import MapPane

HERON = "The grey heron nests on the east pier and counts forty pairs."
OTHERS = ("The tide turns twice a day.", "Bread is baked with flour and salt.", "保修期为三年，自交货之日起计算。")


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path, warm_readers: None) -> Iterator[AppController]:
    for number, text in enumerate((HERON, *OTHERS)):
        (tmp_path / f"paper_{number}.md").write_text(f"# Paper {number}\n\n{text}\n", "utf-8")
    made = build_window(tmp_path / "library", appearance="light")
    try:
        with qtbot.waitSignal(made.settled, timeout=20_000):
            made.window.show()
        yield made
    finally:
        made.window.close()
        made.shut_down()
        made.window.deleteLater()


def added(shell: AppController, qtbot: QtBot, folder: Path) -> None:
    with qtbot.waitSignal(shell.documents.notified, timeout=60_000):
        shell.documents.add(sorted(folder.glob("*.md")))


def revealed(shell: AppController) -> MapPane:
    shell.window.actions_by_name["focus_map"].trigger()
    assert shell.map.pane is not None
    return shell.map.pane


def test_the_map_is_made_when_it_is_first_shown_and_hides_again(shell: AppController, qtbot: QtBot) -> None:
    assert shell.map.dock.isHidden()
    assert shell.map.pane is None
    pane = revealed(shell)
    assert shell.map.dock.isVisible()
    assert shell.window.dockWidgetArea(shell.map.dock) is Qt.DockWidgetArea.BottomDockWidgetArea
    qtbot.waitUntil(lambda: "No documents yet" in pane._empty._title.text(), timeout=20_000)
    shell.map.dock.toggleViewAction().trigger()
    assert shell.map.dock.isHidden()


def test_documents_are_drawn_as_they_come_and_an_answer_shows_its_hits_whose_passages_open(
    shell: AppController, qtbot: QtBot, tmp_path: Path
) -> None:
    pane = revealed(shell)
    added(shell, qtbot, tmp_path)
    qtbot.waitUntil(lambda: pane.shows_map, timeout=60_000)
    qtbot.waitUntil(lambda: pane.visible_text == "4 passages of 4 documents", timeout=60_000)
    with qtbot.waitSignal(shell.chat.session_updated, timeout=60_000):
        shell.chat.ask("How many pairs of herons nest there?")
    qtbot.waitUntil(lambda: any(star.x is not None for star in pane.canvas._overlay.stars), timeout=20_000)
    cited = next(spot for spot in pane.canvas._overlay.spots if spot.cited)
    place = QPointF(pane.canvas.pixel_of(cited.point))
    shell.inspector.clear()
    qtbot.mouseClick(pane.canvas, Qt.MouseButton.LeftButton, pos=place.toPoint())
    qtbot.waitUntil(lambda: shell.inspector.shown is not None, timeout=20_000)
    assert shell.inspector.shown is not None
    assert "grey heron" in shell.inspector.shown.text
    assert nameless(shell.map.dock) == []
