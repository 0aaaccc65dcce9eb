"""Where documents are to go: another knowledge base, or a new one; moved or copied."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QVBoxLayout, QWidget

from workbench.language import tr, trn
from workbench.model.document import Document
from workbench.ui.controls import ElidedLabel, button, dialog_foot, label
from workbench.ui.dialog import Dialog

Go = Callable[[str, bool, bool], None]
"""Told the name, whether to copy, and whether the knowledge base is new."""


class MoveDialog(Dialog):
    """A name that is typed and not in the list makes a new knowledge base."""

    def __init__(
        self, documents: Sequence[Document], names: Sequence[str], go: Go, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Move or copy"))
        self.resize(420, 0)
        self._go = go
        self._names = list(names)
        here = {document.knowledge_base for document in documents}
        self._box = QComboBox()
        self._box.setEditable(True)
        self._box.setAccessibleName(tr("To knowledge base"))
        self._box.addItems([name for name in names if {name} != here])
        field = self._box.lineEdit()
        assert field is not None
        field.setAccessibleName(tr("Name of the knowledge base"))
        field.setPlaceholderText(tr("Name of a knowledge base, or of a new one"))
        self._copy = QCheckBox(tr("Copy: they stay where they are, too"))
        self._button = button(tr("Move"), "primary", self.accept)
        self._button.setDefault(True)
        self._note = label("", "caption", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        several = trn("{n:,} document", "{n:,} documents", len(documents))
        named = f"“{documents[0].name}”" if len(documents) == 1 else several
        title = ElidedLabel()
        title.setProperty("role", "title")
        title.set_whole_text(named)
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
        """Go, and close."""
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
        self._note.setText(tr("“{name}” is new and will be made.", name=name) if is_new else "")
