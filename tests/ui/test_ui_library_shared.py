"""Shared libraries in the window: presenter and dialogs against a fake of the operations, and one real server."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from shared_libraries import empty_database, write_file
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations
from ui_window import open_window

from workbench.errors import LibraryError, SharedLibraryUnreachable
from workbench.model.document import Document, DocumentStatus, Metadata
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.model.shared_library import (
    SLOT_BITS,
    SharedBase,
    SharedLibraryChanged,
    SharedLibraryState,
    SharedMember,
)
from workbench.ui.app_controller import AppController
from workbench.ui.library import shared_presenter
from workbench.ui.library.document_wording import is_shared, second_line
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.library.shared_libraries_dialog import (
    MembersDialog,
    SharedLibrariesDialog,
    SharedLibraryCard,
)
from workbench.ui.library.shared_presenter import SharedPresenter
from workbench.ui.theme import Theme

LIBRARY: Any = object()
URL = "postgresql://eva@db.example:5432/papers"
PAPERS = SharedBase("team/papers", "manage")
READ_ONLY = SharedBase("team/law", "read")
TEAM = SharedLibraryState("team", URL, "eva", (PAPERS, READ_ONLY), documents=1200)
DOWN = SharedLibraryState("team", URL, problem="The server cannot be reached. Check the address.")


def document(number: int, base: str = "default", status: DocumentStatus = DocumentStatus.READY) -> Document:
    name = f"paper-{number}.pdf"
    place = (1 << SLOT_BITS) * base.startswith("team/")
    return Document(place + number, base, f"/docs/{name}", name, "", 1, "pdf", status, Metadata(name), 1, 2, 2)


def copied(one: Document, outcome: FileOutcome = FileOutcome.SHARED) -> FileFinished:
    return FileFinished(one.path, outcome, one.id, "", 0, 0, 0.1)


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def documents(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> LibraryPresenter:
    fake_operations(monkeypatch)
    made = LibraryPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    shared = [document(1, "team/papers"), document(2, "team/papers", DocumentStatus.QUEUED)]
    bridge.last("list_documents").succeed([document(1), document(2), *shared])
    return made


@pytest.fixture
def presenter(bridge: FakeBridge, documents: LibraryPresenter) -> Iterator[SharedPresenter]:
    made = SharedPresenter(bridge, documents)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    yield made
    made.set_library(None)


@pytest.fixture
def told(presenter: SharedPresenter) -> list[str]:
    """Return a list that receives the messages for toasts."""
    told: list[str] = []
    presenter.notified.connect(told.append)
    return told


@pytest.fixture
def dialog(presenter: SharedPresenter, bridge: FakeBridge, qtbot: QtBot) -> SharedLibrariesDialog:
    """Return the open dialog of a library that is connected to nothing."""
    made = SharedLibrariesDialog(presenter, Theme(choice="light"))
    qtbot.addWidget(made)
    made.show()
    show_states(bridge, [])
    return made


@pytest.fixture
def members(dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot) -> MembersDialog:
    """Return the dialog of the members eva and tom, opened from the card of a shared library."""
    show_states(bridge, [TEAM])
    click(qtbot, dialog, "Members of “team/papers”…")
    made = dialog.findChild(MembersDialog)
    assert made is not None
    bridge.last("list_shared_members").succeed([SharedMember("eva", "manage"), SharedMember("tom", "read")])
    return made


def show_states(bridge: FakeBridge, states: list[SharedLibraryState]) -> None:
    bridge.last("list_shared_libraries").succeed(states)


def shown(root: QWidget, kind: type[QWidget], name: str) -> list[Any]:
    """Return the visible widgets of a kind with this text or accessible name."""
    QApplication.processEvents()  # a layout shows what was added to it only then
    every: list[Any] = [one for one in root.findChildren(kind) if one.isVisible()]
    return [one for one in every if name in (one.accessibleName(), getattr(one, "text", str)())]


def click(qtbot: QtBot, root: QWidget, name: str) -> None:
    qtbot.mouseClick(shown(root, QAbstractButton, name)[0], Qt.MouseButton.LeftButton)


def type_into(qtbot: QtBot, root: QWidget, name: str, text: str) -> None:
    """Click a field, type a text, and press Enter where the text ends with it."""
    (field,) = shown(root, QLineEdit, name)
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(field, text.removesuffix("\n"))
    if text.endswith("\n"):
        qtbot.keyClick(field, Qt.Key.Key_Return)


def fill_in(qtbot: QtBot, dialog: SharedLibrariesDialog, url: str = URL, password: str = "s3cret") -> None:
    for name, text in (("Name", " team"), ("Address", url), ("Password", password)):
        type_into(qtbot, dialog, f"{name} of the shared library", text)


def entered(dialog: SharedLibrariesDialog) -> list[str]:
    names = [f"{name} of the shared library" for name in ("Name", "Address", "Password")]
    return [shown(dialog, QLineEdit, name)[0].text() for name in names]


def listed_members(dialog: MembersDialog) -> list[str]:
    """Return the names and accesses that are shown, from top to bottom."""
    QApplication.processEvents()
    boxes = [box for box in dialog.findChildren(QComboBox) if box.isVisible() and box.accessibleName() != "Access"]
    boxes.sort(key=lambda box: box.mapTo(dialog, QPoint()).y())
    return [f"{box.accessibleName()}: {box.currentText()}" for box in boxes]


def test_without_a_shared_library_the_dialog_says_so_and_each_control_has_a_name(
    dialog: SharedLibrariesDialog, bridge: FakeBridge
) -> None:
    assert len(shown(dialog, QLabel, "No shared libraries")) == 1
    assert nameless(dialog) == []
    show_states(bridge, [TEAM])
    assert shown(dialog, QLabel, "No shared libraries") == []
    assert nameless(dialog) == []


def test_a_library_can_be_connected_to_once_name_and_address_are_typed(
    dialog: SharedLibrariesDialog, qtbot: QtBot
) -> None:
    buttons = [shown(dialog, QAbstractButton, name)[0] for name in ("Connect", "Set up and connect")]
    states = [[one.isEnabled() for one in buttons]]
    for name, text in (("Name", "team"), ("Address", " "), ("Address", URL)):
        type_into(qtbot, dialog, f"{name} of the shared library", text)
        states.append([one.isEnabled() for one in buttons])
    assert states == [[False, False], [False, False], [False, False], [True, True]]


def test_the_password_cannot_be_read_on_the_screen(dialog: SharedLibrariesDialog) -> None:
    (password,) = shown(dialog, QLineEdit, "Password of the shared library")
    assert password.echoMode() is QLineEdit.EchoMode.Password


def test_connecting_uses_what_was_typed_then_clears_the_fields_and_tells_it(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot, told: list[str]
) -> None:
    fill_in(qtbot, dialog)
    click(qtbot, dialog, "Connect")
    assert bridge.last("connect_shared_library").args == ("team", URL, "s3cret")
    bridge.last("connect_shared_library").succeed(TEAM)
    assert (entered(dialog), told) == (["", "", ""], ["Connected to the shared library “team”"])
    show_states(bridge, [TEAM])
    assert len(dialog.findChildren(SharedLibraryCard)) == 1


def test_the_changes_of_a_new_library_are_followed_from_its_connection_on(
    presenter: SharedPresenter, bridge: FakeBridge
) -> None:
    before = bridge.last("watch_shared_libraries")
    presenter.connect_library("team", URL, "")
    bridge.last("connect_shared_library").succeed(TEAM)
    assert (before.cancelled, bridge.last("watch_shared_libraries").cancelled) == (True, False)
    presenter.set_library(None)
    assert bridge.last("watch_shared_libraries").cancelled


def test_enter_in_the_address_connects(dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot) -> None:
    type_into(qtbot, dialog, "Name of the shared library", "team")
    type_into(qtbot, dialog, "Address of the shared library", f"{URL}\n")
    assert bridge.last("connect_shared_library").args == ("team", URL, "")


def test_a_failure_is_shown_in_the_dialog_which_keeps_what_was_typed(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    fill_in(qtbot, dialog)
    click(qtbot, dialog, "Connect")
    bridge.last("connect_shared_library").fail(SharedLibraryUnreachable("It cannot be reached.", "Start it."))
    assert len(shown(dialog, QLabel, "It cannot be reached. Start it.")) == 1
    show_states(bridge, [TEAM])
    assert len(shown(dialog, QLabel, "It cannot be reached. Start it.")) == 1
    assert entered(dialog) == [" team", URL, "s3cret"]
    click(qtbot, dialog, "Connect")
    assert shown(dialog, QLabel, "It cannot be reached. Start it.") == []


def test_details_of_a_failure_are_passed_on_only_for_a_bug(presenter: SharedPresenter, bridge: FakeBridge) -> None:
    failures: list[tuple[str, str]] = []
    presenter.failed.connect(lambda error, details: failures.append((type(error).__name__, details)))
    for error in (LibraryError("Taken.", "Choose another name."), ZeroDivisionError()):
        presenter.add_base("team/tax")
        bridge.last("add_shared_base").fail(error)
    assert failures == [("LibraryError", ""), ("ZeroDivisionError", "details")]


def test_an_empty_database_is_set_up_and_then_connected_to(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    fill_in(qtbot, dialog)
    click(qtbot, dialog, "Set up and connect")
    assert bridge.last("create_shared_library").args == (URL, "s3cret")
    assert not bridge.has("connect_shared_library")
    bridge.last("create_shared_library").succeed(None)
    assert bridge.last("connect_shared_library").args == ("team", URL, "s3cret")


def test_disconnecting_is_told_and_ends_the_watch_of_that_library(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot, told: list[str]
) -> None:
    show_states(bridge, [TEAM])
    before = bridge.last("watch_shared_libraries")
    click(qtbot, dialog, "Disconnect from “team”")
    assert bridge.last("disconnect_shared_library").args == ("team",)
    bridge.last("disconnect_shared_library").succeed(None)
    assert (told, before.cancelled) == (["Disconnected from the shared library “team”"], True)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (TEAM, "1,200 documents · you are “eva”"),
        (replace(TEAM, documents=1), "1 document · you are “eva”"),
        (replace(TEAM, waiting=3), "1,200 documents · you are “eva” · 3 wait for a worker"),
        (replace(TEAM, waiting=1, workers=2), "1,200 documents · you are “eva” · 1 is being read"),
        (DOWN, "The server cannot be reached. Check the address."),
    ],
)
def test_a_card_shows_the_state_of_its_library(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, state: SharedLibraryState, expected: str
) -> None:
    show_states(bridge, [state])
    assert len(shown(dialog, QLabel, expected)) == 1
    (card,) = dialog.findChildren(SharedLibraryCard)
    assert card.accessibleName() == f"team: {expected}"


def test_a_card_shows_what_the_user_may_do_in_each_knowledge_base(
    dialog: SharedLibrariesDialog, bridge: FakeBridge
) -> None:
    show_states(bridge, [TEAM])
    assert len(shown(dialog, QLabel, "team/papers · May also manage members")) == 1
    assert len(shown(dialog, QLabel, "team/law · May read")) == 1


def test_nothing_can_be_added_to_a_library_that_cannot_be_used(
    dialog: SharedLibrariesDialog, bridge: FakeBridge
) -> None:
    show_states(bridge, [replace(DOWN, waiting=1)])
    assert [shown(dialog, QAbstractButton, name) for name in ("Add", "Read here")] == [[], []]
    assert len(shown(dialog, QAbstractButton, "Disconnect from “team”")) == 1


@pytest.mark.parametrize(
    ("state", "can_read"),
    [
        (replace(TEAM, waiting=2), True),
        (replace(TEAM, waiting=0), False),
        (replace(TEAM, waiting=2, workers=1), False),
        (replace(TEAM, waiting=2, bases=(READ_ONLY,)), False),
    ],
)
def test_reading_here_is_offered_only_if_documents_wait_that_no_worker_reads_and_the_user_may_write(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, state: SharedLibraryState, can_read: bool
) -> None:
    show_states(bridge, [state])
    assert len(shown(dialog, QAbstractButton, "Read here")) == can_read


def test_waiting_documents_are_read_here_once_and_their_number_is_told(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot, told: list[str]
) -> None:
    show_states(bridge, [replace(TEAM, waiting=2)])
    click(qtbot, dialog, "Read here")
    click(qtbot, dialog, "Read here")
    assert [job.args for job in bridge.jobs if job.name == "read_shared_documents"] == [("team",)]
    bridge.last("read_shared_documents").succeed(2)
    assert told == ["2 documents were read into “team”"]


@pytest.mark.parametrize("ends", ["fails", "is cancelled"])
def test_waiting_documents_can_be_read_again_after_a_reading_that_did_not_end_well(
    presenter: SharedPresenter, bridge: FakeBridge, told: list[str], ends: str
) -> None:
    presenter.read_waiting("team")
    before = bridge.last("read_shared_documents")
    before.fail(SharedLibraryUnreachable("Gone.", "Start it.")) if ends == "fails" else before.end_cancelled()
    presenter.read_waiting("team")
    assert (bridge.last("read_shared_documents") is before, told) == (False, [])


def test_closing_the_library_cancels_its_reading(presenter: SharedPresenter, bridge: FakeBridge) -> None:
    presenter.read_waiting("team")
    presenter.set_library(None)
    assert bridge.last("read_shared_documents").cancelled


@pytest.mark.parametrize("by_mouse", [True, False])
def test_a_knowledge_base_is_added_by_its_full_name(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot, by_mouse: bool
) -> None:
    show_states(bridge, [TEAM])
    fill_in(qtbot, dialog)  # Enter must not press “Connect”
    type_into(qtbot, dialog, "Name of a new knowledge base in “team”", " tax " if by_mouse else " tax \n")
    if by_mouse:
        click(qtbot, dialog, "Add")
    assert [job.args for job in bridge.jobs if job.name == "add_shared_base"] == [("team/tax",)]
    assert not bridge.has("connect_shared_library")


def test_a_knowledge_base_without_a_name_is_not_added(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    show_states(bridge, [TEAM])
    type_into(qtbot, dialog, "Name of a new knowledge base in “team”", " \n")
    click(qtbot, dialog, "Add")
    assert not bridge.has("add_shared_base")


def test_a_failure_is_no_longer_shown_when_the_user_tries_something_else(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    show_states(bridge, [TEAM])
    type_into(qtbot, dialog, "Name of a new knowledge base in “team”", "law\n")
    bridge.last("add_shared_base").fail(LibraryError("Taken.", "Choose another name."))
    assert len(shown(dialog, QLabel, "Taken. Choose another name.")) == 1
    type_into(qtbot, dialog, "Name of a new knowledge base in “team”", "2\n")
    assert (bridge.last("add_shared_base").args, shown(dialog, QLabel, "Taken. Choose another name.")) == (
        ("team/law2",), [],
    )  # fmt: skip


def test_a_change_of_the_libraries_keeps_the_name_that_is_typed_with_focus_and_cursor(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    show_states(bridge, [TEAM])
    name = "Name of a new knowledge base in “team”"
    type_into(qtbot, dialog, name, "tax")
    shown(dialog, QLineEdit, name)[0].setCursorPosition(1)
    other = replace(TEAM, name="office", bases=())
    for states in ([replace(TEAM, documents=3, waiting=1)], [other, replace(TEAM, bases=(PAPERS,))], [DOWN], [TEAM]):
        show_states(bridge, states)
        (field,) = shown(dialog, QLineEdit, name)
        assert (field.text(), field.cursorPosition(), dialog.focusWidget() is field) == ("tax", 1, True)
    assert len(shown(dialog, QLabel, "1,200 documents · you are “eva”")) == 1


def test_a_change_of_the_libraries_leaves_the_focus_on_the_button_of_a_knowledge_base(
    dialog: SharedLibrariesDialog, bridge: FakeBridge
) -> None:
    show_states(bridge, [TEAM])
    shown(dialog, QAbstractButton, "Members of “team/law”…")[0].setFocus()
    show_states(bridge, [replace(TEAM, bases=(SharedBase("team/law", "write"), PAPERS))])
    focused = dialog.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "Members of “team/law”…"
    assert len(shown(dialog, QLabel, "team/law · May add and remove documents")) == 1


def test_the_name_of_a_knowledge_base_is_cleared_once_it_was_created_unless_another_one_is_typed(
    dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    show_states(bridge, [TEAM])
    name = "Name of a new knowledge base in “team”"
    (field,) = shown(dialog, QLineEdit, name)
    type_into(qtbot, dialog, name, "tax\n")
    assert field.text() == "tax"
    bridge.last("add_shared_base").succeed(None)
    assert field.text() == ""
    type_into(qtbot, dialog, name, "tax\n")
    type_into(qtbot, dialog, name, "es")
    bridge.last("add_shared_base").succeed(None)
    assert field.text() == "taxes"


def test_the_members_of_a_knowledge_base_are_listed_with_their_access(members: MembersDialog) -> None:
    assert listed_members(members) == ["Access of “eva”: May also manage members", "Access of “tom”: May read"]
    assert [len(shown(members, QLabel, name)) for name in ("eva", "tom")] == [1, 1]
    assert nameless(members) == []


def test_the_members_of_another_knowledge_base_are_not_shown(
    members: MembersDialog, presenter: SharedPresenter
) -> None:
    presenter.members_changed.emit("team/law", [SharedMember("zoe", "read")])
    assert shown(members, QLabel, "zoe") == []


def test_the_access_of_a_member_is_changed_with_the_keyboard(
    members: MembersDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    (access,) = shown(members, QComboBox, "Access of “tom”")
    qtbot.keyClick(access, Qt.Key.Key_Down)
    assert bridge.last("put_shared_member").args == ("team/papers", "tom", "write")


def test_a_removed_member_is_shown_no_longer(members: MembersDialog, bridge: FakeBridge, qtbot: QtBot) -> None:
    click(qtbot, members, "Remove “tom”")
    assert bridge.last("put_shared_member").args == ("team/papers", "tom", "none")
    bridge.last("put_shared_member").succeed(None)
    bridge.last("list_shared_members").succeed([SharedMember("eva", "manage")])
    assert listed_members(members) == ["Access of “eva”: May also manage members"]
    assert shown(members, QLabel, "tom") == []


@pytest.mark.parametrize("by_mouse", [True, False])
def test_a_member_is_added_with_the_chosen_access(
    members: MembersDialog, bridge: FakeBridge, qtbot: QtBot, by_mouse: bool
) -> None:
    qtbot.keyClick(shown(members, QComboBox, "Access")[0], Qt.Key.Key_Down)
    type_into(qtbot, members, "Name of a user of the server", "ann " if by_mouse else "ann \n")
    if by_mouse:
        click(qtbot, members, "Add")
    assert [job.args for job in bridge.jobs if job.name == "put_shared_member"] == [("team/papers", "ann", "write")]
    bridge.last("put_shared_member").succeed(None)
    bridge.last("list_shared_members").succeed([SharedMember("ann", "write")])
    assert listed_members(members) == ["Access of “ann”: May add and remove documents"]
    assert shown(members, QLineEdit, "Name of a user of the server")[0].text() == ""


def test_a_change_of_a_member_keeps_the_name_that_is_typed_and_the_focus(
    members: MembersDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    name = "Name of a user of the server"
    type_into(qtbot, members, name, "ann")
    (access,) = shown(members, QComboBox, "Access of “tom”")
    access.setFocus()
    qtbot.keyClick(access, Qt.Key.Key_Down)
    bridge.last("put_shared_member").succeed(None)
    listed = [SharedMember("eva", "manage"), SharedMember("sue", "read"), SharedMember("tom", "write")]
    bridge.last("list_shared_members").succeed(listed)
    assert (shown(members, QLineEdit, name)[0].text(), members.focusWidget() is access) == ("ann", True)
    assert [line.partition(":")[0] for line in listed_members(members)] == [f"Access of “{one.name}”" for one in listed]


def test_a_refused_change_of_a_member_is_shown_only_in_the_dialog_of_the_members(
    members: MembersDialog, dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    click(qtbot, members, "Remove “eva”")
    bridge.last("put_shared_member").fail(LibraryError("“eva” is the only manager."))
    (problem,) = shown(dialog, QLabel, "“eva” is the only manager.")
    assert members.isAncestorOf(problem)


def test_a_failure_elsewhere_is_not_shown_in_the_dialog_of_the_members(
    members: MembersDialog, dialog: SharedLibrariesDialog, presenter: SharedPresenter, bridge: FakeBridge
) -> None:
    presenter.read_waiting("team")
    bridge.last("read_shared_documents").fail(SharedLibraryUnreachable("Gone."))
    (problem,) = shown(dialog, QLabel, "Gone.")
    assert not members.isAncestorOf(problem)


def test_a_refused_change_of_a_member_is_shown_in_the_other_dialog_if_that_of_the_members_was_closed(
    members: MembersDialog, dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    click(qtbot, members, "Remove “eva”")
    with qtbot.waitSignal(members.destroyed):
        click(qtbot, members, "Close")
    bridge.last("put_shared_member").fail(LibraryError("“eva” is the only manager."))
    assert len(shown(dialog, QLabel, "“eva” is the only manager.")) == 1


def test_a_refused_change_of_a_member_is_shown_in_the_window_if_both_dialogs_were_closed(
    qtbot: QtBot, tmp_path: Path
) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    shell.shared.members_failed.emit("team/papers", LibraryError("“eva” is the only manager."), "")
    assert len(shown(shell.window.banner, QLabel, "“eva” is the only manager.")) == 1


def test_a_refused_change_of_a_member_is_shown_until_the_next_one_is_made(
    members: MembersDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    click(qtbot, members, "Remove “eva”")
    bridge.last("put_shared_member").fail(LibraryError("“eva” is the only manager.", "Add another one first."))
    assert len(shown(members, QLabel, "“eva” is the only manager. Add another one first.")) == 1
    click(qtbot, members, "Remove “tom”")
    bridge.last("put_shared_member").succeed(None)
    bridge.last("list_shared_members").succeed([SharedMember("eva", "manage")])
    assert shown(members, QLabel, "“eva” is the only manager. Add another one first.") == []


def test_many_changes_lead_to_one_new_listing_after_a_quiet_time(
    presenter: SharedPresenter, dialog: SharedLibrariesDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    show_states(bridge, [TEAM])
    bridge.jobs.clear()
    with qtbot.waitSignal(presenter._quiet.timeout):
        for _ in range(5):
            bridge.domain_event.emit(SharedLibraryChanged("team"))
        assert bridge.jobs == []
    assert [one.name for one in bridge.jobs] == ["list_knowledge_bases", "list_documents", "list_shared_libraries"]


def test_changes_without_an_end_are_listed_meanwhile(
    presenter: SharedPresenter, bridge: FakeBridge, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_presenter, "_LONGEST_MS", 500)
    changes = QTimer()
    changes.timeout.connect(lambda: bridge.domain_event.emit(SharedLibraryChanged("team")))
    changes.start(10)
    for _ in range(2):
        bridge.jobs.clear()
        with qtbot.waitSignal(presenter._quiet.timeout):
            pass
        bridge.last("list_documents").succeed([])


def test_documents_are_listed_again_only_when_the_list_before_has_arrived(
    presenter: SharedPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    bridge.jobs.clear()
    bridge.domain_event.emit(SharedLibraryChanged("team"))
    for _ in range(2):
        with qtbot.waitSignal(presenter._quiet.timeout):
            bridge.domain_event.emit(SharedLibraryChanged("team"))
    assert [one.name for one in bridge.jobs].count("list_documents") == 1
    with qtbot.waitSignal(presenter._quiet.timeout):
        bridge.last("list_documents").succeed([])
    assert [one.name for one in bridge.jobs].count("list_documents") == 2


def test_states_that_nobody_has_looked_at_are_not_loaded_after_a_change(
    presenter: SharedPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(presenter._quiet.timeout):
        bridge.domain_event.emit(SharedLibraryChanged("team"))
    assert bridge.has("list_documents")
    assert not bridge.has("list_shared_libraries")


def test_a_library_that_cannot_be_reached_is_told_once_and_once_more_when_it_is_back(
    presenter: SharedPresenter, bridge: FakeBridge, told: list[str]
) -> None:
    for is_reachable in (False, False, True, True, False):
        bridge.domain_event.emit(SharedLibraryChanged("team", is_reachable))
    lost = "The shared library “team” cannot be reached. The rest is searched."
    assert told == [lost, "The shared library “team” can be reached again.", lost]


def test_a_library_that_cannot_be_reached_is_not_listed_again(presenter: SharedPresenter, bridge: FakeBridge) -> None:
    bridge.domain_event.emit(SharedLibraryChanged("team", is_reachable=False))
    assert not presenter._quiet.isActive()
    bridge.domain_event.emit(SharedLibraryChanged("team"))
    assert presenter._quiet.isActive()


def test_added_changed_and_removed_documents_of_shared_libraries_are_applied(
    documents: LibraryPresenter, bridge: FakeBridge
) -> None:
    documents.list_shared()
    read, added = document(2, "team/papers"), document(3, "team/papers")
    bridge.last("list_documents").succeed([document(1), document(2), read, added])
    documents.flush()
    assert {one.id: one for one in documents.model.documents() if is_shared(one)} == {read.id: read, added.id: added}


def test_a_new_listing_of_shared_libraries_leaves_personal_documents_alone(
    documents: LibraryPresenter, bridge: FakeBridge
) -> None:
    personal = [one for one in documents.model.documents() if not is_shared(one)]
    documents.list_shared()
    bridge.last("list_documents").succeed([replace(document(1), name="as it was"), document(9)])
    documents.flush()
    assert documents.model.documents() == personal


def test_a_new_listing_shows_the_knowledge_bases_of_shared_libraries(
    documents: LibraryPresenter, bridge: FakeBridge
) -> None:
    documents.list_shared()
    bridge.last("list_knowledge_bases").succeed(["default", "team/papers"])
    assert documents.knowledge_bases == ["default", "team/papers"]


def test_documents_that_were_copied_to_shared_libraries_are_read_by_one_worker_for_each(
    presenter: SharedPresenter, documents: LibraryPresenter, bridge: FakeBridge
) -> None:
    new = [document(number, "team/papers", DocumentStatus.QUEUED) for number in (5, 6)]
    law = replace(new[0], id=(2 << SLOT_BITS) + 5, knowledge_base="office/law")
    documents.model.put([*new, law])
    presenter.on_import_ended([copied(one) for one in (*new, law)])
    presenter.on_import_ended([copied(new[0])])
    assert sorted(job.args for job in bridge.jobs if job.name == "read_shared_documents") == [("office",), ("team",)]


def test_nothing_is_read_after_an_import_that_copied_nothing(presenter: SharedPresenter, bridge: FakeBridge) -> None:
    finished = [copied(document(1, "team/papers"), FileOutcome.UNCHANGED), copied(document(1), FileOutcome.READY)]
    presenter.on_import_ended(finished)
    assert not bridge.has("read_shared_documents")


def test_a_waiting_document_says_whether_it_waits_for_a_worker_of_a_shared_library() -> None:
    waiting = DocumentStatus.QUEUED
    assert second_line(document(1, "team/papers", waiting)) == "Waiting for a worker · team/papers"
    assert second_line(document(1, status=waiting)) == "Waiting"


def test_a_document_that_was_read_names_the_knowledge_base_of_a_shared_library() -> None:
    assert second_line(document(1, "team/papers")) == "1 page · 2 passages · PDF · team/papers"
    assert second_line(document(1)) == "1 page · 2 passages · PDF"


@pytest.fixture
def url(postgres_url: str) -> Iterator[str]:
    """Yield the address of an empty database."""
    with empty_database(postgres_url) as url:
        yield url


@pytest.fixture
def shell(url: str, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppController:
    """Return a window in which a shared library was set up; the address was typed with a password."""
    keyring: dict[str, str] = {}
    monkeypatch.setattr("workbench.operations.shared.shared_library.store_secret", keyring.__setitem__)
    monkeypatch.setattr("workbench.operations.shared.shared_library.load_secret", lambda name: keyring.get(name, ""))
    made = open_window(qtbot, tmp_path / "library")
    dialog = SharedLibrariesDialog(made.shared, made.theme)
    qtbot.addWidget(dialog)
    dialog.show()
    fill_in(qtbot, dialog, url.replace("postgres@", "postgres:s3c%40ret@"), "")
    with qtbot.waitSignal(made.shared.connected, timeout=20_000):
        click(qtbot, dialog, "Set up and connect")
    assert list(keyring.values()) == ["s3c@ret"]
    return made


def test_a_password_typed_into_the_address_is_kept_in_the_keyring_and_not_shown(
    shell: AppController, qtbot: QtBot, url: str
) -> None:
    qtbot.waitUntil(lambda: bool(shell.shared.states))
    assert [(one.url, one.user, one.problem) for one in shell.shared.states] == [(url, "postgres", "")]


def test_a_document_is_copied_to_a_real_server_read_here_and_listed(
    shell: AppController, qtbot: QtBot, tmp_path: Path
) -> None:
    paper = write_file(tmp_path, "harbour.md", "# Harbour\n\nThe harbour of Lindhamn froze in 1987.\n")
    shell.documents.choose_knowledge_base("team/documents")
    shell.documents.add([paper])

    def is_listed() -> bool:
        found = [(one.name, one.knowledge_base, one.status) for one in shell.documents.model.documents()]
        return found == [("harbour.md", "team/documents", DocumentStatus.READY)]

    qtbot.waitUntil(is_listed, timeout=20_000)
    assert shell.documents.knowledge_bases == ["default", "team/documents"]
