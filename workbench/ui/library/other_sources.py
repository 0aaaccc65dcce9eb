"""What does not come as a file: links, database queries, notes. The decisions, and the dialogs they are asked with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.model.document import Document, Origin
from workbench.ui.actions import pane_action
from workbench.ui.library.links import hosts_away, leaves_machine, pasted_links
from workbench.ui.library.presenter import LibraryPresenter

if TYPE_CHECKING:
    from workbench.ui.library.add_link import AddLinkDialog
    from workbench.ui.library.add_note import NoteDialog
    from workbench.ui.library.add_query import AddQueryDialog
    from workbench.ui.library.row_actions import RowActions
    from workbench.ui.network.opening import Opening


class OtherSources(QObject):
    """Adds and updates documents that are not files; its dialogs are made when first asked for.

    Attributes:
        opening: Knows whether the air gap is on; None while that is not known.
    """

    def __init__(self, presenter: LibraryPresenter, actions: RowActions, pane: QWidget) -> None:
        super().__init__(pane)
        self._presenter = presenter
        self._pane = pane
        self._link_dialog: AddLinkDialog | None = None
        self._query_dialog: AddQueryDialog | None = None
        self._note_dialog: NoteDialog | None = None
        self._edited: Document | None = None
        self.opening: Opening | None = None
        actions.refetch_asked.connect(self.refetch)
        actions.note_asked.connect(self.edit_notes)
        # A field of the pane that has the keyboard takes the key itself, for what it holds.
        pane_action(pane, "library.paste", self.paste, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)

    @Slot()
    def ask_for_links(self) -> None:
        """Ask which pages to add; links that were copied stand there already."""
        self.ask_for(pasted_links(QGuiApplication.clipboard().text()[:10_000]))

    @Slot(list)
    def ask_for(self, links: Sequence[str]) -> None:
        """Ask which pages to add, these to begin with."""
        if self._link_dialog is None:
            # Not on the way to the window, like the other dialogs.
            from workbench.ui.library.add_link import AddLinkDialog

            self._link_dialog = AddLinkDialog(self._pane.window())
            self._link_dialog.links_given.connect(self.add_links)
            self._link_dialog.topics_given.connect(self._on_topics)
        self._link_dialog.show_air_gap(on=self._is_shut)
        self._link_dialog.begin(list(links))
        self._presenter.call("topic_host", done=self._link_dialog.offer_topics)

    @Slot()
    def ask_for_query(self) -> None:
        """Ask which query to add."""
        if self._query_dialog is None:
            from workbench.ui.library.add_query import AddQueryDialog

            self._query_dialog = AddQueryDialog(self._pane.window())
            self._query_dialog.query_given.connect(self._on_query)
        self._query_dialog.show_air_gap(on=self._is_shut)
        self._query_dialog.begin()

    @Slot()
    def ask_for_note(self) -> None:
        """Let a new note be written."""
        self.begin_note("")

    def begin_note(self, text: str) -> None:
        """Let a note be written that begins with a text."""
        self._notes().begin(text=text)

    @Slot(list)
    def edit_notes(self, documents: Sequence[Document]) -> None:
        """Let a note be written anew."""
        note = next((document for document in documents if document.origin is Origin.NOTE), None)
        if note is not None:
            self._edited = note
            self._presenter.call("note_text", note.id, done=self._on_note_text)

    @Slot(list, bool)
    def add_links(self, links: Sequence[str], run_scripts: bool = False) -> None:
        """Add pages of the web; while the air gap is on, their servers may be asked for them and for nothing else."""
        self._fetch("add_urls", list(links), hosts_away(links), run_scripts=run_scripts)

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
        """Add what was copied: files, links, or a text, which becomes a note."""
        self.take(QGuiApplication.clipboard().mimeData())

    def take(self, data: QMimeData) -> None:
        """Add what was copied or dropped."""
        files = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        links = pasted_links(data.text()[:100_000])
        if files:
            self._presenter.add(files)
        elif links and self._is_shut and leaves_machine(links):
            # What is dropped by mistake does not open the border: the dialog asks.
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
        """Let the dialog that is open say what holds now."""
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
            from workbench.ui.library.add_note import NoteDialog

            self._note_dialog = NoteDialog(self._pane.window())
            self._note_dialog.note_given.connect(self._on_note)
        return self._note_dialog

    def _on_note_text(self, text: str) -> None:
        if self._edited is not None:
            self._notes().begin(text=text, title=self._edited.name, document=self._edited.id)

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
