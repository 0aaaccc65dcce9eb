"""The menu of the documents that are selected, and their files dragged into another program."""

from PySide6.QtCore import QMimeData, QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QMenu

from workbench.language import tr
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.ui.drag_out import DragOut
from workbench.ui.library.model import DOCUMENT_ROLE
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.library.queue import is_waiting_in
from workbench.ui.library.row_actions import FETCHED, RowActions, address_of
from workbench.ui.library.wording import is_locked

MENU = (
    *("unlock", "first", "cancel", ""),
    *("chunks", "open", ""),
    *("details", "tags", "metadata", "move", "check", ""),
    *("refetch", "edit_note", "reindex", "retry_all", "copy", ""),
    "remove",
)
"""The order of the menu; an empty name is a line between."""
_LOOKED_AT = 5000
"""Documents by which it is judged what suits them: of 100,000 a click would be answered after 100 ms."""


class RowMenu(QObject):
    """Shows of the actions of a view of documents those that suit what is selected."""

    def __init__(self, view: QAbstractItemView, actions: RowActions, presenter: LibraryPresenter) -> None:
        super().__init__(view)
        self._view = view
        self._actions = actions
        self._presenter = presenter
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._on_menu)
        DragOut(view.viewport(), self.data_at)

    def selection_actions(self) -> list[QAction]:
        """Return what can be done with what is selected now, in the order of the menu."""
        if not self._mean_selection():
            return []
        actions = [self._actions[name] for name in MENU if name]
        possible = [action for action in actions if action.isVisible() and action.isEnabled()]
        self._forget_selection()
        return possible

    def data_at(self, place: QPoint) -> QMimeData | None:
        """Return the files and pages that are dragged out with a row: those of all that is selected."""
        if not isinstance(self._view.indexAt(place).data(DOCUMENT_ROLE), Document):
            return None
        addresses = [address_of(document) for document in self._actions.selected()]
        data = QMimeData()
        data.setUrls([address for address in addresses if not address.isEmpty()])
        return data if data.urls() else None

    @Slot(QPoint)
    def _on_menu(self, point: QPoint) -> None:
        if not self._mean_selection():
            return
        menu = QMenu(self._view)
        for name in MENU:
            menu.addAction(self._actions[name]) if name else menu.addSeparator()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.aboutToHide.connect(self._forget_selection)
        menu.popup(self._view.viewport().mapToGlobal(point))

    @Slot()
    def _forget_selection(self) -> None:
        """Let every key work again, for whatever is selected next: the key of a hidden action would be dead."""
        for name in MENU:
            if name:
                self._actions[name].setVisible(True)
                self._actions[name].setEnabled(True)

    def _mean_selection(self) -> bool:
        """Name, show and enable each action as it suits what is selected; False where that is no document."""
        chosen, actions = self._actions.selected(_LOOKED_AT), self._actions
        if not chosen:
            return False
        kinds = {
            (one.status, one.origin, one.chunks > 0, one.embedded < one.chunks, bool(one.reason)) for one in chosen
        }
        is_one, failed = len(chosen) == 1, all(status is DocumentStatus.FAILED for status, *_ in kinds)
        actions["reindex"].setText(tr("Try again") if failed else tr("Re-index"))
        actions["chunks"].setEnabled(is_one and chosen[0].chunks > 0)
        for name in ("open", "details", "check"):
            actions[name].setEnabled(is_one)
        can_read = any(origin not in FETCHED or has_chunks for _, origin, has_chunks, *_ in kinds)
        actions["refetch"].setVisible(all(origin in FETCHED for _, origin, *_ in kinds))
        actions["reindex"].setVisible(can_read)
        actions["edit_note"].setVisible(is_one and chosen[0].origin is Origin.NOTE)
        actions["open"].setVisible(chosen[0].origin not in (Origin.NOTE, Origin.QUERY))
        actions["open"].setText(tr("Open page") if chosen[0].origin is Origin.URL else tr("Open file"))
        waiting = any(is_waiting_in(status, is_behind) for status, _, _, is_behind, _ in kinds)
        actions["first"].setVisible(waiting)
        actions["cancel"].setVisible(waiting)
        failures = len(self._presenter.with_status(DocumentStatus.FAILED)) if failed else 0
        actions["retry_all"].setVisible(failures > len(chosen))
        actions["retry_all"].setText(tr("Try all {n:,} failed again", n=failures))
        actions["copy"].setVisible(any(has_reason for *_, has_reason in kinds))
        actions["unlock"].setVisible(all(is_locked(document) for document in chosen))
        return True
