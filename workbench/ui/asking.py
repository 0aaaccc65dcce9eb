"""Boxes that ask one thing. Names of documents and of folders stand in them: as plain text, whatever they look like.

Left alone, Qt takes a text that looks like HTML for HTML, loads the pictures that it names from the disk, and opens its
links by itself.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMessageBox, QWidget


def question_box(parent: QWidget | None, title: str, text: str, about: str = "") -> QMessageBox:
    """Return a box with a question and what there is to say about it, still without buttons."""
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    box.setInformativeText(about)
    return box


def agrees(parent: QWidget | None, title: str, text: str, about: str = "") -> bool:
    """Return whether the person says yes; nothing is done before that."""
    box = question_box(parent, title, text, about)
    box.setIcon(QMessageBox.Icon.Question)
    yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.Cancel
    box.setStandardButtons(yes | no)
    box.setDefaultButton(no)
    return QMessageBox.StandardButton(box.exec()) == yes


def ask_for_text(parent: QWidget | None, title: str, asked: str, text: str = "") -> tuple[str, bool]:
    """Return what the person typed, and whether they want it; the style sheet keeps what is asked plain."""
    return QInputDialog.getText(parent, title, asked, QLineEdit.EchoMode.Normal, text)
