"""The sessions pane: the list with its menu; widgets only, decisions are the presenter's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QListView, QMenu, QStackedWidget, QVBoxLayout, QWidget

from workbench.ui.controls import label
from workbench.ui.sessions.model import SESSION_ROLE
from workbench.ui.sessions.presenter import SessionsPresenter
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.session import SessionInfo

EXPORTS = (("md", "Markdown with footnotes"), ("html", "Web page with page images"), ("json", "JSON"))


class SessionsPane(QWidget):
    """Shows the sessions of the library, newest first."""

    def __init__(self, presenter: SessionsPresenter, theme: Theme) -> None:
        super().__init__()
        self._presenter = presenter
        self._theme = theme
        self._list = QListView()
        self._list.setModel(presenter.model)
        self._list.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self._list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setUniformItemSizes(True)
        self._list.setMouseTracking(True)
        self._list.setAccessibleName("Sessions")
        self._list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._list.customContextMenuRequested.connect(self._on_menu)
        self._list.clicked.connect(self._on_chosen)
        self._list.activated.connect(self._on_chosen)
        self._none = label("Your questions and answers are kept here.", "muted", wrap=True)
        self._none.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._none.setContentsMargins(16, 10, 16, 10)
        self._stack = QStackedWidget()
        self._stack.addWidget(QWidget())  # until it is known whether there are any
        self._stack.addWidget(self._none)
        self._stack.addWidget(self._list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 4)
        layout.addWidget(self._stack)
        self._rename = self._action("Rename", "F2", self._on_rename)
        self._remove = self._action("Remove", "Del", self._on_remove)
        self._exports = [self._action(f"{title}…", "", self._on_export, kind) for kind, title in EXPORTS]
        presenter.listed.connect(self._on_listed)

    def prepare(self) -> None:
        """Make what the first session needs: before there is one, the window does without its import."""
        from workbench.ui.sessions.delegate import SessionDelegate

        self._list.setItemDelegate(SessionDelegate(self._theme, self._list))

    def focus(self) -> None:
        """Put the keyboard on the list."""
        self._list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def export_actions(self) -> list[QAction]:
        """Return the actions that export the selected session."""
        return self._exports

    def _action(self, text: str, key: str, slot: object, data: str = "") -> QAction:
        action = QAction(text, self._list)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.setData(data)
        action.triggered.connect(slot)
        self._list.addAction(action)
        return action

    def _chosen(self) -> SessionInfo | None:
        info: SessionInfo | None = self._list.currentIndex().data(SESSION_ROLE)
        return info

    @Slot(int)
    def _on_listed(self, number: int) -> None:
        self._stack.setCurrentWidget(self._list if number else self._none)
        current = self._presenter.current
        if current is None:
            self._list.clearSelection()
            self._list.setCurrentIndex(QModelIndex())
        else:
            self._list.setCurrentIndex(self._presenter.model.index_of(current))
        for action in self._exports:
            action.setEnabled(current is not None)

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        info: SessionInfo | None = index.data(SESSION_ROLE)
        if info is not None:
            self._presenter.open(info.id)

    @Slot(QPoint)
    def _on_menu(self, point: QPoint) -> None:
        index = self._list.indexAt(point)
        if not index.isValid():
            return
        self._list.setCurrentIndex(index)
        menu = QMenu(self)
        menu.addAction(self._rename)
        export = menu.addMenu("Export as")
        for action in self._exports:
            action.setEnabled(True)
            export.addAction(action)
        menu.addSeparator()
        menu.addAction(self._remove)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._list.viewport().mapToGlobal(point))

    @Slot()
    def _on_rename(self) -> None:
        self._list.edit(self._list.currentIndex())

    @Slot()
    def _on_remove(self) -> None:
        info = self._chosen()
        if info is not None:
            self._presenter.remove(info.id)

    @Slot()
    def _on_export(self) -> None:
        info, action = self._chosen(), self.sender()
        if info is None or not isinstance(action, QAction):
            return
        kind = str(action.data())
        stem = re.sub(r'[\\/:*?"<>|\s]+', " ", info.title).strip()[:60] or "session"
        name, _kind = QFileDialog.getSaveFileName(
            self, "Export session", str(Path.home() / f"{stem}.{kind}"), f"*.{kind}"
        )
        if name:
            self._presenter.export(info.id, kind, Path(name))
