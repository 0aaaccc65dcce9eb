"""The library presenter against a fake of the operations: no window, no worker thread."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import DiskFull
from workbench.model.document import Document, DocumentStatus, Metadata
from workbench.model.import_progress import (
    DocumentChanged,
    DocumentsRemoved,
    FileDivided,
    FileFinished,
    FileOutcome,
    ImportProgress,
    PageRead,
)
from workbench.ui.library.document_wording import BY_KEYWORD
from workbench.ui.library.drop_overlay import DropOverlay
from workbench.ui.library.pane import LibraryPane
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.theme import Theme

LIBRARY: Any = object()


def document(number: int, status: DocumentStatus = DocumentStatus.READY, reason: str = "") -> Document:
    name = f"paper-{number}.pdf"
    return Document(
        number, "default", f"/docs/{name}", name, "", 1, "pdf", status, Metadata(name), 1, 2, 2, reason=reason
    )


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> Iterator[LibraryPresenter]:
    fake_operations(monkeypatch)
    made = LibraryPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    bridge.last("list_documents").succeed([document(1), document(2)])
    yield made
    made.flush()


def test_opening_a_library_lists_its_documents_and_resumes_an_import_interrupted_by_a_kill(
    presenter: LibraryPresenter, bridge: FakeBridge
) -> None:
    assert presenter.model.rowCount() == 2
    assert bridge.last("resume_import").args == ()


def test_add_hands_the_paths_and_the_chosen_knowledge_base_on(presenter: LibraryPresenter, bridge: FakeBridge) -> None:
    presenter.choose_knowledge_base("law")
    presenter.add([Path("/docs/新文件.pdf")])
    job = bridge.last("add_documents")
    assert job.args == ([Path("/docs/新文件.pdf")],)
    assert job.kwargs["knowledge_base"] == "law"


def test_files_dropped_while_the_library_opens_are_added_when_it_is_open(
    presenter: LibraryPresenter, bridge: FakeBridge
) -> None:
    presenter.set_library(None)
    presenter.add([Path("/docs/early.pdf")])
    presenter.set_library(LIBRARY)
    bridge.last("list_documents").succeed([])
    assert bridge.last("add_documents").args == ([Path("/docs/early.pdf")],)


def test_changes_are_shown_together_and_only_the_last_of_each_document(
    presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    for status in (DocumentStatus.QUEUED, DocumentStatus.PARSING, DocumentStatus.INDEXED):
        bridge.domain_event.emit(DocumentChanged(document(7, status)))
    assert presenter.model.get(7) is None
    with qtbot.waitSignal(presenter.documents_changed, timeout=1000):
        pass
    shown = presenter.model.get(7)
    assert shown is not None
    assert shown.status is DocumentStatus.INDEXED


def test_progress_of_several_imports_is_summed(presenter: LibraryPresenter, bridge: FakeBridge) -> None:
    bridge.last("resume_import").succeed([])
    presenter.add([Path("/a")])
    bridge.last("add_documents").emit(ImportProgress(1, 4, 10, 20, 30.0))
    presenter.add([Path("/b")])
    bridge.last("add_documents").emit(ImportProgress(2, 2, 5, 5, None))
    state = presenter.importing
    assert (state.running, state.files_done, state.files, state.chunks_done, state.seconds_left) == (2, 3, 6, 15, 30.0)
    bridge.last("add_documents").emit(ImportProgress(2, 3, 5, 9, 20.0))
    assert presenter.importing.seconds_left == 40  # they share the processors


def test_an_embedder_that_cannot_be_used_is_reported_once_for_all_files(
    presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    bridge.last("resume_import").succeed([])
    failed = [
        FileFinished(f"/{n}.md", FileOutcome.FAILED, n, f"The model is gone. {BY_KEYWORD}", 1, 1, 0.0, by_keyword=True)
        for n in range(3)
    ]
    presenter.add([Path("/a")])
    with qtbot.waitSignal(presenter.failed) as heard, qtbot.waitSignal(presenter.notified) as notified:
        bridge.last("add_documents").succeed(failed)
    error, _details = heard.args
    assert (error.message, error.hint[:11]) == ("The model is gone.", "3 documents")
    assert notified.args[0] == "3 found by keyword only"


def test_a_document_that_two_imports_have_counts_once(presenter: LibraryPresenter, bridge: FakeBridge) -> None:
    bridge.last("resume_import").succeed([])
    presenter.add([Path("/a")])
    first = bridge.last("add_documents")
    first.emit(DocumentChanged(document(7, DocumentStatus.PARSING)))
    first.emit(ImportProgress(0, 1, 0, 0, None))
    presenter.add([Path("/b")])
    busy = FileFinished("/a.md", FileOutcome.UNCHANGED, 7, "It is already being added.", 1, 1, 0.0)
    bridge.last("add_documents").emit(busy)
    bridge.last("add_documents").emit(ImportProgress(1, 2, 0, 0, None))
    assert (presenter.importing.files_done, presenter.importing.files) == (0, 2)
    first.emit(FileFinished("/a.md", FileOutcome.READY, 7, "", 1, 1, 0.0))
    first.emit(ImportProgress(1, 1, 0, 0, None))
    assert (presenter.importing.files_done, presenter.importing.files) == (1, 2)


def test_page_that_is_read_by_ocr_is_named_while_nothing_else_moves(
    presenter: LibraryPresenter, bridge: FakeBridge
) -> None:
    bridge.last("resume_import").succeed([])
    presenter.add([Path("/a")])
    job = bridge.last("add_documents")
    job.emit(ImportProgress(19, 20, 40, 40, None, 20))
    job.emit(DocumentChanged(document(7, DocumentStatus.PARSING)))
    assert presenter.importing.words == "19 of 20 files done"
    job.emit(PageRead(7, 5, 2, 12))
    assert presenter.importing.words == "Reading page 3 of 12 by OCR: paper-7.pdf"
    job.emit(FileFinished("/a/paper-7.pdf", FileOutcome.READY, 7, "", 12, 30, 60.0))
    assert presenter.importing.words == "19 of 20 files done"


def test_a_page_examined_for_tables_is_not_shown_as_read_by_ocr(
    presenter: LibraryPresenter, bridge: FakeBridge
) -> None:
    bridge.last("resume_import").succeed([])
    presenter.add([Path("/a")])
    job = bridge.last("add_documents")
    job.emit(ImportProgress(19, 20, 40, 40, None, 20))
    job.emit(PageRead(7, 5, 2, 12, tables=True))
    assert presenter.importing.words == "Looking for tables, page 3 of 12"


def test_page_that_is_read_by_ocr_does_not_hide_how_many_files_are_read(
    presenter: LibraryPresenter, bridge: FakeBridge
) -> None:
    bridge.last("resume_import").succeed([])
    presenter.add([Path("/a")])
    job = bridge.last("add_documents")
    for read in range(1, 4):
        job.emit(ImportProgress(0, 900, 0, 0, None, read))
        job.emit(PageRead(7, read, read, 300))
        assert presenter.importing.words == f"{read} of 900 files read"
    job.emit(PageRead(7, 4, 4, 300))
    assert presenter.importing.words == "Reading page 5 of 300 by OCR"


def test_bar_never_goes_back_when_a_file_brings_new_chunks(presenter: LibraryPresenter, bridge: FakeBridge) -> None:
    bridge.last("resume_import").succeed([])
    presenter.add([Path("/a")])
    shares = []
    for progress in (ImportProgress(15, 168, 28, 28, None, 17), ImportProgress(17, 168, 214, 559, 10.0, 19)):
        bridge.last("add_documents").emit(progress)
        shares.append(presenter.importing.thousandths)
    assert shares == [101, 101]


def test_a_document_that_is_tried_again_while_others_are_read_counts_once(
    presenter: LibraryPresenter, bridge: FakeBridge
) -> None:
    bridge.last("resume_import").succeed([])
    presenter.add([Path("/a")])
    job = bridge.last("add_documents")
    job.emit(DocumentChanged(document(7, DocumentStatus.PARSING)))
    job.emit(FileFinished("/a/paper-7.pdf", FileOutcome.FAILED, 7, "It is damaged.", 0, 0, 1.0))
    job.emit(ImportProgress(23, 30, 40, 60, 30.0, 24))
    presenter.reindex([7])
    again = bridge.last("reindex_documents")
    again.emit(DocumentChanged(document(7, DocumentStatus.QUEUED)))
    again.emit(ImportProgress(0, 1, 0, 0, None, 0))
    state = presenter.importing
    assert (state.files_done, state.files, state.files_read) == (22, 30, 23)


def test_bar_follows_the_time_of_all_stages_and_is_not_full_before_the_end(
    presenter: LibraryPresenter, bridge: FakeBridge
) -> None:
    bridge.last("resume_import").succeed([])
    presenter.add([Path("/a")])
    shares = []
    for share, done in ((0.4, 3), (1.0, 3), (1.0, 4)):
        bridge.last("add_documents").emit(ImportProgress(done, 4, 20, 20, 60.0, 4, share))
        shares.append(presenter.importing.thousandths)
    assert shares == [400, 990, 1000]


def test_undoing_a_removal_resumes_reading_the_unread_documents(
    presenter: LibraryPresenter, bridge: FakeBridge
) -> None:
    presenter.remove([3])
    presenter.undo_remove()
    before = [job.name for job in bridge.jobs].count("resume_import")
    bridge.last("restore_documents").succeed([3])
    assert [job.name for job in bridge.jobs].count("resume_import") == before + 1


def test_bar_of_one_large_file_follows_its_chunks(presenter: LibraryPresenter, bridge: FakeBridge) -> None:
    bridge.last("resume_import").succeed([])
    presenter.add([Path("/a")])
    bridge.last("add_documents").emit(ImportProgress(0, 1, 30, 60, 5.0, 1))
    assert presenter.importing.thousandths == 550


def test_cancel_stops_every_import(presenter: LibraryPresenter, bridge: FakeBridge) -> None:
    presenter.add([Path("/a")])
    presenter.cancel()
    assert bridge.last("add_documents").cancelled


def test_a_cancelled_import_reports_the_completed_documents(
    presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    presenter.add([Path("/a")])
    job = bridge.last("add_documents")
    job.emit(FileFinished("/a/1.pdf", FileOutcome.READY, 1, "", 1, 1, 0.1))
    with qtbot.waitSignal(presenter.notified) as said:
        job.end_cancelled()
    assert said.args == ["1 document ready", False]


def test_removed_documents_vanish_and_undo_restores_them(
    presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(presenter.notified) as said:
        presenter.remove([1, 2])
    bridge.domain_event.emit(DocumentsRemoved((1, 2)))
    assert said.args == ["Removed 2 documents", True]
    assert presenter.model.rowCount() == 0
    presenter.undo_remove()
    assert bridge.last("restore_documents").args == ((1, 2),)


def test_a_failed_import_is_reported_and_leaves_no_progress(
    presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    bridge.last("resume_import").succeed([])
    presenter.add([Path("/a")])
    with qtbot.waitSignal(presenter.failed) as failed:
        bridge.last("add_documents").fail(DiskFull("The disk is full."))
    assert isinstance(failed.args[0], DiskFull)
    assert presenter.importing.running == 0


def test_empty_library_shows_how_to_begin_and_a_filled_one_its_list(
    presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    pane = LibraryPane(presenter, Theme())
    pane.prepare()
    qtbot.addWidget(pane)
    pane.show()
    assert pane._list.isVisible()
    bridge.domain_event.emit(DocumentsRemoved((1, 2)))
    assert pane._empty.isVisible()
    assert not pane._list.isVisible()


def test_files_dropped_on_the_window_are_added(presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    overlay = DropOverlay(Theme(), window)
    overlay.dropped.connect(presenter.add)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/docs/a.pdf"), QUrl("https://example.org/b.pdf")])
    left = Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    window.show()
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, left, none))
    assert overlay.isVisible()
    QApplication.sendEvent(window, QDropEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, left, none))
    assert bridge.last("add_documents").args == ([Path("/docs/a.pdf")],)
    assert not overlay.isVisible()


def test_delete_key_removes_what_is_selected(presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot) -> None:
    pane = LibraryPane(presenter, Theme())
    pane.prepare()
    qtbot.addWidget(pane)
    pane.show()
    pane.select(2)
    pane._actions["remove"].trigger()
    assert bridge.last("remove_documents").args == ([2],)


def test_the_division_of_a_long_file_is_reported(presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot) -> None:
    sentence = "“a.log” has 9 lines: it is read in 3 parts, each a document."
    with qtbot.waitSignal(presenter.notified) as told:
        bridge.domain_event.emit(FileDivided("/docs/a.log", sentence))
    assert told.args == [sentence, False]
