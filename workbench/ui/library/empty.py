"""What an empty library shows: a big drop target and two ways to begin; the samples are offered beside it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.controls import IconLabel, button, frame, label
from workbench.ui.theme import Theme


class EmptyLibrary(QWidget):
    """The first thing a new user sees in the library.

    Signals:
        add_files_asked: "Add files" was pressed.
        add_folder_asked: "Add folder" was pressed.
    """

    add_files_asked = Signal()
    add_folder_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        box = frame("drop")
        inside = QVBoxLayout(box)
        inside.setContentsMargins(16, 24, 16, 24)
        inside.setSpacing(8)
        heading = label(tr("Drop documents here"), "title")
        text = label(
            tr("PDF, office files, e-mail, pictures and more, or whole folders."),
            "muted",
            wrap=True,
        )
        for words in (heading, text):
            words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        add = button(tr("Add files…"), "secondary", self.add_files_asked)
        folder = button(tr("Add folder…"), "secondary", self.add_folder_asked)
        inside.addStretch(1)
        inside.addWidget(IconLabel(theme, "upload", colour="accent", size=36), 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addSpacing(4)
        inside.addWidget(heading)
        inside.addWidget(text)
        inside.addSpacing(12)
        for widget in (add, folder):
            inside.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addStretch(2)
        add.setMinimumWidth(150)
        folder.setMinimumWidth(150)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 12)
        layout.addWidget(box)
