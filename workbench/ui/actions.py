"""Commands of the window with their keys, declared once for menus, tool bar, palette and shortcut sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from workbench.language import mark, tr
from workbench.ui.theme import Theme

ANYWHERE = mark("Anywhere")
"""Group of the commands that work wherever the keyboard focus is."""

COMMAND = "command"
"""Property of a QAction that contains the name of its command."""


@dataclass(frozen=True, slots=True)
class Command:
    """Command of the window.

    Attributes:
        text: Title in English; `title` is the translation that is shown.
        icon: Name of the icon; empty if the command appears only in menus.
        pane: Pane in which the key works, and its group in the shortcut sheet; in English.
        also: Second key, shown only in the shortcut sheet.
        tip: Description for commands whose text alone is unclear; in English.
    """

    name: str
    text: str
    key: str = ""
    icon: str = ""
    pane: str = ANYWHERE
    also: str = ""
    tip: str = ""

    @property
    def title(self) -> str:
        """Title in the window's language."""
        return tr(self.text)

    @property
    def plain(self) -> str:
        """Title without the dots that announce a dialog."""
        return self.title.rstrip("…")


COMMANDS: tuple[Command, ...] = (
    Command("palette", "Commands and documents…", "Ctrl+K", "keyboard", also="Ctrl+Shift+P"),
    Command("add_files", "Add files…", "Ctrl+O", "file-plus"),
    Command("add_folder", "Add folder…", "Ctrl+Shift+O", "folder-plus"),
    Command("add_link", "Add link…", "Ctrl+L", "link"),
    Command("add_query", "Add from database…", "Ctrl+Shift+D", "database"),
    Command("new_note", "New note…", "Ctrl+Shift+N", "edit"),
    Command("link_folder", "Link a folder…", "Ctrl+Shift+L", "link"),
    Command("linked_folders", "Linked folders…"),
    Command("shared_libraries", "Shared libraries…", tip="Libraries in PostgreSQL that several people search"),
    Command("bin", "Bin…", "Ctrl+Shift+Del"),
    Command("new_session", "New session", "Ctrl+N", "chat-plus"),
    Command("export", "Export…", "Ctrl+Shift+E", "export", tip="Sessions as PDF, Word, web page, Markdown or bundle"),
    Command("import_session", "Import session…"),
    Command("previous_session", "Previous session", "Ctrl+PgUp"),
    Command("next_session", "Next session", "Ctrl+PgDown"),
    Command("agents", "Agents…", "Ctrl+Shift+A"),
    Command("retrievers", "Retrievers and plug-ins…"),
    Command("memory", "Memory…", "Ctrl+Shift+M"),
    Command("user", "Switch user…", tip="Each user has their own sessions, notes and readings"),
    Command("settings", "Settings…", "Ctrl+,", "settings"),
    Command("check", "Check documents…"),
    Command("soundness", "Check the library…", tip="Looks for damage, repairs it, and keeps backups"),
    Command("other_library", "Open another library…"),
    Command("quit", "Quit", "Ctrl+Q"),
    Command("find_here", "Find in the conversation or document", "Ctrl+F", "search", tip="Or in the sessions"),
    Command("find", "Find a document", "Ctrl+Shift+F", "search"),
    Command("stop", "Stop the answer", "Ctrl+."),
    Command("copy_answer", "Copy the answer", "Ctrl+Shift+C", tip="With its sources as footnotes"),
    Command("ask_again", "Ask again", "Ctrl+R"),
    Command("compare", "Compare answers…", tip="This answer and another to the same question, side by side"),
    Command("replay", "Replay the answer", "Ctrl+Shift+R"),
    Command("prompt", "Show what was sent to the model"),
    Command("focus_library", "Go to the library", "Ctrl+1"),
    Command("focus_chat", "Go to the question", "Ctrl+2"),
    Command("focus_inspector", "Go to the inspector", "Ctrl+3"),
    Command("focus_evaluation", "Go to the evaluation", "Ctrl+4"),
    Command("focus_sessions", "Go to the sessions", "Ctrl+5"),
    Command("focus_map", "Go to the map", "Ctrl+6"),
    Command("focus_network", "Go to the network", "Ctrl+8", tip="What was sent, where to, and with which passages"),
    Command("offline_mode", "Offline mode", "Ctrl+Shift+G", tip="While it is on, nothing leaves this computer"),
    Command("read_all", "Read everything…", "Ctrl+7", "eye", tip="Ask a question of every passage"),
    Command("larger_text", "Larger text", "Ctrl++", also="Ctrl+="),
    Command("smaller_text", "Smaller text", "Ctrl+-"),
    Command("usual_text", "Default text size", "Ctrl+0"),
    Command("next_pane", "Next pane", "F6"),
    Command("previous_pane", "Previous pane", "Shift+F6"),
    Command("filter", "Filter the question", "Ctrl+Shift+K", "filter"),
    Command("curate", "Choose passages before answering"),
    Command("plan_first", "Plan first", tip="The model writes a plan and runs it step by step"),
    Command(
        "problem_report", "Problem report…", tip="Technical details for a bug report, without names, texts or keys"
    ),
    Command("system_check", "This computer…", tip="What is missing here, and how the program works without it"),
    Command("release_notes", "What is new…", tip="Changes in this version"),
    Command("shortcuts", "Keyboard shortcuts", "F1", "keyboard", also="Ctrl+/"),
)

LIBRARY = mark("Library")
SESSIONS = mark("Sessions")
QUESTION = mark("Question")
ANSWERS = mark("Answers")
INSPECTOR = mark("Inspector")
PAGE = mark("Page")
MAP = mark("Map")
EVALUATION = mark("Evaluation")
NETWORK = mark("Network")
FINDING = mark("Find bar")
DIALOGS = mark("Dialogs")

PANE_COMMANDS: tuple[Command, ...] = (
    Command("library.chunks", "Show passages", "Return", pane=LIBRARY),
    Command("library.open", "Open file", "Ctrl+Return", pane=LIBRARY),
    Command("library.details", "Details…", "F4", pane=LIBRARY),
    Command("library.tags", "Tags…", "Ctrl+T", pane=LIBRARY),
    Command("library.metadata", "Metadata…", "Ctrl+Shift+T", pane=LIBRARY),
    Command("library.move", "Move or copy to…", "Ctrl+M", pane=LIBRARY),
    Command("library.check", "Check document", pane=LIBRARY),
    Command("library.refetch", "Fetch again", "F5", pane=LIBRARY),
    Command("library.edit_note", "Edit note…", "F2", pane=LIBRARY),
    Command("library.first", "Read first", "Ctrl+Up", pane=LIBRARY),
    Command("library.cancel", "Cancel", pane=LIBRARY),
    Command("library.reindex", "Re-index", "Shift+F5", pane=LIBRARY),
    Command("library.more_time", "Try again with more time", pane=LIBRARY),
    Command("library.retry_all", "Try all failed again", pane=LIBRARY),
    Command("library.unlock", "Enter password…", pane=LIBRARY),
    Command("library.copy", "Copy reason", pane=LIBRARY),
    Command("library.remove", "Remove", "Del", pane=LIBRARY),
    Command("library.paste", "Paste copied files", "Ctrl+V", pane=LIBRARY),
    Command("sessions.open", "Open", "Return", pane=SESSIONS),
    Command("sessions.rename", "Rename", "F2", pane=SESSIONS),
    Command("sessions.export", "Export…", pane=SESSIONS),
    Command("sessions.pin", "Pin or unpin", "Ctrl+P", pane=SESSIONS, tip="Pinned ones stay at the top of the list"),
    Command("sessions.archive", "Archive or restore", "Ctrl+E", pane=SESSIONS),
    Command("sessions.remove", "Remove", "Del", pane=SESSIONS),
    Command("passage.why", "Why was this found, or not?", "Ctrl+E", pane=INSPECTOR),
    Command("passage.why_document", "Why was this document found, or not?", pane=INSPECTOR),
    Command("passage.right", "Right for this question", "+", pane=INSPECTOR),
    Command("passage.wrong", "Wrong for this question", "-", pane=INSPECTOR),
    Command("passage.copy", "Copy passage with its source", "Ctrl+C", pane=INSPECTOR),
    Command(
        "passage.section", "Whole section", pane=INSPECTOR, tip="Show the whole section that contains this passage"
    ),
    Command("passage.edit", "Edit the text", "F2", pane=INSPECTOR),
    Command("passage.split", "Split…", "Ctrl+Shift+Return", pane=INSPECTOR),
    Command("passage.merge_next", "Merge with the next", "Ctrl+J", pane=INSPECTOR),
    Command("passage.merge_previous", "Merge with the previous", "Ctrl+Shift+J", pane=INSPECTOR),
    Command("passage.disable", "Disable", "Ctrl+D", pane=INSPECTOR, tip="Searches skip it then"),
    Command("passage.tags", "Tags…", "Ctrl+T", pane=INSPECTOR),
    Command("passage.reset", "Reset to the original", "Ctrl+Backspace", pane=INSPECTOR),
    Command("passage.undo", "Undo the last edit", "Ctrl+Z", pane=INSPECTOR),
    Command("passage.redo", "Redo", "Ctrl+Shift+Z", pane=INSPECTOR, also="Ctrl+Y"),
    Command("passage.outlines", "Show every passage on the page", "Ctrl+B", pane=INSPECTOR),
    Command("network.passages", "Show the passages that were sent", "Return", pane=NETWORK),
    Command("network.session", "Open its session", "Ctrl+Return", pane=NETWORK),
    Command("network.host", "Only this host", pane=NETWORK),
    Command("network.copy", "Copy the details", "Ctrl+C", pane=NETWORK),
    Command("source.open", "Show the passage", pane=ANSWERS),
    Command("source.copy", "Copy passage with its source", "Ctrl+C", pane=ANSWERS),
    Command("source.right", "Right for this question", "+", pane=ANSWERS),
    Command("source.wrong", "Wrong for this question", "-", pane=ANSWERS),
    Command("step.details", "Show or hide the details", pane=ANSWERS),
    Command("step.copy", "Copy this step", pane=ANSWERS),
)
"""Commands that work in one pane, which creates them with pane_action."""

KEYS: tuple[Command, ...] = (
    Command("", "Ask", "Return", pane=QUESTION),
    Command("", "New line", "Shift+Return", pane=QUESTION),
    Command("", "Recall the last question", "Up", pane=QUESTION),
    Command("", "Stop the answer", "Esc", pane=QUESTION),
    Command("", "Next or previous citation", "Tab", pane=ANSWERS, also="Shift+Tab"),
    Command("", "Open the citation", "Return", pane=ANSWERS),
    Command("", "Preview the citation", "Space", pane=ANSWERS),
    Command("", "Next or previous place found", "Return", pane=FINDING, also="Shift+Return"),
    Command("", "Next place found", "F3", pane=FINDING),
    Command("", "Previous place found", "Shift+F3", pane=FINDING),
    Command("", "Close the bar", "Esc", pane=FINDING),
    Command("", "Collapse or expand a folder", "Left", pane=LIBRARY, also="Right"),
    Command("", "Menu of the selection", "Shift+F10", also="Menu"),
    Command("", "Next or previous page", "PgDown", pane=PAGE, also="PgUp"),
    Command("", "Larger page", "+", pane=PAGE),
    Command("", "Smaller page", "-", pane=PAGE),
    Command("", "Fit the page to the width", "0", pane=PAGE),
    Command("", "Zoom in on the map", "+", pane=MAP),
    Command("", "Zoom out of the map", "-", pane=MAP),
    Command("", "Show the whole map", "0", pane=MAP),
    Command("", "Move over the map", "Left", pane=MAP, also="Right"),
    Command("", "Open", "Return", pane=EVALUATION),
    Command("", "Compare with the one shown", "Ctrl+Return", pane=EVALUATION),
    Command("", "Remove", "Del", pane=EVALUATION),
    Command("", "Save a note, allow a tool call", "Ctrl+Return", pane=DIALOGS),
    Command("", "Remove the selection", "Del", pane=DIALOGS),
    Command("", "Close", "Esc", pane=DIALOGS),
)
"""Keys that a control handles itself; they are listed in the shortcut sheet and have no QAction."""


class Actions:
    """QActions of the window by name."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        self._theme = theme
        self._by_name: dict[str, QAction] = {}
        for one in COMMANDS:
            action = _make_action(one, window)
            action.setIconText(one.plain)
            window.addAction(action)
            self._by_name[one.name] = action
        self.paint()
        theme.changed.connect(self.paint)

    def __getitem__(self, name: str) -> QAction:
        return self._by_name[name]

    def __iter__(self) -> Iterator[QAction]:
        return iter(self._by_name.values())

    def paint(self) -> None:
        """Draw the icons in the theme's colours."""
        for one in COMMANDS:
            if one.icon:
                self._by_name[one.name].setIcon(self._theme.icon(one.icon))


def pane_action(
    owner: QWidget,
    name: str,
    slot: Callable[[], object] | None = None,
    *,
    context: Qt.ShortcutContext = Qt.ShortcutContext.WidgetShortcut,
) -> QAction:
    """Return the action of a command in PANE_COMMANDS, added to the widget in which its key works."""
    action = _make_action(command(name), owner)
    action.setShortcutContext(context)
    if slot is not None:
        action.triggered.connect(slot)
    owner.addAction(action)
    return action


def command(name: str) -> Command:
    """Return the command of a name."""
    return _BY_NAME[name]


def key_words(key: str) -> str:
    """Return the display name of a key: "Ctrl+Enter" for "Ctrl+Return"."""
    return key.replace("Return", "Enter").replace("Up", "↑").replace("Pg↑", "Page Up").replace("PgDown", "Page Down")


def key_of(name: str) -> str:
    """Return the display name of a command's key."""
    return key_words(command(name).key)


def tool_tip(one: Command) -> str:
    """Return the tool tip of a command: its description and its key."""
    text = tr("{name}. {tip}", name=one.plain, tip=tr(one.tip)) if one.tip else one.plain
    return with_key(text, one.key)


def with_key(text: str, key: str) -> str:
    """Return a text followed by the display name of a key: "Add files (Ctrl+O)"."""
    return f"{text} ({key_words(key)})" if key else text


_BY_NAME = {one.name: one for one in (*COMMANDS, *PANE_COMMANDS)}


def _make_action(one: Command, parent: QWidget) -> QAction:
    action = QAction(one.title, parent)
    keys = [QKeySequence(key) for key in (one.key, one.also) if key]
    if keys:
        action.setShortcuts(keys)
    action.setProperty(COMMAND, one.name)
    action.setToolTip(tool_tip(one))
    return action
