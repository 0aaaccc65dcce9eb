"""Export dialog: format, parts, sessions; written, stopped, replaced; and import of bundles."""

import asyncio
from pathlib import Path

import pymupdf
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QFileDialog, QLabel, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations
from ui_window import fill, open_window

from workbench import operations
from workbench.errors import ExportError, FileIsThere
from workbench.model.session import ExportProgress, ImportedSession, Inventory, Part, Parts, PartSize, SessionInfo
from workbench.ui.controls import IconButton
from workbench.ui.export.export_controller import SessionIntake
from workbench.ui.export.export_dialog import ExportDialog, FormatCard, SessionRows
from workbench.ui.export.presenter import ExportPresenter, what_leaves
from workbench.ui.inspector.passage_view import ELSEWHERE
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme
from workbench.worker.job import JobContext

pytestmark = pytest.mark.usefixtures("warm_readers")

TIMES = ("2026-11-20T10:00:00+00:00", "2026-11-21T10:00:00+00:00")
SESSIONS = [SessionInfo(4, "How deep?", *TIMES, 3), SessionInfo(7, "闸门?", *TIMES, 1)]
SIZES = {part: PartSize(2, 4096) for part in Part}
HELD = Inventory(1, PartSize(3, 9000), 5, ("survey.pdf", "维护手册.pdf"), SIZES)
QUESTION = "When did the heron fly over the harbour?"


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def dialog(qtbot: QtBot, bridge: FakeBridge) -> ExportDialog:
    made = ExportDialog(ExportPresenter(bridge), Theme(choice="light"))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.begin(object(), SESSIONS, [4])  # type: ignore[arg-type]
    bridge.last("export_inventory").succeed(HELD)
    return made


def press(dialog: ExportDialog, text: str) -> None:
    (found,) = [one for one in dialog.findChildren(QPushButton) if one.text() == text]
    assert found.isEnabled(), text
    found.click()


def card(dialog: ExportDialog, title: str) -> FormatCard:
    return next(one for one in dialog.findChildren(FormatCard) if one.text() == title)


def part(dialog: ExportDialog, name: str) -> QCheckBox:
    return next(one for one in dialog.findChildren(QCheckBox) if one.text() == name)


def said(dialog: ExportDialog) -> str:
    return " ".join(one.text() for one in dialog.findChildren(QLabel) if one.isVisibleTo(dialog))


def answer_with(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: (path, ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_args: path)


def test_every_format_is_a_card_and_every_control_has_a_name(dialog: ExportDialog) -> None:
    titles = [one.text() for one in dialog.findChildren(FormatCard)]
    assert titles == ["Markdown", "Web page", "PDF", "Word document", "JSON", "Bundle"]
    assert nameless(dialog) == []


def test_a_format_offers_what_it_can_hold(dialog: ExportDialog) -> None:
    card(dialog, "Bundle").click()
    assert part(dialog, "Original documents").isVisibleTo(dialog)
    assert not part(dialog, "Original documents").isChecked()
    assert part(dialog, "Prompts").isChecked()
    card(dialog, "Markdown").click()
    assert not part(dialog, "Pictures of the cited pages").isVisibleTo(dialog)
    assert not part(dialog, "Prompts").isChecked()


def test_without_the_steps_there_is_nothing_of_them(dialog: ExportDialog) -> None:
    card(dialog, "Web page").click()
    for name in ("Tool calls", "Reasoning"):
        assert not part(dialog, name).isChecked()
        assert not part(dialog, name).isEnabled()
    part(dialog, "Steps").click()
    assert part(dialog, "Reasoning").isEnabled()


def test_the_technical_appendix_is_one_row_that_is_folded_and_off(dialog: ExportDialog) -> None:
    card(dialog, "Web page").click()
    parts = [part(dialog, name) for name in ("Steps", "Tool calls", "Reasoning", "Searches", "Prompts")]
    whole = part(dialog, "Technical appendix")
    assert whole.isVisibleTo(dialog)
    assert not whole.isChecked()
    assert not any(one.isVisibleTo(dialog) for one in parts)
    whole.click()
    assert all(one.isChecked() for one in parts)
    parts[-1].click()
    assert whole.checkState() is Qt.CheckState.PartiallyChecked
    whole.click()
    assert all(one.isChecked() for one in parts)
    whole.click()
    assert not any(one.isChecked() for one in parts)


def test_the_parts_of_the_appendix_can_be_unfolded(dialog: ExportDialog) -> None:
    (fold,) = [
        one for one in dialog.findChildren(IconButton) if one.accessibleName() == "Parts of the technical appendix"
    ]
    fold.click()
    assert part(dialog, "Prompts").isVisibleTo(dialog)
    fold.click()
    assert not part(dialog, "Prompts").isVisibleTo(dialog)
    assert part(dialog, "Pictures of the cited pages").isVisibleTo(dialog)


def test_one_line_shows_what_leaves_the_machine(dialog: ExportDialog) -> None:
    assert "5 passages from 2 documents, with names" in said(dialog)
    assert "the prompts" not in said(dialog)
    part(dialog, "Prompts").click()
    assert "and the prompts. Nothing is sent anywhere." in said(dialog)
    assert what_leaves(HELD, frozenset()).startswith("The file contains 3 questions with the answers and")


def test_the_chosen_format_and_parts_are_exported(
    dialog: ExportDialog, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    answer_with(monkeypatch, "/tmp/out")
    card(dialog, "PDF").click()
    part(dialog, "Searches").click()
    press(dialog, "Export…")
    job = bridge.last("export_session")
    assert job.args == (4, "pdf", Path("/tmp/out.pdf"))
    assert job.kwargs["parts"] == {Part.PAGES, Part.SEARCHES}
    job.emit(ExportProgress(40, 100, "Drawing cited page 2 of 5"))
    assert "Drawing cited page 2 of 5" in said(dialog)
    with qtbot.waitSignal(dialog.notified) as told:
        job.succeed(Path("/tmp/out.pdf"))
    assert told.args == ["Exported to /tmp/out.pdf"]
    assert not dialog.isVisible()


def test_stop_ends_it_and_the_dialog_stays(
    dialog: ExportDialog, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, "/tmp/out.html")
    press(dialog, "Export…")
    press(dialog, "Stop")
    assert bridge.last("export_session").cancelled
    bridge.last("export_session").end_cancelled()
    assert dialog.isVisible()
    press(dialog, "Cancel")
    assert not dialog.isVisible()


def test_several_sessions_go_to_a_folder_or_into_one_archive(
    dialog: ExportDialog, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, "/tmp/all")
    press(dialog, "All")
    assert bridge.last("export_inventory").args == ((4, 7),)
    press(dialog, "Export…")
    assert bridge.last("export_sessions").args == ((4, 7), "html", Path("/tmp/all"))
    bridge.last("export_sessions").fail(ExportError("The disk is full."))
    assert "disk is full" in dialog.findChild(Banner).text
    part(dialog, "As one ZIP file").click()
    press(dialog, "Export…")
    assert bridge.last("export_sessions").args == ((4, 7), "html", Path("/tmp/all.zip"))


@pytest.mark.parametrize("agreed", [True, False])
def test_existing_files_are_replaced_only_when_the_user_agrees(
    dialog: ExportDialog, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, agreed: bool
) -> None:
    button = QMessageBox.StandardButton.Yes if agreed else QMessageBox.StandardButton.Cancel
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: button)
    answer_with(monkeypatch, "/tmp/all")
    press(dialog, "All")
    press(dialog, "Export…")
    assert bridge.last("export_sessions").kwargs["replace"] is False
    bridge.last("export_sessions").fail(FileIsThere("“How deep.html” already exists."))
    assert bridge.last("export_sessions").kwargs["replace"] is agreed


def test_an_answer_to_an_earlier_choice_is_ignored(dialog: ExportDialog, bridge: FakeBridge) -> None:
    dialog.findChild(SessionRows).tick_all(True)
    late = bridge.last("export_inventory")
    dialog.findChild(SessionRows).tick_all(False)
    late.succeed(HELD)
    assert "The file contains" not in said(dialog)
    assert not next(one for one in dialog.findChildren(QPushButton) if one.text() == "Export…").isEnabled()


def test_a_bundle_without_its_documents_is_imported_and_reports_the_missing_ones(
    bridge: FakeBridge, qtbot: QtBot
) -> None:
    intake = SessionIntake(bridge)  # type: ignore[arg-type]
    intake.take(object(), [Path("/tmp/x.kwbundle")])  # type: ignore[arg-type]
    with qtbot.waitSignals([intake.taken, intake.notified]) as _told, qtbot.waitSignal(intake.notified) as sentence:
        bridge.last("import_session").succeed(ImportedSession(SESSIONS[0], 1, ("survey.pdf",)))
    assert "1 cited document is not in this library" in sentence.args[0]


def test_a_session_is_exported_as_a_bundle_and_imported_by_a_drop(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    fill(qtbot, shell, tmp_path / "papers", question=QUESTION)
    target = tmp_path / "out.kwbundle"
    answer_with(monkeypatch, str(target))
    shell.window.actions_by_name["export"].trigger()
    dialog = shell.connections.exporting.dialog
    card(dialog, "Bundle").click()
    with qtbot.waitSignal(dialog.notified, timeout=60_000):
        press(dialog, "Export…")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(target))])
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(shell.window, QDragEnterEvent(QPoint(300, 300), *how))
    with qtbot.waitSignal(shell.connections.exporting.intake.taken, timeout=60_000):
        QApplication.sendEvent(shell.window, QDropEvent(QPoint(300, 300), *how))
    qtbot.waitUntil(lambda: shell.sessions.model.rowCount() == 2, timeout=20_000)
    qtbot.waitUntil(lambda: shell.sessions.current == 2, timeout=20_000)
    assert len(shell.documents.model.documents()) == 2


def test_a_bundle_dropped_while_the_library_is_being_opened_is_imported(qtbot: QtBot, tmp_path: Path) -> None:
    bundle = _bundle_of_another_library(tmp_path)
    shell = open_window(qtbot, tmp_path / "library")
    shell.close_library(shell.open)
    shell.window.drop.dropped.emit([bundle])
    qtbot.waitUntil(lambda: shell.sessions.current is not None, timeout=60_000)


def test_a_citation_of_a_document_that_is_not_here_shows_its_kept_page(qtbot: QtBot, tmp_path: Path) -> None:
    bundle = _bundle_of_another_library(tmp_path)
    shell = open_window(qtbot, tmp_path / "library")
    shell.connections.exporting.intake.take(shell.library, [bundle])
    qtbot.waitUntil(lambda: shell.sessions.current is not None, timeout=60_000)
    session = asyncio.run(operations.open_session(shell.library, 1)(JobContext()))
    shell.inspector.show_citation(session.runs[0].citations[0])
    view = shell.inspector.passage_view
    qtbot.waitUntil(lambda: view.page_view.page is not None, timeout=20_000)
    assert view.notice == ELSEWHERE
    assert "212 piles" in view.text_view.toPlainText()
    assert view.kept_original.button.isHidden(), "the bundle does not hold the document"


def test_the_document_of_an_imported_citation_is_added_with_one_press(qtbot: QtBot, tmp_path: Path) -> None:
    bundle = _bundle_of_another_library(tmp_path, frozenset({Part.PAGES, Part.ORIGINALS}))
    shell = open_window(qtbot, tmp_path / "library")
    intake, view = shell.connections.exporting.intake, shell.inspector.passage_view
    with qtbot.waitSignal(intake.offered, timeout=60_000) as offered:
        intake.take(shell.library, [bundle])
    assert "1 cited document is not in this library" in offered.args[0]
    # Once the session is open, the passages of its answer are listed.
    qtbot.waitUntil(lambda: bool(shell.chat.cards) and shell.chat.cards[-1].is_finished, timeout=60_000)
    session = asyncio.run(operations.open_session(shell.library, 1)(JobContext()))
    shell.inspector.show_citation(session.runs[0].citations[0])
    qtbot.waitUntil(lambda: not view.kept_original.button.isHidden(), timeout=20_000)
    assert view.kept_original.button.text() == "Add the document"
    view.kept_original.button.click()
    qtbot.waitUntil(lambda: view.passage is not None and view.passage.document > 0, timeout=60_000)
    assert view.notice == ""
    assert view.kept_original.button.isHidden()
    qtbot.waitUntil(lambda: view.page_view.page is not None, timeout=20_000)
    assert [one.name for one in shell.documents.model.documents()] == ["quay.pdf"]


def test_the_message_after_an_import_adds_all_that_the_bundle_holds(qtbot: QtBot, tmp_path: Path) -> None:
    bundle = _bundle_of_another_library(tmp_path, frozenset({Part.ORIGINALS}))
    shell = open_window(qtbot, tmp_path / "library")
    with qtbot.waitSignal(shell.connections.exporting.intake.offered, timeout=60_000):
        shell.connections.exporting.intake.take(shell.library, [bundle])
    with qtbot.waitSignal(shell.documents.notified, timeout=60_000):
        shell.window.toast.act()
    assert [one.name for one in shell.documents.model.documents()] == ["quay.pdf"]


def _bundle_of_another_library(folder: Path, parts: Parts | None = None) -> Path:
    page = pymupdf.open()
    page.new_page().insert_text((72, 100), "The north quay stands on 212 piles of steel.")
    page.save(folder / "quay.pdf")

    async def make() -> Path:
        library = operations.Library.open(folder / "other")
        try:
            await operations.add_documents(library, [folder / "quay.pdf"])(JobContext())
            run = await operations.ask(library, "How many piles carry the north quay?")(JobContext())
            out = folder / "b.kwbundle"
            return await operations.export_session(library, run.session, "kwbundle", out, parts=parts)(JobContext())
        finally:
            library.close()

    return asyncio.run(make())
