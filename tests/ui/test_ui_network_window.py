"""Offline mode and network pane in the whole window, on a real library."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_network import FAR, request
from ui_window import HERON, fill, open_window

from workbench.errors import NetworkClosed
from workbench.model.egress import OFFLINE_MODE_HINT, NetworkOutcome
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.model.profile import ModelProfile
from workbench.ui.app_controller import AppController
from workbench.ui.library.add_dialogs import AddLinkDialog
from workbench.ui.network.model import RequestColumn
from workbench.ui.network.offline_mode_button import OfflineModeButton
from workbench.ui.network.pane import NetworkPane
from workbench.ui.settings.settings_dialog import SettingsDialog

AWAY = ModelProfile("far", f"https://{FAR}/v1", "big")
PAGE = "https://example.org/tides.html"


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> AppController:
    made = open_window(qtbot, tmp_path / "library")
    made.window.resize(1280, 800)
    qtbot.waitUntil(lambda: made.settings.offline_mode.is_on, timeout=20_000)
    return made


def revealed(shell: AppController) -> NetworkPane:
    shell.window.actions_by_name["focus_network"].trigger()
    assert shell.network.pane is not None
    return shell.network.pane


def status(shell: AppController) -> str:
    return shell.window.status.text


def switch(shell: AppController, qtbot: QtBot, *, on: bool) -> None:
    shell.window.actions_by_name["offline_mode"].trigger()
    qtbot.waitUntil(lambda: shell.settings.offline_mode.is_shut is on, timeout=20_000)


def imports_of(shell: AppController, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Return a list of requested imports, which are not run."""
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(shell.documents, "import_with", lambda *args, **options: asked.append((*args, options)))
    return asked


def action_of(shell: AppController) -> str:
    """Return the text of the toast's button."""
    return shell.window.toast._button.text()


def test_the_status_strip_shows_offline_mode_and_opens_the_pane_with_the_focus_on_its_switch(
    shell: AppController, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: "Offline mode on: nothing leaves this computer" in status(shell), timeout=20_000)
    strip = shell.window.status
    assert "nothing that needs the network is set up" in strip._privacy.toolTip()
    strip._privacy.click()
    focused = QApplication.focusWidget()
    assert isinstance(focused, QPushButton)
    assert focused.accessibleName() == "Turn off offline mode"
    pane = shell.network.pane
    assert pane is not None
    assert pane.is_empty
    qtbot.keyClick(focused, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: "Offline mode off" in status(shell), timeout=20_000)
    assert nameless(pane) == []


def test_the_command_switches_it_and_the_toast_takes_it_back(shell: AppController, qtbot: QtBot) -> None:
    action = shell.window.actions_by_name["offline_mode"]
    assert action.isChecked()
    switch(shell, qtbot, on=False)
    assert not action.isChecked()
    assert "Web pages and models are downloaded when you ask" in shell.window.toast.text
    qtbot.waitUntil(lambda: shell.settings.settings.offline_mode == "off", timeout=20_000)
    shell.window.toast.act()
    qtbot.waitUntil(action.isChecked, timeout=20_000)
    qtbot.waitUntil(lambda: shell.settings.settings.offline_mode == "auto", timeout=20_000)


def test_a_remote_model_opens_offline_mode_for_its_host_and_turning_it_on_again_blocks_the_host(
    shell: AppController, qtbot: QtBot
) -> None:
    shell.settings.put_profile(AWAY, None)
    qtbot.waitUntil(lambda: not shell.settings.offline_mode.is_shut, timeout=20_000)
    assert shell.settings.offline_mode.is_on
    assert "with one exception: the model profile “far”" in shell.window.toast.text
    shell.settings.put("profile", "far")
    qtbot.waitUntil(lambda: f"Questions and found passages go to {FAR}" in status(shell), timeout=20_000)
    switch(shell, qtbot, on=True)
    qtbot.waitUntil(lambda: f"Offline mode on: {FAR} cannot be reached" in status(shell), timeout=20_000)


def test_a_question_that_offline_mode_stops_offers_to_allow_what_is_set_up_and_no_more(
    shell: AppController, qtbot: QtBot, tmp_path: Path, warm_readers: None
) -> None:
    fill(qtbot, shell, tmp_path / "papers")
    shell.settings.put_profile(AWAY, None)
    qtbot.waitUntil(lambda: not shell.settings.offline_mode.is_shut, timeout=20_000)
    switch(shell, qtbot, on=True)
    shell.settings.put("profile", "far")
    qtbot.waitUntil(lambda: f"{FAR} cannot be reached" in status(shell), timeout=20_000)
    with qtbot.waitSignal(shell.chat.session_updated, timeout=60_000):
        shell.chat.ask("Where did the heron fly?")
    qtbot.waitUntil(lambda: bool(offered(shell)), timeout=20_000)
    pane = revealed(shell)
    qtbot.waitUntil(lambda: not pane.is_empty, timeout=20_000)
    assert pane.text.startswith("Nothing has left this computer")
    assert "refused" in pane.text
    assert offered(shell)[0].text() == "Allow these services"
    offered(shell)[0].click()
    qtbot.waitUntil(lambda: not shell.settings.offline_mode.is_shut, timeout=20_000)
    assert shell.settings.offline_mode.is_on
    assert offered(shell) == []


def offered(shell: AppController) -> list[OfflineModeButton]:
    return [one for one in shell.window.findChildren(OfflineModeButton) if one.isVisible()]


def test_any_error_of_offline_mode_has_the_button_in_dialogs_too(shell: AppController, qtbot: QtBot) -> None:
    error = NetworkClosed(f"Offline mode is on: “{FAR}” was not asked.", OFFLINE_MODE_HINT)
    shell.dialogs.show_settings()
    shell.settings.failed.emit(error, "")
    qtbot.waitUntil(lambda: len(offered(shell)) == 2)
    offered(shell)[0].click()
    qtbot.waitUntil(lambda: not shell.settings.offline_mode.is_on, timeout=20_000)
    assert offered(shell) == []
    shell.settings.failed.emit(RuntimeError("another"), "")
    assert offered(shell) == []


def test_the_test_of_a_connection_has_the_button_beside_what_it_found(shell: AppController, qtbot: QtBot) -> None:
    shell.dialogs.show_models()
    dialog = shell.window.findChild(SettingsDialog)
    assert dialog is not None
    form = dialog._models._form
    dialog._models._stack.setCurrentWidget(form)
    form.show_profile(AWAY)
    with qtbot.waitSignal(shell.settings.model_servers.examined, timeout=60_000):
        form._check.click()
    assert "was not asked" in form.text
    qtbot.waitUntil(lambda: len(offered(shell)) == 1)
    offered(shell)[0].click()
    qtbot.waitUntil(lambda: not shell.settings.offline_mode.is_on, timeout=20_000)
    assert offered(shell) == []


def test_adding_a_web_page_first_shows_which_host_will_be_contacted_and_allows_no_other(
    shell: AppController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = imports_of(shell, monkeypatch)
    sources = shell.library_pane.sources
    data = QMimeData()
    data.setText(PAGE)
    sources.take(data)
    dialog = shell.window.findChild(AddLinkDialog)
    assert dialog is not None
    assert dialog.isVisible()
    assert dialog._box.isVisible()
    assert dialog._add.text() == "Download from example.org"
    assert asked == []
    dialog._add.click()
    options = {"allow_hosts": ("example.org",), "knowledge_base": "default", "run_scripts": False}
    assert asked == [("add_urls", [PAGE], options)]
    assert shell.settings.offline_mode.is_shut
    switch(shell, qtbot, on=False)
    sources.take(data)
    assert not dialog.isVisible()
    assert "allow_hosts" not in asked[1][2]


def test_the_dialog_for_pages_follows_the_switch_and_comes_back_to_the_front(
    shell: AppController, qtbot: QtBot
) -> None:
    sources = shell.library_pane.sources
    sources.ask_for([f"https://{FAR}/page"])
    dialog = shell.window.findChild(AddLinkDialog)
    switch(shell, qtbot, on=False)
    assert dialog._add.text() == "Add"
    sources.ask_for_note()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is not dialog)
    sources.ask_for_links()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is dialog)


def test_a_page_of_this_machine_is_added_with_offline_mode_on(
    shell: AppController, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = imports_of(shell, monkeypatch)
    data = QMimeData()
    data.setText("http://127.0.0.1:8000/tides.html")
    shell.library_pane.sources.take(data)
    assert asked[0][:2] == ("add_urls", ["http://127.0.0.1:8000/tides.html"])
    assert shell.settings.offline_mode.is_on


def test_a_page_that_was_not_fetched_is_offered_again(
    shell: AppController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with qtbot.waitSignal(shell.documents.not_fetched, timeout=60_000) as missed:
        shell.documents.import_with("add_urls", [PAGE], knowledge_base="default")
    assert shell.window.toast.text == "Offline mode is on. 1 document was not downloaded."
    asked = imports_of(shell, monkeypatch)
    assert action_of(shell) == "Download from example.org"
    shell.window.toast.act()
    [file] = missed.args[0]
    assert asked == [("refetch", [file.document], {"allow_hosts": ("example.org",)})]
    assert shell.settings.offline_mode.is_shut


def closed(number: int, *hosts: str) -> FileFinished:
    reason = f"Not asked. {OFFLINE_MODE_HINT}"
    return FileFinished(PAGE, FileOutcome.FAILED, number, reason, 0, 0, 0.0, closed_hosts=hosts)


def test_a_redirect_shows_its_target_host_and_offers_to_allow_that_host_too(
    shell: AppController, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = imports_of(shell, monkeypatch)
    shell.documents.not_fetched.emit([closed(7, "example.org", "www.example.org")])
    assert "“example.org” redirects to “www.example.org”" in shell.window.toast.text
    assert action_of(shell) == "Allow www.example.org too"
    shell.window.toast.act()
    assert asked == [("refetch", [7], {"allow_hosts": ("example.org", "www.example.org")})]


def test_a_query_that_was_not_run_is_offered_with_its_servers_alone(
    shell: AppController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with qtbot.waitSignal(shell.documents.not_fetched, timeout=60_000) as missed:
        database = "postgresql://db.example.org,two.example.org/shop"
        shell.documents.import_with("add_query", database, "SELECT 1", knowledge_base="default")
    assert shell.window.toast.text == "Offline mode is on. 1 document was not downloaded."
    asked = imports_of(shell, monkeypatch)
    assert action_of(shell) == "Download from db.example.org and 1 more server"
    shell.window.toast.act()
    [file] = missed.args[0]
    assert asked == [("refetch", [file.document], {"allow_hosts": ("db.example.org", "two.example.org")})]
    assert shell.settings.offline_mode.is_shut


def test_a_page_that_no_single_host_permission_would_allow_needs_offline_mode_off(
    shell: AppController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = imports_of(shell, monkeypatch)
    shell.documents.not_fetched.emit([closed(7)])
    assert action_of(shell) == "Turn off offline mode and download"
    shell.window.toast.act()
    qtbot.waitUntil(lambda: asked == [("refetch", [7], {})], timeout=20_000)
    assert not shell.settings.offline_mode.is_on


def test_one_click_shows_the_passages_that_went_with_a_request(
    shell: AppController, qtbot: QtBot, tmp_path: Path, warm_readers: None
) -> None:
    fill(qtbot, shell, tmp_path / "papers")
    library = shell.library
    assert library is not None
    heron = next(one for one in library.documents.list() if one.name == "heron report.md")
    chunks = [chunk.id for chunk in library.documents.chunks(heron.id)]
    for one in (request(chunks=(*chunks, 999_999)), request(outcome=NetworkOutcome.REFUSED, chunks=())):
        library.network.begin(one)
    pane = revealed(shell)
    qtbot.waitUntil(lambda: pane.table.model().rowCount() == 2, timeout=20_000)
    cell = pane.table.model().index(1, RequestColumn.PASSAGES)
    with qtbot.waitSignal(shell.network.presenter.passages_found, timeout=20_000):  # type: ignore[union-attr]
        qtbot.mouseClick(pane.table.viewport(), Qt.MouseButton.LeftButton, pos=pane.table.visualRect(cell).center())
    assert shell.inspector.title == f"Sent to {FAR}"
    assert [one.chunk.id for one in shell.inspector.passages if one.chunk is not None] == chunks
    shown = shell.inspector.shown
    assert shown is not None
    assert shown.text in HERON
    assert "no longer in the library" in shell.window.toast.text


def test_a_request_shows_while_it_happens_and_the_settings_lead_to_it(shell: AppController, qtbot: QtBot) -> None:
    shell.dialogs.show_setting("offline_mode")
    dialog = shell.window.findChild(SettingsDialog)
    assert dialog is not None
    show = next(one for one in dialog.findChildren(QPushButton) if one.text() == "Show network activity")
    show.click()
    assert not dialog.isVisible()
    pane = shell.network.pane
    assert pane is not None
    qtbot.waitUntil(lambda: pane.is_empty, timeout=20_000)
    shell.documents.import_with("add_urls", [PAGE], knowledge_base="default")
    qtbot.waitUntil(lambda: not pane.is_empty and pane.table.model().rowCount() == 1, timeout=20_000)
    assert pane.table.model().index(0, RequestColumn.HOST).data() == "example.org"
