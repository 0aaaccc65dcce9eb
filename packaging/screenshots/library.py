"""Scenes of the library: the first start, an import, a full library, and documents that could not be read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from model import Script
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from stage import Stage

from workbench.errors import LibraryError
from workbench.model.document import Document, DocumentStatus
from workbench.operations.imports import importing as file_importing
from workbench.operations.library import derived_vectors
from workbench.resources import resource
from workbench.ui.library.import_dialogs import ReviewSheet

_WIDE = 760
_UNREADABLE = 2
"""Number of the documents that are damaged or locked."""
_ENDED = (DocumentStatus.READY, DocumentStatus.FAILED, DocumentStatus.LOCKED)


def first_run(stage: Stage, _script: Script) -> None:
    """Show an empty library at the first start."""
    stage.shoot("opening", "Start: the window before its library is open")
    stage.wait(lambda: stage.library and stage.shell.documents.loaded, "the library")
    stage.pause(0.5)
    stage.shoot("first-run", "First start: the welcome text of an empty library")


def importing(stage: Stage, _script: Script) -> None:
    """Show the import of documents."""
    papers = Path(stage.shell.folder).parent / "Harbour"
    samples = sorted(resource("sample").iterdir())
    # One file after the other: the numbers of the passages, and by them the map, are then the same each time.
    file_importing.AT_ONCE = 1
    stage.shell.documents.add([papers])
    _wait_for_import(stage, 1)
    papers_read = len(_documents(stage))
    with _embedding_held():
        stage.shell.documents.add(samples)
        added = papers_read + len(samples)
        stage.wait(lambda: sum(one.chunks > 0 for one in _documents(stage)) == added - _UNREADABLE, "the passages")
        files_done = f"0 of {len(samples)} files done"
        # Before, the strip names the page that is searched for tables.
        stage.wait(lambda: files_done in stage.shown_texts(), "the second reading of the pages")
        stage.clear()
        stage.shoot("importing", "Import in progress; documents that are read can be searched")
    _wait_for_import(stage, added)


def _wait_for_import(stage: Stage, least: int) -> None:
    stage.wait(lambda: len(_documents(stage)) >= least and _all_ended(stage), "the import to end")
    stage.wait(lambda: not stage.shell.documents.importing.running, "the import to end")


@contextmanager
def _embedding_held() -> Iterator[None]:
    """Let nothing be embedded, so that the picture does not depend on the speed of the machine."""
    released = threading.Event()
    embed = derived_vectors.embed_with_codes

    def wait_and_embed(*arguments: Any) -> Any:
        released.wait()
        return embed(*arguments)

    derived_vectors.embed_with_codes = wait_and_embed
    try:
        yield
    finally:
        released.set()
        derived_vectors.embed_with_codes = embed


def full(stage: Stage, _script: Script) -> None:
    """Show a library with documents in folders."""
    stage.shell.window.toast.hide()
    stage.shell.library_pane.select(_named(stage, "harbour-survey.pdf").id)
    stage.shell.library_pane.document_chosen.emit(_named(stage, "harbour-survey.pdf"))
    stage.wait(lambda: stage.shell.inspector.shown is not None, "the passages of the document")
    stage.wait_for_page()
    stage.shoot("library", "A library with folders, and the passages of a document on its pages")


def failed(stage: Stage, _script: Script) -> None:
    """Show a selected document that could not be read."""
    document = _named(stage, "old-ledger.pdf")
    stage.shell.library_pane.select(document.id)
    stage.shell.library_pane.document_chosen.emit(document)
    stage.shoot("failed-document", "A document that could not be read, with the reason")


def locked(stage: Stage, _script: Script) -> None:
    """Show the password field of a document."""
    stage.clear()
    stage.shell.library_pane.select(_named(stage, "salaries.pdf").id)
    stage.shell.library_pane.unlock(_named(stage, "salaries.pdf"))
    stage.pause(0.4)
    stage.shoot("password", "A document that needs a password")


def tabular(stage: Stage, _script: Script) -> None:
    """Show the documents as a table."""
    window, pane = stage.shell.window, stage.shell.library_pane
    width = window.library_dock.width()
    window.resizeDocks([window.library_dock], [_WIDE], Qt.Orientation.Horizontal)
    pane.show_view(replace(pane.view, is_table=True))
    stage.pause(0.5)
    stage.shoot("library-table", "The documents as a table with selected columns")
    pane.show_view(replace(pane.view, is_table=False))
    window.resizeDocks([window.library_dock], [width], Qt.Orientation.Horizontal)


def reviewed(stage: Stage, _script: Script) -> None:
    """Show the review of many files that were dropped at once."""
    stage.shell.documents.offer([Path(stage.shell.folder).parent / "Letters"])
    stage.wait(lambda: stage.shell.window.findChildren(ReviewSheet), "the sheet")
    sheet = stage.shell.window.findChildren(ReviewSheet)[0]
    adding = [one for one in sheet.findChildren(QPushButton) if one.text().startswith("Add")]
    stage.wait(lambda: sheet.isVisible() and adding[0].isEnabled(), "what was found")
    stage.shoot("review", "Review of many dropped files before the import")
    sheet.reject()


def found(stage: Stage, _script: Script) -> None:
    """Show a search for documents by name."""
    stage.command("find")
    field = stage.find(QLineEdit, within=stage.shell.library_pane)
    field.setText("berth")
    stage.pause(0.5)
    stage.shoot("library-filtered", "The document list, filtered by name")
    field.setText("no such paper")
    stage.pause(0.5)
    stage.shoot("library-nothing-found", "The document list without a match")
    field.clear()
    stage.pause(0.5)


def dropped(stage: Stage, _script: Script) -> None:
    """Show files that are dragged over the window."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(resource("sample", "harbour-survey.pdf")))])
    place, window = QPoint(600, 400), stage.shell.window
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(place, Qt.DropAction.CopyAction, data, buttons, keys))
    stage.shoot("drop", "Files dragged over the window")
    QApplication.sendEvent(window, QDragLeaveEvent())


def removed(stage: Stage, _script: Script) -> None:
    """Show the offer to undo the removal of a document."""
    stage.shell.documents.remove([_named(stage, "berth-6.md").id])
    stage.wait(lambda: stage.shell.window.toast.isVisible(), "the offer to undo")
    stage.shoot("undo", "Undo after removing a document")
    stage.clear()


def not_opened(stage: Stage, _script: Script) -> None:
    """Show a library that cannot be opened."""
    window = stage.shell.window
    before = window.status.text.partition(" | ")[0]
    window.problem.show_error(
        LibraryError("The library is open in another window.", "Close that window, or choose another folder."),
        "",
        Path("~") / "Documents" / "Harbour",
    )
    window.show_problem(True)
    window.status.show_index("No library is open")
    stage.shoot("no-library", "A library that cannot be opened, with the reason and a remedy")
    window.show_problem(False)
    window.status.show_index(before)


def _documents(stage: Stage) -> list[Document]:
    return stage.shell.documents.model.documents()


def _all_ended(stage: Stage) -> bool:
    return all(one.status in _ENDED for one in _documents(stage))


def _named(stage: Stage, name: str) -> Document:
    return next(one for one in _documents(stage) if one.name == name)


SCENES = (first_run, importing, full, tabular, reviewed, failed, locked, found, dropped, not_opened)
