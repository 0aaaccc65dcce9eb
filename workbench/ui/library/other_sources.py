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

from PySide6.QtCore import QMimeData, QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.language import tr, trn
from workbench.model.document import Document, Origin
from workbench.model.egress import host_of, is_here
from workbench.ui.actions import pane_action
from workbench.ui.library.presenter import LibraryPresenter

if TYPE_CHECKING:
    from workbench.ui.library.add_dialogs import AddLinkDialog, NoteDialog
    from workbench.ui.library.add_query import AddQueryDialog
    from workbench.ui.library.row_actions import RowActions
    from workbench.ui.network.air_gap import AirGapOpener


class OtherSources(QObject):
    """Coordinator that adds and updates documents that are not files; its dialogs are created on first use.

    Attributes:
        opening: Object that knows whether the air gap is on; None while that is not known.
    """

    def __init__(self, presenter: LibraryPresenter, actions: RowActions, pane: QWidget) -> None:
        super().__init__(pane)
        self._presenter = presenter
        self._pane = pane
        self._link_dialog: AddLinkDialog | None = None
        self._query_dialog: AddQueryDialog | None = None
        self._note_dialog: NoteDialog | None = None
        self._edited_note: Document | None = None
        self.opening: AirGapOpener | None = None
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
        self._link_dialog.show_air_gap(on=self._is_shut)
        self._link_dialog.begin(list(links))
        self._presenter.call("topic_host", done=self._link_dialog.offer_topics)

    @Slot()
    def ask_for_query(self) -> None:
        """Ask for a query to add."""
        if self._query_dialog is None:
            from workbench.ui.library.add_query import AddQueryDialog

            self._query_dialog = AddQueryDialog(self._pane.window())
            self._query_dialog.query_given.connect(self._on_query)
        self._query_dialog.show_air_gap(on=self._is_shut)
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
        """Add web pages; while the air gap is on, only their servers may be contacted, and only for them."""
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
            # Data dropped by mistake must not open the air gap: the dialog asks first.
            self.ask_for(links)
        elif links:
            self.add_links(links)
        elif data.text().strip():
            self.begin_note(data.text())

    @property
    def _is_shut(self) -> bool:
        return self.opening is not None and self.opening.is_needed

    @Slot()
    def on_air_gap_changed(self) -> None:
        """Update the notices of the open dialogs."""
        if self._link_dialog is not None:
            self._link_dialog.show_air_gap(on=self._is_shut)
        if self._query_dialog is not None:
            self._query_dialog.show_air_gap(on=self._is_shut)

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
