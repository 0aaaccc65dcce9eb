"""One look at a folder: its files with their stamps; only of those without an ending the first bytes are read."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UnreadableFile
from workbench.operations.archives import is_archive
from workbench.operations.file_kinds import refusal, refusal_by_name
from workbench.operations.file_metadata import is_beside
from workbench.parsing.long_files import is_long
from workbench.store.intake import Stamp

UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".opdownload", ".tmp", ".filepart")
"""Endings that browsers and copying programs give to a file on its way; some put them beside an empty one."""


@dataclass(slots=True)
class Look:
    """What was seen.

    Attributes:
        files: The files that could become documents, by their absolute path.
        archives: The archives, whose members could, and the files that are read in parts.
        beside: Files that hold metadata of others.
        unreadable: Folders that could not be listed: nothing can be said of what is in them.
        unseen: Files that are there and could not be looked at.
        links: Links to files that may be documents, and are not followed.
        empty: There was not a single file or folder but hidden ones.
    """

    files: dict[str, Stamp] = field(default_factory=dict)
    archives: dict[str, Stamp] = field(default_factory=dict)
    beside: dict[str, Stamp] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    unseen: set[str] = field(default_factory=set)
    links: int = 0
    empty: bool = True

    def steady(self, later: "Look") -> dict[str, Stamp]:
        """Return the files that are the same in a later look: nobody is writing them."""
        return {path: stamp for path, stamp in later.files.items() if self.files.get(path) == stamp}

    def steady_archives(self, later: "Look") -> dict[str, Stamp]:
        """Return the same of the archives."""
        return {path: stamp for path, stamp in later.archives.items() if self.archives.get(path) == stamp}

    def cannot_say(self, path: str) -> bool:
        """Whether a path lies where this look could not see."""
        return path in self.unseen or any(
            path == folder or path.startswith(folder + os.sep) for folder in self.unreadable
        )


def look_at(folder: Path, *, follow_links: bool = False) -> Look | None:
    """Return what is in a folder (absolute) and all below it; None if not reachable.

    Links to folders are never followed, links to files only where that is wanted.
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
        # An empty place for a drive can hold what the system hides: “.Trash”, “.DS_Store”.
        look.empty = look.empty and not any(_is_shown(entry.name) for entry in listed)
        waiting += [entry.path for entry in listed if _is_shown(entry.name) and _is_folder(entry)]
        if not follow_links:
            links = [entry for entry in listed if entry.is_symlink()]
            look.links += sum(_is_shown(one.name) and _leads_to_document(one) for one in links)
            listed = [entry for entry in listed if entry not in links] if links else listed
        for path, stamp in _files(listed):
            if stamp is None:
                look.unseen.add(path)
            else:
                is_divided = is_archive(Path(path)) or is_long(Path(path), stamp.size)
                files = look.archives if is_divided else look.files
                (look.beside if is_beside(Path(path)) else files)[path] = stamp
    return look


def _files(listed: list[os.DirEntry[str]]) -> Iterator[tuple[str, Stamp | None]]:
    """Yield the files with their stamps, None for one that cannot be looked at now."""
    on_their_way = {
        entry.name.removesuffix(ending) for entry in listed for ending in UNFINISHED if entry.name.endswith(ending)
    }
    for entry in listed:
        if not _is_shown(entry.name) or entry.name in on_their_way:
            continue
        try:
            if entry.is_file():
                facts = entry.stat()
                stamp = Stamp(facts.st_size, facts.st_mtime_ns)
                path = Path(entry.path)
                if is_archive(path) or not refusal(path, stamp) or is_beside(path):
                    yield entry.path, stamp
        except FileNotFoundError:
            continue  # it went between the two calls
        except (OSError, UnreadableFile):
            # A drive that goes just now, or one without an ending that may not be opened: it is there nevertheless.
            yield entry.path, None


def _is_shown(name: str) -> bool:
    """Whether a name is neither hidden nor that of an editor's lock or safety copy."""
    return not name.startswith((".", "~$")) and not name.endswith("~")


def _leads_to_document(link: os.DirEntry[str]) -> bool:
    """Whether a link may lead to a document; its target is not opened."""
    path = Path(link.path)
    try:
        return link.is_file() and (is_archive(path) or not refusal_by_name(path))
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
