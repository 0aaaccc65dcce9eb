"""The tags of one or many documents: those in use to be ticked, new ones to be typed."""

from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from workbench.errors import MetadataError
from workbench.language import tr, trn
from workbench.model.document import Document
from workbench.model.metadata import checked_tags
from workbench.ui.controls import ElidedLabel, button, dialog_foot, label
from workbench.ui.dialog import Dialog
from workbench.ui.theme import Theme
from workbench.ui.toast import Banner

Save = Callable[[tuple[str, ...], tuple[str, ...]], None]
"""Told the tags to add to all documents, and those to take away from all."""


class TagsDialog(Dialog):
    """A tag that only some of the documents have is half ticked, and stays with those unless it is touched."""

    def __init__(self, documents: Sequence[Document], theme: Theme, save: Save, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Tags"))
        self.resize(380, 340)
        self._documents = documents
        self._save = save
        self._had = Counter(tag for document in documents for tag in document.tags)
        self._banner = Banner(theme)
        self._new = QLineEdit()
        self._new.setPlaceholderText(tr("New tags, with commas between"))
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
        layout.addWidget(label(tr("In the filter box, tag:law shows what has the tag “law”."), "caption", wrap=True))
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), save_button))
        self._new.setFocus()

    @Slot(list)
    def offer(self, tags: list[tuple[str, int]]) -> None:
        """Offer tags that other documents have."""
        there = {self._list.item(row).text() for row in range(self._list.count())}
        for tag, _documents in tags:
            if tag not in there:
                self._offer(tag)

    def accept(self) -> None:
        """Save and close; a tag that cannot be is said here, and nothing is saved."""
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
