"""The button beside the filter: order of the documents, list or tree, and the knowledge bases."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from workbench.model.knowledge_base import DEFAULT
from workbench.ui.controls import Clicked, IconButton
from workbench.ui.library.arrangement import Arrangement, Sort
from workbench.ui.theme import Theme

SORTS = ((Sort.ADDED, "Date added"), (Sort.NAME, "Name"), (Sort.STATUS, "Status"), (Sort.PAGES, "Pages"))


class OptionsButton(IconButton):
    """Opens a menu.

    Signals:
        arranged: An Arrangement was chosen.
        base_wanted: A new knowledge base is wanted.
        rename_asked: The chosen knowledge base is to have another name.
        remove_asked: The chosen knowledge base is to be removed.
        check_asked: Every document is to be checked: None.
    """

    arranged = Signal(object)
    base_wanted = Signal()
    rename_asked = Signal()
    remove_asked = Signal()
    check_asked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "sort", "Order and knowledge bases")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        group = QActionGroup(self)
        self._sorts: dict[QAction, Sort] = {}
        for sort, text in SORTS:
            action = self._checkable(menu, text, checked=sort is Sort.ADDED)
            group.addAction(action)
            self._sorts[action] = sort
        menu.addSeparator()
        self._reverse = self._checkable(menu, "Reverse order", checked=False)
        self._tree = self._checkable(menu, "Group by folder", checked=True)
        menu.addSeparator()
        _command(menu, "New knowledge base…", self.base_wanted)
        self._rename = _command(menu, "", self.rename_asked)
        self._remove = _command(menu, "", self.remove_asked)
        menu.addSeparator()
        _command(menu, "Check documents…", self._on_check)
        self.setMenu(menu)
        self.show_base("")

    def show_base(self, name: str) -> None:
        """Offer to rename and remove the knowledge base that is chosen; the default one stays as it is."""
        own = bool(name) and name != DEFAULT
        for action, text in ((self._rename, "Rename"), (self._remove, "Remove")):
            action.setText(f"{text} “{name}”…".replace("&", "&&") if own else f"{text} knowledge base…")
            action.setEnabled(own)

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Tick how the documents are put in order."""
        for action, sort in self._sorts.items():
            action.setChecked(sort is arrangement.sort)
        self._reverse.setChecked(arrangement.descending)
        self._tree.setChecked(arrangement.tree)

    def _checkable(self, menu: QMenu, text: str, *, checked: bool) -> QAction:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(checked)
        action.triggered.connect(self._on_arranged)
        return action

    @Slot()
    def _on_arranged(self) -> None:
        sort = next(sort for action, sort in self._sorts.items() if action.isChecked())
        self.arranged.emit(Arrangement(sort, self._reverse.isChecked(), self._tree.isChecked()))

    @Slot()
    def _on_check(self) -> None:
        self.check_asked.emit(None)


def _command(menu: QMenu, text: str, asked: Clicked) -> QAction:
    action = menu.addAction(text)
    action.triggered.connect(asked)
    return action
