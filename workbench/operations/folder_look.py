"""One look at a folder: its files with their stamps, without reading any of them."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.store.intake import Stamp

UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".opdownload", ".tmp", ".filepart")
"""Endings that browsers and copying programs give to a file on its way; some put them beside an empty one."""


@dataclass(slots=True)
class Look:
    """What was seen.

    Attributes:
        files: The files that could become documents, by their absolute path.
        unreadable: Folders that could not be listed: nothing can be said of what is in them.
        empty: There was not a single file or folder.
    """

    files: dict[str, Stamp] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    empty: bool = True

    def steady(self, later: "Look") -> dict[str, Stamp]:
        """Return the files that are the same in a later look: nobody is writing them."""
        return {path: stamp for path, stamp in later.files.items() if self.files.get(path) == stamp}

    def cannot_say(self, path: str) -> bool:
        """Whether a path lies where this look could not see."""
        return any(path == folder or path.startswith(folder + os.sep) for folder in self.unreadable)


def look_at(folder: Path, suffixes: frozenset[str]) -> Look | None:
    """Return what is in a folder and all below it, links to folders not followed; None where it is not reachable.

    Args:
        folder: Absolute.
        suffixes: The endings, in lower case, of files that could become documents.
    """
    look = Look()
    waiting = [str(folder)]
    while waiting:
        current = waiting.pop()
        try:
            with os.scandir(current) as entries:
                listed = list(entries)
        except OSError:
            if current == str(folder):
                return None
            look.unreadable.append(current)
            continue
        look.empty = look.empty and not listed
        waiting += [entry.path for entry in listed if _is_shown(entry.name) and _is_folder(entry)]
        look.files.update(_files(listed, suffixes))
    return look


def _files(listed: list[os.DirEntry[str]], suffixes: frozenset[str]) -> Iterator[tuple[str, Stamp]]:
    on_their_way = {
        entry.name.removesuffix(ending) for entry in listed for ending in UNFINISHED if entry.name.endswith(ending)
    }
    for entry in listed:
        if not _is_shown(entry.name) or entry.name in on_their_way:
            continue
        if os.path.splitext(entry.name)[1].lower() not in suffixes:
            continue
        # A link to nowhere, or a file that went between the two calls.
        with contextlib.suppress(OSError):
            if entry.is_file():
                facts = entry.stat()
                yield entry.path, Stamp(facts.st_size, facts.st_mtime_ns)


def _is_shown(name: str) -> bool:
    """Whether a name is neither hidden nor that of an editor's lock or safety copy."""
    return not name.startswith((".", "~$")) and not name.endswith("~")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
