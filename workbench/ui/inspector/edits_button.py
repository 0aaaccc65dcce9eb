"""“3 edits”: how much of a document was changed by hand; opens the list of it."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.language import tr, trn
from workbench.ui.inspector.chunk_editing import ChunkEditing
from workbench.ui.inspector.edits_dialog import EditsDialog
from workbench.ui.theme import Theme


class EditsButton(QPushButton):
    """Stands beside what is said of a document; hidden where nothing was edited."""

    def __init__(self, theme: Theme, editing: ChunkEditing, parent: QWidget | None = None) -> None:
        super().__init__(tr("Edits"), parent)
        self._theme = theme
        self._editing = editing
        self.setProperty("variant", "link")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tr("What you changed about the passages of this document"))
        self.clicked.connect(self.open)
        editing.edits_changed.connect(self._on_edits)
        self.hide()

    @Slot()
    def open(self) -> None:
        """Show the list of the edits."""
        dialog = EditsDialog(self._editing, self._theme, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @Slot(object)
    def _on_edits(self, _edits: object) -> None:
        edits = self._editing.edits
        lost = sum(edit.lost for edit in edits)
        self.setVisible(bool(edits))
        standing = sum(not edit.undone for edit in edits)
        made = trn("{n:,} edit", "{n:,} edits", standing) if standing else tr("Edits")
        self.setText(tr("{edits}, {lost} not applied", edits=made, lost=lost) if lost else made)
