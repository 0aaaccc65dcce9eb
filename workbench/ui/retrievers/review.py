"""The code of a plug-in file, to be read before it may run."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.extensions import PluginText
from workbench.ui.controls import button, dialog_foot, label
from workbench.ui.dialog import Dialog

WARNING = mark(
    "This file runs with your rights: it can read your files and use the network. Allow it only if you trust who wrote"
    " it. It is asked about again when it changes."
)


class ReviewDialog(Dialog):
    """Shows a file and asks whether it may run.

    Signals:
        allowed: The PluginText that was read.
    """

    allowed = Signal(object)

    def __init__(self, seen: PluginText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seen = seen
        self.setWindowTitle(tr("May {name} run?", name=seen.name))
        self.resize(720, 560)
        self._code = QPlainTextEdit(seen.text)
        self._code.setReadOnly(True)
        self._code.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._code.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._code.setAccessibleName(tr("The code of {name}", name=seen.name))
        refuse = button(tr("Not now"), "secondary", self.reject)
        refuse.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(label(tr("May {name} run?", name=seen.name), "heading"))
        layout.addWidget(label(tr(WARNING), "muted", wrap=True))
        layout.addWidget(self._code, 1)
        layout.addLayout(dialog_foot(refuse, button(tr("Allow it to run"), "primary", self._on_allow)))

    @Slot()
    def _on_allow(self) -> None:
        self.allowed.emit(self._seen)
        self.accept()
