"""Sessions pane: list of sessions with its menu and search field; widgets only, the presenter decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QMenu,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from workbench.language import tr
from workbench.ui.actions import command, pane_action
from workbench.ui.controls import button, label
from workbench.ui.sessions.model import (
    MATCH_ROLE,
    SESSION_ROLE,
    WORDS_ROLE,
    excerpt_before_match,
    second_line,
    title_of,
)
from workbench.ui.sessions.presenter import SessionsPresenter
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.session import SessionInfo, SessionMatch

_ICON_SIZE = 14


class SessionDelegate(QStyledItemDelegate):
    """Delegate that paints a SessionInfo in two lines with the theme's tokens."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        line = QFontMetrics(self._theme.font(self._theme.tokens().caption))
        return QSize(160, QFontMetrics(self._theme.font()).height() + line.height() + 14)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        session: SessionInfo | None = index.data(SESSION_ROLE)
        if session is None:
            return
        tokens = self._theme.tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect.adjusted(6, 1, -6, -1)
        state: QStyle.StateFlag = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(tokens.accent_soft if selected else tokens.hover))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(area, 7, 7)
        words: Sequence[str] = index.data(WORDS_ROLE) or ()
        match: SessionMatch | None = index.data(MATCH_ROLE)
        first = area.adjusted(10, 5, -10, 0)
        first.setWidth(first.width() - self._paint_icons(painter, first, session))
        colour = tokens.text_muted if session.archived else tokens.text
        self._paint_line(painter, first, title_of(session), tokens.body, colour, words)
        below = area.adjusted(10, 6 + QFontMetrics(self._theme.font()).height(), -10, 0)
        text = excerpt_before_match(match.excerpt, words) if match is not None else second_line(session)
        self._paint_line(painter, below, text, tokens.caption, tokens.text_muted, words if match is not None else ())
        painter.restore()

    def _paint_icons(self, painter: QPainter, area: QRect, session: SessionInfo) -> int:
        """Draw the pinned and archived icons at the right end; return the width that they take."""
        tokens = self._theme.tokens()
        used_width, side = 0, self._theme.scaled(_ICON_SIZE)
        for name, is_shown in (("pin", session.pinned), ("archive", session.archived)):
            if is_shown:
                used_width += side + 4
                pixmap = self._theme.pixmap(name, tokens.text_muted, _ICON_SIZE)
                height = QFontMetrics(self._theme.font()).height()
                painter.drawPixmap(area.right() - used_width + 5, area.top() + (height - side) // 2, pixmap)
        return used_width

    def _paint_line(
        self, painter: QPainter, area: QRect, text: str, size: float, colour: str, words: Sequence[str] = ()
    ) -> None:
        font = self._theme.font(size, text=text)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        elided = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, area.width())
        for word in words:
            position = elided.lower().find(word)
            if position >= 0:
                left = area.left() + metrics.horizontalAdvance(elided[:position])
                width = metrics.horizontalAdvance(elided[position : position + len(word)])
                marked = QRect(left, area.top(), width, metrics.height())
                painter.fillRect(marked, QColor(self._theme.tokens().mark_solid))
        painter.setPen(QColor(colour))
        painter.drawText(
            QRect(area.left(), area.top(), area.width(), metrics.height()), Qt.AlignmentFlag.AlignVCenter, elided
        )


class FindField(QLineEdit):
    """Search field that filters the list while the user types.

    Signals:
        list_wanted: The keyboard focus is to move to the list.
        first_wanted: The first row is to be opened.
    """

    list_wanted = Signal()
    first_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setPlaceholderText(tr("Search sessions"))
        self.setAccessibleName(tr("Search sessions"))
        self.setToolTip(tr("Searches titles, questions and answers"))
        self.setClearButtonEnabled(True)
        self.setProperty("variant", "quiet")
        self._search_icon = self.addAction(theme.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self._search_icon.setText(tr("Search sessions"))
        theme.changed.connect(self._paint_search_icon)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.first_wanted.emit()
        elif event.key() == Qt.Key.Key_Down:
            self.list_wanted.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Escape:
            self.list_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _paint_search_icon(self) -> None:
        self._search_icon.setIcon(self._theme.icon("search"))


# Number of sessions from which the search field is shown.
_SEARCH_FROM = 3


class SessionsPane(QWidget):
    """List of the library's sessions, pinned first, then newest; several can be selected for export.

    Signals:
        export_asked: Numbers of the selected sessions.
    """

    export_asked = Signal(list)

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
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._list.setMouseTracking(True)
        self._list.setAccessibleName(tr("Sessions"))
        self._list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._list.customContextMenuRequested.connect(self._on_menu)
        self._list.clicked.connect(self._on_chosen)
        self._list.activated.connect(self._on_chosen)
        self._list_row = -1
        self._find: FindField | None = None
        self._none = label(tr("Your questions and answers appear here."), "muted", wrap=True)
        self._nothing = label("", "muted", wrap=True)
        for words in (self._none, self._nothing):
            words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            words.setContentsMargins(16, 10, 16, 10)
        self._stack = QStackedWidget()
        self._stack.addWidget(QWidget())  # shown until the list is loaded
        self._stack.addWidget(self._none)
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(self._list)
        self._archived = button(tr("Archived"), "ghost", self._on_archived_asked)
        self._archived.setCheckable(True)
        self._archived.setToolTip(tr("Show or hide the archived sessions"))
        self._archived.hide()
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 4)
        layout.setSpacing(2)
        layout.addWidget(self._stack, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 0, 12, 2)
        foot.addWidget(self._archived)
        foot.addStretch(1)
        layout.addLayout(foot)
        self._open = pane_action(self._list, "sessions.open", self._on_open)
        self._rename = pane_action(self._list, "sessions.rename", self._on_rename)
        self._pin = pane_action(self._list, "sessions.pin", self._on_pin)
        self._archive = pane_action(self._list, "sessions.archive", self._on_archive)
        self._remove = pane_action(self._list, "sessions.remove", self._on_remove)
        self._export = pane_action(self._list, "sessions.export", self._on_export)
        presenter.listed.connect(self._on_listed)
        self._stack.currentChanged.connect(self._fit_sentence)
        # After the style sheet has been applied.
        theme.changed.connect(self._fit_sentence, Qt.ConnectionType.QueuedConnection)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_sentence()

    @Slot()
    def _fit_sentence(self) -> None:
        """Give the sentence that is shown instead of the list the height of all its lines."""
        for words in (self._none, self._nothing):
            is_shown = self._stack.currentWidget() is words
            words.setMinimumHeight(words.heightForWidth(self._stack.width()) if is_shown else 0)

    def prepare(self) -> None:
        """Create the widgets that the first session needs."""
        find = self._find = FindField(self._theme)
        find.textChanged.connect(self._presenter.finder.find)
        find.list_wanted.connect(self._on_list_wanted)
        find.first_wanted.connect(self._on_first_wanted)
        find.hide()
        line = QVBoxLayout()
        line.setContentsMargins(12, 0, 12, 4)
        line.addWidget(find)
        self._layout.insertLayout(0, line)
        self._list.setItemDelegate(SessionDelegate(self._theme, self._list))

    def focus(self) -> None:
        """Set the keyboard focus on the list."""
        self._list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_find(self) -> bool:
        """Set the keyboard focus on the search field; return False if there are too few sessions to search."""
        if self._find is None or self._find.isHidden():
            return False
        self._find.selectAll()
        self._find.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def _selected(self) -> list[SessionInfo]:
        return [index.data(SESSION_ROLE) for index in self._list.selectedIndexes()]

    def _chosen(self) -> SessionInfo | None:
        info: SessionInfo | None = self._list.currentIndex().data(SESSION_ROLE)
        return info

    @Slot(int)
    def _on_listed(self, number: int) -> None:
        model, finder = self._presenter.model, self._presenter.finder
        self._show_page(number)
        self._archived.setVisible(model.archived > 0 and not model.is_finding)
        self._archived.setText(tr("Archived ({n:,})", n=model.archived))
        if self._find is not None:
            self._find.setVisible(number >= _SEARCH_FROM or bool(finder.words))
            if not finder.words and self._find.text().strip():
                self._find.clear()  # another library was opened
        current = self._presenter.current
        index = model.index_of(current) if current is not None else QModelIndex()
        if not index.isValid():
            self._list.clearSelection()
            # When sessions are archived or removed one after the other by keyboard, the selection stays at the same
            # row.
            if self._list.hasFocus() and self._list_row >= 0:
                index = model.index(min(self._list_row, model.rowCount() - 1))
                self._list_row = -1
        self._list.setCurrentIndex(index)

    def _show_page(self, number: int) -> None:
        words = self._presenter.finder.words
        if self._presenter.model.rowCount():
            page: QWidget = self._list
        else:
            page = self._nothing if number else self._none
            about = tr("No sessions found for “{words}”.", words=words)
            nothing = about if words else tr("All sessions are archived.")
            self._nothing.setText(tr("Searching…") if self._presenter.finder.is_looking else nothing)
        self._stack.setCurrentWidget(page)

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        info: SessionInfo | None = index.data(SESSION_ROLE)
        # While several sessions are selected for export, none of them is opened.
        if info is not None and len(self._list.selectedIndexes()) <= 1:
            match: SessionMatch | None = index.data(MATCH_ROLE)
            self._presenter.open(info.id, match.run if match is not None else None)

    @Slot(QPoint)
    def _on_menu(self, point: QPoint) -> None:
        index = self._list.indexAt(point)
        if not index.isValid():
            return
        if not self._list.selectionModel().isSelected(index):
            self._list.setCurrentIndex(index)
        menu = QMenu(self)
        chosen = self._selected()
        all_archived = all(info.archived for info in chosen)
        self._pin.setText(tr("Unpin") if all(info.pinned for info in chosen) else tr("Pin"))
        self._archive.setText(tr("Unarchive") if all_archived else tr("Archive"))
        menu.addActions([self._open, self._rename, self._export])
        menu.addSeparator()
        menu.addActions([self._pin, self._archive])
        menu.aboutToHide.connect(self._on_menu_left)
        menu.addSeparator()
        menu.addAction(self._remove)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._list.viewport().mapToGlobal(point))

    @Slot()
    def _on_menu_left(self) -> None:
        # Outside this menu no row decides between pin and unpin: the actions show their default texts.
        self._pin.setText(tr(command("sessions.pin").text))
        self._archive.setText(tr(command("sessions.archive").text))

    @Slot()
    def _on_open(self) -> None:
        self._on_chosen(self._list.currentIndex())

    @Slot()
    def _on_rename(self) -> None:
        self._list.edit(self._list.currentIndex())

    @Slot()
    def _on_pin(self) -> None:
        chosen = self._selected()
        self._presenter.pin(*(info.id for info in chosen), pinned=not all(info.pinned for info in chosen))

    @Slot()
    def _on_archive(self) -> None:
        chosen = self._selected()
        self._list_row = self._list.currentIndex().row()
        self._presenter.archive(*(info.id for info in chosen), archived=not all(info.archived for info in chosen))

    @Slot()
    def _on_remove(self) -> None:
        self._list_row = self._list.currentIndex().row()
        self._presenter.remove(*(info.id for info in self._selected()))

    @Slot()
    def _on_export(self) -> None:
        chosen = [info.id for info in self._selected()]
        if chosen:
            self.export_asked.emit(chosen)

    @Slot()
    def _on_archived_asked(self) -> None:
        self._presenter.show_archived(self._archived.isChecked())
        if self._archived.isChecked():
            first = self._presenter.model.rowCount() - self._presenter.model.archived
            self._list.scrollTo(self._presenter.model.index(first), QAbstractItemView.ScrollHint.PositionAtCenter)

    @Slot()
    def _on_list_wanted(self) -> None:
        if not self._list.currentIndex().isValid():
            self._list.setCurrentIndex(self._presenter.model.index(0))
        self.focus()

    @Slot()
    def _on_first_wanted(self) -> None:
        self._list.setCurrentIndex(self._presenter.model.index(0))
        self._on_open()
