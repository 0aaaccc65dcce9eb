"""Presenter of the command palette, and its entries; works without a window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from workbench.language import mark, tr
from workbench.ui.bridge import Bridge
from workbench.ui.palette.name_matching import Match, finding, match


class PaletteEntryKind(StrEnum):
    """Kind of an entry, in the order of the list."""

    COMMAND = mark("Command")
    DOCUMENT = mark("Document")
    SESSION = mark("Session")
    SETTING = mark("Setting")
    AGENT = mark("Agent")


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """Entry of the palette: a name and the function that choosing it calls.

    Attributes:
        key: Identifier for the recent entries, stable between runs of the program.
        detail: Location: its menu, folder, or the help of a setting.
        keys: Its keyboard shortcut, as display text.
        run: A bound method, or a partial of one.
        spans: Matched characters of the text, as (start, end).
        english: English name if the text is in another language; also searched.
    """

    kind: PaletteEntryKind
    key: str
    text: str
    run: Callable[[], object]
    detail: str = ""
    keys: str = ""
    icon: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    english: str = ""

    @property
    def spoken(self) -> str:
        """Text for a screen reader."""
        return ", ".join(part for part in (self.text, tr(self.kind.value), self.detail, self.keys) if part)


MOST = {
    PaletteEntryKind.COMMAND: 12,
    PaletteEntryKind.SETTING: 6,
    PaletteEntryKind.AGENT: 4,
    PaletteEntryKind.DOCUMENT: 12,
    PaletteEntryKind.SESSION: 6,
}
"""Maximum number of rows of each kind while searching."""
RECENT = 12
"""Number of recent entries that are stored."""
# Bonus of recently used entries, which then precede slightly better matches.
_USED = 12.0


class Findable(Protocol):
    """Source of the palette's entries."""

    def entries(self) -> list[PaletteEntry]:
        """Return commands, settings and agents."""

    def names(self, kind: PaletteEntryKind) -> dict[int, str]:
        """Return the names of all documents, or of all sessions, by number, in lower case."""

    def named(self, kind: PaletteEntryKind, number: int) -> PaletteEntry | None:
        """Return a document or session; None if it no longer exists."""


class PalettePresenter(QObject):
    """Searches the entries.

    Signals:
        found: The entries for the last query, the best first.
    """

    found = Signal(list)

    def __init__(self, bridge: Bridge, findable: Findable, recent: Sequence[str], parent: QObject | None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._findable = findable
        self._entries: list[PaletteEntry] = []
        self._names: dict[PaletteEntryKind, dict[int, str]] = {}
        self._numbers: dict[PaletteEntryKind, list[int]] = {}
        self._needle = ""
        self.recent: list[str] = list(recent)

    def begin(self) -> None:
        """Load the current entries, and show the recent ones before all commands."""
        self._entries = self._findable.entries()
        self._names = {
            kind: self._findable.names(kind) for kind in (PaletteEntryKind.DOCUMENT, PaletteEntryKind.SESSION)
        }
        self.look("")

    def look(self, needle: str) -> None:
        """Search the entries; documents and sessions follow when the worker has searched them."""
        self._needle = needle.strip()
        self._numbers = {}
        self._emit_found()
        for kind, names in self._names.items():
            if self._needle and names:
                search = _PaletteSearch(self, self._needle, kind)
                self._bridge.submit(finding(names, self._needle, MOST[kind]), done=search.done)

    def take(self, needle: str, kind: PaletteEntryKind, numbers: list[int]) -> None:
        """Take the results of the worker, unless the query has changed meanwhile."""
        if needle == self._needle:
            self._numbers[kind] = numbers
            self._emit_found()

    def choose(self, entry: PaletteEntry) -> None:
        """Run an entry, and add it to the recent ones."""
        self.recent = [entry.key, *(key for key in self.recent if key != entry.key)][:RECENT]
        entry.run()

    def _emit_found(self) -> None:
        self.found.emit(self._ranked() if self._needle else self._first_rows())

    def _first_rows(self) -> list[PaletteEntry]:
        """Return the recent entries, followed by the other commands in menu order."""
        by_key = {entry.key: entry for entry in self._entries}
        used = [by_key.get(key) or self._numbered(key) for key in self.recent]
        shown = [entry for entry in used if entry is not None]
        keys = {entry.key for entry in shown}
        return shown + [one for one in self._entries if one.kind is PaletteEntryKind.COMMAND and one.key not in keys]

    def _numbered(self, key: str) -> PaletteEntry | None:
        """Return the document or session of a stored key."""
        name, _, number = key.partition(":")
        kind = next((kind for kind in self._names if kind.name.lower() == name), None)
        return self._findable.named(kind, int(number)) if kind is not None and number.isdecimal() else None

    def _ranked(self) -> list[PaletteEntry]:
        weighed: list[tuple[float, int, PaletteEntry]] = []
        candidates = [*self._entries, *self._found_by_worker()]
        for place, entry in enumerate(candidates):
            fit = _fit(self._needle, entry)
            if fit is not None:
                score = fit.score + (_USED if entry.key in self.recent else 0.0)
                weighed.append((-score, place, replace(entry, spans=fit.spans)))
        weighed.sort(key=lambda one: one[:2])
        return _at_most(entry for _score, _place, entry in weighed)

    def _found_by_worker(self) -> list[PaletteEntry]:
        found = [self._findable.named(kind, number) for kind, numbers in self._numbers.items() for number in numbers]
        return [entry for entry in found if entry is not None]


class _PaletteSearch:
    """Search on the worker; a separate object, so that a late reply can be matched to its query."""

    def __init__(self, presenter: PalettePresenter, needle: str, kind: PaletteEntryKind) -> None:
        self._presenter = presenter
        self._needle = needle
        self._kind = kind

    def done(self, numbers: list[int]) -> None:
        """Pass the results to the presenter."""
        self._presenter.take(self._needle, self._kind, numbers)


def _fit(needle: str, entry: PaletteEntry) -> Match | None:
    """Return how well an entry matches, by its name in the window's language or in English; None if it does not."""
    # The kind is searched, too: "setting theme" finds the setting before the command.
    more = f"{entry.key} {entry.kind.value} {tr(entry.kind.value)} {entry.detail}"
    fit = match(needle, entry.text, more)
    english = match(needle, entry.english) if entry.english else None
    if english is None or (fit is not None and fit.score >= english.score):
        return fit
    return Match(english.score, ())


def _at_most(entries: Iterable[PaletteEntry]) -> list[PaletteEntry]:
    """Return the first entries of each kind, up to MOST, in their order."""
    left = dict(MOST)
    shown = []
    for entry in entries:
        if left[entry.kind]:
            left[entry.kind] -= 1
            shown.append(entry)
    return shown
