"""The whole window on a small library: two documents and a question, processed by the real program."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from workbench.app import build_window
from workbench.model.document import DocumentStatus
from workbench.ui.app_controller import AppController

HERON = "# The heron\n\nThe heron flew over the frozen harbour in 1987.\n\n## Nests\n\nIts nest stands in a willow.\n"
CONTRACT = "# 采购合同\n\n付款应在三十日内完成。合同于 2024 年签署。\n"


def open_window(qtbot: QtBot, folder: Path, *, appearance: str = "light") -> AppController:
    """Return the open window of a library; it is closed when the test ends."""
    shell = build_window(folder, appearance=appearance)

    def close(_window: object) -> None:
        shell.shut_down()

    qtbot.addWidget(shell.window, before_close_func=close)
    with qtbot.waitSignal(shell.settled, timeout=20_000):
        shell.window.show()
    return shell


def fill(qtbot: QtBot, shell: AppController, folder: Path, *, question: str = "") -> None:
    """Add two documents, and ask a question about them."""
    folder.mkdir(exist_ok=True)
    for name, text in (("heron report.md", HERON), ("采购合同.md", CONTRACT)):
        (folder / name).write_text(text, "utf-8")
    shell.documents.add([folder])
    ready = [DocumentStatus.READY] * 2
    qtbot.waitUntil(lambda: [one.status for one in shell.documents.model.documents()] == ready, timeout=60_000)
    if question:
        with qtbot.waitSignal(shell.chat.session_changed, timeout=60_000):
            shell.chat.ask(question)
        qtbot.waitUntil(lambda: shell.sessions.model.rowCount() == 1, timeout=20_000)
