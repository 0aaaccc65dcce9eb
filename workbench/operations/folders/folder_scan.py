"""Folder scan: the files of a linked folder with their stamps, and the plan for changes since the last scan.

    files found + known documents -> moved | restored | edited | new | deleted

Moves are detected by content: if a file with the same bytes is at another path, and the old path no longer has them,
it is the same document.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UnreadableFile
from workbench.model.knowledge_base import Removal
from workbench.operations.documents.file_metadata import is_sidecar
from workbench.operations.imports.archives import is_archive
from workbench.operations.imports.source_files import refusal, refusal_by_name
from workbench.parsing.long_files import is_long
from workbench.store.intake import TRY_AGAIN, FileStamp
from workbench.store.linked_folders import KnownFile

UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".opdownload", ".tmp", ".filepart")
"""Suffixes that browsers and file managers add to a file during transfer; some create an empty file without it too."""


@dataclass(slots=True)
class ScannedFolder:
    """Result of a scan of a folder.

    Attributes:
        files: Stamps of the files that can become documents, by absolute path.
        archives: Stamps of archives, whose members can, and of files that are read in parts.
        sidecars: Stamps of sidecar files, which contain metadata of others.
        unreadable: Folders that could not be listed; their content is unknown.
        unseen: Files that exist but could not be examined.
        links: Number of links to possible documents that are not followed.
        empty: True if there were no files or folders except hidden ones.
    """

    files: dict[str, FileStamp] = field(default_factory=dict)
    archives: dict[str, FileStamp] = field(default_factory=dict)
    sidecars: dict[str, FileStamp] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    unseen: set[str] = field(default_factory=set)
    links: int = 0
    empty: bool = True

    def steady(self, later: "ScannedFolder") -> dict[str, FileStamp]:
        """Return the files that are unchanged in a later scan: no program is writing them."""
        return {path: stamp for path, stamp in later.files.items() if self.files.get(path) == stamp}

    def steady_archives(self, later: "ScannedFolder") -> dict[str, FileStamp]:
        """Return the archives that are unchanged in a later scan."""
        return {path: stamp for path, stamp in later.archives.items() if self.archives.get(path) == stamp}

    def is_unexamined(self, path: str) -> bool:
        """Return whether this scan could not examine a path."""
        return path in self.unseen or any(
            path == folder or path.startswith(folder + os.sep) for folder in self.unreadable
        )


def scan_folder(folder: Path, *, follow_links: bool = False) -> ScannedFolder | None:
    """Scan a folder (absolute path) and all its subfolders; return None if it is not reachable.

    Links to folders are never followed, links to files only if follow_links is set.
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
        # An empty mount point can contain hidden system files: “.Trash”, “.DS_Store”.
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
                (look.sidecars if is_sidecar(Path(path)) else files)[path] = stamp
    return look


def _files(listed: list[os.DirEntry[str]]) -> Iterator[tuple[str, FileStamp | None]]:
    """Yield the files with their stamps; None for a file that cannot be examined now."""
    in_transfer = {
        entry.name.removesuffix(ending) for entry in listed for ending in UNFINISHED if entry.name.endswith(ending)
    }
    for entry in listed:
        if not _is_shown(entry.name) or entry.name in in_transfer:
            continue
        try:
            if entry.is_file():
                facts = entry.stat()
                stamp = FileStamp(facts.st_size, facts.st_mtime_ns)
                path = Path(entry.path)
                if is_archive(path) or not refusal(path, stamp) or is_sidecar(path):
                    yield entry.path, stamp
        except FileNotFoundError:
            continue  # deleted between the two calls
        except (OSError, UnreadableFile):
            # The drive is being removed, or a file without a suffix may not be opened: the file still exists.
            yield entry.path, None


def _is_shown(name: str) -> bool:
    """Return whether a name is not that of a hidden file, or of an editor's lock or backup file."""
    return not name.startswith((".", "~$")) and not name.endswith("~")


def _leads_to_document(link: os.DirEntry[str]) -> bool:
    """Return whether a link may point to a document; its target is not opened."""
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
"""Function that returns the SHA-256 of a file; None if the file is missing, UNREADABLE if it cannot be read."""

UNREADABLE = ""

Holding = Callable[[Iterable[str]], list[KnownFile]]
"""Function that returns the documents of the knowledge base, bin included, whose files have one of these hashes."""


@dataclass(slots=True)
class FolderScanPlan:
    """Steps that update the library to a scan.

    Attributes:
        placed: Documents of which only the path or the stamp changed: (document, path).
        moved: Number of documents in placed that were moved to another path.
        restored: Documents that are restored from the bin: (document, path).
        revived: Documents that are restored from the bin because their path has a file again, with other bytes.
        edited: Paths whose documents must be read again: the file changed, or has become readable.
        new: Paths that are added.
        gone: Documents whose files were deleted.
    """

    placed: list[tuple[int, str]] = field(default_factory=list)
    moved: int = 0
    restored: list[tuple[int, str]] = field(default_factory=list)
    revived: list[int] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)


class FolderPlanner:
    """Planner for all linked folders of one knowledge base together, because files move between them."""

    def __init__(
        self, files: Mapping[str, FileStamp], known: Iterable[KnownFile], hash: Hash, holding: Holding
    ) -> None:
        """Create a planner.

        Args:
            files: Stamps of the files that are equal in both scans, by path.
            known: The library's files of the folders, bin included.
            hash: Function that hashes a file.
            holding: Function that finds documents by hash.
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
                # If a document in the bin and another have the same path, the one that is not in the bin counts.
                self._at[one.path] = one
        self._contents: dict[str, str] = {}
        self._changed: frozenset[str] = frozenset()
        self._missing: frozenset[str] = frozenset()
        self._elsewhere: set[int] = set()
        self.plan = FolderScanPlan()

    def run(self, missing: Iterable[str]) -> FolderScanPlan:
        """Return the plan. missing contains the paths of known files that certainly do not exist any more."""
        paths = list(missing)
        self._missing = frozenset(paths)
        self._hash_unknown_files()
        self._match_moved_files()
        for path in list(self._contents):
            self._add_or_edit(path)
        lost = [self._at[path] for path in paths if path in self._at]
        gone = dict.fromkeys([*self.plan.gone, *(one.document for one in lost if one.removal is None)])
        self.plan.gone = [document for document in gone if document not in self._elsewhere]
        return self.plan

    def _hash_unknown_files(self) -> None:
        for path, stamp in self._files.items():
            known = self._at.get(path)
            if known is not None and known.stamp == stamp:
                continue
            sha256 = self._hash(path, stamp)
            if not sha256:
                if sha256 == UNREADABLE and known is None and path not in self._was_at:
                    self.plan.new.append(path)  # the import lists it with the reason
                continue
            if known is not None and known.sha256 == sha256:
                if known.stamp == TRY_AGAIN and known.removal is None:
                    self.plan.edited.append(path)
                else:
                    self.plan.placed.append((known.document, path))
            else:
                self._contents[path] = sha256
        self._changed = frozenset(self._contents)

    def _match_moved_files(self) -> None:
        """Assign each new or edited file the document that has its bytes but no longer its own path, if any."""
        holding: dict[str, list[KnownFile]] = defaultdict(list)
        for one in self._holding(set(self._contents.values())) if self._contents else ():
            holding[one.sha256].append(one)
        for path, sha256 in list(self._contents.items()):
            for one in sorted(holding[sha256], key=_by_presence):
                if one.document not in self._elsewhere and not self._still_holds(one):
                    self._elsewhere.add(one.document)
                    self._take(one, path)
                    del self._contents[path]
                    break
                if one.removal is None:
                    # Two files with the same bytes are one document, which keeps its path.
                    self._skip_duplicate(path)
                    break

    def _take(self, one: KnownFile, path: str) -> None:
        if one.removal is Removal.WITH_FILE:
            self.plan.restored.append((one.document, path))
        else:
            self.plan.placed.append((one.document, path))
            self.plan.moved += one.removal is None
        self._displace(path)

    def _skip_duplicate(self, path: str) -> None:
        del self._contents[path]
        self._displace(path)

    def _displace(self, path: str) -> None:
        """Mark the document that had this path as deleted, unless another path is found for it."""
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
            # The file was missing for a moment, as with programs that delete and write it again: restore the
            # document, so that its unchanged chunks are kept.
            self.plan.revived.append(before.document)
            self.plan.edited.append(path)
        else:
            self.plan.new.append(path)

    def _still_holds(self, one: KnownFile) -> bool:
        """Return whether the path of a document still has its bytes."""
        if one.removal is Removal.WITH_FILE:
            return False
        if one.path in self._files:
            return one.path not in self._changed
        # A link that is no longer followed exists, but counts as deleted: it is in missing.
        return one.path not in self._missing and os.path.lexists(one.path)


def _by_presence(one: KnownFile) -> tuple[bool, bool, int]:
    return one.removal is not None, one.removal is not Removal.WITH_FILE, one.document
