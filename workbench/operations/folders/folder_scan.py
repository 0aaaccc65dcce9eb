"""Folder scan: the files of a linked folder with their stamps, and the plan of what changed since the last scan.

    files seen + documents known -> moved | restored | edited | new | gone

What moved is decided by content: a file of the same bytes at another place, while the old place does not hold them any
more, is the same document.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UnreadableFile
from workbench.model.knowledge_base import Removal
from workbench.operations.documents.file_metadata import is_beside
from workbench.operations.imports.archives import is_archive
from workbench.operations.imports.source_files import refusal, refusal_by_name
from workbench.parsing.long_files import is_long
from workbench.store.intake import TRY_AGAIN, FileStamp
from workbench.store.linked_folders import KnownFile

UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".opdownload", ".tmp", ".filepart")
"""Endings that browsers and copying programs give to a file on its way; some put them beside an empty one."""


@dataclass(slots=True)
class ScannedFolder:
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

    files: dict[str, FileStamp] = field(default_factory=dict)
    archives: dict[str, FileStamp] = field(default_factory=dict)
    beside: dict[str, FileStamp] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    unseen: set[str] = field(default_factory=set)
    links: int = 0
    empty: bool = True

    def steady(self, later: "ScannedFolder") -> dict[str, FileStamp]:
        """Return the files that are the same in a later look: nobody is writing them."""
        return {path: stamp for path, stamp in later.files.items() if self.files.get(path) == stamp}

    def steady_archives(self, later: "ScannedFolder") -> dict[str, FileStamp]:
        """Return the same of the archives."""
        return {path: stamp for path, stamp in later.archives.items() if self.archives.get(path) == stamp}

    def cannot_say(self, path: str) -> bool:
        """Whether a path lies where this look could not see."""
        return path in self.unseen or any(
            path == folder or path.startswith(folder + os.sep) for folder in self.unreadable
        )


def look_at(folder: Path, *, follow_links: bool = False) -> ScannedFolder | None:
    """Return what is in a folder (absolute) and all below it; None if not reachable.

    Links to folders are never followed, links to files only where that is wanted.
    """
    look = ScannedFolder()
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


def _files(listed: list[os.DirEntry[str]]) -> Iterator[tuple[str, FileStamp | None]]:
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
                stamp = FileStamp(facts.st_size, facts.st_mtime_ns)
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


Hash = Callable[[str, FileStamp], str | None]
"""Gives the SHA-256 of a file; None where it is gone, UNREADABLE where it may not be read."""

UNREADABLE = ""

Holding = Callable[[Iterable[str]], list[KnownFile]]
"""Gives the documents of the knowledge base, those in the bin too, that hold the bytes of these hashes."""


@dataclass(slots=True)
class FolderScanPlan:
    """What is to be done.

    Attributes:
        placed: Documents of which only the place or the stamp changed: (document, path).
        moved: How many of them have another place.
        restored: Documents that come back from the bin: (document, path).
        revived: Documents that come back from the bin because their path has a file again, of other bytes.
        edited: Paths whose document is to be read again: the file changed, or can be read now.
        new: Paths to be added.
        gone: Documents whose file is no more.
    """

    placed: list[tuple[int, str]] = field(default_factory=list)
    moved: int = 0
    restored: list[tuple[int, str]] = field(default_factory=list)
    revived: list[int] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)


class FolderPlanner:
    """Plans for the linked folders of one knowledge base together, because files move between them."""

    def __init__(
        self, files: Mapping[str, FileStamp], known: Iterable[KnownFile], hash: Hash, holding: Holding
    ) -> None:
        """Take the facts.

        Args:
            files: The steady files, by path.
            known: What the library knows of the folders, the bin included.
            hash: Reads a file.
            holding: Asks the library.
        """
        self._files = files
        self._hash = hash
        self._holding = holding
        self._at: dict[str, KnownFile] = {}
        self._was_at: dict[str, KnownFile] = {}
        for one in known:
            if one.removal is Removal.WITH_FILE:
                self._was_at[one.path] = one
            elif one.path not in self._at or one.removal is None:
                # Where a document in the bin and another have the same path, the one that is there counts.
                self._at[one.path] = one
        self._contents: dict[str, str] = {}
        self._changed: frozenset[str] = frozenset()
        self._missing: frozenset[str] = frozenset()
        self._elsewhere: set[int] = set()
        self.plan = FolderScanPlan()

    def run(self, missing: Iterable[str]) -> FolderScanPlan:
        """Return the plan; missing are the paths that are certainly not there any more."""
        paths = list(missing)
        self._missing = frozenset(paths)
        self._read_what_is_not_known()
        self._move()
        for path in list(self._contents):
            self._add_or_edit(path)
        lost = [self._at[path] for path in paths if path in self._at]
        gone = dict.fromkeys([*self.plan.gone, *(one.document for one in lost if one.removal is None)])
        self.plan.gone = [document for document in gone if document not in self._elsewhere]
        return self.plan

    def _read_what_is_not_known(self) -> None:
        for path, stamp in self._files.items():
            known = self._at.get(path)
            if known is not None and known.stamp == stamp:
                continue
            sha256 = self._hash(path, stamp)
            if not sha256:
                if sha256 == UNREADABLE and known is None and path not in self._was_at:
                    self.plan.new.append(path)  # so that it is listed, with the reason
                continue
            if known is not None and known.sha256 == sha256:
                if known.stamp == TRY_AGAIN and known.removal is None:
                    self.plan.edited.append(path)
                else:
                    self.plan.placed.append((known.document, path))
            else:
                self._contents[path] = sha256
        self._changed = frozenset(self._contents)

    def _move(self) -> None:
        """Give each file that is new or edited the document that holds its bytes and has lost its own place."""
        holding: dict[str, list[KnownFile]] = defaultdict(list)
        for one in self._holding(set(self._contents.values())) if self._contents else ():
            holding[one.sha256].append(one)
        for path, sha256 in list(self._contents.items()):
            for one in sorted(holding[sha256], key=_first_those_that_are_there):
                if one.document not in self._elsewhere and not self._still_holds(one):
                    self._elsewhere.add(one.document)
                    self._take(one, path)
                    del self._contents[path]
                    break
                if one.removal is None:
                    # The same bytes twice are one document, at its own place.
                    self._same_as_another(path)
                    break

    def _take(self, one: KnownFile, path: str) -> None:
        if one.removal is Removal.WITH_FILE:
            self.plan.restored.append((one.document, path))
        else:
            self.plan.placed.append((one.document, path))
            self.plan.moved += one.removal is None
        self._displace(path)

    def _same_as_another(self, path: str) -> None:
        del self._contents[path]
        self._displace(path)

    def _displace(self, path: str) -> None:
        """Let go of the document that had this place; it may find another."""
        before = self._at.get(path)
        if before is not None and before.removal is None:
            self.plan.gone.append(before.document)

    def _add_or_edit(self, path: str) -> None:
        known = self._at.get(path)
        if known is not None and known.removal is not None:
            return  # the user does not want this file
        if known is not None and known.document not in self._elsewhere:
            self.plan.edited.append(path)
            return
        before = self._was_at.get(path)
        if known is None and before is not None and before.document not in self._elsewhere:
            # It was away for a moment, as with programs that save by writing anew: what did not change is kept.
            self.plan.revived.append(before.document)
            self.plan.edited.append(path)
        else:
            self.plan.new.append(path)

    def _still_holds(self, one: KnownFile) -> bool:
        """Whether a document's own place still has its bytes."""
        if one.removal is Removal.WITH_FILE:
            return False
        if one.path in self._files:
            return one.path not in self._changed
        # A link that is not followed any more is there and counts as gone.
        return one.path not in self._missing and os.path.lexists(one.path)


def _first_those_that_are_there(one: KnownFile) -> tuple[bool, bool, int]:
    return one.removal is not None, one.removal is not Removal.WITH_FILE, one.document
