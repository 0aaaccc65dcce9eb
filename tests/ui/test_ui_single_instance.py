"""One window a library: what a second start hands to the first."""

import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from ui_window import open_window

from workbench.cli.opening import is_source, source_of
from workbench.ui.library.add_link import AddLinkDialog
from workbench.ui.shell import Shell
from workbench.ui.single_instance import hand_over, socket_name

SECOND = """import sys, pathlib
from workbench.app import run_window
sys.exit(run_window(pathlib.Path(sys.argv[1]), sys.argv[2:]))
"""


@pytest.fixture(autouse=True)
def _short_runtime_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of sockets are at most 107 bytes long."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("r")))


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Shell:
    return open_window(qtbot, tmp_path / "library")


def start_again(shell: Shell, *sources: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", SECOND, str(shell.folder), *sources])


@pytest.mark.usefixtures("warm_readers")
def test_second_start_hands_its_files_to_the_first_window_and_ends_well(
    shell: Shell, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "the note.md").write_text("# Note\n\nThe heron flew.\n", "utf-8")
    second = start_again(shell, str(tmp_path / "the note.md"))
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=30_000)
    assert second.returncode == 0
    qtbot.waitUntil(lambda: len(shell.documents.model.documents()) == 1, timeout=30_000)


def test_second_start_with_a_link_asks_about_it_in_the_first_window(shell: Shell, qtbot: QtBot) -> None:
    second = start_again(shell, "https://example.org/report.html")
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=30_000)
    (dialog,) = shell.window.findChildren(AddLinkDialog)
    assert dialog.isVisible()
    assert shell.documents.model.documents() == []
    dialog.close()


def test_a_window_that_was_minimised_comes_to_the_front(shell: Shell, qtbot: QtBot) -> None:
    shell.window.showMinimized()
    second = start_again(shell)
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=30_000)
    assert not shell.window.isMinimized()


def test_nobody_is_there_for_another_library_nor_after_a_kill(shell: Shell, tmp_path: Path) -> None:
    assert not hand_over(tmp_path / "other", ["a.md"])
    Path(socket_name(tmp_path / "killed")).touch()
    assert not hand_over(tmp_path / "killed", ["a.md"])
    assert socket_name(tmp_path / "other") != socket_name(shell.folder)


def test_files_are_told_from_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b.pdf", "add"):
        (tmp_path / name).touch()
    assert [is_source(one) for one in ("a b.pdf", "add", "./add", "--json", "https://example.org", "gone.pdf")] == [
        *(True, False, True, False, True, False)
    ]
    assert source_of("a b.pdf") == str(tmp_path / "a b.pdf")
    assert source_of((tmp_path / "a b.pdf").as_uri()) == str(tmp_path / "a b.pdf")
    assert source_of("https://example.org/a") == "https://example.org/a"
