"""Actions on the selected documents, their keyboard shortcuts, and their context menu."""

from collections.abc import Callable

from PySide6.QtCore import QMimeData, QModelIndex, QObject, QPoint, Qt, QUrl, Signal, SignalInstance, Slot
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QMenu

from workbench.language import tr, translate
from workbench.model.diagnosis import is_out_of_time
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.ui.actions import pane_action
from workbench.ui.external_programs import DragOut, offer_link, open_file
from workbench.ui.library.document_wording import is_locked, is_shared
from workbench.ui.library.import_queue_presenter import is_waiting_in
from workbench.ui.library.list_view import DocumentListView
from workbench.ui.library.model import DOCUMENT_ROLE
from workbench.ui.library.presenter import LibraryPresenter

FETCHED = (Origin.URL, Origin.QUERY)
"""Origins that can be fetched again."""
_CLEAR_SELECTION_FROM = 100
"""Number of removed documents from which their selection is cleared at once."""


class RowActions(QObject):
    """Actions of a view of documents, by name.

    Signals:
        document_chosen: A Document whose chunks are to be shown.
        details_asked: Documents whose details are to be shown and edited.
        tags_asked: Documents whose tags are to be changed.
        metadata_asked: Documents whose metadata are to be changed.
        move_asked: Documents that are to be moved or copied to another knowledge base.
        check_asked: A Document that is to be checked.
        refetch_asked: Documents that are to be fetched again from their origin.
        note_asked: Notes that are to be edited.
        unlock_asked: Documents whose password is needed.
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

    def __init__(self, view: DocumentListView, presenter: LibraryPresenter) -> None:
        super().__init__(view)
        self._view = view
        self._presenter = presenter
        self._action_by_name = self._create_actions()
        view.clicked.connect(self._on_clicked)
        view.doubleClicked.connect(self._on_double_clicked)

    def __getitem__(self, name: str) -> QAction:
        return self._action_by_name[name]

    def selected(self, most: int | None = None) -> list[Document]:
        """Return the selected documents in row order; at most the first most of them."""
        return self._view.selected(most)

    def _create_actions(self) -> dict[str, QAction]:
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
            ("more_time", self._on_more_time),
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
        # The two clicks have folded and unfolded a folder already.
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
        self._emit_selected(self.details_asked, most=1)

    @Slot()
    def _on_tags(self) -> None:
        self._emit_selected(self.tags_asked)

    @Slot()
    def _on_metadata(self) -> None:
        self._emit_selected(self.metadata_asked)

    @Slot()
    def _on_move(self) -> None:
        self._emit_selected(self.move_asked)

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
    def _on_more_time(self) -> None:
        self._presenter.reindex([document.id for document in self.selected()], more_time=True)

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
            f"{document.name}: {translate(document.reason)} {translate(document.hint)}".strip()
            for document in self.selected()
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))

    @Slot()
    def _on_remove(self) -> None:
        chosen = self._view.selected_numbers()
        self._presenter.remove(chosen)
        if len(chosen) >= _CLEAR_SELECTION_FROM:
            # Following each of 5,000 selected rows until it is removed takes 50 ms.
            self._view.clearSelection()

    def _emit_selected(self, signal: SignalInstance, *, most: int = 0) -> None:
        chosen = self.selected()
        if chosen:
            signal.emit(chosen[:most] if most else chosen)


def address_of(document: Document) -> QUrl:
    """Return the address of a document's origin; empty for a note or a query result."""
    if document.origin is Origin.URL:
        return QUrl(document.path)
    return QUrl() if document.origin in (Origin.NOTE, Origin.QUERY) else QUrl.fromLocalFile(document.path)


MENU = (
    *("unlock", "first", "cancel", ""),
    *("chunks", "open", ""),
    *("details", "tags", "metadata", "move", "check", ""),
    *("refetch", "edit_note", "reindex", "more_time", "retry_all", "copy", ""),
    "remove",
)
"""Order of the menu; an empty name is a separator."""
_MOST_EXAMINED = 5000
"""Maximum number of selected documents that are examined: for 100,000 the menu would take 100 ms to open."""


class RowMenu(QObject):
    """Context menu with those actions of a view of documents that suit the selection."""

    def __init__(self, view: QAbstractItemView, actions: RowActions, presenter: LibraryPresenter) -> None:
        super().__init__(view)
        self._view = view
        self._actions = actions
        self._presenter = presenter
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._on_menu)
        DragOut(view.viewport(), self.data_at)

    def selection_actions(self) -> list[QAction]:
        """Return the actions that suit the current selection, in the order of the menu."""
        if not self._update_actions():
            return []
        actions = [self._actions[name] for name in MENU if name]
        possible = [action for action in actions if action.isVisible() and action.isEnabled()]
        self._reset_actions()
        return possible

    def data_at(self, place: QPoint) -> QMimeData | None:
        """Return the files and pages that are dragged out with a row: those of the whole selection."""
        if not isinstance(self._view.indexAt(place).data(DOCUMENT_ROLE), Document):
            return None
        addresses = [address_of(document) for document in self._actions.selected()]
        data = QMimeData()
        data.setUrls([address for address in addresses if not address.isEmpty()])
        return data if data.urls() else None

    @Slot(QPoint)
    def _on_menu(self, point: QPoint) -> None:
        if not self._update_actions():
            return
        menu = QMenu(self._view)
        for name in MENU:
            menu.addAction(self._actions[name]) if name else menu.addSeparator()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.aboutToHide.connect(self._reset_actions)
        menu.popup(self._view.viewport().mapToGlobal(point))

    @Slot()
    def _reset_actions(self) -> None:
        """Enable all keys again for the next selection: the key of a hidden action would not work."""
        for name in MENU:
            if name:
                self._actions[name].setVisible(True)
                self._actions[name].setEnabled(True)

    def _update_actions(self) -> bool:
        """Name, show and enable each action to suit the selection; return False if no document is selected."""
        chosen, actions = self._actions.selected(_MOST_EXAMINED), self._actions
        if not chosen:
            return False
        kinds = {
            (one.status, one.origin, one.chunks > 0, one.embedded < one.chunks, bool(one.reason)) for one in chosen
        }
        is_one, failed = len(chosen) == 1, all(status is DocumentStatus.FAILED for status, *_ in kinds)
        actions["reindex"].setText(tr("Retry") if failed else tr("Re-index"))
        actions["chunks"].setEnabled(is_one and chosen[0].chunks > 0)
        for name in ("open", "details"):
            actions[name].setEnabled(is_one)
        is_own = not self._presenter.is_read_only and not any(map(is_shared, chosen))
        actions["check"].setEnabled(is_one and is_own)
        actions["move"].setEnabled(is_own)
        can_read = any(origin not in FETCHED or has_chunks for _, origin, has_chunks, *_ in kinds)
        actions["refetch"].setVisible(all(origin in FETCHED for _, origin, *_ in kinds))
        actions["reindex"].setVisible(can_read)
        actions["more_time"].setVisible(can_read and all(map(is_out_of_time, chosen)))
        actions["edit_note"].setVisible(is_one and chosen[0].origin is Origin.NOTE)
        actions["open"].setVisible(chosen[0].origin not in (Origin.NOTE, Origin.QUERY))
        actions["open"].setText(tr("Open page") if chosen[0].origin is Origin.URL else tr("Open file"))
        waiting = any(is_waiting_in(status, is_behind) for status, _, _, is_behind, _ in kinds)
        actions["first"].setVisible(waiting)
        actions["cancel"].setVisible(waiting)
        failures = len(self._presenter.with_status(DocumentStatus.FAILED)) if failed else 0
        actions["retry_all"].setVisible(failures > len(chosen))
        actions["retry_all"].setText(tr("Retry all {n:,} failed", n=failures))
        actions["copy"].setVisible(any(has_reason for *_, has_reason in kinds))
        actions["unlock"].setVisible(all(is_locked(document) for document in chosen))
        return True
