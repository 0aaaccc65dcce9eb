"""The doctor's report, and the output for a bug in a command."""

import logging
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import commands
from workbench.logs import keep_secret
from workbench.logs.log_file import log_path

KEY = "canary-key-0917-zkq4"


def test_the_doctor_writes_a_report_without_names(shell: Any, tmp_path: Path) -> None:
    (tmp_path / "Frau Amsel.md").write_text("# Amsel\n\nThe ferry of Amsel.\n", "utf-8")
    shell("add", tmp_path / "Frau Amsel.md")
    findings = shell("doctor", "--report", tmp_path / "report.md")
    report = (tmp_path / "report.md").read_text("utf-8")
    assert {"check": "database", "result": "sound", "ok": True} in findings
    assert "database: ok, sound" in report
    assert "Amsel" not in report
    assert str(tmp_path) not in report


def test_without_a_library_the_doctor_describes_the_machine_and_fails(shell: Any, tmp_path: Path) -> None:
    *findings, error = shell("--library", tmp_path / "none", "doctor", "--report", tmp_path / "report.md")
    assert {"program", "packages", "settings folder"} < {finding["check"] for finding in findings}
    assert (shell.status, error["kind"]) == (1, "LibraryMissing")
    assert "not looked at: LibraryMissing" in (tmp_path / "report.md").read_text("utf-8")


def test_an_unwritable_report_is_reported_with_an_error_message(shell: Any, tmp_path: Path) -> None:
    (error,) = shell("doctor", "--report", tmp_path / "missing" / "report.md")
    assert (shell.status, error["kind"]) == (1, "ExportError")


@pytest.mark.logs_warnings
def test_a_bug_ends_a_command_with_an_error_message_and_is_logged_without_its_text(
    shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> int:
        raise ValueError(f"Frau Amsel {KEY}")

    keep_secret(KEY)
    monkeypatch.setattr(commands, "list_documents", broken)
    assert shell("list") == []
    assert shell.status == 1
    assert "Your documents and sessions are safe." in shell.errors
    written = log_path().read_text("utf-8")
    assert "list CRITICAL workbench.cli.main: A bug" in written
    assert "ValueError" in written
    assert "Frau Amsel" not in written


def test_log_output_on_the_terminal_contains_no_key(capsys: pytest.CaptureFixture[str]) -> None:
    from workbench.logs.log_file import _Terminal

    keep_secret(KEY)
    _Terminal().emit(logging.makeLogRecord({"name": "workbench.x", "levelname": "WARNING", "msg": f"refused {KEY}"}))
    assert capsys.readouterr().err == "WARNING workbench.x: refused [key]\n"
