"""Whole window on a real library folder, offscreen."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from embedding_site import EmbeddingSite
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from workbench.app import build_window
from workbench.embedding.servers.client import Patience
from workbench.language import tr
from workbench.model.document import Document, DocumentStatus, Metadata
from workbench.model.import_progress import IndexRepaired
from workbench.ui.app_controller import AppController
from workbench.ui.chat.composer import QuestionField
from workbench.ui.chat.empty_state import SAMPLES
from workbench.ui.chat.run_cards import RunCards
from workbench.ui.library.add_dialogs import AddLinkDialog
from workbench.ui.library.import_dialogs import PasswordPrompt
from workbench.ui.settings.settings_dialog import SettingsDialog

pytestmark = pytest.mark.usefixtures("warm_readers")

HEAVY = (
    "torch",
    "transformers",
    "sentence_transformers",
    "faiss",
    "onnxruntime",
    "pymupdf",
    "openai",
    "numpy",
    "sqlite3",
)


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[Callable[..., AppController]]:
    shells: list[AppController] = []

    def build(folder: Path, *, at_once: Callable[[AppController], object] | None = None) -> AppController:
        shell = build_window(folder, appearance="light")
        shells.append(shell)
        with qtbot.waitSignal(shell.settled, timeout=20_000):
            shell.window.show()
            if at_once is not None:
                at_once(shell)
        return shell

    yield build
    for shell in reversed(shells):
        shell.window.close()
        shell.shut_down()
        shell.window.deleteLater()


def test_window_is_up_before_anything_heavy_is_imported() -> None:
    program = (
        "import sys, pathlib, tempfile\n"
        "from workbench import app\n"
        "application = app.application()\n"
        "shell = app.build_window(pathlib.Path(tempfile.mkdtemp()))\n"
        "shell.window.show()\n"
        "shell.window.grab()\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
        "shell.shut_down()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_a_new_library_opens_empty_and_shows_how_to_begin(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    shell = open_window(tmp_path / "文库")
    assert shell.library is not None
    assert not shell.window.problem.isVisible()
    qtbot.waitUntil(lambda: "nothing leaves this computer" in shell.window.status.text, timeout=20_000)


def test_a_command_given_before_the_window_is_complete_is_not_lost(
    open_window: Callable[..., AppController], tmp_path: Path
) -> None:
    shell = open_window(tmp_path, at_once=lambda early: early.window.actions_by_name["settings"].trigger())
    (dialog,) = shell.window.findChildren(SettingsDialog)
    assert dialog.isVisible()


def test_sample_documents_asked_for_before_the_library_is_open_are_added(
    open_window: Callable[..., AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    def press(early: AppController) -> None:
        (button,) = (one for one in early.chat.findChildren(QPushButton) if one.text() == tr(SAMPLES))
        button.click()

    shell = open_window(tmp_path, at_once=press)
    qtbot.waitUntil(lambda: len(shell.documents.model.documents()) == 4, timeout=60_000)


def test_files_and_links_dropped_before_the_window_is_complete_are_not_lost(
    open_window: Callable[..., AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "early.txt").write_text("The ferry leaves at seven.", "utf-8")

    def drop(early: AppController) -> None:
        early.window.drop.dropped.emit([tmp_path / "early.txt"])
        early.window.drop.links_dropped.emit(["https://pages.example/early"])

    shell = open_window(tmp_path / "library", at_once=drop)
    qtbot.waitUntil(lambda: [one.name for one in shell.documents.model.documents()] == ["early.txt"], timeout=60_000)
    assert [dialog for dialog in shell.window.findChildren(AddLinkDialog) if dialog.isVisible()]


def test_a_second_window_on_the_same_library_reports_that_and_can_retry(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    first = open_window(tmp_path)
    second = open_window(tmp_path)
    assert second.library is None
    assert second.window.problem.isVisible()
    assert not second.window.library_dock.isVisible()
    first.window.close()
    first.shut_down()
    with qtbot.waitSignal(second.settled, timeout=20_000):
        second.window.problem.retry_asked.emit()
    assert second.library is not None
    assert second.window.library_dock.isVisible()


def test_failed_document_stays_in_the_list_with_its_reason(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    shell = open_window(tmp_path / "library")
    empty = tmp_path / "空白.txt"
    empty.touch()
    with qtbot.waitSignal(shell.documents.notified, timeout=60_000):
        shell.documents.add([empty])
    (document,) = shell.documents.model.documents()
    assert document.status is DocumentStatus.FAILED
    assert "empty" in document.reason
    assert "1 failed" in shell.window.status.text


def test_passwords_that_an_answer_lacks_are_entered_in_the_prompt_of_the_library(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    shell = open_window(tmp_path / "library")
    locked = Document(1, "default", "/d/1.pdf", "1.pdf", "", 1, "pdf", DocumentStatus.LOCKED, Metadata("1.pdf"))
    shell.documents.model.put([locked])
    cards = shell.chat.findChild(RunCards)
    assert cards is not None
    cards.passwords_asked.emit()
    (prompt,) = shell.window.findChildren(PasswordPrompt)
    assert prompt.isVisible()
    prompt.reject()


def test_closing_the_window_leaves_no_thread_behind(tmp_path: Path, qtbot: QtBot) -> None:
    before = set(threading.enumerate())
    shell = build_window(tmp_path, appearance="light")
    with qtbot.waitSignal(shell.settled, timeout=20_000):
        shell.window.show()
    shell.window.close()
    shell.shut_down()
    assert [thread.name for thread in set(threading.enumerate()) - before if thread.is_alive()] == []
    shell.window.deleteLater()
    QApplication.sendPostedEvents()


def test_an_unfinished_import_continues_after_the_next_start(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(40):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nThe heron number {number} flew.\n", "utf-8")
    first = open_window(tmp_path / "library")
    first.documents.add([notes])
    qtbot.waitUntil(lambda: len(first.documents.model.documents()) == 40, timeout=60_000)
    unfinished = sum(document.status is not DocumentStatus.READY for document in first.documents.model.documents())
    assert unfinished
    first.window.close()
    first.shut_down()
    second = open_window(tmp_path / "library")
    ready = [DocumentStatus.READY] * 40
    qtbot.waitUntil(lambda: [d.status for d in second.documents.model.documents()] == ready, timeout=60_000)


def test_another_library_is_opened_while_an_import_runs(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nThe heron flew.\n", "utf-8")
    shell = open_window(tmp_path / "one")
    shell.documents.add([tmp_path / "note.md"])
    with qtbot.waitSignal(shell.settled, timeout=60_000):
        shell.open_other(tmp_path / "two")
    assert shell.library is not None
    assert shell.library.folder == tmp_path / "two"
    assert not shell.window.banner.isVisible()


def test_question_field_follows_the_library(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nThe heron flew.\n", "utf-8")
    shell = open_window(tmp_path / "library")
    field = shell.chat.findChild(QuestionField)
    assert "Add documents" in field.placeholderText()
    with qtbot.waitSignal(shell.documents.notified, timeout=60_000):
        shell.documents.add([tmp_path / "note.md"])
    assert field.placeholderText() == "Ask about your documents"
    assert "Type @ for a document" in field.toolTip()
    assert field.accessibleDescription() == field.toolTip()


def test_another_embedding_backend_resumes_the_computation_of_vectors(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = open_window(tmp_path)
    qtbot.waitUntil(lambda: shell.connections._embedder is not None, timeout=20_000)
    resumed: list[bool] = []
    monkeypatch.setattr(shell.documents, "resume", lambda: resumed.append(True))
    shell.settings.put("theme", "light")
    shell.settings.put("embedding_backend", "fp32")
    qtbot.waitUntil(lambda: resumed == [True], timeout=20_000)


@pytest.mark.logs_warnings
def test_s23_files_added_while_the_embedding_server_is_down_get_their_vectors_when_it_is_back(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.embedding.servers.client.IMPORTING", Patience(10.0, 1, 0.0))
    monkeypatch.setattr("workbench.operations.library.embedding_servers._RETRY_SECONDS", 0.0)
    monkeypatch.setattr("workbench.operations.library.embedding_servers._FIRST_WAIT", 0.2)
    (tmp_path / "note.md").write_text("The heron flew.\n", "utf-8")
    with EmbeddingSite() as site:
        shell = open_window(tmp_path / "library")
        with qtbot.waitSignal(shell.warm, timeout=60_000):
            pass
        shell.settings.put("embedder", server := site.server().text)

        def is_changed() -> bool:
            return shell.embedder.state is not None and shell.embedder.state.current.choice.model == server

        qtbot.waitUntil(is_changed, timeout=20_000)
        site.stop()
        shell.documents.add([tmp_path / "note.md"])

        def has(status: DocumentStatus, reason: str) -> bool:
            found = shell.documents.model.documents()
            return [(one.status, reason in one.reason) for one in found] == [(status, True)]

        qtbot.waitUntil(lambda: has(DocumentStatus.INDEXED, "cannot be reached"), timeout=30_000)
        site.start()
        qtbot.waitUntil(lambda: has(DocumentStatus.READY, ""), timeout=30_000)
        shell.window.close()
        shell.shut_down()


def test_text_typed_before_the_library_is_open_is_kept(tmp_path: Path, qtbot: QtBot) -> None:
    shell = build_window(tmp_path, appearance="light")
    field = shell.chat.findChild(QuestionField)
    with qtbot.waitSignal(shell.window.painted):
        shell.window.show()
    qtbot.keyClicks(field, "How high?")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    with qtbot.waitSignal(shell.settled, timeout=20_000):
        pass
    assert field.toPlainText() == "How high?"
    shell.window.close()
    shell.shut_down()
    shell.window.deleteLater()


def test_a_damaged_index_is_reported(open_window: Callable[[Path], AppController], tmp_path: Path) -> None:
    shell = open_window(tmp_path / "library")
    message = "The search index was damaged. It was rebuilt from the library; nothing is lost."
    shell._on_repaired(IndexRepaired(message))
    assert shell.window.toast.accessibleName() == message


def test_documents_shown_as_a_table_get_room(
    open_window: Callable[[Path], AppController], tmp_path: Path, qtbot: QtBot
) -> None:
    shell = open_window(tmp_path / "library")
    shell.window.resize(1400, 900)
    before = shell.window.library_dock.width()
    shell.library_pane.room_wanted.emit()
    qtbot.waitUntil(lambda: shell.window.library_dock.width() > before + 100)
