"""Controls above the list: order, list or tree, columns, and the choice of a knowledge base."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QComboBox, QMenu, QToolButton

from workbench.language import mark, tr
from workbench.model.knowledge_base import DEFAULT
from workbench.ui.controls import Clicked, IconButton, caption_of
from workbench.ui.library.document_columns import Arrangement, ColumnMenu, DocumentColumn
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.ui.library.document_columns import ColumnView


SORTS = (
    (DocumentColumn.ADDED, mark("Date added")),
    (DocumentColumn.NAME, mark("Name")),
    (DocumentColumn.STATUS, mark("Status")),
    (DocumentColumn.PAGES, mark("Pages")),
    (DocumentColumn.CHUNKS, mark("Passages")),
    (DocumentColumn.TAGS, mark("Tags")),
)
"""Sort orders of the menu; a heading of the table may select others."""


class OptionsButton(IconButton):
    """Button that opens the menu of options.

    Signals:
        arranged: An Arrangement was chosen.
        table_wanted: Whether the documents are to be shown as a table.
        column_toggled: A column of the table is to be shown or hidden.
        base_wanted: A new knowledge base is requested.
        rename_asked: The current knowledge base is to be renamed.
        remove_asked: The current knowledge base is to be removed.
        check_asked: Every document is to be checked: None.

    Attributes:
        own_keys: Callback that returns the custom metadata keys, for which columns are offered.
    """

    arranged = Signal(object)
    table_wanted = Signal(bool)
    column_toggled = Signal(object)
    base_wanted = Signal()
    rename_asked = Signal()
    remove_asked = Signal()
    check_asked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "sort", tr("View options"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        group = self._group = QActionGroup(self)
        self._sort: str = DocumentColumn.ADDED
        self.own_keys: Callable[[], Sequence[str]] = tuple
        self._sorts: dict[QAction, DocumentColumn] = {}
        for sort, text in SORTS:
            action = self._checkable(menu, tr(text), checked=sort is DocumentColumn.ADDED)
            group.addAction(action)
            self._sorts[action] = sort
        menu.addSeparator()
        self._reverse = self._checkable(menu, tr("Reverse order"), checked=False)
        self._tree = self._checkable(menu, tr("Group by folder"), checked=True)
        menu.addSeparator()
        self._table = menu.addAction(tr("Show as table"))
        self._table.setCheckable(True)
        self._table.triggered.connect(self.table_wanted)
        self._columns: ColumnMenu | None = None
        self._after_table = menu.addSeparator()
        _command(menu, tr("New knowledge base…"), self.base_wanted)
        self._rename = _command(menu, "", self.rename_asked)
        self._remove = _command(menu, "", self.remove_asked)
        menu.addSeparator()
        _command(menu, tr("Check documents…"), self._on_check)
        self.setMenu(menu)
        self.show_base("")

    def show_base(self, name: str) -> None:
        """Offer to rename and remove the current knowledge base, unless it is the default one."""
        is_custom = bool(name) and name != DEFAULT
        rename = tr("Rename “{name}”…", name=name) if is_custom else tr("Rename knowledge base…")
        remove = tr("Remove “{name}”…", name=name) if is_custom else tr("Remove knowledge base…")
        for action, text in ((self._rename, rename), (self._remove, remove)):
            action.setText(caption_of(text))
            action.setEnabled(is_custom)

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Tick the order of the documents."""
        self._sort = arrangement.sort
        self._group.setExclusive(False)
        for action, sort in self._sorts.items():
            action.setChecked(sort == arrangement.sort)
        self._group.setExclusive(True)
        self._reverse.setChecked(arrangement.descending)
        self._tree.setChecked(arrangement.tree)

    def show_view(self, view: ColumnView) -> None:
        """Tick whether the documents are shown as a table, and offer its columns."""
        self._table.setChecked(view.is_table)
        if view.is_table and self._columns is None:
            self._columns = ColumnMenu(self, self.own_keys)
            self._columns.toggled.connect(self.column_toggled)
            self.menu().insertMenu(self._after_table, self._columns)
        if self._columns is not None:
            self._columns.show_view(view)
            self._columns.menuAction().setVisible(view.is_table)

    def ask_for_columns(self, place: QPoint) -> None:
        """Show the menu of the columns at a point of the screen."""
        if self._columns is not None:
            self._columns.popup(place)

    def _checkable(self, menu: QMenu, text: str, *, checked: bool) -> QAction:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(checked)
        action.triggered.connect(self._on_arranged)
        return action

    @Slot()
    def _on_arranged(self) -> None:
        self._sort = next((sort for action, sort in self._sorts.items() if action.isChecked()), self._sort)
        self.arranged.emit(Arrangement(self._sort, self._reverse.isChecked(), self._tree.isChecked()))

    @Slot()
    def _on_check(self) -> None:
        self.check_asked.emit(None)


def _command(menu: QMenu, text: str, asked: Clicked) -> QAction:
    action = menu.addAction(text)
    action.triggered.connect(asked)
    return action


ALL = mark("All knowledge bases")


class KnowledgeBaseBox(QComboBox):
    """Selector of a knowledge base; visible only if there is more than one.

    Signals:
        chosen: Name of the chosen one; empty for all.
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Knowledge base"))
        self.setToolTip(tr("Knowledge base to show, add to and ask"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setVisible(False)
        self.activated.connect(self._on_activated)

    @property
    def names(self) -> list[str]:
        """Names of the knowledge bases."""
        return [self.itemData(row) for row in range(1, self.count())]

    def show_names(self, names: list[str]) -> None:
        """Set the names; if the chosen one no longer exists, all are chosen."""
        before = self.currentData() or ""
        self.clear()
        self.addItem(tr(ALL), "")
        for name in names:
            self.addItem(name, name)
        self.setVisible(len(names) > 1)
        self.choose(before)
        if (self.currentData() or "") != before:
            self.chosen.emit("")

    @Slot(str)
    def choose(self, name: str) -> None:
        """Show a knowledge base as chosen; all if there is none with this name."""
        self.setCurrentIndex(max(0, self.findData(name)))

    @Slot(int)
    def _on_activated(self, row: int) -> None:
        self.chosen.emit(self.itemData(row))
