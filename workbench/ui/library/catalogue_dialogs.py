"""The dialogs about knowledge bases, fields and tags, opened over the library pane."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QDialog, QMessageBox, QWidget

from workbench.language import tr, trn
from workbench.model.document import Document
from workbench.ui.asking import ask_for_text, question_box
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.ui.library.presenter import LibraryPresenter
    from workbench.ui.library.row_actions import RowActions


class CatalogueDialogs(QObject):
    """Each dialog is imported when it is first asked for: none of them is on the way to the window."""

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
        """Show and edit what is known of a document."""
        from workbench.ui.library.details import DetailsDialog

        save = partial(self._catalogue.change, documents[0])
        self._open(DetailsDialog(documents[0], self._theme, save, self._parent))

    @Slot(list)
    def show_tags(self, documents: list[Document]) -> None:
        """Change the tags of documents."""
        from workbench.ui.library.tags import TagsDialog

        dialog = TagsDialog(documents, self._theme, partial(self._catalogue.tag, documents), self._parent)
        self._catalogue.tags_listed.connect(dialog.offer)
        self._catalogue.list_tags()
        self._open(dialog)

    @Slot(list)
    def show_metadata(self, documents: list[Document]) -> None:
        """Change the metadata of documents."""
        from workbench.ui.library.metadata_box import MetadataDialog

        of_one = tr("Metadata of “{name}”", name=documents[0].name)
        of_several = trn("Metadata of {n:,} document", "Metadata of {n:,} documents", len(documents))
        name = of_one if len(documents) == 1 else of_several
        give = partial(self._catalogue.give, documents)
        self._open(MetadataDialog(name, [one.custom for one in documents], self._theme, give, self._parent))

    @Slot(list)
    def show_move(self, documents: list[Document]) -> None:
        """Move or copy documents to another knowledge base."""
        from workbench.ui.library.move import MoveDialog

        names = self._presenter.knowledge_bases
        self._open(MoveDialog(documents, names, partial(self._move, documents), self._parent))

    @Slot()
    def ask_for_base(self) -> None:
        """Ask for the name of a new knowledge base."""
        title = tr("New knowledge base")
        name, sure = ask_for_text(self._parent, title, tr("Name, for example “work”:"))
        if sure:
            self._catalogue.add_base(name)

    @Slot()
    def ask_for_new_name(self) -> None:
        """Ask for another name of the knowledge base that is chosen."""
        base = self._presenter.knowledge_base
        title, asked = tr("Rename knowledge base"), tr("New name of “{base}”:", base=base)
        name, sure = ask_for_text(self._parent, title, asked, base)
        if sure:
            self._catalogue.rename_base(base, name)

    @Slot()
    def ask_whether_to_remove(self) -> None:
        """Ask whether to remove the knowledge base that is chosen, with everything in it."""
        base = self._presenter.knowledge_base
        inside = sum(document.knowledge_base == base for document in self._presenter.model.documents())
        text = trn("Remove “{base}” with {n:,} document?", "Remove “{base}” with {n:,} documents?", inside, base=base)
        about = tr("Your files stay where they are. “Undo” brings it back.")
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
