"""The dialog about this computer: what is missing first, each with a sentence."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from ui_window import open_window

from workbench.model.integrity_report import CheckResult
from workbench.operations.integrity import surroundings


def test_the_system_check_lists_missing_components_first_and_needs_no_library(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [CheckResult("memory", "32.0 GB", True), CheckResult("browser", "There is none.")]
    monkeypatch.setattr(surroundings, "surroundings", lambda: found)
    (tmp_path / "library").write_text("a file where a folder should be")
    shell = open_window(qtbot, tmp_path / "library")
    shell.window.actions_by_name["system_check"].trigger()
    dialog = shell.dialogs._system_check
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.sentences == ["There is none.", "32.0 GB"], timeout=20_000)
    dialog.close()
