"""Dialog for a database query."""

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

from workbench.fetching.database_query import remote_servers
from workbench.language import mark, tr
from workbench.ui.controls import bring_up, button, dialog_foot, frame, label
from workbench.ui.dialog import Dialog
from workbench.ui.library.other_sources import fetch_words

KINDS = (mark("SQLite databases ({endings})"), mark("All files ({endings})"))
SHUT = mark("The air gap stays on. “Download” contacts only the database server it names, once, for this query.")
ENDINGS = ("*.db *.sqlite *.sqlite3 *.db3", "*")


class AddQueryDialog(Dialog):
    """Dialog that takes a database and a query.

    Signals:
        query_given: The database, the query, a title, which may be empty, and the servers that may be contacted for it.
    """

    query_given = Signal(str, str, str, tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Add from database"))
        self.setMinimumWidth(560)
        self._database = QLineEdit()
        self._database.setPlaceholderText(tr("SQLite file or postgresql://user:password@host/name"))
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
        self._is_shut = False
        self._box = frame("banner", tone="ok")
        self._box.hide()
        self._lay_out()
        self._database.textChanged.connect(self._on_changed)
        self._query.textChanged.connect(self._on_changed)
        self._on_changed()

    def begin(self) -> None:
        """Show the dialog; the previous input is kept, except for a database with a password."""
        bring_up(self)
        self._database.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_air_gap(self, *, on: bool) -> None:
        """Store whether the air gap is on; while it is, the dialog names the database server that may be contacted."""
        self._is_shut = on
        self._on_changed()

    @property
    def _servers(self) -> tuple[str, ...]:
        """Servers on other machines that only this dialog allows to be contacted."""
        return remote_servers(self._database.text()) if self._is_shut else ()

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
        layout.addWidget(label(tr("Add query results"), "heading"))
        explanation = tr(
            "Each row becomes a record that answers can cite. The database is not changed. Passwords "
            "are stored in the system keyring, not in the library."
        )
        layout.addWidget(label(explanation, "muted", wrap=True))
        inside = QHBoxLayout(self._box)
        inside.setContentsMargins(12, 8, 12, 8)
        inside.addWidget(label(tr(SHUT), wrap=True))
        layout.addWidget(self._box)
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
        servers = self._servers
        if bool(servers) == self._box.isHidden():
            self._box.setVisible(bool(servers))
            self.grow()
        self._add.setText(fetch_words(servers) if servers else tr("Add"))
        self._add.setEnabled(bool(self._database.text().strip() and self._query.toPlainText().strip()))

    @Slot()
    def _on_add(self) -> None:
        database, servers = self._database.text().strip(), self._servers
        self.accept()
        self.query_given.emit(database, self._query.toPlainText().strip(), self._title.text().strip(), servers)
        self._title.clear()
        if "@" in database:
            self._database.clear()
