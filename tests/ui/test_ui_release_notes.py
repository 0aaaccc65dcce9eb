"""Release notes, and the notice of a newer version."""

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from ui_window import open_window
from web_site import Site, body

from workbench import __version__
from workbench.ui.release_notes import ReplacementNotice

ADDRESS = "https://example.org/w"
NEWER = {"version": "99.0", "date": "2026-11-26", "address": ADDRESS, "sha256": "ab" * 32, "notes": "<b>"}


def test_a_newer_version_is_announced_and_shown_with_its_hash(qtbot: QtBot, tmp_path: Path, warm_readers: None) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    with Site({"/": body(json.dumps(NEWER))}) as site:
        shell.settings.put("update_feed", site.url("/"))
        qtbot.waitUntil(lambda: "Version 99.0 of 2026-11-26 is available" in shell.window.toast.text, timeout=20_000)
    shell.window.actions_by_name["release_notes"].trigger()
    dialog = shell.dialogs._release_notes
    assert dialog is not None
    qtbot.waitUntil(lambda: "### " not in dialog.text and "Added" in dialog.text, timeout=20_000)
    for shown in (ADDRESS, "ab" * 32, "<b>"):
        assert shown in dialog.text
    dialog.close()


def test_an_update_while_the_window_is_open_is_reported_in_the_window(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    monkeypatch.setattr("workbench.__file__", str(tmp_path / "gone.py"))
    (notice,) = shell.findChildren(ReplacementNotice)
    notice.look()
    qtbot.waitUntil(lambda: "updated or removed" in shell.window.banner.text, timeout=20_000)
    assert "start the program again" in shell.window.banner.text


def test_without_a_library_what_is_new_is_shown_too(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "library").write_text("a file where a folder should be")
    shell = open_window(qtbot, tmp_path / "library")
    shell.window.actions_by_name["release_notes"].trigger()
    dialog = shell.dialogs._release_notes
    assert dialog is not None
    qtbot.waitUntil(lambda: "Added" in dialog.text, timeout=20_000)
    assert dialog.windowTitle() == "What is new"
    assert __version__ in dialog.findChildren(QLabel)[0].text()
    dialog.close()
