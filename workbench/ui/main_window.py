"""Main window: docks, menus, tool bar, status strip, and the page shown when the library cannot be opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QGuiApplication, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QMenuBar,
    QProgressBar,
    QSizePolicy,
    QStackedWidget,
    QStatusBar,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import LibraryDamaged, WorkbenchError
from workbench.language import tr, translate
from workbench.ui.actions import COMMANDS, Actions
from workbench.ui.chat.pane import ChatPane
from workbench.ui.controls import (
    ElidedLabel,
    IconButton,
    IconLabel,
    button,
    caption_of,
    frame,
    label,
    restyle,
    set_icon,
)
from workbench.ui.dock import Dock
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.library.drop_overlay import DropOverlay
from workbench.ui.library.pane import LibraryPane
from workbench.ui.messages import BUG, BUG_HINT, Banner, Toast
from workbench.ui.sessions.pane import SessionsPane
from workbench.ui.theme import Theme
from workbench.ui.two_columns import TwoColumns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ui.chat.answerer import Answerer


TITLE = "Knowledge Workbench"
SIZE = QSize(1280, 800)
LARGEST = QSize(1760, 1120)
_FRAME = QSize(8, 40)
"""Space for the title bar and frame, whose size is known only after the window is shown; without it, the status bar was
below the edge of a screen of 1280 by 800."""
ACROSS = Qt.Orientation.Horizontal
# Shares of the window's width, with minimum and maximum in pixels: a document page must be readable.
LIBRARY_SHARE = (0.215, 240, 340)
INSPECTOR_SHARE = (0.345, 320, 720)
BESIDE = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
TEXT_SIZES = ("larger_text", "smaller_text", "usual_text")
SOURCES = ("add_files", "add_folder", "add_link", "add_query", "new_note", "link_folder")
OF_HELP = ("palette", "shortcuts", "release_notes", "system_check", "problem_report")
WAITING_AT_FIRST = ("sessions", "inspector")
"""Docks that are hidden in a new window until they have something to show."""
WITHOUT_LIBRARY = (*OF_HELP, "other_library", "quit", "soundness")
"""Commands that are available while no library is open."""


@dataclass(frozen=True, slots=True)
class Panes:
    """Panes of the window."""

    library: LibraryPane
    sessions: SessionsPane
    chat: ChatPane
    inspector: InspectorPane


class MainWindow(QMainWindow):
    """Main window: library and sessions on the left, chat in the middle, inspector on the right; docks can be moved.

    Attributes:
        columns: Shows the docks of one side only while the window is narrow.

    Signals:
        painted: The window was painted for the first time.
        closing: The window is about to close.
    """

    painted = Signal()
    closing = Signal()

    def __init__(self, panes: Panes, theme: Theme) -> None:
        super().__init__()
        self.setWindowTitle(TITLE)
        # Half of a common screen; with less the panes would not fit next to each other in every language.
        self.setMinimumSize(950, 560)
        self.resize(self._first_size())
        self.setDockNestingEnabled(True)
        self.setUnifiedTitleAndToolBarOnMac(True)
        self.panes = panes
        self._is_painted = False
        self._bar_width = 0
        self._theme = theme
        self.actions_by_name = Actions(self, theme)
        self.banner = Banner(theme)
        self.problem = ProblemPage(theme)
        self._middle = QStackedWidget()
        self._middle.addWidget(panes.chat)
        self._middle.addWidget(self.problem)
        self._lay_out_middle()
        self.library_dock, self.sessions_dock, self.inspector_dock = self._make_docks()
        self.columns = TwoColumns(self, theme)
        for dock in (self.library_dock, self.sessions_dock, self.inspector_dock):
            self.columns.follow(dock)
        self.status = StatusStrip(theme)
        self.setStatusBar(self.status)
        self._menu_bar = QMenuBar()
        self._hidden_docks: list[Dock] = []
        self._later_docks: list[Dock] = []
        self._waiting_docks: list[Dock] = []
        self._make_menus()
        self._make_tool_bar()
        self.toast = Toast(theme, self, below_top_of=self._middle)
        self.drop = DropOverlay(theme, self)
        self._paint_icons()
        theme.changed.connect(self._paint_icons)

    def show_problem(self, shown: bool) -> None:
        """Show the problem page instead of the panes, or the panes again."""
        self._middle.setCurrentWidget(self.problem if shown else self.panes.chat)
        docks = (self.library_dock, self.sessions_dock, self.inspector_dock, *self._later_docks)
        self.columns.is_paused = True
        if shown and not self._hidden_docks:
            self._hidden_docks = [dock for dock in docks if not dock.isHidden()]
        for dock in self._hidden_docks:
            dock.setVisible(not shown)
        if not shown:
            self._hidden_docks = []
            self.columns.is_paused = False
            self.columns.fit()
        for one in COMMANDS:
            self.actions_by_name[one.name].setEnabled(not shown or one.name in WITHOUT_LIBRARY)

    def add_dock(self, dock: Dock, next_to: Dock | Qt.DockWidgetArea) -> None:
        """Add a dock that was created after the first paint: at its last position, otherwise hidden.

        Args:
            dock: The dock.
            next_to: Default position: the dock behind which it is tabbed, or an area, where it is tabbed with others.
        """
        docks_in_area = [one for one in self._later_docks if self.dockWidgetArea(one) == next_to]
        self._later_docks.append(dock)
        self._view_menu.insertAction(self._view_separator, dock.toggleViewAction())
        docks = [dock, next_to] if isinstance(next_to, Dock) else [dock]
        if not self.restoreDockWidget(dock):
            self.addDockWidget(self.dockWidgetArea(next_to) if isinstance(next_to, Dock) else next_to, dock)
            for other in [next_to] if isinstance(next_to, Dock) else docks_in_area[:1]:
                self.tabifyDockWidget(other, dock)
            dock.hide()
        for one in docks:
            one.visibilityChanged.connect(self._on_dock_raised)
        self.columns.follow(dock)

    def menus(self) -> list[QMenu]:
        """Return the menus of the menu bar, from left to right."""
        menus = (action.menu() for action in self._menu_bar.actions())
        return [menu for menu in menus if isinstance(menu, QMenu)]

    @property
    def waiting_docks(self) -> tuple[str, ...]:
        """Names of the docks that stay hidden until they have their first content."""
        return tuple(dock.objectName() for dock in self._waiting_docks)

    def wait_for_content(self, names: Sequence[str]) -> None:
        """Hide the sessions or the inspector, whichever are named, until show_content or the user shows them."""
        self._waiting_docks = [one for one in (self.sessions_dock, self.inspector_dock) if one.objectName() in names]
        for dock in self._waiting_docks:
            dock.hide()
        self._fill_tool_bar()

    def show_content(self, *docks: Dock) -> None:
        """Show docks that got their first content; a dock that the user has hidden stays hidden."""
        first = [dock for dock in docks if dock in self._waiting_docks]
        if not first:
            return
        self._waiting_docks = [dock for dock in self._waiting_docks if dock not in first]
        for dock in first:
            if not self.columns.holds_back(dock):
                dock.show()
        self.arrange()
        self._fill_tool_bar()

    def expect_documents(self, any_documents: bool) -> None:
        """Offer to add more documents above the list; above an empty one, whose page offers that itself, do not."""
        self._add.setVisible(any_documents)

    def offer_sessions(self, any_sessions: bool) -> None:
        """Enable the export, and show the commands of sessions in the tool bar; they need at least one session."""
        self.actions_by_name["export"].setEnabled(any_sessions)
        self._has_sessions = any_sessions
        self._fill_tool_bar()

    def arrange(self) -> None:
        """Set the initial sizes of the docks."""
        widths = [_share(self.width(), *share) for share in (LIBRARY_SHARE, INSPECTOR_SHARE)]
        self.resizeDocks([self.library_dock, self.inspector_dock], widths, ACROSS)
        self.resizeDocks([self.library_dock, self.sessions_dock], [430, 230], Qt.Orientation.Vertical)

    def focusNextPrevChild(self, forward: bool) -> bool:
        from workbench.ui.dialog import follow  # here, because the first paint does not need it

        return follow(self, forward=forward) or super().focusNextPrevChild(forward)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_growth(event.oldSize().width(), event.size().width())
        self.columns.fit()
        self._fit_tool_bar()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            # Its children are painted after it, all within this event loop iteration.
            QTimer.singleShot(0, self, self.painted.emit)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit()
        super().closeEvent(event)

    @Slot()
    def _on_dock_raised(self) -> None:
        # A tab that is raised also raises the central widget above the toast, after this call.
        if self.toast.isVisible():
            QTimer.singleShot(0, self.toast, self.toast.raise_)

    def _first_size(self) -> QSize:
        """Return a size that shows a page well and leaves space for other windows on a large screen."""
        room = self.screen().availableSize() - _FRAME
        if room.width() < self.minimumWidth() or room.height() < self.minimumHeight():
            return SIZE
        wanted = QSize(round(room.width() * 0.85), round(room.height() * 0.85)).boundedTo(LARGEST)
        return wanted.expandedTo(SIZE).boundedTo(room)

    def _share_growth(self, before: int, now: int) -> None:
        """Give the inspector its share of a change in width; Qt would give all of it to the chat."""
        dock = self.inspector_dock
        side_areas = Qt.DockWidgetArea.LeftDockWidgetArea | Qt.DockWidgetArea.RightDockWidgetArea
        if before <= 0 or dock.isFloating() or not dock.isVisible() or not self.dockWidgetArea(dock) & side_areas:
            return
        target = _share(now, *INSPECTOR_SHARE)
        scaled = round(dock.width() * now / before)
        if (now > before and dock.width() < target) or (now < before and dock.width() > target):
            self.resizeDocks([dock], [min(scaled, target) if now > before else max(scaled, target)], ACROSS)

    def _lay_out_middle(self) -> None:
        middle = QWidget()
        middle.setProperty("role", "middle")
        middle.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        layout = QVBoxLayout(middle)
        layout.setContentsMargins(1, 0, 1, 0)
        layout.setSpacing(0)
        layout.addWidget(self.banner)
        layout.addWidget(self._middle, 1)
        self.setCentralWidget(middle)

    def _make_docks(self) -> tuple[Dock, Dock, Dock]:
        theme, panes = self._theme, self.panes
        self._add = IconButton(theme, "plus", tr("Add to the library"))
        library = Dock(theme, "library", tr("Library"), panes.library, self._add, permanent=True)
        sessions = Dock(theme, "sessions", tr("Sessions"), panes.sessions, permanent=True)
        inspector = Dock(theme, "inspector", tr("Inspector"), panes.inspector, raised=True, permanent=True)
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, library)
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, sessions)
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, inspector)
        for corner, area in (
            (Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea),
            (Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea),
        ):
            self.setCorner(corner, area)
        library.setMinimumWidth(220)
        inspector.setMinimumWidth(280)
        for dock in (sessions, inspector):
            dock.visibilityChanged.connect(self._on_dock_shown)
        self._add.hide()
        return library, sessions, inspector

    def _make_menus(self) -> None:
        actions = self.actions_by_name
        bar = self._menu_bar
        file = bar.addMenu(tr("&File"))
        for name in (*SOURCES, "", "linked_folders", "shared_libraries", "bin", "", "new_session"):
            file.addAction(actions[name]) if name else file.addSeparator()
        file.addActions([actions["export"], actions["import_session"]])
        rest = (
            "agents",
            "retrievers",
            "memory",
            "user",
            "check",
            "soundness",
            "",
            "offline_mode",
            "settings",
            "",
            "quit",
        )
        for name in ("", "other_library", "", *rest):
            file.addAction(actions[name]) if name else file.addSeparator()
        sources = QMenu(self)
        sources.addActions([actions[name] for name in SOURCES])
        self._add.setMenu(sources)
        self._add.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        edit = bar.addMenu(tr("&Edit"))
        of_answers = ("copy_answer", "ask_again", "compare", "replay", "prompt")
        for name in ("find_here", "find", "", "filter", "curate", "plan_first", "stop", "", *of_answers):
            edit.addAction(actions[name]) if name else edit.addSeparator()
        view = self._view_menu = bar.addMenu(tr("&View"))
        for dock in (self.library_dock, self.sessions_dock, self.inspector_dock):
            view.addAction(dock.toggleViewAction())
        self._view_separator = view.addSeparator()
        panes = ("focus_library", "focus_chat", "focus_inspector", "focus_evaluation", "focus_sessions", "focus_map")
        for name in (
            *panes,
            "focus_network",
            "read_all",
            "",
            "next_pane",
            "previous_pane",
            "",
            *TEXT_SIZES,
            "",
            "previous_session",
            "next_session",
        ):
            view.addAction(actions[name]) if name else view.addSeparator()
        bar.addMenu(tr("&Help")).addActions([actions[name] for name in OF_HELP])

    def _make_tool_bar(self) -> None:
        bar = self._tool_bar = QToolBar(tr("Tool bar"), self)
        bar.setObjectName("tools")
        bar.setMovable(False)
        bar.setFloatable(False)
        bar.setToolButtonStyle(BESIDE)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        if self._menu_bar.isNativeMenuBar():
            self.setMenuBar(self._menu_bar)
        else:
            # One row for both: a separate menu row would cost the inspector's page two lines of text.
            self._menu_bar.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
            bar.addWidget(self._menu_bar)
        self._before_sessions = bar.addSeparator()
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._space = bar.addWidget(spacer)
        bar.addAction(self.actions_by_name["settings"])
        self._inspector_toggle = self.inspector_dock.toggleViewAction()
        self._inspector_toggle.setToolTip(tr("Show or hide {name}", name=self.inspector_dock.windowTitle()))
        # In the menu its icon would replace the check mark that shows whether the dock is visible.
        self._inspector_toggle.setIconVisibleInMenu(False)
        self.offer_sessions(False)
        self.addToolBar(bar)

    def _fill_tool_bar(self) -> None:
        """Show the commands that have something to work on: removed from the bar only, they stay in their menus."""
        bar, actions = self._tool_bar, self.actions_by_name
        has_content = self.inspector_dock not in self._waiting_docks
        self._before_sessions.setVisible(self._has_sessions)
        for action, before, is_shown in (
            (actions["new_session"], self._space, self._has_sessions),
            (actions["export"], self._space, self._has_sessions),
            (self._inspector_toggle, actions["settings"], has_content),
        ):
            is_there = action in bar.actions()
            if is_shown and not is_there:
                bar.insertAction(before, action)
            elif is_there and not is_shown:
                bar.removeAction(action)
        self._measure_tool_bar()

    @Slot(bool)
    def _on_dock_shown(self, shown: bool) -> None:
        if not shown:
            return
        waiting = [dock for dock in self._waiting_docks if dock.isHidden()]
        if waiting != self._waiting_docks:
            self._waiting_docks = waiting
            self._fill_tool_bar()

    def _fit_tool_bar(self) -> None:
        """Hide the button texts if they do not fit next to the menus, for example with large text."""
        fits = self._bar_width <= self.width()
        self._style_tool_bar(BESIDE if fits else Qt.ToolButtonStyle.ToolButtonIconOnly)

    def _measure_tool_bar(self) -> None:
        self._style_tool_bar(BESIDE)
        self._bar_width = self._tool_bar.sizeHint().width()
        self._fit_tool_bar()

    def _style_tool_bar(self, style: Qt.ToolButtonStyle) -> None:
        bar = self._tool_bar
        if bar.toolButtonStyle() != style:
            bar.setToolButtonStyle(style)
        tool_button = bar.widgetForAction(self._inspector_toggle)
        if isinstance(tool_button, QToolButton):
            tool_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)

    def _paint_icons(self) -> None:
        # After the style sheet has been applied.
        QTimer.singleShot(0, self, self._measure_tool_bar)
        size = self._theme.scaled(16)
        self._tool_bar.setIconSize(QSize(size, size))
        self._inspector_toggle.setIcon(self._theme.icon("panel-right"))
        self.setWindowIcon(self._theme.icon("app", self._theme.tokens().accent, 32))


def _share(width: int, part: float, fewest: int, most: int) -> int:
    return min(most, max(fewest, round(width * part)))


class StatusStrip(QStatusBar):
    """Status bar: index progress, answering model, and what leaves this machine.

    Signals:
        models_asked: The name of the answering profile was pressed.
        network_asked: The privacy indicator was pressed.
    """

    models_asked = Signal()
    network_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._index = ElidedLabel()
        self._index.set_whole_text(tr("Opening the library…"))
        self._index.setContentsMargins(12, 0, 0, 0)
        self._profile = button("", "ghost", self.models_asked)
        self._profile.setToolTip(tr("Who answers; click to choose a model"))
        self._profile.setAccessibleName(tr("Who answers"))
        self._theme = theme
        self._icon = ("shield", "ok")
        self._privacy = button("", "ghost", self.network_asked)
        self._privacy.setAccessibleName(tr("What leaves this computer"))
        right = QWidget()
        row = QHBoxLayout(right)
        row.setContentsMargins(0, 2, 8, 2)
        row.setSpacing(6)
        row.addWidget(self._profile)
        row.addWidget(self._privacy)
        self.addWidget(self._index, 1)
        self.addPermanentWidget(right)
        # By default it keeps the height that it had before the text was enlarged, or before the buttons were shown.
        theme.changed.connect(self._fit, Qt.ConnectionType.QueuedConnection)
        self._right = right
        # The answering model is not shown before the library's settings are known: it might be remote.
        for part in (self._profile, self._privacy):
            part.setVisible(False)
        theme.changed.connect(self._paint_icon)

    @property
    def text(self) -> str:
        """Texts from left to right."""
        return f"{self._index.accessibleName()} | {self._profile.text()} | {self._privacy.text()}"

    @Slot()
    def _fit(self) -> None:
        self.setMinimumHeight(self._right.sizeHint().height() + 4)

    def show_index(self, text: str) -> None:
        """Show the progress of the index."""
        self._index.set_whole_text(text)

    def show_answerer(self, answerer: Answerer) -> None:
        """Show which model answers and what that means for privacy."""
        for part in (self._profile, self._privacy):
            part.setVisible(True)
        profile = answerer.profile
        name = tr("quotes only, no model") if profile.is_offline else f"{profile.name} · {profile.model}"
        self._profile.setText(caption_of(tr("Answers: {name}", name=name)))
        self._profile.setAccessibleName(tr("Who answers: {name}", name=name))
        text, icon, colour = answerer.privacy_line()
        self._privacy.setText(text)
        self._privacy.setAccessibleName(text)
        lines = (answerer.why_so, tr("Click to see what was sent over the network"))
        self._privacy.setToolTip("\n".join(filter(None, lines)))
        self._privacy.setAccessibleDescription(answerer.why_so)
        self._icon = (icon, colour)
        self._paint_icon()
        self._fit()

    @Slot()
    def _paint_icon(self) -> None:
        icon, colour = self._icon
        set_icon(self._privacy, self._theme, icon, getattr(self._theme.tokens(), colour), 14)


WIDTH = 520


_STEPS = 1000


class ProblemPage(QWidget):
    """Page that explains why the library cannot be opened, with buttons to retry, choose another folder, or repair.

    While the library is being repaired it shows the progress.

    Signals:
        retry_asked: "Try again" was pressed.
        other_folder_asked: "Choose another folder" was pressed.
        repair_asked: "Repair…" was pressed: the library check with its backups is to be opened.
        cancel_asked: The running work is to be cancelled.
    """

    retry_asked = Signal()
    other_folder_asked = Signal()
    repair_asked = Signal()
    cancel_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._details = ""
        self._message = label("", "title", wrap=True)
        self._hint = label("", "muted", wrap=True)
        self._folder = label("", "caption", wrap=True)
        self._folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._copy = button(tr("Copy details"), "ghost", self._on_copy)
        self._repair = button(tr("Repair or restore…"), "primary", self.repair_asked)
        self._retry = button(tr("Try again"), "secondary", self.retry_asked)
        self._other = button(tr("Choose another folder…"), "secondary", self.other_folder_asked)
        self._cancel = button(tr("Cancel"), "secondary", self.cancel_asked)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Progress of the repair"))
        self._icon = IconLabel(theme, "alert", colour="warn", size=32)
        box = frame("card")
        box.setFixedWidth(WIDTH)
        box_layout = QVBoxLayout(box)
        box_layout.setContentsMargins(28, 24, 28, 24)
        box_layout.setSpacing(10)
        for part in (self._icon, self._message, self._hint, self._bar, self._folder):
            box_layout.addWidget(part)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for one in (self._repair, self._retry, self._other, self._cancel):
            buttons.addWidget(one)
        buttons.addStretch(1)
        buttons.addWidget(self._copy)
        box_layout.addSpacing(8)
        box_layout.addLayout(buttons)
        # The docks are hidden while the page is shown; when they are not, it must not widen the central widget.
        self.setMinimumWidth(1)
        layout = QVBoxLayout(self)
        layout.addWidget(box, 0, Qt.AlignmentFlag.AlignCenter)
        self._show_working(False)

    @property
    def text(self) -> str:
        """Text of the error and its hint."""
        return f"{self._message.text()} {self._hint.text()}"

    def show_error(self, error: BaseException, details: str, folder: Path) -> None:
        """Show why the library in a folder could not be opened."""
        known = isinstance(error, WorkbenchError)
        self._message.setText(translate(error.message) if isinstance(error, WorkbenchError) else tr(BUG))
        self._hint.setText(translate(error.hint) if isinstance(error, WorkbenchError) else tr(BUG_HINT))
        self._folder.setText(tr("Library: {folder}", folder=folder))
        self._details = details
        self._show_working(False)
        self._copy.setVisible(not known)
        is_damaged = isinstance(error, LibraryDamaged)
        self._repair.setVisible(is_damaged)
        restyle(self._retry, variant="secondary" if is_damaged else "primary")

    def show_work(self, heading: str, folder: Path) -> None:
        """Show that the library in a folder is being worked on, and cannot be used meanwhile."""
        self._message.setText(heading)
        self._folder.setText(tr("Library: {folder}", folder=folder))
        self._show_working(True)
        self.show_progress(tr("Preparing…"), None)

    def show_progress(self, words: str, share: float | None) -> None:
        """Show the progress, 0 to 1; None if unknown."""
        self._hint.setText(words)
        self._bar.setRange(0, 0 if share is None else _STEPS)
        self._bar.setValue(round((share or 0.0) * _STEPS))

    def _show_working(self, working: bool) -> None:
        for shown in (self._bar, self._cancel):
            shown.setVisible(working)
        for hidden in (self._icon, self._repair, self._retry, self._other, self._copy):
            hidden.setVisible(not working)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)
