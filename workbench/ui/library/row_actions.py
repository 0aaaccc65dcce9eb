"""What can be done with the documents that are selected: the actions and their keys."""

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QObject, QUrl, Signal, SignalInstance, Slot
from PySide6.QtGui import QAction, QGuiApplication

from workbench.language import said
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.ui.actions import pane_action
from workbench.ui.library.list_view import DocumentList
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.library.wording import is_locked
from workbench.ui.opening import offer_link, open_file

FETCHED = (Origin.URL, Origin.QUERY)
"""Origins that can be asked again."""
_MANY = 100
"""Documents whose rows are not followed."""


class RowActions(QObject):
    """The actions of a view of documents, by name.

    Signals:
        document_chosen: A Document whose chunks are to be shown.
        details_asked: Documents whose details are to be shown and edited.
        tags_asked: Documents whose tags are to be changed.
        metadata_asked: Documents whose metadata are to be changed.
        move_asked: Documents that are to go to another knowledge base.
        check_asked: A Document that is to be checked.
        refetch_asked: Documents that are to be fetched again from where they came.
        note_asked: Notes that are to be written anew.
        unlock_asked: Documents whose password is to be asked for.
    """

    document_chosen = Signal(object)
    details_asked = Signal(list)
    tags_asked = Signal(list)
    metadata_asked = Signal(list)
    move_asked = Signal(list)
    check_asked = Signal(object)
    refetch_asked = Signal(list)
    note_asked = Signal(list)
    unlock_asked = Signal(list)

    def __init__(self, view: DocumentList, presenter: LibraryPresenter) -> None:
        super().__init__(view)
        self._view = view
        self._presenter = presenter
        self._by_name = self._make()
        view.clicked.connect(self._on_clicked)
        view.doubleClicked.connect(self._on_double_clicked)

    def __getitem__(self, name: str) -> QAction:
        return self._by_name[name]

    def selected(self, most: int | None = None) -> list[Document]:
        """Return the documents that are selected, in the order of the rows; the first of them where most is given."""
        return self._view.selected(most)

    def _make(self) -> dict[str, QAction]:
        return {name: pane_action(self._view, f"library.{name}", slot) for name, slot in self._slots()}

    def _slots(self) -> tuple[tuple[str, Callable[[], None]], ...]:
        return (
            ("chunks", self._on_activated),
            ("open", self._on_open),
            ("details", self._on_details),
            ("tags", self._on_tags),
            ("metadata", self._on_metadata),
            ("move", self._on_move),
            ("check", self._on_check),
            ("refetch", self._on_refetch),
            ("edit_note", self._on_edit_note),
            ("first", self._on_first),
            ("cancel", self._on_cancel),
            ("reindex", self._on_reindex),
            ("retry_all", self._on_retry_all),
            ("unlock", self._on_unlock),
            ("copy", self._on_copy),
            ("remove", self._on_remove),
        )

    @Slot()
    def _on_show_chunks(self) -> None:
        chosen = self.selected()
        if len(chosen) == 1 and (chosen[0].chunks or chosen[0].status is DocumentStatus.FAILED):
            self.document_chosen.emit(chosen[0])

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if not self._presenter.model.toggle(index):
            self._on_show_chunks()

    @Slot()
    def _on_double_clicked(self) -> None:
        # A folder was folded and unfolded by the two clicks already.
        if self.selected():
            self._on_activated()

    @Slot()
    def _on_activated(self) -> None:
        chosen = self.selected()
        if not chosen:
            self._presenter.model.toggle(self._view.currentIndex())
            return
        self._presenter.queue.read_first(chosen)
        if chosen and all(is_locked(document) for document in chosen):
            self._on_unlock()
        else:
            self._on_show_chunks()

    @Slot()
    def _on_open(self) -> None:
        for document in self.selected()[:1]:
            address = address_of(document)
            if document.origin is Origin.NOTE:
                self.note_asked.emit([document])
            elif not address.isEmpty():
                offer_link(address, self._view) if document.origin is Origin.URL else open_file(document.path)

    @Slot()
    def _on_details(self) -> None:
        self._ask(self.details_asked, most=1)

    @Slot()
    def _on_tags(self) -> None:
        self._ask(self.tags_asked)

    @Slot()
    def _on_metadata(self) -> None:
        self._ask(self.metadata_asked)

    @Slot()
    def _on_move(self) -> None:
        self._ask(self.move_asked)

    @Slot()
    def _on_check(self) -> None:
        for document in self.selected()[:1]:
            self.check_asked.emit(document)

    @Slot()
    def _on_refetch(self) -> None:
        self.refetch_asked.emit([document for document in self.selected() if document.origin in FETCHED])

    @Slot()
    def _on_edit_note(self) -> None:
        self.note_asked.emit(self.selected()[:1])

    @Slot()
    def _on_reindex(self) -> None:
        self._presenter.reindex([document.id for document in self.selected()])

    @Slot()
    def _on_first(self) -> None:
        self._presenter.queue.read_first(self.selected())

    @Slot()
    def _on_cancel(self) -> None:
        self._presenter.queue.cancel(self.selected())

    @Slot()
    def _on_retry_all(self) -> None:
        failed = self._presenter.with_status(DocumentStatus.FAILED)
        self._presenter.reindex([document.id for document in failed])

    @Slot()
    def _on_unlock(self) -> None:
        self.unlock_asked.emit(self.selected())

    @Slot()
    def _on_copy(self) -> None:
        lines = [
            f"{document.name}: {said(document.reason)} {said(document.hint)}".strip() for document in self.selected()
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))

    @Slot()
    def _on_remove(self) -> None:
        chosen = self._view.selected_numbers()
        self._presenter.remove(chosen)
        if len(chosen) >= _MANY:
            # To follow each of 5,000 rows until it is gone takes 50 ms.
            self._view.clearSelection()

    def _ask(self, signal: SignalInstance, *, most: int = 0) -> None:
        chosen = self.selected()
        if chosen:
            signal.emit(chosen[:most] if most else chosen)


def address_of(document: Document) -> QUrl:
    """Return where a document came from; an empty address for a note or the result of a query."""
    if document.origin is Origin.URL:
        return QUrl(document.path)
    return QUrl() if document.origin in (Origin.NOTE, Origin.QUERY) else QUrl.fromLocalFile(document.path)
