"""The dialog in which a note is written, or written anew."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.controls import bring_up, button, dialog_foot, label
from workbench.ui.dialog import Dialog


class NoteDialog(Dialog):
    """Takes a title and a text.

    Signals:
        note_given: The document it belongs to (0 for a new one), the text, and the title, which may be empty.
    """

    note_given = Signal(int, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = 0
        self._before = ("", "")
        self.resize(600, 460)
        self._title = QLineEdit()
        self._title.setPlaceholderText(tr("Title; else its first words"))
        self._title.setAccessibleName(tr("Title"))
        self._text = QPlainTextEdit()
        self._text.setPlaceholderText(tr("Write or paste. Markdown is understood."))
        self._text.setAccessibleName(tr("Text of the note"))
        self._text.setTabChangesFocus(True)
        self._save = button(tr("Save"), "primary", self._on_save)
        self._save.setToolTip(tr("Save (Ctrl+Enter)"))
        self._heading = label("", "heading")
        self._lay_out()
        self._text.textChanged.connect(self._on_changed)
        QShortcut(QKeySequence("Ctrl+Return"), self).activated.connect(self._on_save)
        self._on_changed()

    def begin(self, *, text: str = "", title: str = "", document: int = 0) -> None:
        """Show the dialog with this text; document says whose it is, 0 for a new note."""
        words = tr("Edit note") if document else tr("New note")
        self._document = document
        self._before = (text, title)
        self.setWindowTitle(words)
        self._heading.setText(words)
        self._title.setText(title)
        self._text.setPlainText(text)
        bring_up(self)
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(self._heading)
        layout.addWidget(self._title)
        layout.addWidget(self._text, 1)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._save))

    @Slot()
    def _on_changed(self) -> None:
        self._save.setEnabled(bool(self._text.toPlainText().strip()))

    @Slot()
    def _on_save(self) -> None:
        text, title = self._text.toPlainText(), self._title.text().strip()
        if not text.strip():
            return
        self.accept()
        if (text, title) != self._before or not self._document:
            self.note_given.emit(self._document, text, title)
