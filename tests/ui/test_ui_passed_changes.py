"""Changes of the command line, a separate process, that the window makes because it has the library open."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from ctrl_c import children_take_ctrl_c
from gates import nowhere_is_here_in
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot
from ui_window import open_window
from web_site import Site, page
from web_site import body as web

from workbench.model.egress import OFFLINE_MODE_HINT
from workbench.operations.library.change_messages import LONGEST_MESSAGE
from workbench.ui.app_controller import AppController
from workbench.ui.single_instance import socket_name

PASSWORD = "sesame-and-lily"
TIMEOUT = 60_000  # milliseconds


@pytest.fixture(autouse=True)
def _short_runtime_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of sockets are at most 107 bytes long."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("r")))


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path, warm_readers: None) -> AppController:
    (tmp_path / "note.md").write_text("# Note\n\nThe heron flew.\n", "utf-8")
    return open_window(qtbot, tmp_path / "library")


@pytest.fixture
def started() -> Iterator[list["subprocess.Popen[str]"]]:
    """Yield the running commands, which are killed if a test fails."""
    commands: list[subprocess.Popen[str]] = []
    yield commands
    for one in commands:
        one.kill()
        one.communicate()


def start(shell: AppController, *words: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "workbench", "--library", str(shell.folder), "--json", *map(str, words)]
    with children_take_ctrl_c():
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def typed(qtbot: QtBot, shell: AppController, *words: object) -> tuple[int, list[dict[str, Any]]]:
    """Run a command while the window is open; return its exit status and its records."""
    command = start(shell, *words)
    qtbot.waitUntil(lambda: command.poll() is not None, timeout=TIMEOUT)
    out, _ = command.communicate()
    return command.returncode, [json.loads(line) for line in out.splitlines()]


def add_note(shell: AppController, qtbot: QtBot) -> None:
    """Add a note as document 1 through the window."""
    shell.documents.import_with("add_note", "The heron flew.")
    qtbot.waitUntil(lambda: len(names(shell)) == 1, timeout=TIMEOUT)


def add_while_paused(shell: AppController, qtbot: QtBot, file: Path) -> "subprocess.Popen[str]":
    """Return a command that waits for the window, which lists its file but does not read it."""
    assert shell.library is not None
    shell.library.queue.pause(True)
    shell.library.queue.keep_paused(True)
    command = start(shell, "add", file)
    qtbot.waitUntil(lambda: names(shell) == [file.name], timeout=TIMEOUT)
    return command


def names(shell: AppController) -> list[str]:
    assert shell.library is not None
    return [one.name for one in shell.library.documents.list()]


def test_add_reports_the_result_of_each_file_as_it_does_without_a_window(
    shell: AppController, qtbot: QtBot, tmp_path: Path
) -> None:
    shell.window.showMinimized()
    status, records = typed(qtbot, shell, "add", "--kb", "birds", tmp_path / "note.md", tmp_path / "gone.md")
    missing, good = sorted(records, key=lambda record: record["path"])
    assert (status, good["status"], good["document"], good["chunks"]) == (1, "ready", 1, 1)
    assert (missing["status"], missing["path"]) == ("failed", str(tmp_path / "gone.md"))
    assert [(one.name, one.knowledge_base) for one in shell.documents.model.documents()] == [("note.md", "birds")]
    assert shell.window.isMinimized()


def test_a_document_is_tagged_removed_and_brought_back(shell: AppController, qtbot: QtBot) -> None:
    add_note(shell, qtbot)
    status, (edited,) = typed(qtbot, shell, "edit", "1", "--tag", "late", "--author", "Lind")
    assert (status, edited["tags"], edited["author"]) == (0, ["late"], "Lind")
    assert typed(qtbot, shell, "remove", "1")[1][0]["status"] == "removed"
    qtbot.waitUntil(lambda: shell.documents.model.documents() == [], timeout=TIMEOUT)
    assert typed(qtbot, shell, "bin", "--restore", "1")[1][0]["status"] == "restored"
    qtbot.waitUntil(lambda: len(shell.documents.model.documents()) == 1, timeout=TIMEOUT)


def test_an_error_of_the_window_is_the_error_of_the_command(shell: AppController, qtbot: QtBot) -> None:
    add_note(shell, qtbot)
    status, (error,) = typed(qtbot, shell, "edit", "1", "--tag", "a,b")
    assert (status, error["kind"], error["error"]) == (1, "MetadataError", "“a,b” cannot be a tag.")


def test_a_page_of_the_web_is_not_fetched_while_offline_mode_of_the_window_is_on(
    shell: AppController, qtbot: QtBot
) -> None:
    words = ("add", "https://example.org/a", "--topic", "Sea ice", "--run-scripts")
    status, (page, topic) = typed(qtbot, shell, *words)
    assert (status, page["status"], topic["status"]) == (1, "failed", "failed")
    assert OFFLINE_MODE_HINT in page["reason"]
    assert OFFLINE_MODE_HINT in topic["reason"]
    assert shell.library is not None
    shell.library.gate.settle()
    assert {one.outcome.value for one in shell.library.network.all()} == {"refused"}


def test_a_host_that_a_command_allows_may_be_asked_by_the_window_for_that_change_only(
    shell: AppController, qtbot: QtBot
) -> None:
    assert shell.library is not None
    nowhere_is_here_in(shell.library)
    shell.library.setting_values.put("allow_private_addresses", "yes")
    with Site({"/a": web(page("Heron", "The heron flew over the harbour in 1987."))}) as site:
        status, (file,) = typed(qtbot, shell, "add", site.url("/a"))
        assert (status, file["closed_hosts"]) == (1, [f"127.0.0.1:{site.port}"])
        status, (file,) = typed(qtbot, shell, "add", site.url("/a"), "--allow-host", f"127.0.0.1:{site.port}")
        assert (status, file["status"]) == (0, "ready")


def test_a_password_opens_a_file_and_is_written_nowhere(shell: AppController, qtbot: QtBot, tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "The heron flew over the harbour in 1987.")
    encryption = pymupdf.PDF_ENCRYPT_AES_256
    pdf.save(tmp_path / "locked.pdf", encryption=encryption, user_pw=PASSWORD, owner_pw=PASSWORD)
    status, (locked,) = typed(qtbot, shell, "add", "--password", "lily", tmp_path / "locked.pdf")
    assert (status, locked["status"]) == (1, "locked")
    status, (ready,) = typed(qtbot, shell, "unlock", "--password", PASSWORD)
    assert (status, ready["status"]) == (0, "ready")
    places = (shell.folder, Path(os.environ["XDG_STATE_HOME"]))
    files = [file for place in places for file in place.rglob("*") if file.is_file()]
    assert files
    # By another process: closing a file of the open database here would release SQLite's locks on it.
    found = subprocess.run(["grep", "-laF", PASSWORD, *map(str, files)], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (1, "")


def test_ctrl_c_stops_the_change_in_the_window(
    shell: AppController, qtbot: QtBot, tmp_path: Path, started: list["subprocess.Popen[str]"]
) -> None:
    started.append(add_while_paused(shell, qtbot, tmp_path / "note.md"))
    started[0].send_signal(signal.SIGINT)
    qtbot.waitUntil(lambda: shell.documents.importing.running == 0, timeout=TIMEOUT)
    _, said = started[0].communicate(timeout=TIMEOUT / 1000)
    assert (started[0].returncode, said.splitlines()[-1]) == (130, "Cancelled.")
    assert "Reading is paused in the window" in said


def test_a_command_receives_an_error_when_the_window_closes_its_library(
    shell: AppController, qtbot: QtBot, tmp_path: Path, started: list["subprocess.Popen[str]"]
) -> None:
    started.append(add_while_paused(shell, qtbot, tmp_path / "note.md"))
    with qtbot.waitSignal(shell.settled, timeout=TIMEOUT):
        shell.open_other(tmp_path / "other")
    out, _ = started[0].communicate(timeout=TIMEOUT / 1000)
    assert (started[0].returncode, json.loads(out)["error"]) == (1, "The change was stopped in the window.")


def said_to(shell: AppController, qtbot: QtBot, said: bytes) -> QLocalSocket:
    """Send a message to a minimised window with one document."""
    add_note(shell, qtbot)
    shell.window.showMinimized()
    socket = QLocalSocket()
    socket.connectToServer(socket_name(shell.folder))
    socket.write(said)
    return socket


@pytest.mark.parametrize(
    "said",
    [
        *(
            b"\n",
            b"nonsense\n",
            b"[1, 2]\n",
            b"[" * 100_000 + b"\n",
            b'{"sources": "a"}\n',
            b'{"sources": [1, null]}\n',
        ),
        b'{"version": 2, "change": "Remove", "documents": [1], "for_good": true}\n',
        b'{"version": 3, "change": "RemoveAll", "documents": [1], "for_good": true}\n',
        b'{"version": 3, "change": "Remove", "documents": ["1 OR 1"], "for_good": true}\n',
    ],
    ids=lambda said: said[:60].decode(),
)
def test_a_hostile_message_is_refused_without_effect(shell: AppController, qtbot: QtBot, said: bytes) -> None:
    socket = said_to(shell, qtbot, said)
    qtbot.waitUntil(socket.canReadLine, timeout=5000)
    assert "Nothing was changed." in json.loads(socket.readLine().data())["failed"]["message"]
    assert len(names(shell)) == 1
    assert shell.window.isMinimized()


def test_a_message_without_an_end_is_hung_up_on_without_effect(shell: AppController, qtbot: QtBot) -> None:
    said = b'{"version": 3, "change": "Remove", "documents": [1], "for_good": true, "padding": "'
    socket = said_to(shell, qtbot, said + b"a" * (2 * LONGEST_MESSAGE))
    qtbot.waitUntil(lambda: socket.state() is socket.LocalSocketState.UnconnectedState, timeout=TIMEOUT)
    assert len(names(shell)) == 1
