"""Log and problem report: enough to find a fault, and nothing that identifies a person."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import LibraryLocked
from workbench.logs import log_file
from workbench.logs.log_file import NAME, LogFile, set_detail
from workbench.model.extensions import ToolServer
from workbench.model.profile import ModelProfile
from workbench.operations import Library
from workbench.operations.questions.tool_servers import put_tool_server
from workbench.worker.job import Operation

Run = Callable[[Operation[Any]], Any]

PRIVATE = ("Amselweg", "Kündigung", "Blutgruppe", "geheimserver", "hausprofil", "canary-key-0917-zkq4", "meinwerkzeug")
KEY = "canary-key-0917-zkq4"


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the log of this test, with all kinds of entries."""
    folder = tmp_path / "log"
    monkeypatch.setattr(log_file, "log_folder", lambda: folder)
    handler = LogFile("test")
    logging.getLogger().addHandler(handler)
    set_detail(more=True)
    yield folder / NAME
    logging.getLogger().removeHandler(handler)
    set_detail(more=False)


@pytest.fixture
def private_library(library: Library, run: Run, tmp_path: Path, log: Path, ring: Any) -> Library:
    """Return a library full of personal names, in which an error of each kind has occurred."""
    papers = tmp_path / "Amselweg"
    papers.mkdir()
    (papers / "Kündigung.md").write_text("# Kündigung\n\nDie Blutgruppe ist bekannt.\n", "utf-8")
    (papers / "Zweite Kündigung.md").write_text("# Noch eine\n\nIhre Blutgruppe fehlt.\n", "utf-8")
    (papers / "Kündigung.pdf").write_bytes(b"%PDF-1.7 Blutgruppe")
    run(operations.put_setting(library, "log_detail", "more"))
    run(operations.add_documents(library, [papers]))
    profile = ModelProfile("hausprofil", "http://127.0.0.1:9/v1", "geheimserver")
    run(operations.put_profile(library, profile, key=KEY))
    run(operations.ask(library, "Welche Blutgruppe?", profile="hausprofil"))
    run(operations.ask(library, "Welche Blutgruppe?"))
    run(put_tool_server(library, ToolServer("meinwerkzeug", ("geheimserver", "--x"))))
    run(operations.put_setting(library, "rerank_url", "http://127.0.0.1:9/geheimserver"))
    run(operations.put_setting(library, "reranking", "server"))
    run(operations.search(library, "Blutgruppe"))
    return library


@pytest.mark.logs_warnings
def test_the_log_holds_no_text_no_question_and_no_key(private_library: Library, log: Path) -> None:
    written = log.read_text("utf-8")
    for told in ("RerankingError", "DamagedDocument", "ended as failed"):
        assert told in written
    assert "Blutgruppe" not in written
    assert KEY not in written


@pytest.mark.logs_warnings
def test_the_problem_report_describes_the_program_and_library_and_identifies_no_person(
    private_library: Library, run: Run, log: Path
) -> None:
    report = run(operations.problem_report(private_library))
    assert [name for name in (*PRIVATE, str(private_library.folder)) if name in report] == []
    for told in (
        "Knowledge Workbench 0.",
        "database: ok, sound",
        "documents: -, 3, 1 with a problem",
        "rerank_url: set",
        "reranking: server",
        "profile 1: on this computer, auto, tools auto, key from the keyring, if any",
        "tool servers: 1 programs, 0 addresses",
        "RerankingError",
    ):
        assert told in report


def test_the_problem_report_gives_the_reason_without_the_library_name_when_no_library_is_open(
    run: Run, log: Path
) -> None:
    refused = LibraryLocked("The library /home/Amselweg is open in another window (process 12).")
    report = run(operations.problem_report(None, refused))
    assert "not looked at: LibraryLocked" in report
    assert "Amselweg" not in report


def test_the_usual_detail_is_put_back_with_the_setting(library: Library, run: Run, log: Path) -> None:
    run(operations.put_setting(library, "log_detail", "more"))
    assert logging.getLogger("workbench").level == logging.DEBUG
    run(operations.put_setting(library, "log_detail", "usual"))
    assert logging.getLogger("workbench").level == logging.INFO
