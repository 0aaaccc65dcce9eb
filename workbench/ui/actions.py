"""Every command of the window with its key, declared once: menus, tool bar and the sheet of keys are made from it."""

from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from workbench.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Command:
    """One command; icon is empty where it stands in menus only."""

    name: str
    text: str
    key: str = ""
    icon: str = ""


COMMANDS: tuple[Command, ...] = (
    Command("add_files", "Add files…", "Ctrl+O", "file-plus"),
    Command("add_folder", "Add folder…", "Ctrl+Shift+O", "folder-plus"),
    Command("add_link", "Add link…", "Ctrl+L", "link"),
    Command("add_query", "Add from database…", "", "database"),
    Command("new_note", "New note…", "Ctrl+Shift+N", "edit"),
    Command("link_folder", "Link a folder…", "Ctrl+Shift+L", "link"),
    Command("linked_folders", "Linked folders…"),
    Command("bin", "Bin…"),
    Command("new_session", "New session", "Ctrl+N", "chat-plus"),
    Command("agents", "Agents…"),
    Command("retrievers", "Retrievers and plug-ins…"),
    Command("memory", "Memory…"),
    Command("settings", "Settings…", "Ctrl+,", "settings"),
    Command("other_library", "Open another library…"),
    Command("quit", "Quit", "Ctrl+Q"),
    Command("find", "Find a document", "Ctrl+Shift+F", "search"),
    Command("stop", "Stop the answer", "Ctrl+."),
    Command("focus_library", "Go to the library", "Ctrl+1"),
    Command("focus_chat", "Go to the question", "Ctrl+2"),
    Command("focus_inspector", "Go to the inspector", "Ctrl+3"),
    Command("focus_evaluation", "Go to the evaluation", "Ctrl+4"),
    Command("filter", "Filter the question", "Ctrl+Shift+K", "filter"),
    Command("shortcuts", "Keyboard shortcuts", "F1", "keyboard"),
)
ELSEWHERE: tuple[tuple[str, str], ...] = (
    ("Ask", "Enter"),
    ("New line in the question", "Shift+Enter"),
    ("Last question again", "↑"),
    ("Stop the answer", "Esc"),
    ("Show a document's chunks", "Enter"),
    ("Open a document", "Ctrl+Enter"),
    ("Why a passage was found, or not", "Ctrl+E"),
    ("Mark a passage as right or wrong", "+ −"),
    ("Read a document first", "Ctrl+↑"),
    ("Details of a document", "F4"),
    ("Tags of documents", "Ctrl+T"),
    ("Fold or unfold a folder", "← →"),
    ("Remove a document or session", "Del"),
    ("Rename a session", "F2"),
)
"""Keys that the panes handle themselves; shown on the sheet of keys."""


class Actions:
    """The window's actions by name."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        self._theme = theme
        self._by_name: dict[str, QAction] = {}
        for command in COMMANDS:
            action = QAction(command.text, window)
            action.setShortcut(QKeySequence(command.key))
            plain = command.text.rstrip("…")
            action.setIconText(plain)
            action.setToolTip(f"{plain} ({command.key})" if command.key else plain)
            window.addAction(action)
            self._by_name[command.name] = action
        self.paint()
        theme.changed.connect(self.paint)

    def __getitem__(self, name: str) -> QAction:
        return self._by_name[name]

    def paint(self) -> None:
        """Draw the icons in the theme's colours."""
        for command in COMMANDS:
            if command.icon:
                self._by_name[command.name].setIcon(self._theme.icon(command.icon))
