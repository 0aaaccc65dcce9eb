"""Scenes of the other windows: settings, palette, keys, export, check, agents, memory, bin."""

from library import removed
from model import Script
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QTabWidget
from stage import Stage

from workbench import operations
from workbench.model.memory import MemoryKind
from workbench.ui.palette.command_palette import CommandPalette
from workbench.ui.settings.settings_dialog import SettingsDialog

_MEMORIES = (
    (MemoryKind.USER_PREFERENCE, "Wants amounts in millions of euros"),
    (MemoryKind.TASK_RECORD, "Prepares the budget of the North Quay"),
)
_OTHERS = (
    ("shortcuts", "shortcuts", "Keyboard shortcuts by pane"),
    ("export", "export", "Export of sessions: format, contents, and data that leaves this machine"),
    ("check", "check", "Check of all documents: contents found and lost"),
    ("agents", "agents", "Agents"),
    ("retrievers", "retrievers", "Custom retrievers, plug-in files and workspaces"),
    ("memory", "memory", "Memory: stored notes from conversations"),
    ("bin", "bin", "The bin: removed documents that can be restored"),
    ("new_note", "new-note", "A new note"),
    ("add_link", "add-link", "Adding web pages by address"),
)


def settings(stage: Stage, _script: Script) -> None:
    """Show every page of the settings, then a search in them."""
    stage.command("settings")
    dialog = stage.find(SettingsDialog)
    pages = stage.find(QListWidget, within=dialog, text="Pages of the settings")
    for row in range(pages.count()):
        pages.setCurrentRow(row)
        name = pages.item(row).text()
        stage.shoot(f"settings-{name.lower().replace(' ', '-')}", f"The settings: {name}")
    stage.find(QLineEdit, within=dialog, text="Search settings").setText("tokens")
    stage.pause(0.4)
    stage.shoot("settings-found", "Search in the settings")
    dialog.close()


def palette(stage: Stage, _script: Script) -> None:
    """Show the command palette with results."""
    stage.command("palette")
    shown = stage.find(CommandPalette)
    field = stage.find(QLineEdit, within=shown)
    field.setText("exp")
    field.textEdited.emit("exp")
    stage.pause(0.3)
    stage.shoot("palette", "The command palette")
    stage.command("palette")


def remembered(stage: Stage, _script: Script) -> None:
    """Store two memory notes about the user."""
    stage.do(operations.put_setting(stage.library, "memory", "yes"))
    for kind, text in _MEMORIES:
        stage.do(operations.put_memory(stage.library, text, kind))


def others(stage: Stage, _script: Script) -> None:
    """Show the other windows, one after another."""
    for command, name, shows in _OTHERS:
        stage.command(command)
        stage.pause(0.5)
        stage.find(QDialog)
        stage.shoot(name, shows)
        stage.clear()


def memory_and_tabs(stage: Stage, _script: Script) -> None:
    """Show further pages of windows with tabs."""
    stage.command("retrievers")
    tabs = stage.find(QTabWidget)
    tabs.setCurrentIndex(tabs.count() - 1)
    stage.shoot("workspaces", "Workspaces: folders of agents")
    stage.clear()


SCENES = (settings, palette, removed, remembered, others, memory_and_tabs)
