"""Entries of the palette, collected from the window's menus, actions, documents and sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QMenu

from workbench.language import language, tr, translate
from workbench.settings import DECLARATIONS
from workbench.ui.actions import COMMAND, COMMANDS, command, key_words
from workbench.ui.palette.presenter import PaletteEntry, PaletteEntryKind
from workbench.ui.sessions.model import title_of

if TYPE_CHECKING:
    from workbench.ui.app_controller import AppController

_PALETTE = "palette"
_LETTER = re.compile(r"\(&[A-Z]\)")
_OF_DOCUMENTS = "library."
_ICON_OF = {one.name: one.icon for one in COMMANDS}
_ICONS = {
    PaletteEntryKind.DOCUMENT: "document",
    PaletteEntryKind.SESSION: "chat",
    PaletteEntryKind.SETTING: "settings",
    PaletteEntryKind.AGENT: "think",
}


class PaletteSources:
    """Collects the menus and actions of a window, so that new ones are found without registration."""

    def __init__(self, shell: AppController) -> None:
        self._shell = shell

    def entries(self) -> list[PaletteEntry]:
        """Return commands, settings and agents, in the order of the window."""
        return [*self._commands(), *self._settings(), *self._agents()]

    def names(self, kind: PaletteEntryKind) -> dict[int, str]:
        """Return the names of all documents, or of all sessions, by number, in lower case."""
        if kind is PaletteEntryKind.DOCUMENT:
            return self._shell.documents.model.words()
        infos = reversed(self._shell.sessions.model.sessions())
        return {info.id: info.title.casefold() for info in infos if info is not None}

    def named(self, kind: PaletteEntryKind, number: int) -> PaletteEntry | None:
        """Return a document or session; None if it no longer exists."""
        if kind is PaletteEntryKind.DOCUMENT:
            document = self._shell.documents.model.get(number)
            if document is None:
                return None
            title = document.metadata.title
            text = f"{document.name}: {title}" if title and title != document.name else document.name
            where = document.folder or document.knowledge_base
            return self._entry(kind, str(number), text, partial(self._open_document, number), where)
        info = self._shell.sessions.model.get(number)
        if info is None:
            return None
        return self._entry(kind, str(number), title_of(info), partial(self._open_session, number))

    def _commands(self) -> Iterator[PaletteEntry]:
        """Yield the commands of the menus, then the commands of the panes for their current selection."""
        seen: set[str] = set()
        for action, where in self._in_menus():
            entry = _command(action, where)
            if entry.key not in seen:
                seen.add(entry.key)
                yield entry
        window = self._shell.window
        chosen = set(self._shell.library_pane.selection_actions())
        for action in [*window.actions(), *window.findChildren(QAction)]:
            name = action.property(COMMAND)
            is_known = name is None or name == _PALETTE or f"command:{name}" in seen
            if is_known or not _can_be_given(action):
                continue
            if str(name).startswith(_OF_DOCUMENTS) and action not in chosen:
                continue
            entry = _command(action, _pane_of(str(name)))
            seen.add(entry.key)
            yield entry

    def _in_menus(self) -> Iterator[tuple[QAction, str]]:
        for top in self._shell.window.menus():
            yield from _within(top, _plain(top.title()))

    def _settings(self) -> Iterator[PaletteEntry]:
        for declared in DECLARATIONS:
            show = partial(self._shell.dialogs.show_setting, declared.key)
            title, help = translate(declared.title), translate(declared.help)
            found = self._entry(PaletteEntryKind.SETTING, declared.key, title, show, help)
            yield replace(found, english=_in_english(declared.title))

    def _agents(self) -> Iterator[PaletteEntry]:
        presenter = self._shell.chat.agents
        for agent in presenter.agents:
            ask = partial(presenter.ask, agent.name)
            yield self._entry(
                PaletteEntryKind.AGENT, agent.name, tr("Ask {name}", name=agent.name), ask, agent.description
            )

    def _entry(self, kind: PaletteEntryKind, key: str, text: str, run: partial[None], detail: str = "") -> PaletteEntry:
        return PaletteEntry(kind, f"{kind.name.lower()}:{key}", text, run, detail, icon=_ICONS[kind])

    def _open_document(self, number: int) -> None:
        document = self._shell.documents.model.get(number)
        if document is not None:
            self._shell.window.library_dock.reveal()
            self._shell.library_pane.select(number)
            self._shell.library_pane.document_chosen.emit(document)

    def _open_session(self, number: int) -> None:
        self._shell.sessions.open(number)
        self._shell.chat.focus_composer()


def _within(menu: QMenu, where: str) -> Iterator[tuple[QAction, str]]:
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            if inner.isEnabled():
                yield from _within(inner, f"{where} › {_plain(inner.title())}")
        elif not action.isSeparator() and action.property(COMMAND) != _PALETTE and _can_be_given(action):
            yield action, where


def _command(action: QAction, where: str) -> PaletteEntry:
    text = _plain(action.text())
    if action.isCheckable() and not action.property(COMMAND):
        text = tr("Hide {name}", name=text) if action.isChecked() else tr("Show {name}", name=text)
    name = action.property(COMMAND)
    key = name or f"{where}/{_plain(action.text())}"
    keys = key_words(action.shortcut().toString(QKeySequence.SequenceFormat.PortableText))
    english = _in_english(command(name).text) if name else ""
    icon = _ICON_OF.get(key, "")
    return PaletteEntry(
        PaletteEntryKind.COMMAND, f"command:{key}", text, action.trigger, where, keys, icon, english=english
    )


def _in_english(text: str) -> str:
    """Return the English name as an additional search text, if another language is shown."""
    return text if language() != "en" else ""


def _can_be_given(action: QAction) -> bool:
    """Return True if a command is available now; commands for a row need a current row."""
    owner = action.parent()
    if action.shortcutContext() == Qt.ShortcutContext.WidgetWithChildrenShortcut:
        return action.isEnabled() and action.isVisible() and str(action.property(COMMAND)).startswith("passage")
    chosen = not isinstance(owner, QAbstractItemView) or owner.currentIndex().isValid()
    return action.isEnabled() and action.isVisible() and bool(action.text()) and chosen


def _pane_of(name: str) -> str:
    chosen = {"library": tr("Chosen documents"), "sessions": tr("Chosen session"), "passage": tr("Chosen passage")}
    chosen["network"] = tr("Chosen request")
    return chosen.get(name.partition(".")[0], "")


def _plain(text: str) -> str:
    # "文件(&F)": in languages without Latin letters, the mnemonic is in parentheses after the name.
    text = _LETTER.sub("", text.partition("\t")[0])
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")
