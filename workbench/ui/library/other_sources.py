"""Sources other than files.

Links, database queries and notes, and the recognition of links in typed or dropped text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from PySide6.QtCore import QMimeData, QObject, Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication
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
from workbench.language import mark, tr, trn
from workbench.model.document import Document, Origin
from workbench.model.egress import host_of, is_here
from workbench.ui.actions import pane_action
from workbench.ui.controls import bring_up, button, dialog_foot, frame, label
from workbench.ui.dialog import Dialog
from workbench.ui.library.presenter import LibraryPresenter

if TYPE_CHECKING:
    from workbench.ui.library.add_dialogs import AddLinkDialog, NoteDialog
    from workbench.ui.library.row_actions import RowActions
    from workbench.ui.network.offline_mode import OfflineModeOpener

_DATABASE_KINDS = (mark("SQLite databases ({endings})"), mark("All files ({endings})"))
_OFFLINE_MODE_STAYS = mark(
    "Offline mode stays on. “Download” contacts only the database server it names, once, for this query."
)
_DATABASE_ENDINGS = ("*.db *.sqlite *.sqlite3 *.db3", "*")


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

    def show_offline_mode(self, *, on: bool) -> None:
        """Store whether offline mode is on; while it is, the dialog names the database server that may be contacted."""
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
        inside.addWidget(label(tr(_OFFLINE_MODE_STAYS), wrap=True))
        layout.addWidget(self._box)
        layout.addLayout(form)
        layout.addSpacing(6)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._add))

    @Slot()
    def _on_choose(self) -> None:
        kinds = ";;".join(
            tr(kind, endings=endings) for kind, endings in zip(_DATABASE_KINDS, _DATABASE_ENDINGS, strict=True)
        )
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


class OtherSources(QObject):
    """Coordinator that adds and updates documents that are not files; its dialogs are created on first use.

    Attributes:
        opening: Object that knows whether offline mode is on; None while that is not known.
    """

    def __init__(self, presenter: LibraryPresenter, actions: RowActions, pane: QWidget) -> None:
        super().__init__(pane)
        self._presenter = presenter
        self._pane = pane
        self._link_dialog: AddLinkDialog | None = None
        self._query_dialog: AddQueryDialog | None = None
        self._note_dialog: NoteDialog | None = None
        self._edited_note: Document | None = None
        self.opening: OfflineModeOpener | None = None
        actions.refetch_asked.connect(self.refetch)
        actions.note_asked.connect(self.edit_notes)
        # A field of the pane that has the focus handles the key itself.
        pane_action(pane, "library.paste", self.paste, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)

    @Slot()
    def ask_for_links(self) -> None:
        """Ask for pages to add; links in the clipboard are filled in."""
        self.ask_for(pasted_links(QGuiApplication.clipboard().text()[:10_000]))

    @Slot(list)
    def ask_for(self, links: Sequence[str]) -> None:
        """Ask for pages to add, with these filled in."""
        if self._link_dialog is None:
            # Imported here, as for the other dialogs, because the window's start does not need it.
            from workbench.ui.library.add_dialogs import AddLinkDialog

            self._link_dialog = AddLinkDialog(self._pane.window())
            self._link_dialog.links_given.connect(self.add_links)
            self._link_dialog.topics_given.connect(self._on_topics)
        self._link_dialog.show_offline_mode(on=self._is_shut)
        self._link_dialog.begin(list(links))
        self._presenter.call("topic_host", done=self._link_dialog.offer_topics)

    @Slot()
    def ask_for_query(self) -> None:
        """Ask for a query to add."""
        if self._query_dialog is None:
            self._query_dialog = AddQueryDialog(self._pane.window())
            self._query_dialog.query_given.connect(self._on_query)
        self._query_dialog.show_offline_mode(on=self._is_shut)
        self._query_dialog.begin()

    @Slot()
    def ask_for_note(self) -> None:
        """Open an editor for a new note."""
        self.begin_note("")

    def begin_note(self, text: str) -> None:
        """Open an editor for a new note that starts with a text."""
        self._notes().begin(text=text)

    @Slot(list)
    def edit_notes(self, documents: Sequence[Document]) -> None:
        """Open an editor for the first note among the documents."""
        note = next((document for document in documents if document.origin is Origin.NOTE), None)
        if note is not None:
            self._edited_note = note
            self._presenter.call("note_text", note.id, done=self._on_note_text)

    @Slot(list, bool)
    def add_links(self, links: Sequence[str], run_scripts: bool = False) -> None:
        """Add web pages; while offline mode is on, only their servers may be contacted, and only for them."""
        self._fetch("add_urls", list(links), remote_hosts(links), run_scripts=run_scripts)

    @Slot(list, str)
    def _on_topics(self, topics: Sequence[str], host: str) -> None:
        self._fetch("add_topics", list(topics), (host,))

    @Slot(list)
    def refetch(self, documents: Sequence[Document]) -> None:
        """Fetch pages and run queries again."""
        chosen = [document.id for document in documents if document.origin in (Origin.URL, Origin.QUERY)]
        if chosen:
            self._presenter.import_with("refetch", chosen)

    @Slot()
    def paste(self) -> None:
        """Add the content of the clipboard: files, links, or a text, which becomes a note."""
        self.take(QGuiApplication.clipboard().mimeData())

    def take(self, data: QMimeData) -> None:
        """Add data from the clipboard or a drop."""
        files = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        links = pasted_links(data.text()[:100_000])
        if files:
            self._presenter.add(files)
        elif links and self._is_shut and leaves_machine(links):
            # Data dropped by mistake must not open offline mode: the dialog asks first.
            self.ask_for(links)
        elif links:
            self.add_links(links)
        elif data.text().strip():
            self.begin_note(data.text())

    @property
    def _is_shut(self) -> bool:
        return self.opening is not None and self.opening.is_needed

    @Slot()
    def on_offline_mode_changed(self) -> None:
        """Update the notices of the open dialogs."""
        if self._link_dialog is not None:
            self._link_dialog.show_offline_mode(on=self._is_shut)
        if self._query_dialog is not None:
            self._query_dialog.show_offline_mode(on=self._is_shut)

    def _fetch(self, verb: str, wanted: list[str], hosts: tuple[str, ...], **options: Any) -> None:
        if self._is_shut:
            options["allow_hosts"] = hosts
        self._presenter.import_with(verb, wanted, knowledge_base=self._presenter.target, **options)

    def _notes(self) -> NoteDialog:
        if self._note_dialog is None:
            from workbench.ui.library.add_dialogs import NoteDialog

            self._note_dialog = NoteDialog(self._pane.window())
            self._note_dialog.note_given.connect(self._on_note)
        return self._note_dialog

    def _on_note_text(self, text: str) -> None:
        if self._edited_note is not None:
            self._notes().begin(text=text, title=self._edited_note.name, document=self._edited_note.id)

    @Slot(int, str, str)
    def _on_note(self, document: int, text: str, title: str) -> None:
        if document:
            self._presenter.import_with("edit_note", document, text, title=title)
        else:
            self._presenter.import_with("add_note", text, title=title, knowledge_base=self._presenter.target)

    @Slot(str, str, str, tuple)
    def _on_query(self, database: str, query: str, title: str, servers: tuple[str, ...]) -> None:
        options: dict[str, Any] = {"allow_hosts": servers} if servers else {}
        base = self._presenter.target
        self._presenter.import_with("add_query", database, query, title=title, knowledge_base=base, **options)


_LINK = re.compile(r"(?:https?://)?[^\s/:@]+\.[^\s/:@.]{2,}(?::\d+)?(?:[/?#]\S*)?|https?://\S+", re.I)


def words_of(text: str) -> list[str]:
    """Return the words of a text, each once."""
    return list(dict.fromkeys(text.split()))


def is_link(word: str) -> bool:
    """Return whether a word can be a web address, possibly without “https://”."""
    return bool(_LINK.fullmatch(word))


@dataclass(frozen=True, slots=True)
class TypedLines:
    """Input for additions from the web, each item once.

    Attributes:
        links: Words that can be web addresses.
        topics: Lines without a web address, which an encyclopaedia may know.
        wrong: Words next to a link that are not links.
    """

    links: list[str]
    topics: list[str]
    wrong: list[str]


def typed_lines(text: str) -> TypedLines:
    """Return the links and topics of a text: a line has any number of links, or one topic."""
    links: list[str] = []
    topics: list[str] = []
    wrong: list[str] = []
    for line in text.splitlines():
        words = line.split()
        others = [word for word in words if not is_link(word)]
        if others and not any("://" in word for word in words):
            topics.append(" ".join(words))
        else:
            links += [word for word in words if word not in others]
            wrong += others
    return TypedLines(list(dict.fromkeys(links)), list(dict.fromkeys(topics)), wrong)


def pasted_links(text: str) -> list[str]:
    """Return the links of a text that consists only of links with https:// or http://; otherwise nothing.

    Without that condition, “readme.md” would be a link.
    """
    words = words_of(text)
    return words if words and all(is_link(word) and "://" in word for word in words) else []


def leaves_machine(links: Sequence[str]) -> bool:
    """Return whether one of these addresses is on another machine."""
    return not all(is_here(_host(link)) for link in links)


def remote_hosts(links: Sequence[str]) -> tuple[str, ...]:
    """Return the hosts of the addresses on other machines, each once, as named in a consent."""
    return tuple(dict.fromkeys(host for link in links if not is_here(_host(link)) and (host := host_of(link))))


def fetch_words(hosts: Sequence[str]) -> str:
    """Return the text of a button that allows requests once: "Fetch from example.org and 2 more servers"."""
    # A long name is cut at the beginning, because its end identifies the owner.
    host, more = hosts[0] if len(hosts[0]) <= 40 else f"…{hosts[0][-39:]}", len(hosts) - 1
    several = trn(
        "Download from {host} and {n:,} more server",
        "Download from {host} and {n:,} more servers",
        more,
        host=host,
    )
    # A single “&” would underline the letter after it.
    return (several if more else tr("Download from {host}", host=host)).replace("&", "&&")


def _host(link: str) -> str:
    try:
        return urlsplit(link if "://" in link else f"https://{link}").hostname or ""
    except ValueError:  # a bracket of an address that is not closed
        return ""
