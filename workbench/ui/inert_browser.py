"""Rich text of our own around what documents and models said: it loads nothing, and a link asks before it opens."""

from typing import Any

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget


class InertBrowser(QTextBrowser):
    """Left alone, Qt would read pictures and style sheets that a text names from the disk, or from a server's share."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)

    def loadResource(self, kind: int, _name: QUrl | str) -> Any:
        """Return a picture of one clear point, or an empty sheet: given nothing, Qt would look for a file itself."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return b" "
        picture = QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)
        picture.fill(Qt.GlobalColor.transparent)
        return picture

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return the selected text as text: neither links nor pictures go into another program."""
        data = QMimeData()
        # Where a long hash may break in a narrow pane stands a space without width, which is none of it.
        data.setText(self.textCursor().selection().toPlainText().replace("\u200b", ""))
        return data
