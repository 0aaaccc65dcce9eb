"""Dialogs about knowledge bases, fields and tags of the selected documents, and the code that opens them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import MetadataError
from workbench.language import tr, trn
from workbench.model.document import Document
from workbench.model.metadata import checked_tags
from workbench.ui.controls import ElidedLabel, button, dialog_foot, label
from workbench.ui.dialog import Dialog, ask_for_text, question_box
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.ui.library.presenter import LibraryPresenter
    from workbench.ui.library.row_actions import RowActions


class CatalogueDialogs(QObject):
    """Opener of these dialogs; each is imported on first use, because the window's start does not need it."""

    def __init__(self, presenter: LibraryPresenter, actions: RowActions, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._catalogue = presenter.catalogue
        self._theme = theme
        self._parent = parent
        actions.details_asked.connect(self.show_details)
        actions.tags_asked.connect(self.show_tags)
        actions.metadata_asked.connect(self.show_metadata)
        actions.move_asked.connect(self.show_move)

    @Slot(list)
    def show_details(self, documents: list[Document]) -> None:
        """Show a dialog to view and edit the details of a document."""
        from workbench.ui.library.metadata_dialogs import DetailsDialog

        save = partial(self._catalogue.change, documents[0])
        self._open(DetailsDialog(documents[0], self._theme, save, self._parent))

    @Slot(list)
    def show_tags(self, documents: list[Document]) -> None:
        """Show a dialog to change the tags of documents."""
        dialog = TagsDialog(documents, self._theme, partial(self._catalogue.tag, documents), self._parent)
        self._catalogue.tags_listed.connect(dialog.offer)
        self._catalogue.list_tags()
        self._open(dialog)

    @Slot(list)
    def show_metadata(self, documents: list[Document]) -> None:
        """Show a dialog to change the metadata of documents."""
        from workbench.ui.library.metadata_dialogs import MetadataDialog

        of_one = tr("Metadata of “{name}”", name=documents[0].name)
        of_several = trn("Metadata of {n:,} document", "Metadata of {n:,} documents", len(documents))
        name = of_one if len(documents) == 1 else of_several
        give = partial(self._catalogue.give, documents)
        self._open(MetadataDialog(name, [one.custom for one in documents], self._theme, give, self._parent))

    @Slot(list)
    def show_move(self, documents: list[Document]) -> None:
        """Show a dialog to move or copy documents to another knowledge base."""
        names = self._presenter.knowledge_bases
        self._open(MoveDialog(documents, names, partial(self._move, documents), self._parent))

    @Slot()
    def ask_for_base(self) -> None:
        """Ask for the name of a new knowledge base."""
        title = tr("New knowledge base")
        name, sure = ask_for_text(self._parent, title, tr("Name, such as “Work”:"))
        if sure:
            self._catalogue.add_base(name)

    @Slot()
    def ask_for_new_name(self) -> None:
        """Ask for a new name of the current knowledge base."""
        base = self._presenter.knowledge_base
        title, question = tr("Rename knowledge base"), tr("New name of “{base}”:", base=base)
        name, sure = ask_for_text(self._parent, title, question, base)
        if sure:
            self._catalogue.rename_base(base, name)

    @Slot()
    def ask_whether_to_remove(self) -> None:
        """Ask whether to remove the current knowledge base with everything in it."""
        base = self._presenter.knowledge_base
        inside = sum(document.knowledge_base == base for document in self._presenter.model.documents())
        text = trn("Remove “{base}” with {n:,} document?", "Remove “{base}” with {n:,} documents?", inside, base=base)
        about = tr("Your original files are not deleted. You can undo this.")
        box = question_box(self._parent, tr("Remove knowledge base"), text, about)
        remove = box.addButton(tr("Remove"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.exec()
        if box.clickedButton() is remove:
            self._catalogue.remove_base(base)

    def _open(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _move(self, documents: list[Document], target: str, copy: bool, new: bool) -> None:
        self._catalogue.move(documents, target, copy=copy, new=new)


Save = Callable[[tuple[str, ...], tuple[str, ...]], None]
"""Callback that receives the tags to add to all documents and the tags to remove from all."""


class TagsDialog(Dialog):
    """Dialog for the tags of documents; a tag that only some of them have is half ticked, and kept unless changed."""

    def __init__(self, documents: Sequence[Document], theme: Theme, save: Save, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Tags"))
        self.resize(380, 340)
        self._documents = documents
        self._save = save
        self._had = Counter(tag for document in documents for tag in document.tags)
        self._banner = Banner(theme)
        self._new = QLineEdit()
        self._new.setPlaceholderText(tr("New tags, separated by commas"))
        self._new.setAccessibleName(tr("New tags"))
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Tags in use"))
        for tag in self._had:
            self._offer(tag)
        of_one = tr("Tags of “{name}”", name=documents[0].name)
        of_several = trn("Tags of {n:,} document", "Tags of {n:,} documents", len(documents))
        save_button = button(tr("Save"), "primary", self.accept)
        save_button.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        title = ElidedLabel()
        title.setProperty("role", "title")
        title.set_whole_text(of_one if len(documents) == 1 else of_several)
        layout.addWidget(title)
        layout.addWidget(self._banner)
        layout.addWidget(self._new)
        layout.addWidget(self._list, 1)
        layout.addWidget(label(tr("To filter by the tag “law”, type tag:law in the search box."), "caption", wrap=True))
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), save_button))
        self._new.setFocus()

    @Slot(list)
    def offer(self, tags: list[tuple[str, int]]) -> None:
        """Add tags of other documents to the list."""
        offered = {self._list.item(row).text() for row in range(self._list.count())}
        for tag, _documents in tags:
            if tag not in offered:
                self._offer(tag)

    def accept(self) -> None:
        """Save and close; an invalid tag is reported in the dialog, and nothing is saved."""
        try:
            typed = checked_tags(part for part in self._new.text().split(",") if part.strip())
        except MetadataError as error:
            self._banner.show_error(error)
            return
        items = [self._list.item(row) for row in range(self._list.count())]
        ticked = [item.text() for item in items if item.checkState() is Qt.CheckState.Checked]
        cleared = [item.text() for item in items if item.checkState() is Qt.CheckState.Unchecked]
        add = tuple(tag for tag in (*ticked, *typed) if self._had[tag] < len(self._documents))
        self._save(add, tuple(tag for tag in cleared if self._had[tag]))
        super().accept()

    def _offer(self, tag: str) -> None:
        item = QListWidgetItem(tag, self._list)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        had = self._had[tag]
        some = Qt.CheckState.PartiallyChecked if had else Qt.CheckState.Unchecked
        item.setCheckState(Qt.CheckState.Checked if had == len(self._documents) else some)


Go = Callable[[str, bool, bool], None]
"""Callback that receives the name, whether to copy, and whether the knowledge base is new."""


class MoveDialog(Dialog):
    """Dialog to move or copy documents; a name that is not in the list creates a new knowledge base."""

    def __init__(
        self, documents: Sequence[Document], names: Sequence[str], go: Go, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Move or copy"))
        self.resize(420, 0)
        self._go = go
        self._names = list(names)
        current_bases = {document.knowledge_base for document in documents}
        self._box = QComboBox()
        self._box.setEditable(True)
        self._box.setAccessibleName(tr("To knowledge base"))
        self._box.addItems([name for name in names if {name} != current_bases])
        field = self._box.lineEdit()
        assert field is not None
        field.setAccessibleName(tr("Name of the knowledge base"))
        field.setPlaceholderText(tr("Existing or new knowledge base"))
        self._copy = QCheckBox(tr("Copy instead of moving"))
        self._button = button(tr("Move"), "primary", self.accept)
        self._button.setDefault(True)
        self._note = label("", "caption", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        several = trn("{n:,} document", "{n:,} documents", len(documents))
        description = f"“{documents[0].name}”" if len(documents) == 1 else several
        title = ElidedLabel()
        title.setProperty("role", "title")
        title.set_whole_text(description)
        layout.addWidget(title)
        layout.addWidget(label(tr("To knowledge base"), "muted"))
        layout.addWidget(self._box)
        layout.addWidget(self._copy)
        layout.addWidget(self._note)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._button))
        self._box.editTextChanged.connect(self._on_changed)
        self._copy.toggled.connect(self._on_changed)
        self._on_changed()

    def accept(self) -> None:
        """Move or copy, and close."""
        name = self._box.currentText().strip()
        if name:
            self._go(name, self._copy.isChecked(), name not in self._names)
            super().accept()

    @Slot()
    def _on_changed(self) -> None:
        name = self._box.currentText().strip()
        self._button.setText(tr("Copy") if self._copy.isChecked() else tr("Move"))
        self._button.setEnabled(bool(name))
        is_new = bool(name) and name not in self._names
        self._note.setText(tr("“{name}” will be created.", name=name) if is_new else "")
