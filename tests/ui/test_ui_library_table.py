"""The documents as a table: columns to sort by, moved, hidden and restored."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.model.custom_metadata import checked_metadata
from workbench.model.document import Document, DocumentStatus, Metadata
from workbench.ui.library.document_columns import FIRST, KINDS, Arrangement, ColumnView, DocumentColumn
from workbench.ui.library.model import DocumentModel
from workbench.ui.library.pane import LibraryPane
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.theme import Theme
from workbench.ui.window_state import WindowState

TABLE = ColumnView(is_table=True)


def document(number: int, name: str, folder: str = "", **changes: Any) -> Document:
    made = Document(
        number, "default", f"/docs/{name}", name, "", 1, "pdf", DocumentStatus.READY, Metadata(name), number, 7, 7
    )
    return replace(made, folder=folder, **changes)


DOCUMENTS = [
    document(1, "b.pdf", "Contracts", chunks=1200, tags=("law", "due"), added="2026-11-22T14:05:00+00:00"),
    document(2, "a.pdf", status=DocumentStatus.FAILED, reason="It is damaged.", chunks=0, pages=0),
    document(3, "c.pdf", metadata=Metadata("c", author="Ada", created="2024-05")),
]


@pytest.fixture
def pane(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> LibraryPane:
    fake_operations(monkeypatch)
    bridge = FakeBridge()
    presenter = LibraryPresenter(bridge)  # type: ignore[arg-type]
    presenter.set_library(object())  # type: ignore[arg-type]
    bridge.last("list_documents").succeed(DOCUMENTS)
    made = LibraryPane(presenter, Theme())
    made.prepare()
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


def cells(model: DocumentModel) -> list[list[str]]:
    columns = range(model.columnCount())
    return [[model.index(row, column).data() or "" for column in columns] for row in range(model.rowCount())]


def headings(model: DocumentModel) -> list[str]:
    return [model.headerData(section, Qt.Orientation.Horizontal) or "" for section in range(model.columnCount())]


def test_the_table_shows_status_pages_chunks_date_and_tags(pane: LibraryPane) -> None:
    pane.show_view(TABLE)
    model = pane._presenter.model
    assert headings(model) == ["Name", "Status", "Pages", "Passages", "Added", "Tags"]
    folder, first, second, third = cells(model)
    assert folder == ["Contracts", "", "", "", "", ""]
    assert first == ["b.pdf", "Ready", "1", "1,200", "22 Nov 2026", "law, due"]
    assert second == ["a.pdf", "It is damaged.", "", "", "", ""]
    assert third[0] == "c.pdf"
    assert nameless(pane) == []


def test_every_column_can_be_shown_and_ordered_by(pane: LibraryPane, qtmodeltester: ModelTester) -> None:
    model = pane._presenter.model
    pane.show_view(ColumnView(True, tuple(DocumentColumn)))
    for column in KINDS:
        pane.arrange(Arrangement(DocumentColumn(column), tree=False))
        assert {row[0] for row in cells(model)} == {"a.pdf", "b.pdf", "c.pdf"}, column
    assert [row[0] for row in cells(model)] == ["b.pdf", "a.pdf", "c.pdf"]
    qtmodeltester.check(model, force_py=True)


def test_a_key_of_ones_own_is_a_column_that_is_offered_ordered_by_and_remembered(
    pane: LibraryPane, tmp_path: Path
) -> None:
    for number, budget in ((1, 9), (3, 120)):
        pane._presenter.model.put([replace(DOCUMENTS[number - 1], stored_custom=checked_metadata({"budget": budget}))])
    pane.show_view(ColumnView(True, (DocumentColumn.NAME,)))
    menu = pane._options._columns
    assert menu is not None
    menu.aboutToShow.emit()
    next(action for action, column in menu._actions.items() if column == "metadata.budget").trigger()
    assert pane.view.columns == (DocumentColumn.NAME, "metadata.budget")
    pane.arrange(Arrangement("metadata.budget", descending=True, tree=False))
    assert cells(pane._presenter.model) == [["a.pdf", ""], ["c.pdf", "120"], ["b.pdf", "9"]]
    assert pane._presenter.model.headerData(1, Qt.Orientation.Horizontal) == "budget"
    assert ColumnView.of(str(pane.view)).columns == pane.view.columns
    state = WindowState(tmp_path / "window.ini")
    state.arrangement = pane._presenter.model.arrangement
    assert state.arrangement == pane._presenter.model.arrangement


def test_documents_without_an_author_sort_last(pane: LibraryPane) -> None:
    pane.show_view(ColumnView(True, (DocumentColumn.NAME, DocumentColumn.AUTHOR)))
    pane.arrange(Arrangement(DocumentColumn.AUTHOR, tree=False))
    assert cells(pane._presenter.model) == [["c.pdf", "Ada"], ["b.pdf", ""], ["a.pdf", ""]]


def test_a_click_on_a_heading_sorts_and_a_second_click_reverses_the_order(pane: LibraryPane, qtbot: QtBot) -> None:
    pane.show_view(TABLE)
    header = pane._list.horizontalHeader()
    place = header.rect().center()
    place.setX(header.sectionViewportPosition(3) + 10)
    for expected in (Arrangement(DocumentColumn.CHUNKS), Arrangement(DocumentColumn.CHUNKS, descending=True)):
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert pane._presenter.model.arrangement == expected
    assert header.sortIndicatorSection() == 3
    assert header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder


def test_the_selection_is_kept_when_switching_from_list_to_table_and_back(pane: LibraryPane) -> None:
    pane.select(3)
    pane._list.selectionModel().select(
        pane._presenter.model.index_of(1),
        QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows,
    )
    for view in (TABLE, TABLE.toggled(DocumentColumn.SIZE), ColumnView()):
        pane.show_view(view)
        assert [one.id for one in pane.selected()] == [1, 3]
        assert pane._list.currentIndex().data() == "c.pdf"


def test_a_column_is_hidden_and_comes_back_at_its_place() -> None:
    hidden = TABLE.toggled(DocumentColumn.PAGES)
    assert hidden.columns == (
        DocumentColumn.NAME,
        DocumentColumn.STATUS,
        DocumentColumn.CHUNKS,
        DocumentColumn.ADDED,
        DocumentColumn.TAGS,
    )
    assert hidden.toggled(DocumentColumn.PAGES).columns == FIRST


def test_the_menu_shows_the_table_and_ticks_its_columns(pane: LibraryPane) -> None:
    options = pane._options
    options._table.trigger()
    assert pane.view.is_table
    assert options._columns is not None
    action = next(action for action, column in options._columns._actions.items() if column is DocumentColumn.TAGS)
    assert action.isChecked()
    action.trigger()
    assert DocumentColumn.TAGS not in pane.view.columns
    options._table.trigger()
    assert not pane.view.is_table
    assert pane._list.horizontalHeader().isHidden()


def test_moved_and_widened_columns_are_remembered(pane: LibraryPane, tmp_path: Path) -> None:
    pane.show_view(TABLE)
    header = pane._list.horizontalHeader()
    header.moveSection(header.visualIndex(5), 1)
    header.resizeSection(2, 123)
    WindowState(tmp_path).documents_view = pane.view
    kept = WindowState(tmp_path).documents_view
    assert kept.columns == (
        DocumentColumn.NAME,
        DocumentColumn.TAGS,
        DocumentColumn.STATUS,
        DocumentColumn.PAGES,
        DocumentColumn.CHUNKS,
        DocumentColumn.ADDED,
    )
    assert kept.width(DocumentColumn.PAGES) == 123
    pane.show_view(kept)
    assert headings(pane._presenter.model)[:3] == ["Name", "Tags", "Status"]


@pytest.mark.parametrize("text", ["", "table", "table status=3", "garbage name", "table name=x pages=-4"])
def test_a_view_that_was_spoiled_is_the_usual_one_or_a_sound_one(text: str) -> None:
    view = ColumnView.of(text)
    assert view.columns[0] is DocumentColumn.NAME
    assert all(view.width(column) >= 40 for column in view.columns)


def test_left_and_right_go_through_the_cells_and_fold_a_folder(pane: LibraryPane) -> None:
    pane.show_view(TABLE)
    view, model = pane._list, pane._presenter.model
    view.setCurrentIndex(model.index_of(1))
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.currentIndex().column() == 1
    QTest.keyClick(view, Qt.Key.Key_Left)
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.currentIndex().data() == "Contracts"
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert [row[0] for row in cells(model)] == ["Contracts", "a.pdf", "c.pdf"]


def test_a_row_of_the_table_is_painted_with_its_cells(pane: LibraryPane) -> None:
    pane.show_view(TABLE)
    blank = pane._list.grab().toImage()
    pane._list.selectRow(1)
    assert pane._list.grab().toImage() != blank
