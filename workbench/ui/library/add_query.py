"""The dialog for a database query."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr
from workbench.ui.controls import bring_up, button, dialog_foot, label
from workbench.ui.dialog import Dialog

KINDS = (mark("SQLite databases ({endings})"), mark("All files ({endings})"))
ENDINGS = ("*.db *.sqlite *.sqlite3 *.db3", "*")


class AddQueryDialog(Dialog):
    """Takes a database and a query.

    Signals:
        query_given: The database, the query, and a title, which may be empty.
    """

    query_given = Signal(str, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Add from database"))
        self.setMinimumWidth(560)
        self._database = QLineEdit()
        self._database.setPlaceholderText(tr("An SQLite file, or postgresql://user:password@host/name"))
        self._database.setAccessibleName(tr("Database"))
        self._query = QPlainTextEdit()
        self._query.setPlaceholderText("SELECT id, subject, body FROM tickets")
        self._query.setAccessibleName(tr("Query"))
        self._query.setTabChangesFocus(True)
        self._query.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._query.setFixedHeight(120)
        self._title = QLineEdit()
        self._title.setPlaceholderText(tr("Optional"))
        self._title.setAccessibleName(tr("Title"))
        self._add = button(tr("Add"), "primary", self._on_add)
        self._add.setDefault(True)
        self._lay_out()
        self._database.textChanged.connect(self._on_changed)
        self._query.textChanged.connect(self._on_changed)
        self._on_changed()

    def begin(self) -> None:
        """Show the dialog; what was typed last time is still there, but for a password."""
        bring_up(self)
        self._database.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        database = QHBoxLayout()
        database.setSpacing(8)
        database.addWidget(self._database, 1)
        database.addWidget(button(tr("Choose file…"), "secondary", self._on_choose))
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        form.addRow(tr("Database"), database)
        form.addRow(tr("Query"), self._query)
        form.addRow(tr("Title"), self._title)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(label(tr("Add what a query finds"), "heading"))
        said = tr(
            "Every row becomes a record that answers can cite. The database is only read. A password goes to the "
            "system's keyring, not into the library."
        )
        layout.addWidget(label(said, "muted", wrap=True))
        layout.addLayout(form)
        layout.addSpacing(6)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._add))

    @Slot()
    def _on_choose(self) -> None:
        kinds = ";;".join(tr(kind, endings=endings) for kind, endings in zip(KINDS, ENDINGS, strict=True))
        name, _kind = QFileDialog.getOpenFileName(self, tr("Choose an SQLite database"), str(Path.home()), kinds)
        if name:
            self._database.setText(name)

    @Slot()
    def _on_changed(self) -> None:
        self._add.setEnabled(bool(self._database.text().strip() and self._query.toPlainText().strip()))

    @Slot()
    def _on_add(self) -> None:
        database = self._database.text().strip()
        self.accept()
        self.query_given.emit(database, self._query.toPlainText().strip(), self._title.text().strip())
        self._title.clear()
        if "@" in database:
            self._database.clear()
