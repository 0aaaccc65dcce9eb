"""One window a library: what a second start hands to the first."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
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


@pytest.mark.usefixtures("warm_readers")
def test_add_on_the_command_line_is_passed_to_the_window_which_stays_where_it_is(
    shell: Shell, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nThe heron flew.\n", "utf-8")
    shell.window.showMinimized()
    command = [sys.executable, "-m", "workbench", "--library", str(shell.folder), "--json", "add", "--kb", "birds"]
    added = subprocess.Popen([*command, str(tmp_path / "note.md")], stdout=subprocess.PIPE, text=True)
    qtbot.waitUntil(lambda: added.poll() is not None, timeout=30_000)
    out, _ = added.communicate()
    record = {"path": str(tmp_path / "note.md"), "status": "passed on", "process": os.getpid()}
    assert (added.returncode, json.loads(out)) == (0, record)
    assert shell.library is not None
    documents = shell.library.documents
    qtbot.waitUntil(lambda: [one.knowledge_base for one in documents.list()] == ["birds"], timeout=30_000)
    assert shell.window.isMinimized()


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


@pytest.mark.parametrize(
    "said", [b"\n", b"nonsense\n", b"[1, 2]\n", b'{"sources": "a"}\n', b'{"sources": [1, null]}\n']
)
def test_nonsense_on_the_socket_is_taken_for_nothing(shell: Shell, qtbot: QtBot, said: bytes) -> None:
    socket = QLocalSocket()
    socket.connectToServer(socket_name(shell.folder))
    socket.write(said)
    qtbot.waitUntil(lambda: socket.bytesAvailable() > 0, timeout=5000)
    assert shell.documents.model.documents() == []


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
