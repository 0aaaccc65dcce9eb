"""Dialog of the linked folders, and the presenter of linked folders and the bin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMessageBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench import operations
from workbench.language import mark, tr, translate, trn
from workbench.model.import_progress import DocumentsRemoved
from workbench.model.knowledge_base import FolderCheck, FoldersChecked, FolderState, KnowledgeBasesChanged, LinkedFolder
from workbench.ui.bridge import Bridge
from workbench.ui.controls import ElidedLabel, IconButton, IconLabel, button, empty, frame, label
from workbench.ui.dialog import Dialog, question_box
from workbench.ui.library.document_wording import join_with_commas, metadata_words
from workbench.ui.library.metadata_dialogs import MetadataDialog
from workbench.ui.localisation import ago
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.knowledge_base import BinnedDocument
    from workbench.ui.library.presenter import LibraryPresenter
    from workbench.worker.job import JobHandle


class LinkedPresenter(QObject):
    """Presenter that watches the linked folders of the open library and holds the content of its bin.

    Signals:
        folders_changed: A list of LinkedFolder.
        bin_changed: A list of BinnedDocument, the latest first.
        notified: A message for a toast.
        given: A message for a toast about changed metadata of a folder; undo() reverts the change.
        failed: An error and its details.
    """

    folders_changed = Signal(list)
    bin_changed = Signal(list)
    notified = Signal(str)
    given = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, documents: LibraryPresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folders: list[LinkedFolder] = []
        self.binned: list[BinnedDocument] = []
        self._bridge = bridge
        self._documents = documents
        self._library: operations.Library | None = None
        self._watch_job: JobHandle[None] | None = None
        self._troubles: dict[int, str] = {}
        self._undo_metadata: tuple[int, dict[str, object]] | None = None
        bridge.domain_event.connect(self._on_domain_event)

    def set_library(self, library: operations.Library | None) -> None:
        """Set the library whose folders are watched."""
        self._library, self._undo_metadata = library, None
        self._stop_following()
        self.folders, self.binned, self._troubles = [], [], {}
        self.folders_changed.emit(self.folders)
        if library is not None:
            self._watch()

    def refresh(self, _value: object = None) -> None:
        """Reload the list of folders: a knowledge base or another program may have changed it."""
        self._submit("list_linked_folders", done=self._on_relisted)

    def link(self, path: Path) -> None:
        """Link a folder to the current knowledge base; its files are read in place."""
        self._documents.import_with("link_folder", path, quiet=True, knowledge_base=self._documents.target)

    def unlink(self, folder: int, *, remove_documents: bool) -> None:
        """Stop following a folder."""
        self._submit("unlink_folder", folder, remove_documents=remove_documents, done=self._on_unlinked)

    def give(self, folder: LinkedFolder, changes: Mapping[str, object]) -> None:
        """Change the metadata that a folder gives to all of its documents; None removes a key, other keys are kept."""
        if changes:
            metadata = {field.key: field.plain for field in folder.metadata} | dict(changes)
            self._submit("put_folder_metadata", folder.id, metadata, done=partial(self._on_given, folder))

    def undo(self) -> None:
        """Undo the last change of a folder's metadata."""
        before, self._undo_metadata = self._undo_metadata, None
        if before is not None:
            self._submit("put_folder_metadata", *before, done=self.refresh)

    def check(self) -> None:
        """Check all folders now."""
        self._documents.import_with("check_linked_folders", quiet=True)

    def refresh_bin(self) -> None:
        """Request the content of the bin."""
        self._submit("list_bin", done=self._on_bin)

    def restore(self, documents: Sequence[int]) -> None:
        """Restore documents from the bin."""
        self._submit("restore_documents", documents, done=self._on_restored)

    def delete(self, documents: Sequence[int] | None = None) -> None:
        """Delete documents of the bin for good; all of them if none are given."""
        self._submit("empty_bin", documents, done=self._on_deleted)

    def _submit(self, verb: str, *args: Any, done: Any, **options: Any) -> None:
        if self._library is not None:
            operation = getattr(operations, verb)(self._library, *args, **options)
            self._bridge.submit(operation, done=done, failed=self._on_failed)

    def _watch(self) -> None:
        """Watch the current folders; if their set changes, watching must be started again."""
        self._stop_following()
        self._submit("list_linked_folders", done=self._on_listed)

    def _stop_following(self) -> None:
        handle, self._watch_job = self._watch_job, None
        if handle is not None:
            handle.cancel()

    def _on_listed(self, folders: list[LinkedFolder]) -> None:
        self.folders = folders
        self.folders_changed.emit(folders)
        if folders and self._library is not None:
            self._watch_job = self._bridge.submit(
                operations.watch_linked_folders(self._library), failed=self._on_failed
            )

    def _on_unlinked(self, _value: None) -> None:
        self.notified.emit(tr("The folder is no longer linked."))
        self._watch()

    def _on_bin(self, binned: list[BinnedDocument]) -> None:
        self.binned = binned
        self.bin_changed.emit(binned)

    def _on_restored(self, back: list[int]) -> None:
        self.notified.emit(trn("{n:,} document restored", "{n:,} documents restored", len(back)))
        self.refresh_bin()

    def _on_deleted(self, deleted: int) -> None:
        self.notified.emit(trn("{n:,} document permanently deleted", "{n:,} documents permanently deleted", deleted))
        self.refresh_bin()

    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, FoldersChecked):
            self._on_checked(event.checks)
        elif isinstance(event, DocumentsRemoved) and self.binned:
            self.refresh_bin()
        elif isinstance(event, KnowledgeBasesChanged):
            self.refresh()

    def _on_given(self, folder: LinkedFolder, before: dict[str, object]) -> None:
        self._undo_metadata = (folder.id, before)
        self.given.emit(tr("Changed the metadata of “{name}”", name=folder.name))
        self.refresh()

    def _on_relisted(self, folders: list[LinkedFolder]) -> None:
        """Watch other folders if some were removed or restored with a knowledge base."""
        if {folder.id for folder in folders} != {folder.id for folder in self.folders}:
            self._watch()
        else:
            self.folders = folders
            self.folders_changed.emit(folders)

    def _on_checked(self, checks: Sequence[FolderCheck]) -> None:
        known = {folder.id for folder in self.folders}
        now = {check.folder.id: check.folder for check in checks}
        self.folders = [now.pop(folder.id, folder) for folder in self.folders]
        self.folders_changed.emit(self.folders)
        for check in checks:
            trouble = check.folder.reason if check.folder.reason != self._troubles.get(check.folder.id, "") else ""
            self._troubles[check.folder.id] = check.folder.reason
            words = translate(trouble) or describe_check(check)
            if words:
                self.notified.emit(tr("“{name}”: {words}", name=check.folder.name, words=words))
        if set(now) - known:
            self._watch()

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)


def describe_check(check: FolderCheck) -> str:
    """Return the result of a check of a folder in one line; empty if nothing changed."""
    parts = (
        (check.added, mark("{n:,} added")),
        (check.edited, mark("{n:,} updated")),
        (check.moved, mark("{n:,} moved")),
        (check.restored, mark("{n:,} restored")),
        (check.removed, mark("{n:,} moved to the bin")),
        (check.failed, mark("{n:,} could not be read")),
    )
    return join_with_commas(tr(words, n=number) for number, words in parts if number)


EXPLANATION = mark(
    "Files in a linked folder are read in place, without copies. The library follows "
    "changes, and keeps deleted files in the bin for a while. ZIP archives are opened."
)
GIVEN = mark(
    "Applies to all current and future documents in this folder. Metadata of a document itself takes precedence."
)


class LinkedFoldersDialog(Dialog):
    """Dialog that shows the linked folders as cards."""

    def __init__(self, presenter: LinkedPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._theme = theme
        self.setWindowTitle(tr("Linked folders"))
        self.resize(620, 460)
        self._cards = QVBoxLayout()
        self._cards.setSpacing(8)
        self._check = button(tr("Check now"), "secondary", presenter.check)
        self._lay_out()
        presenter.folders_changed.connect(self._on_folders)
        self._on_folders(presenter.folders)

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._cards)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName(tr("Linked folders"))
        scroll.setWidget(inside)
        buttons = QHBoxLayout()
        buttons.addWidget(button(tr("Link a folder…"), "primary", self._on_link))
        buttons.addWidget(self._check)
        buttons.addStretch(1)
        buttons.addWidget(button(tr("Close"), "secondary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(label(tr("Linked folders"), "heading"))
        layout.addWidget(label(tr(EXPLANATION), "muted", wrap=True))
        layout.addWidget(scroll, 1)
        layout.addLayout(buttons)

    @Slot()
    def _on_link(self) -> None:
        ask_for_folder(self._presenter, self)

    @Slot(list)
    def _on_folders(self, folders: list[LinkedFolder]) -> None:
        empty(self._cards)
        for folder in folders:
            card = FolderCard(folder, self._theme)
            card.unlink_asked.connect(self._on_unlink)
            card.metadata_asked.connect(self._on_metadata)
            self._cards.addWidget(card)
        if not folders:
            self._cards.addWidget(label(tr("No linked folders"), "muted"))
        self._check.setEnabled(bool(folders))

    @Slot(object)
    def _on_metadata(self, folder: LinkedFolder) -> None:
        dialog = MetadataDialog(
            tr("Metadata of “{name}”", name=folder.name),
            [folder.metadata],
            self._theme,
            partial(self._presenter.give, folder),
            self,
            about=tr(GIVEN),
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @Slot(object)
    def _on_unlink(self, folder: LinkedFolder) -> None:
        box = question_box(
            self,
            tr("Unlink a folder"),
            tr("Unlink “{name}”?", name=folder.name),
            tr("You can keep its documents, with copies of the files in the library, or move them to the bin."),
        )
        keep = box.addButton(tr("Keep documents"), QMessageBox.ButtonRole.AcceptRole)
        remove = box.addButton(tr("Move to bin"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(keep)
        box.exec()
        if box.clickedButton() in (keep, remove):
            self._presenter.unlink(folder.id, remove_documents=box.clickedButton() is remove)


def ask_for_folder(presenter: LinkedPresenter, parent: QWidget) -> None:
    """Ask for a folder and link it."""
    name = QFileDialog.getExistingDirectory(parent, tr("Link a folder"), str(Path.home()))
    if name:
        presenter.link(Path(name))


class FolderCard(QWidget):
    """Card of a linked folder: name, path, state.

    Signals:
        unlink_asked: Its LinkedFolder.
        metadata_asked: Its LinkedFolder, whose metadata are to be changed.
    """

    unlink_asked = Signal(object)
    metadata_asked = Signal(object)

    def __init__(self, folder: LinkedFolder, theme: Theme) -> None:
        super().__init__()
        self._folder = folder
        box = frame("card")
        words = QVBoxLayout()
        words.setSpacing(2)
        given = metadata_words(folder.metadata)
        captions = ((folder.path, "caption"), (standing(folder), "caption"), *(((given, "caption"),) if given else ()))
        for text, role in ((folder.name, ""), *captions):
            line = ElidedLabel()
            line.setProperty("role", role)
            line.set_whole_text(text)
            words.addWidget(line)
        if folder.reason:
            words.addWidget(label(translate(folder.reason), "caption", wrap=True))
        trouble = folder.state is FolderState.NOT_REACHABLE
        row = QHBoxLayout(box)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        icon, colour = ("alert", "warn") if trouble else ("folder", "accent")
        row.addWidget(IconLabel(theme, icon, colour=colour, size=18), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        metadata = IconButton(theme, "edit", tr("Metadata of “{name}”…", name=folder.name), self._on_metadata)
        row.addWidget(metadata, 0, Qt.AlignmentFlag.AlignTop)
        unlink = IconButton(theme, "close", tr("Unlink “{name}”…", name=folder.name), self._on_unlink)
        row.addWidget(unlink, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(box)
        whole = join_with_commas(filter(None, (folder.name, standing(folder), given)))
        self.setAccessibleName(f"{whole} {translate(folder.reason)}".rstrip())

    @Slot()
    def _on_metadata(self) -> None:
        self.metadata_asked.emit(self._folder)

    @Slot()
    def _on_unlink(self) -> None:
        self.unlink_asked.emit(self._folder)


def standing(folder: LinkedFolder) -> str:
    """Return the state of a folder in one line."""
    parts = [trn("{n:,} document", "{n:,} documents", folder.documents)]
    if folder.knowledge_base != "default":
        parts.append(tr("in “{base}”", base=folder.knowledge_base))
    if folder.state is FolderState.NOT_REACHABLE:
        parts.append(tr("not reachable"))
    parts.append(tr("checked {ago}", ago=ago(folder.checked)) if folder.checked else tr("not checked yet"))
    return " · ".join(parts)
