"""Folders, order and conditions of the library's rows."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from workbench.model.document import Document, DocumentStatus, Finding, FindingKind, Metadata, Origin
from workbench.ui.library.document_columns import Arrangement, DocumentColumn, FolderRow
from workbench.ui.library.document_delegate import DocumentDelegate
from workbench.ui.library.document_wording import tool_tip
from workbench.ui.library.list_view import DocumentListView
from workbench.ui.library.model import DEPTH_ROLE, DOCUMENT_ROLE, FOLDER_ROLE, DocumentModel
from workbench.ui.theme import Theme


def document(number: int, name: str, folder: str = "", **changes: Any) -> Document:
    made = Document(
        number, "default", f"/docs/{name}", name, "", 1, "pdf", DocumentStatus.READY, Metadata(name), number, 7, 7
    )
    return replace(made, folder=folder, **changes)


TREE = [
    document(1, "b.pdf", "Contracts/2024"),
    document(2, "top.pdf"),
    document(3, "a.pdf", "Contracts/2024"),
    document(4, "c.pdf", "Contracts"),
    document(5, "z.pdf", "Archive"),
]


@pytest.fixture
def model(qapp: QApplication) -> DocumentModel:
    made = DocumentModel()
    made.replace_all(TREE)
    return made


def rows(model: DocumentModel) -> list[str]:
    """Return each row indented by its depth, folders with a slash."""
    shown = []
    for row in range(model.rowCount()):
        index = model.index(row, 0)
        slash = "/" if isinstance(index.data(FOLDER_ROLE), FolderRow) else ""
        shown.append(f"{'  ' * index.data(DEPTH_ROLE)}{index.data()}{slash}")
    return shown


def row_of(model: DocumentModel, text: str) -> int:
    return next(row for row in range(model.rowCount()) if model.index(row, 0).data() == text)


def test_documents_are_shown_in_the_tree_of_their_folders(model: DocumentModel) -> None:
    assert rows(model) == [
        "Archive/",
        "  z.pdf",
        "Contracts/",
        "  2024/",
        "    b.pdf",
        "    a.pdf",
        "  c.pdf",
        "top.pdf",
    ]


def test_without_folders_or_when_they_are_switched_off_there_is_a_plain_list(model: DocumentModel) -> None:
    model.arrange(Arrangement(tree=False))
    assert rows(model) == ["b.pdf", "top.pdf", "a.pdf", "c.pdf", "z.pdf"]
    model.replace_all([document(1, "a.pdf")])
    model.arrange(Arrangement())
    assert rows(model) == ["a.pdf"]


def test_a_folder_collapses_and_shows_how_many_documents_it_contains(model: DocumentModel) -> None:
    index = model.index(row_of(model, "Contracts"), 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Folder Contracts, 3 documents, open"
    assert model.toggle(index)
    assert rows(model) == ["Archive/", "  z.pdf", "Contracts/", "top.pdf"]
    assert not model.toggle(model.index(row_of(model, "top.pdf"), 0))


def test_the_filter_finds_documents_in_a_collapsed_folder(model: DocumentModel) -> None:
    model.toggle(model.index(row_of(model, "Contracts"), 0))
    model.filter(needle="b.pdf")
    assert rows(model) == ["Contracts/", "  2024/", "    b.pdf"]


def test_part_of_a_folder_name_shows_the_documents_in_the_folder(model: DocumentModel) -> None:
    model.filter(needle="2024")
    assert rows(model) == ["Contracts/", "  2024/", "    b.pdf", "    a.pdf"]
    model.filter(needle="CONTRACTS c.")
    assert rows(model) == ["Contracts/", "  c.pdf"]


@pytest.mark.parametrize("descending", [False, True])
def test_documents_found_by_name_sort_before_documents_found_by_their_folder(
    model: DocumentModel, *, descending: bool
) -> None:
    model.put([document(6, "contracts.pdf")])
    model.arrange(Arrangement(DocumentColumn.NAME, descending, tree=False))
    model.filter(needle="contracts")
    by_folder = ["a.pdf", "b.pdf", "c.pdf"]
    assert rows(model) == ["contracts.pdf", *(reversed(by_folder) if descending else by_folder)]


def test_a_document_that_is_found_by_its_folder_can_change_and_go(model: DocumentModel) -> None:
    model.put([document(6, "archive.pdf")])
    model.arrange(Arrangement(tree=False))
    model.filter(needle="archive")
    model.put([document(7, "new.pdf", "Archive"), replace(TREE[4], status=DocumentStatus.FAILED)])
    assert rows(model) == ["archive.pdf", "z.pdf", "new.pdf"]
    model.drop([5])
    assert rows(model) == ["archive.pdf", "new.pdf"]


@pytest.mark.parametrize(
    ("sort", "descending", "expected"),
    [
        (DocumentColumn.NAME, False, ["a.pdf", "b.pdf", "c.pdf", "top.pdf", "z.pdf"]),
        (DocumentColumn.NAME, True, ["z.pdf", "top.pdf", "c.pdf", "b.pdf", "a.pdf"]),
        (DocumentColumn.ADDED, True, ["z.pdf", "c.pdf", "a.pdf", "top.pdf", "b.pdf"]),
        (DocumentColumn.PAGES, False, ["b.pdf", "top.pdf", "a.pdf", "c.pdf", "z.pdf"]),
    ],
)
def test_documents_are_ordered(
    model: DocumentModel, sort: DocumentColumn, descending: bool, expected: list[str]
) -> None:
    model.arrange(Arrangement(sort, descending, tree=False))
    assert rows(model) == expected


def test_documents_that_need_attention_come_first_when_sorted_by_status(model: DocumentModel) -> None:
    model.put([replace(TREE[3], status=DocumentStatus.FAILED), replace(TREE[1], status=DocumentStatus.QUEUED)])
    model.arrange(Arrangement(DocumentColumn.STATUS, tree=False))
    assert rows(model) == ["c.pdf", "top.pdf", "b.pdf", "a.pdf", "z.pdf"]


def test_a_document_that_arrives_or_changes_goes_to_its_place(model: DocumentModel) -> None:
    model.arrange(Arrangement(DocumentColumn.NAME))
    model.put([document(6, "aa.pdf", "Contracts/2024"), document(7, "n.pdf", "New")])
    model.put([replace(TREE[3], folder="Archive")])
    assert rows(model) == [
        "Archive/",
        "  c.pdf",
        "  z.pdf",
        "Contracts/",
        "  2024/",
        "    a.pdf",
        "    aa.pdf",
        "    b.pdf",
        "New/",
        "  n.pdf",
        "top.pdf",
    ]


def test_a_folder_goes_with_its_last_document(model: DocumentModel) -> None:
    model.drop([1, 3])
    assert rows(model) == ["Archive/", "  z.pdf", "Contracts/", "  c.pdf", "top.pdf"]
    model.drop([4, 5])
    assert rows(model) == ["top.pdf"]


def test_the_selection_is_kept_when_the_rows_move(model: DocumentModel, qtbot: QtBot) -> None:
    view = DocumentListView(model)
    qtbot.addWidget(view)
    view.selectionModel().select(model.index_of(3), QItemSelectionModel.SelectionFlag.Select)
    model.put([document(6, "0.pdf", "0")])
    model.arrange(Arrangement(DocumentColumn.NAME, tree=False))
    assert [index.data(DOCUMENT_ROLE).id for index in view.selectionModel().selectedRows()] == [3]


def test_model_keeps_qts_rules_while_the_tree_changes(qtmodeltester: ModelTester) -> None:
    model = DocumentModel()
    qtmodeltester.check(model, force_py=True)
    model.replace_all(TREE)
    model.toggle(model.index(row_of(model, "2024"), 0))
    model.arrange(Arrangement(DocumentColumn.NAME, descending=True))
    model.put([document(8, "new.pdf", "Contracts/2023"), replace(TREE[0], status=DocumentStatus.FAILED)])
    model.drop([8, 5])
    model.filter(needle="contracts")
    model.drop([1])
    model.filter(needle="")
    model.put([TREE[0]])
    model.arrange(Arrangement(tree=False))
    assert model.rowCount() == 4


def test_left_and_right_fold_and_unfold_as_in_any_tree(model: DocumentModel, qtbot: QtBot) -> None:
    view = DocumentListView(model)
    qtbot.addWidget(view)
    view.setCurrentIndex(model.index_of(3))
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.currentIndex().data() == "2024"
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert "    a.pdf" not in rows(model)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert "    a.pdf" in rows(model)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tag:law", [1]),
        ("TAG:La", [1]),
        ('tag:"due soon"', [1]),
        ("format:md", [2]),
        ("format:pdf budget", [3]),
        ("status:failed", [3]),
        ("folder:contracts", [1]),
        ("folder:2024", [1]),
        ("author:LEE", [2]),
        ("keyword:tide", [2]),
        ("origin:url", [2]),
        ("is:problem", [3, 4]),
        ("budget 2024", [3]),
        ("contr", [1]),
        ("2024", [3, 1]),
        ("contracts a.pdf", [1]),
        ("12:30", [4]),
        ("tag:", [1, 2, 3, 4]),
        ("tag:law format:md", []),
        ("-format:md", [1, 3, 4]),
        ("-is:problem", [1, 2]),
        ("format:pdf -budget -12", [1]),
        ("tag:law OR format:md", [1, 2]),
        ("(tag:law OR author:lee) -name:b", [1]),
        ("status:failed,ready budget", [3]),
        ("pages>=2 pages<4", [2, 3]),
        ("pages:2..3", [2, 3]),
        ("name=B.MD", [2]),
        ("name:*.pdf 2024", [1, 3]),
        ('author=""', [1, 3, 4]),
        ("created>2020", []),
        ("budget -", []),
        ("x (budget", []),
    ],
)
def test_the_filter_box_understands_words_and_conditions(query: str, expected: list[int]) -> None:
    metadata = Metadata("Tides", author="Ada Lee", keywords=("tides",))
    model = DocumentModel()
    model.replace_all(
        [
            document(1, "a.pdf", "Contracts/2024", tags=("Law", "due soon")),
            document(2, "b.md", format="markdown", metadata=metadata, origin=Origin.URL),
            document(3, "Budget 2024.pdf", status=DocumentStatus.FAILED, reason="It is damaged."),
            document(4, "12:30.pdf", findings=(Finding(FindingKind.NO_TEXT, (1,)),)),
        ]
    )
    model.arrange(Arrangement(tree=False))
    model.filter(needle=query)
    assert [model.index(row, 0).data(DOCUMENT_ROLE).id for row in range(model.rowCount())] == expected


def test_a_document_that_waits_for_its_vectors_is_no_problem() -> None:
    waiting = document(1, "a.pdf", status=DocumentStatus.INDEXED, embedded=0)
    given_up = replace(waiting, id=2, reason="The embedder cannot be loaded.")
    model = DocumentModel()
    in_ocr = document(3, "c.pdf", status=DocumentStatus.EMBEDDING, findings=(Finding(FindingKind.NO_TEXT, (1,)),))
    model.replace_all([waiting, given_up, in_ocr])
    model.arrange(Arrangement(tree=False))
    model.filter(needle="is:problem")
    assert [model.index(row, 0).data(DOCUMENT_ROLE).id for row in range(model.rowCount())] == [2]
    assert "without text" not in tool_tip(in_ocr)
    assert "without text" in tool_tip(replace(in_ocr, status=DocumentStatus.READY))


def test_a_chosen_row_shows_no_colour_beside_its_rounded_background(qtbot: QtBot, model: DocumentModel) -> None:
    theme = Theme(choice="light")
    view = DocumentListView(model)
    qtbot.addWidget(view)
    view.setStyleSheet(theme.stylesheet())
    view.dress(DocumentDelegate(theme, view))
    view.resize(280, 300)
    view.show()
    view.selectRow(0)
    picture = view.grab().toImage()
    row = view.visualRect(model.index(0, 0))
    assert picture.pixelColor(row.left() + 1, row.center().y()) == picture.pixelColor(row.left() + 1, row.bottom() + 30)
