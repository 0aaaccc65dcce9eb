"""A single window per library: requests that a second start passes to the first."""

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot
from ui_window import open_window

from workbench.app import run_window
from workbench.cli.main import is_source, source_of
from workbench.errors import SettingError
from workbench.ui.app_controller import AppController
from workbench.ui.library.add_dialogs import AddLinkDialog
from workbench.ui.single_instance import forward_to_running_window, socket_name

SECOND = """import sys, pathlib
from workbench.app import run_window
sys.exit(run_window(pathlib.Path(sys.argv[1]), sys.argv[3:], sys.argv[2] or None))
"""


@pytest.fixture(autouse=True)
def _short_runtime_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of sockets are at most 107 bytes long."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("r")))


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> AppController:
    return open_window(qtbot, tmp_path / "library")


def start_again(shell: AppController, *sources: str, user: str = "") -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", SECOND, str(shell.folder), user, *sources])


def hand_over_beside(shell: AppController, qtbot: QtBot, user: str) -> bool:
    """Pass a request from another process, since the event loop of this one must answer."""
    second = start_again(shell, user=user)
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=30_000)
    return second.returncode == 0


@pytest.mark.usefixtures("warm_readers")
def test_second_start_hands_its_files_to_the_first_window_and_ends_well(
    shell: AppController, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "the note.md").write_text("# Note\n\nThe heron flew.\n", "utf-8")
    second = start_again(shell, str(tmp_path / "the note.md"))
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=30_000)
    assert second.returncode == 0
    qtbot.waitUntil(lambda: len(shell.documents.model.documents()) == 1, timeout=30_000)


def test_second_start_with_a_link_asks_about_it_in_the_first_window(shell: AppController, qtbot: QtBot) -> None:
    second = start_again(shell, "https://example.org/report.html")
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=30_000)
    (dialog,) = shell.window.findChildren(AddLinkDialog)
    assert dialog.isVisible()
    assert shell.documents.model.documents() == []
    dialog.close()


def test_a_second_start_for_another_user_turns_the_window_to_that_user_with_its_files(
    shell: AppController, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nThe heron flew.\n", "utf-8")
    with qtbot.waitSignal(shell.settled, timeout=60_000):
        second = start_again(shell, str(tmp_path / "note.md"), user=" Bob ")
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=30_000)
    assert shell.library is not None
    assert (second.returncode, shell.library.user, shell.state.user) == (0, "Bob", "Bob")
    assert "Bob" in shell.window.windowTitle()
    qtbot.waitUntil(lambda: len(shell.documents.model.documents()) == 1, timeout=30_000)


@pytest.mark.parametrize("answer", [QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.Cancel])
def test_it_is_asked_about_while_an_answer_is_under_way(
    shell: AppController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, answer: QMessageBox.StandardButton
) -> None:
    asked: list[str] = []

    def choose(box: QMessageBox) -> int:
        asked.append(box.text())
        return answer.value

    monkeypatch.setattr(QMessageBox, "exec", choose)
    monkeypatch.setattr(type(shell.chat), "running", True)
    with qtbot.waitSignal(shell.settled, timeout=60_000) if answer is QMessageBox.StandardButton.Yes else nullcontext():
        assert hand_over_beside(shell, qtbot, "Bob")
        qtbot.waitUntil(lambda: bool(asked), timeout=30_000)
    assert asked == ["Stop running tasks and continue as “Bob”?"]
    assert shell.state.user == ("Bob" if answer is QMessageBox.StandardButton.Yes else "")
    assert shell.library is not None


def test_a_name_that_no_user_can_have_ends_the_second_start_and_changes_nothing(
    shell: AppController, tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match="at most 80 characters"):
        run_window(shell.folder, user="x" * 81)
    assert shell.state.user == ""


def test_a_second_start_brings_a_minimised_window_to_the_front(shell: AppController, qtbot: QtBot) -> None:
    shell.window.showMinimized()
    second = start_again(shell)
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=30_000)
    assert not shell.window.isMinimized()


def test_no_running_window_is_found_for_another_library_or_after_a_kill(shell: AppController, tmp_path: Path) -> None:
    assert not forward_to_running_window(tmp_path / "other", ["a.md"])
    Path(socket_name(tmp_path / "killed")).touch()
    assert not forward_to_running_window(tmp_path / "killed", ["a.md"])
    assert socket_name(tmp_path / "other") != socket_name(shell.folder)


def test_files_are_distinguished_from_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b.pdf", "add"):
        (tmp_path / name).touch()
    assert [is_source(one) for one in ("a b.pdf", "add", "./add", "--json", "https://example.org", "gone.pdf")] == [
        *(True, False, True, False, True, False)
    ]
    assert source_of("a b.pdf") == str(tmp_path / "a b.pdf")
    assert source_of((tmp_path / "a b.pdf").as_uri()) == str(tmp_path / "a b.pdf")
    assert source_of("https://example.org/a") == "https://example.org/a"
