"""Library check in the window: faults, repair after a question, backups, and the offer for a damaged library."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from workbench.app import build_window
from workbench.model.integrity_report import (
    Backup,
    BackupReason,
    CheckProgress,
    Cure,
    Fault,
    LibraryPart,
    LibraryUnsound,
    Repair,
    Soundness,
)
from workbench.store.database import FILE_NAME, Database
from workbench.ui.app_controller import AppController
from workbench.ui.bridge import Bridge
from workbench.ui.soundness.integrity_dialog import SOUND, IntegrityDialog, backup_words
from workbench.ui.soundness.presenter import IntegrityPresenter
from workbench.ui.theme import Theme

FAULT = Fault(LibraryPart.TEXTS, "“heron.md”: its text is not there.", "It is read again.", Cure.READ_AGAIN, (1,))


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[Callable[[Path], AppController]]:
    shells: list[AppController] = []

    def build(folder: Path) -> AppController:
        shell = build_window(folder, appearance="light")
        shells.append(shell)
        with qtbot.waitSignal(shell.settled, timeout=20_000):
            shell.window.show()
        return shell

    yield build
    for shell in reversed(shells):
        shell.window.close()
        shell.shut_down()
        shell.window.deleteLater()


@pytest.fixture
def dialog(qtbot: QtBot) -> IntegrityDialog:
    made = IntegrityDialog(IntegrityPresenter(Bridge()), Theme(choice="light"))
    qtbot.addWidget(made)
    return made


@pytest.fixture
def agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer yes to every question."""
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: QMessageBox.StandardButton.Yes)


def _texts(dialog: IntegrityDialog) -> str:
    return " ".join(one.text() for one in dialog.findChildren(QLabel) if one.text())


def test_a_fault_found_is_shown_with_its_remedy_and_repair_is_offered(dialog: IntegrityDialog) -> None:
    dialog._on_checked(Soundness((FAULT,)))
    assert "“heron.md”: its text is not there." in _texts(dialog)
    assert "It is read again." in _texts(dialog)
    assert not dialog._repair.isHidden()
    dialog._on_checked(Soundness(()))
    assert SOUND in _texts(dialog)
    assert dialog._repair.isHidden()


def test_the_progress_of_a_check_is_shown_as_text_and_on_the_bar(dialog: IntegrityDialog) -> None:
    dialog._on_progressed(CheckProgress(LibraryPart.FILES, 50, 200))
    assert "The library's copies of files: 50 of 200" in _texts(dialog)
    assert dialog._bar.value() == 250
    dialog._on_progressed(CheckProgress(LibraryPart.INDEX, 0, 0))
    assert dialog._bar.maximum() == 0


def test_a_repair_reports_the_repaired_and_the_lost_data(dialog: IntegrityDialog) -> None:
    dialog.show_repair(Repair(("“a.md” was read again.",), ("“b.md” cannot be read again.",), aside="/damaged/1"))
    said = _texts(dialog)
    assert "some data could not be recovered" in said
    assert all(one in said for one in ("“a.md” was read again.", "“b.md” cannot be read again.", "/damaged/1"))


def test_repair_asks_first(dialog: IntegrityDialog, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(box: QMessageBox) -> int:
        asked.append(box.informativeText())
        return QMessageBox.StandardButton.Cancel.value

    monkeypatch.setattr(QMessageBox, "exec", answer)
    with qtbot.assertNotEmitted(dialog.repair_asked):
        dialog._repair.click()
    assert "The database is backed up first." in asked[0]


def test_without_a_backup_the_dialog_shows_when_one_is_made(dialog: IntegrityDialog) -> None:
    dialog._backups._on_listed([])
    assert dialog._backups._pages.currentWidget() is dialog._backups._none
    assert "every week" in _texts(dialog)


@pytest.mark.usefixtures("agree")
def test_a_backup_is_put_in_use_after_a_question(dialog: IntegrityDialog, qtbot: QtBot) -> None:
    backup = Backup("0001-weekly-20261122T090000Z.sqlite3", BackupReason.WEEKLY, "2026-11-22T09:00:00+00:00", 5, 9)
    dialog._backups._on_listed([backup])
    assert "automatic" in backup_words(backup)
    assert not dialog._backups._restore.isEnabled()
    dialog._backups._list.setCurrentRow(0)
    with qtbot.waitSignal(dialog.restore_asked) as told:
        dialog._backups._restore.click()
    assert told.args == [backup.name]


def test_the_open_library_is_checked_and_backed_up(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    shell = open_window(tmp_path / "library")
    shell.window.actions_by_name["soundness"].trigger()
    dialog = shell.dialogs.soundness()
    dialog._check.click()
    qtbot.waitUntil(lambda: SOUND in _texts(dialog), timeout=20_000)
    dialog._backups._make.click()
    qtbot.waitUntil(lambda: dialog._backups._list.count() == 1, timeout=20_000)
    dialog.close()


@pytest.mark.usefixtures("agree")
def test_a_damaged_library_is_repaired_from_the_page_that_reports_the_damage(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    Database.open(tmp_path).close()
    with (tmp_path / FILE_NAME).open("r+b") as file:
        file.write(bytes(100))
    shell = open_window(tmp_path)
    assert shell.library is None
    page = shell.window.problem
    assert not page._repair.isHidden()
    page._repair.click()
    dialog = shell.dialogs.soundness()
    assert dialog.isVisible()
    with qtbot.waitSignal(shell.settled, timeout=60_000):
        dialog._repair.click()
        assert "Repairing the library" in page.text
        assert page._repair.isHidden()
    assert shell.library is not None
    assert not page.isVisible()
    assert "A new database was created from what could be read" in _texts(dialog)
    dialog.close()


def test_a_fault_in_the_open_library_is_reported_in_a_toast_that_opens_the_check(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    shell = open_window(tmp_path)
    shell.bridge.publish(
        LibraryUnsound("Something in the library is not as it should be. Nothing was changed.", (FAULT,))
    )
    toast = shell.window.toast
    qtbot.waitUntil(lambda: "not as it should be" in toast.text, timeout=5_000)
    toast.act()
    dialog = shell.dialogs.soundness()
    assert "its text is not there" in _texts(dialog)
    dialog.close()
