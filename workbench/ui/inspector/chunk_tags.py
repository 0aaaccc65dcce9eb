"""The tags of a passage, typed with commas between."""

from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from workbench.errors import MetadataError
from workbench.language import tr
from workbench.model.chunk import Chunk
from workbench.model.metadata import checked_tags
from workbench.ui.controls import button, dialog_foot, label
from workbench.ui.dialog import Dialog
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme


class ChunkTagsDialog(Dialog):
    """Asks for the tags that a passage is to have in the place of its own.

    Attributes:
        tags: What was typed, once it was accepted.
    """

    def __init__(self, chunk: Chunk, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Tags of the passage"))
        self.resize(380, 0)
        self.tags: tuple[str, ...] = chunk.tags
        self._banner = Banner(theme)
        self._field = QLineEdit(", ".join(chunk.tags))
        self._field.setPlaceholderText(tr("Tags, with commas between"))
        self._field.setAccessibleName(tr("Tags of the passage"))
        save = button(tr("Save"), "primary", self.accept)
        save.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        layout.addWidget(label(tr("Tags of passage {n}", n=chunk.ordinal + 1), "title"))
        layout.addWidget(self._banner)
        layout.addWidget(self._field)
        layout.addWidget(
            label(
                tr("As a filter of a question, passage_tag:key finds the passages tagged “key”."), "caption", wrap=True
            )
        )
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), save))

    def accept(self) -> None:
        """Take the tags and close; what cannot be one is said here."""
        try:
            self.tags = checked_tags(part for part in self._field.text().split(",") if part.strip())
        except MetadataError as error:
            self._banner.show_error(error)
            return
        super().accept()
