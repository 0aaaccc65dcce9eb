"""The import queue in the window: review of a big drop, pause, priority of documents, passwords of locked ones."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QDialog, QLabel, QLineEdit, QListWidget, QPushButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, FakeLibrary, fake_operations

from workbench.errors import DiskFull
from workbench.model.document import Document, DocumentStatus, FailureKind, Metadata
from workbench.model.import_progress import (
    Duplicate,
    FileFinished,
    FileKind,
    FileOutcome,
    ImportProgress,
    QueuePaused,
    Review,
    ReviewProgress,
)
from workbench.model.shared_library import SLOT_BITS
from workbench.ui.library.import_dialogs import PasswordPrompt, ReviewSheet, size_words
from workbench.ui.library.import_queue_presenter import FIRST_LOOK
from workbench.ui.library.imports import ImportState
from workbench.ui.library.pane import LibraryPane, ProgressStrip
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.theme import Theme

SMALL = Review(2, 2000, (FileKind(".pdf", 2, 2000),), (), (), ())
BIG = Review(
    files=90, size=3 << 20,
    kinds=(FileKind(".pdf", 60, 2 << 20), FileKind(".md", 30, 1 << 20)),
    unsupported=(FileKind(".exe", 4, 10),),
    unreadable=("/d/secret.md",),
    duplicates=(Duplicate("/d/a.pdf", "paper", in_library=True), Duplicate("/d/b.pdf", "c.pdf", in_library=False)),
)  # fmt: skip


def document(number: int, status: DocumentStatus) -> Document:
    return Document(number, "default", f"/d/{number}.pdf", f"{number}.pdf", "", 1, "pdf", status, Metadata("x"), 1)


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def pane(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> Iterator[LibraryPane]:
    fake_operations(monkeypatch)
    pane = LibraryPane(LibraryPresenter(bridge), Theme())  # type: ignore[arg-type]
    pane.prepare()
    qtbot.addWidget(pane)
    pane._presenter.set_library(FakeLibrary())  # type: ignore[arg-type]
    states = (DocumentStatus.READY, DocumentStatus.QUEUED, DocumentStatus.LOCKED, DocumentStatus.LOCKED)
    bridge.last("list_documents").succeed([document(number, status) for number, status in enumerate(states, 1)])
    bridge.last("list_knowledge_bases").succeed(["default", "law"])
    bridge.last("resume_import").succeed([])
    pane.show()
    yield pane
    pane._presenter.flush()


def sheet(pane: LibraryPane) -> ReviewSheet:
    return pane.findChildren(ReviewSheet)[0]


def prompt(pane: LibraryPane) -> PasswordPrompt:
    return pane.findChildren(PasswordPrompt)[0]


def press(dialog: QDialog, text: str) -> None:
    next(one for one in dialog.findChildren(QPushButton) if one.text() == text).click()


def test_a_small_drop_is_added_without_a_question(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane._presenter.offer([Path("/d/a.pdf")])
    bridge.last("review").succeed(SMALL)
    assert bridge.last("add_documents").args == ([Path("/d/a.pdf")],)
    assert not pane.findChildren(ReviewSheet)


def test_a_big_drop_is_shown_and_added_when_accepted(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane._presenter.offer([Path("/d")])
    bridge.last("review").succeed(BIG)
    assert sheet(pane).text == (
        "Add 88 documents? 90 files can be added · 3.0 MB"
        " Skipped: 1 already in the library, 1 duplicate.\n"
        "Unsupported: 4 .exe.\n1 file cannot be opened."
    )
    assert not bridge.has("add_documents")
    sheet(pane)._base.setCurrentText("law")
    press(sheet(pane), "Add 88 documents")
    job = bridge.last("add_documents")
    assert (job.args, job.kwargs["knowledge_base"]) == (([Path("/d")],), "law")


def test_links_are_followed_only_where_the_box_is_ticked(pane: LibraryPane, bridge: FakeBridge) -> None:
    for links, wanted in ((3, {"follow_links": False}), (3, {"follow_links": True}), (0, {})):
        follows = wanted.get("follow_links", False)
        pane._presenter.offer([Path("/d")])
        bridge.last("review").succeed(replace(BIG, links=links))
        box = sheet(pane).findChildren(QCheckBox)[0]
        state = (box.isVisible(), box.isChecked(), box.text())
        assert state == (links > 0, False, f"Follow symbolic links ({links})")
        box.setChecked(follows)
        press(sheet(pane), f"Add {91 if follows else 88} documents")
        given = bridge.last("add_documents").kwargs
        assert {key: value for key, value in given.items() if key == "follow_links"} == wanted


def test_a_small_folder_with_links_is_shown_and_one_with_nothing_else_can_be_added(
    pane: LibraryPane, bridge: FakeBridge
) -> None:
    pane._presenter.offer([Path("/d")])
    bridge.last("review").succeed(Review(0, 0, (), (), (), (), links=2))
    add = next(one for one in sheet(pane).findChildren(QPushButton) if one.text() == "Check again")
    assert not add.isEnabled()
    sheet(pane).findChildren(QCheckBox)[0].click()
    assert (add.isEnabled(), add.text()) == (True, "Add 2 documents")


def test_a_big_drop_that_is_refused_adds_nothing(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane._presenter.offer([Path("/d")])
    bridge.last("review").succeed(BIG)
    press(sheet(pane), "Cancel")
    assert not bridge.has("add_documents")
    assert not pane._presenter.queue.take_reviewed().paths


def test_names_of_what_is_left_out_are_listed(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane._presenter.offer([Path("/d")])
    bridge.last("review").succeed(BIG)
    names = sheet(pane).findChildren(QListWidget)[0]
    assert [names.item(row).text() for row in range(names.count())] == [
        "a.pdf: in the library as “paper”", "b.pdf: the same as “c.pdf”", "secret.md: cannot be read",
    ]  # fmt: skip


def test_looking_at_a_big_drop_shows_how_far_it_is_and_can_be_cancelled(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane._presenter.offer([Path("/d")])
    job = bridge.last("review")
    job.emit(ReviewProgress(20))
    assert not pane.findChildren(ReviewSheet)
    job.emit(ReviewProgress(2000, 5, 40))
    assert "5 of 40 compared" in sheet(pane).text
    press(sheet(pane), "Cancel")
    assert job.cancelled
    job.end_cancelled()
    assert not sheet(pane).isVisible()


def test_the_import_resumes_when_a_full_disk_has_room_again_and_is_not_retried_in_a_loop(
    pane: LibraryPane, bridge: FakeBridge
) -> None:
    queue = pane._presenter.queue
    pane._presenter.add([Path("/d/a.pdf")])
    bridge.last("add_documents").fail(DiskFull("The disk is full.", "Free some space."))
    waits = []
    for has_room in (False, False, True):
        assert queue._room.isActive()
        waits.append(queue._room.interval())
        queue._room.stop()
        queue._room.timeout.emit()
        assert [job.name for job in bridge.jobs].count("resume_import") == 1  # at the start
        bridge.last("has_room").succeed(has_room)
    assert waits == [FIRST_LOOK, 2 * FIRST_LOOK, 4 * FIRST_LOOK]
    bridge.last("resume_import").fail(DiskFull("The disk is full.", "Free some space."))
    assert (queue._room.isActive(), queue._room.interval()) == (True, 8 * FIRST_LOOK)


def test_imports_pause_and_go_on(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane._presenter.add([Path("/d/a.pdf")])
    bridge.last("add_documents").emit(ImportProgress(1, 4, 10, 20, 30.0))
    pane._progress._pause.click()
    assert bridge.last("pause_imports").args == (True,)
    bridge.domain_event.emit(QueuePaused(True))
    assert (pane._progress._pause.text(), pane._progress._left.toolTip() or "Paused") == ("Resume", "Paused")
    pane._progress._pause.click()
    assert bridge.last("pause_imports").args == (False,)


def test_a_document_that_the_user_opens_is_read_first(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane.select(2)
    pane._actions["chunks"].trigger()
    assert bridge.last("prioritise").args == ([2],)


def test_e32_documents_that_a_search_could_not_include_are_read_first_on_request(
    pane: LibraryPane, bridge: FakeBridge, qtbot: QtBot
) -> None:
    pane._presenter.queue.read_unread_first("", "tag:law")
    assert bridge.last("prioritise_unread").args == (None,)
    with qtbot.waitSignal(pane._presenter.notified) as told:
        bridge.last("prioritise_unread").succeed(2)
    assert told.args == ["2 documents are read first; ask again when they are done", False]
    job = bridge.last("read_unread")
    assert (job.args, job.kwargs) == ((None,), {"filter": "tag:law"})


def test_nothing_is_started_where_nothing_can_be_read(pane: LibraryPane, bridge: FakeBridge, qtbot: QtBot) -> None:
    pane._presenter.queue.read_unread_first("Law")
    with qtbot.waitSignal(pane._presenter.notified) as told:
        bridge.last("prioritise_unread").succeed(0)
    assert told.args == ["Nothing more is being read. Check the documents to see why.", False]
    assert "read_unread" not in [job.name for job in bridge.jobs]


def test_a_document_is_selected_while_ctrl_is_held(qtbot: QtBot, pane: LibraryPane) -> None:
    qtbot.waitActive(pane)
    qtbot.keyPress(pane, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.ControlModifier
    for number in (1, 2, 2):
        pane.select(number)
    qtbot.keyRelease(pane, Qt.Key.Key_Control)
    assert [one.id for one in pane.selected()] == [2]


def test_a_document_that_a_time_limit_ended_offers_more_time(pane: LibraryPane, bridge: FakeBridge) -> None:
    failed = document(2, DocumentStatus.FAILED)
    slow = replace(failed, failure=FailureKind.TIME)
    for one, is_offered in ((failed, False), (slow, True)):
        pane._presenter.model.put([one])
        pane.select(2)
        assert (pane._actions["more_time"] in pane._menu.selection_actions()) is is_offered
    pane._actions["more_time"].trigger()
    job = bridge.last("reindex_documents")
    assert (job.args, job.kwargs) == (([2],), {"more_time": True})


@pytest.mark.parametrize("number", [2, (1 << SLOT_BITS) + 2])
@pytest.mark.parametrize("is_read_only", [False, True])
def test_moving_and_checking_are_offered_for_documents_that_can_be_changed(
    pane: LibraryPane, number: int, is_read_only: bool
) -> None:
    pane._presenter.set_library(FakeLibrary(is_read_only=is_read_only))  # type: ignore[arg-type]
    pane._presenter.model.put([document(number, DocumentStatus.READY)])
    pane.select(number)
    offered = pane._menu.selection_actions()
    assert pane._actions["details"] in offered
    is_own = number == 2 and not is_read_only
    assert [pane._actions[name] in offered for name in ("move", "check")] == [is_own, is_own]


def test_one_document_is_taken_out_of_the_queue(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane.select(2)
    pane._actions["cancel"].trigger()
    assert bridge.last("cancel_documents").args == ([2],)


def test_b13_one_prompt_asks_for_all_locked_files_of_a_batch(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane._presenter.add([Path("/d")])
    bridge.last("add_documents").succeed([FileFinished("/d/3.pdf", FileOutcome.LOCKED, 3, "Locked.", 0, 0, 0.1)])
    assert prompt(pane).isVisible()
    assert prompt(pane).text.startswith("2 documents need a password")


def test_b13_the_prompt_comes_when_all_is_read_and_only_once(pane: LibraryPane, bridge: FakeBridge) -> None:
    locked = FileFinished("/d/3.pdf", FileOutcome.LOCKED, 3, "Locked.", 0, 0, 0.1)
    pane._presenter.add([Path("/d")])
    job = bridge.last("add_documents")
    job.emit(locked)
    job.emit(ImportProgress(1, 4, 0, 20, None, files_read=3))
    assert not pane.findChildren(PasswordPrompt)
    job.emit(ImportProgress(1, 4, 0, 20, None, files_read=4))
    assert prompt(pane).isVisible()
    prompt(pane).reject()
    job.emit(ImportProgress(2, 4, 9, 20, None, files_read=4))
    job.succeed([locked])
    assert not prompt(pane).isVisible()


def test_an_answer_that_misses_locked_documents_opens_the_same_prompt(
    pane: LibraryPane, bridge: FakeBridge, qtbot: QtBot
) -> None:
    pane.unlock_all()
    assert prompt(pane).isVisible()
    prompt(pane).reject()
    pane._presenter.model.put([document(number, DocumentStatus.READY) for number in (3, 4)])
    with qtbot.waitSignal(pane._presenter.notified) as told:
        pane.unlock_all()
    assert told.args == ["No document in your library is locked any more; ask again", False]
    assert not prompt(pane).isVisible()


def test_b13_a_wrong_password_asks_again_and_the_right_one_ends_it(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane._queue_dialogs.ask_for_passwords()
    prompt(pane).findChildren(QLineEdit)[0].setText("wrong")
    press(prompt(pane), "Unlock")
    job = bridge.last("unlock_documents")
    assert (job.args, job.kwargs) == (("wrong",), {"remember": False})
    job.succeed([FileFinished("/d/3.pdf", FileOutcome.LOCKED, 3, "Locked.", 0, 0, 0.1)])
    assert "Wrong password." in prompt(pane).text
    prompt(pane).findChildren(QLineEdit)[0].setText("right")
    press(prompt(pane), "Unlock")
    bridge.last("unlock_documents").succeed([FileFinished("/d/3.pdf", FileOutcome.READY, 3, "", 1, 1, 0.1)])
    assert not prompt(pane).isVisible()


def test_the_review_sheet_stays_on_the_screen_when_it_grows(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane._presenter.offer([Path("/d")])
    bridge.last("review").emit(ReviewProgress(2000))
    sheet(pane).move(pane.screen().availableGeometry().bottomLeft())
    bridge.last("review").succeed(BIG)
    assert pane.screen().availableGeometry().contains(sheet(pane).frameGeometry())


def test_the_review_summarises_the_rarer_file_kinds_as_others(qtbot: QtBot) -> None:
    made = ReviewSheet()
    qtbot.addWidget(made)
    kinds = [FileKind(f".{letter}", 9, 9) for letter in "abcdefghi"] + [FileKind("", 1, 1)]
    made._show_kinds(kinds)
    shown = [one.text() for one in made.findChildren(QLabel)]
    assert "H" in shown
    assert "Others" in shown
    assert "I" not in shown


def test_the_list_and_the_progress_fit_into_a_small_window(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane._presenter.add([Path("/d")])
    bridge.last("add_documents").emit(ImportProgress(1, 4, 10, 20, 30.0))
    assert pane._progress.isVisible()
    assert pane.minimumSizeHint().height() < 300


def test_how_many_files_are_done_is_never_cut(qtbot: QtBot) -> None:
    strip = ProgressStrip()
    qtbot.addWidget(strip)
    strip.show_state(ImportState(running=1, files_read=1180, files_done=1180, files=1180))
    strip.show_paused(True)
    strip.resize(260, strip.sizeHint().height())
    strip.show()
    words = next(one for one in strip.findChildren(QLabel) if "1,180" in one.text())
    assert words.width() >= words.sizeHint().width()


@pytest.mark.parametrize(("read", "stage"), [(2, "Reading…"), (3, "Embedding…")])
def test_the_stage_is_shown_until_the_remaining_time_is_known(qtbot: QtBot, read: int, stage: str) -> None:
    strip = ProgressStrip()
    qtbot.addWidget(strip)
    strip.show_state(ImportState(running=1, files_read=read, files=3, chunks=40))
    assert strip.text.endswith(stage)
    strip.show_state(ImportState(running=1, files_read=read, files=3, chunks=40, seconds_left=7.0))
    assert stage not in strip.text


def test_which_page_is_read_ends_in_dots_where_the_strip_is_too_narrow_for_it(qtbot: QtBot) -> None:
    strip = ProgressStrip()
    qtbot.addWidget(strip)
    words = "Reading page 2 of 3 by OCR: the-minutes-of-the-harbour-board.pdf"
    strip.show_state(ImportState(running=1, files=3, page=words))
    strip.resize(260, strip.sizeHint().height())
    strip.show()
    shown = next(one for one in strip.findChildren(QLabel) if one.text().startswith("Reading page"))
    assert shown.text().endswith("…")
    assert shown.toolTip() == words
    assert strip.text.startswith(words)


@pytest.mark.parametrize(("size", "words"), [(1, "1 byte"), (2048, "2.0 KB"), (5 << 30, "5.0 GB")])
def test_sizes_are_shown_rounded_and_with_a_unit(size: int, words: str) -> None:
    assert size_words(size) == words
