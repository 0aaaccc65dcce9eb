"""Complete workflow in the real window: add a PDF, ask a scripted model, see the cited page, export, start again."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from model_servers import Aimock, why_no_aimock
from pytestqt.qtbot import QtBot

from workbench import operations
from workbench.app import build_window
from workbench.model.profile import ModelProfile, WireApi
from workbench.model.run import Run, RunStatus
from workbench.ui.app_controller import AppController
from workbench.worker.job import Operation

pytestmark = [pytest.mark.aimock, pytest.mark.skipif(bool(why_no_aimock()), reason=why_no_aimock() or "ready")]

SENTENCE = "Revenue rose to 5,000 million in 2024."
PATIENCE = 60_000


@pytest.fixture
def report(tmp_path: Path) -> Path:
    import pymupdf

    path = tmp_path / "report.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The cover says nothing about money.")
        pdf.new_page().insert_text((72, 300), f"{SENTENCE} Costs fell.")
        pdf.save(path)
    return path


@pytest.fixture
def start(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[[], AppController]]:
    shells: list[AppController] = []

    def open_window() -> AppController:
        shell = build_window(tmp_path / "library", appearance="light")
        shells.append(shell)
        with qtbot.waitSignal(shell.settled, timeout=PATIENCE):
            shell.window.show()
        return shell

    yield open_window
    for shell in shells:
        shell.shut_down()
        shell.window.deleteLater()


def _do(qtbot: QtBot, shell: AppController, operation: Operation[Any]) -> Any:
    values: list[Any] = []
    shell.bridge.submit(operation, done=values.append)
    qtbot.waitUntil(lambda: bool(values), timeout=PATIENCE)
    return values[0]


def _ask(qtbot: QtBot, shell: AppController, question: str) -> Run:
    with qtbot.waitSignal(shell.chat.run_selected, timeout=PATIENCE) as ended:
        shell.chat.ask(question)
    assert ended.args is not None
    run = ended.args[0]
    assert isinstance(run, Run)
    return run


@pytest.mark.parametrize("api", [WireApi.CHAT, WireApi.RESPONSES])
def test_a_document_becomes_a_cited_answer(
    qtbot: QtBot, start: Callable[[], AppController], aimock: Aimock, report: Path, tmp_path: Path, api: WireApi
) -> None:
    shell = start()
    library = shell.library
    assert library is not None
    _do(qtbot, shell, operations.add_documents(library, [report]))
    _do(qtbot, shell, operations.put_profile(library, ModelProfile("scripted", aimock.base_url, "m", api)))
    _do(qtbot, shell, operations.put_setting(library, "profile", "scripted"))

    run = _ask(qtbot, shell, "round trip")
    assert run.status is RunStatus.COMPLETED
    assert [(c.marker, c.valid, c.page) for c in run.citations] == [(1, True, 2), (7, False, None)]
    assert run.citations[0].quote == SENTENCE

    shell.chat.citation_activated.emit(run.citations[0])
    qtbot.waitUntil(lambda: shell.inspector.passage_view.page_view.page == 2, timeout=PATIENCE)

    out = _do(qtbot, shell, operations.export_session(library, run.session, "json", tmp_path / "session.json"))
    assert SENTENCE in json.dumps(json.loads(out.read_text("utf-8")))


def test_a_session_survives_a_restart_with_every_step(
    qtbot: QtBot, start: Callable[[], AppController], aimock: Aimock, report: Path
) -> None:
    shell = start()
    assert shell.library is not None
    _do(qtbot, shell, operations.add_documents(shell.library, [report]))
    _do(qtbot, shell, operations.put_profile(shell.library, ModelProfile("scripted", aimock.base_url, "m")))
    _do(qtbot, shell, operations.put_setting(shell.library, "profile", "scripted"))
    run = _ask(qtbot, shell, "round trip")
    shell.shut_down()

    again = start()
    assert again.library is not None
    session = _do(qtbot, again, operations.open_session(again.library, run.session))
    assert session.runs == (run,)
