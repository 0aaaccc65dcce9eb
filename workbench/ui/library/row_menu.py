"""The menu of the documents that are selected, and their files dragged into another program."""

from PySide6.QtCore import QMimeData, QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QMenu

from workbench.model.document import Document, DocumentStatus, Origin
from workbench.ui.drag_out import DragOut
from workbench.ui.library.model import DOCUMENT_ROLE
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.library.queue import is_waiting
from workbench.ui.library.row_actions import FETCHED, RowActions, address_of
from workbench.ui.library.wording import is_locked

MENU = (
    *("unlock", "first", "cancel", ""),
    *("chunks", "open", ""),
    *("details", "tags", "move", "check", ""),
    *("refetch", "edit_note", "reindex", "retry_all", "copy", ""),
    "remove",
)
"""The order of the menu; an empty name is a line between."""


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
        chosen, actions = self._actions.selected(), self._actions
        if not chosen:
            return False
        failed = all(document.status is DocumentStatus.FAILED for document in chosen)
        actions["reindex"].setText("Try again" if failed else "Re-index")
        actions["chunks"].setEnabled(len(chosen) == 1 and chosen[0].chunks > 0)
        for name in ("open", "details", "check"):
            actions[name].setEnabled(len(chosen) == 1)
        actions["refetch"].setVisible(all(document.origin in FETCHED for document in chosen))
        actions["reindex"].setVisible(any(document.origin not in FETCHED or document.chunks for document in chosen))
        actions["edit_note"].setVisible(len(chosen) == 1 and chosen[0].origin is Origin.NOTE)
        actions["open"].setVisible(chosen[0].origin not in (Origin.NOTE, Origin.QUERY))
        actions["open"].setText("Open page" if chosen[0].origin is Origin.URL else "Open file")
        waiting = any(is_waiting(document) for document in chosen)
        actions["first"].setVisible(waiting)
        actions["cancel"].setVisible(waiting)
        failures = len(self._presenter.with_status(DocumentStatus.FAILED))
        actions["retry_all"].setVisible(failed and failures > len(chosen))
        actions["retry_all"].setText(f"Try all {failures:,} failed again")
        actions["copy"].setVisible(any(document.reason for document in chosen))
        actions["unlock"].setVisible(all(is_locked(document) for document in chosen))
        return True
