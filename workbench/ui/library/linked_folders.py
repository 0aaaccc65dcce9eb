"""The dialog of the linked folders: which there are, how they stand, link and unlink."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMessageBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, said, tr, trn
from workbench.model.knowledge_base import FolderState, LinkedFolder
from workbench.ui.asking import question_box
from workbench.ui.controls import ElidedLabel, IconButton, IconLabel, button, empty, frame, label
from workbench.ui.dates import ago
from workbench.ui.dialog import Dialog
from workbench.ui.library.linked_presenter import LinkedPresenter
from workbench.ui.library.metadata_box import MetadataDialog
from workbench.ui.library.wording import listed, metadata_words
from workbench.ui.theme import Theme

EXPLANATION = mark(
    "The files of a linked folder are read where they are, without a copy. What is changed, moved or deleted there is"
    " followed; what is deleted lies in the bin for a while. ZIP archives in it are opened."
)
GIVEN = mark(
    "Every document of this folder has these, those to come too. What you give to a document itself, or what stands"
    " beside its file, goes first."
)


class LinkedFoldersDialog(Dialog):
    """Shows the linked folders as cards."""

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
            self._cards.addWidget(label(tr("No folder is linked yet."), "muted"))
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
            tr("Follow “{name}” no longer?", name=folder.name),
            tr("Its documents can stay, with copies of their files in the library, or go to the bin."),
        )
        keep = box.addButton(tr("Keep its documents"), QMessageBox.ButtonRole.AcceptRole)
        remove = box.addButton(tr("Move them to the bin"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(keep)
        box.exec()
        if box.clickedButton() in (keep, remove):
            self._presenter.unlink(folder.id, remove_documents=box.clickedButton() is remove)


def ask_for_folder(presenter: LinkedPresenter, parent: QWidget) -> None:
    """Ask which folder to link, and link it."""
    name = QFileDialog.getExistingDirectory(parent, tr("Link a folder"), str(Path.home()))
    if name:
        presenter.link(Path(name))


class FolderCard(QWidget):
    """One linked folder: name, place, how it stands.

    Signals:
        unlink_asked: Its LinkedFolder.
        metadata_asked: The same, of which the metadata are to be changed.
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
        told = ((folder.path, "caption"), (standing(folder), "caption"), *(((given, "caption"),) if given else ()))
        for text, role in ((folder.name, ""), *told):
            line = ElidedLabel()
            line.setProperty("role", role)
            line.set_whole_text(text)
            words.addWidget(line)
        if folder.reason:
            words.addWidget(label(said(folder.reason), "caption", wrap=True))
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
        whole = listed(filter(None, (folder.name, standing(folder), given)))
        self.setAccessibleName(f"{whole} {said(folder.reason)}".rstrip())

    @Slot()
    def _on_metadata(self) -> None:
        self.metadata_asked.emit(self._folder)

    @Slot()
    def _on_unlink(self) -> None:
        self.unlink_asked.emit(self._folder)


def standing(folder: LinkedFolder) -> str:
    """Return how a folder stands, in one line."""
    parts = [trn("{n:,} document", "{n:,} documents", folder.documents)]
    if folder.knowledge_base != "default":
        parts.append(tr("in “{base}”", base=folder.knowledge_base))
    if folder.state is FolderState.NOT_REACHABLE:
        parts.append(tr("not reachable"))
    parts.append(tr("checked {ago}", ago=ago(folder.checked)) if folder.checked else tr("not checked yet"))
    return " · ".join(parts)
