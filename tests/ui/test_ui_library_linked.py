"""Linked folders and the bin in the window: presenter and dialogs against a fake of the operations."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.model.custom_metadata import checked_metadata
from workbench.model.document import Document, DocumentStatus, Metadata
from workbench.model.knowledge_base import (
    NOT_REACHABLE,
    BinnedDocument,
    FolderCheck,
    FoldersChecked,
    KnowledgeBasesChanged,
    LinkedFolder,
    Removal,
)
from workbench.ui.library.bin_dialog import BinDialog, why
from workbench.ui.library.linked_folders_dialog import (
    FolderCard,
    LinkedFoldersDialog,
    LinkedPresenter,
    describe_check,
    standing,
)
from workbench.ui.library.metadata_dialogs import MetadataDialog
from workbench.ui.localisation import ago, days_left
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.theme import Theme

LIBRARY: Any = object()
PAPERS = LinkedFolder(1, "default", "/docs/papers", "2026-01-01T00:00:00+00:00", "", "", 3)


class FakeDocuments:
    """Stand-in for the library presenter that records requested imports."""

    target = "law"

    def __init__(self) -> None:
        self.imports: list[tuple[Any, ...]] = []

    def import_with(self, verb: str, *args: Any, quiet: bool, **options: Any) -> None:
        assert quiet  # the result of a check has its own event
        self.imports.append((verb, args, options))


def ago_by(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


def binned(number: int, removal: Removal = Removal.BY_USER) -> BinnedDocument:
    name = f"paper-{number}.pdf"
    document = Document(number, "default", f"/docs/{name}", name, "", 1, "pdf", DocumentStatus.READY, Metadata(name))
    return BinnedDocument(document, removal, ago_by(days=2))


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def documents() -> FakeDocuments:
    return FakeDocuments()


@pytest.fixture
def presenter(
    bridge: FakeBridge, documents: FakeDocuments, monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> Iterator[LinkedPresenter]:
    fake_operations(monkeypatch)
    made = LinkedPresenter(bridge, documents)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    bridge.last("list_linked_folders").succeed([PAPERS])
    yield made
    made.set_library(None)


@pytest.fixture
def bin_dialog(presenter: LinkedPresenter, bridge: FakeBridge, qtbot: QtBot) -> BinDialog:
    settings = SettingsPresenter(bridge)  # type: ignore[arg-type]
    dialog = BinDialog(presenter, settings, Theme(choice="light"))
    qtbot.addWidget(dialog)
    dialog.begin()
    bridge.last("list_bin").succeed([binned(7), binned(8, Removal.WITH_FILE)])
    return dialog


def test_the_folders_are_followed_as_soon_as_the_library_is_open(
    presenter: LinkedPresenter, bridge: FakeBridge
) -> None:
    assert presenter.folders == [PAPERS]
    assert not bridge.last("watch_linked_folders").cancelled
    presenter.set_library(None)
    assert bridge.last("watch_linked_folders").cancelled


def test_without_a_linked_folder_nothing_is_followed(presenter: LinkedPresenter, bridge: FakeBridge) -> None:
    bridge.jobs.clear()
    presenter.set_library(LIBRARY)
    bridge.last("list_linked_folders").succeed([])
    assert [job.name for job in bridge.jobs] == ["list_linked_folders"]


def test_a_folder_is_linked_to_the_chosen_knowledge_base(presenter: LinkedPresenter, documents: FakeDocuments) -> None:
    presenter.link(Path("/docs/合同"))
    assert documents.imports == [("link_folder", (Path("/docs/合同"),), {"knowledge_base": "law"})]


def test_a_new_folder_is_followed_from_its_first_look_on(presenter: LinkedPresenter, bridge: FakeBridge) -> None:
    before = bridge.last("watch_linked_folders")
    other = LinkedFolder(2, "law", "/docs/other", "2026-01-01T00:00:00+00:00")
    bridge.domain_event.emit(FoldersChecked((FolderCheck(other, added=4),)))
    bridge.last("list_linked_folders").succeed([PAPERS, other])
    assert before.cancelled
    assert bridge.last("watch_linked_folders") is not before


def test_folders_that_went_with_their_knowledge_base_are_followed_no_longer_until_it_is_back(
    presenter: LinkedPresenter, bridge: FakeBridge
) -> None:
    before = bridge.last("watch_linked_folders")
    bridge.domain_event.emit(KnowledgeBasesChanged(("default", "law")))
    bridge.last("list_linked_folders").succeed([PAPERS])
    assert not before.cancelled
    bridge.domain_event.emit(KnowledgeBasesChanged(("default",)))
    bridge.last("list_linked_folders").succeed([])
    assert before.cancelled
    bridge.last("list_linked_folders").succeed([])
    assert presenter.folders == []


def test_changes_and_problems_of_a_linked_folder_are_each_notified_once(
    presenter: LinkedPresenter, bridge: FakeBridge
) -> None:
    said: list[str] = []
    presenter.notified.connect(said.append)
    away = LinkedFolder(1, "default", "/docs/papers", "", "2026-01-01T00:00:00+00:00", NOT_REACHABLE, 3)
    for check in (FolderCheck(PAPERS), FolderCheck(PAPERS, added=2, moved=1000), FolderCheck(away), FolderCheck(away)):
        bridge.domain_event.emit(FoldersChecked((check,)))
    assert said == ["“papers”: 2 added, 1,000 moved", f"“papers”: {NOT_REACHABLE}"]
    assert presenter.folders == [away]


def test_the_description_of_a_folder_check_lists_every_possible_change_and_failure() -> None:
    check = FolderCheck(PAPERS, added=1, edited=2, moved=3, removed=4, restored=5, failed=6)
    assert describe_check(check) == "1 added, 2 updated, 3 moved, 5 restored, 4 moved to the bin, 6 could not be read"


def test_the_dialog_shows_the_state_of_each_linked_folder(presenter: LinkedPresenter, qtbot: QtBot) -> None:
    dialog = LinkedFoldersDialog(presenter, Theme(choice="light"))
    qtbot.addWidget(dialog)
    away = LinkedFolder(1, "law", "/docs/papers", "", ago_by(hours=5), NOT_REACHABLE, 1)
    assert standing(away) == "1 document · in “law” · not reachable · checked 5 hours ago"
    presenter.folders_changed.emit([PAPERS, away])
    presenter.folders_changed.emit([])


@pytest.mark.parametrize(("answer", "remove"), [("Keep documents", False), ("Move to bin", True)])
def test_unlinking_asks_what_becomes_of_the_documents(
    presenter: LinkedPresenter,
    bridge: FakeBridge,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    remove: bool,
) -> None:
    dialog = LinkedFoldersDialog(presenter, Theme(choice="light"))
    qtbot.addWidget(dialog)
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: 0)
    monkeypatch.setattr(
        QMessageBox, "clickedButton", lambda box: next(one for one in box.buttons() if one.text() == answer)
    )
    dialog._on_unlink(PAPERS)
    job = bridge.last("unlink_folder")
    assert (job.args, job.kwargs) == ((1,), {"remove_documents": remove})


def test_the_bin_shows_when_and_why_a_document_was_removed_and_how_long_it_is_kept() -> None:
    assert why(binned(1), 30) == "Removed 2 days ago · deleted in 28 days"
    assert why(binned(1, Removal.WITH_FILE), 3) == "Its file was deleted 2 days ago · deleted in 1 day"


def test_the_list_of_the_bin_gets_the_focus_though_its_documents_come_later(
    bin_dialog: BinDialog, bridge: FakeBridge
) -> None:
    assert bin_dialog.focusWidget() is bin_dialog._list
    bridge.last("list_bin").succeed([])
    assert bin_dialog.focusWidget() is not bin_dialog._list


def test_documents_are_brought_back_from_the_bin(bin_dialog: BinDialog, bridge: FakeBridge) -> None:
    assert not bin_dialog._restore.isEnabled()
    bin_dialog._list.selectAll()
    bin_dialog._restore.click()
    assert bridge.last("restore_documents").args == ([7, 8],)
    bridge.last("restore_documents").succeed([7, 8])
    bridge.last("list_bin").succeed([])
    assert not bin_dialog._empty.isEnabled()


@pytest.mark.parametrize("sure", [True, False])
def test_permanent_deletion_requires_a_confirmation(
    bin_dialog: BinDialog, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, sure: bool
) -> None:
    button = QMessageBox.StandardButton.Yes if sure else QMessageBox.StandardButton.Cancel
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: button)
    bin_dialog._list.setCurrentRow(1)
    bin_dialog._delete.click()
    bin_dialog._empty.click()
    assert [job.args for job in bridge.jobs if job.name == "empty_bin"] == ([([8],), (None,)] if sure else [])


def test_elapsed_times_are_shown_as_text_rounded_to_whole_units() -> None:
    assert [ago(ago_by(seconds=s)) for s in (3, 90, 7300, 90_000)] == [
        "just now", "1 minute ago", "2 hours ago", "1 day ago",
    ]  # fmt: skip
    assert (days_left(ago_by(days=40), 30), days_left(ago_by(seconds=1), 30)) == (0, 30)


def test_a_linked_folder_gives_metadata_to_its_documents_and_takes_them_back(
    presenter: LinkedPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    held = replace(PAPERS, metadata=checked_metadata({"dept": "hr", "due": "2025-06"}))
    bridge.domain_event.emit(KnowledgeBasesChanged(("default",)))
    bridge.last("list_linked_folders").succeed([held])
    dialog = LinkedFoldersDialog(presenter, Theme(choice="light"))
    qtbot.addWidget(dialog)
    (card,) = dialog.findChildren(FolderCard)
    assert "dept: hr, due: 2025-06" in card.accessibleName()
    card.metadata_asked.emit(held)
    editor = dialog.findChild(MetadataDialog)
    assert nameless(editor) == []
    editor._box.setPlainText("author = me")
    editor.accept()
    assert "“author”" in editor._banner.text
    editor._box.setPlainText("dept = it")
    with qtbot.waitSignal(presenter.given) as given:
        editor.accept()
        assert bridge.last("put_folder_metadata").args == (1, {"dept": "it", "due": None})
        bridge.last("put_folder_metadata").succeed({"dept": "hr", "due": "2025-06"})
    assert given.args == ["Changed the metadata of “papers”"]
    presenter.undo()
    assert bridge.last("put_folder_metadata").args == (1, {"dept": "hr", "due": "2025-06"})
