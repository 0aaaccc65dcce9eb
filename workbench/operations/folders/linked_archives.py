"""ZIP archives in linked folders: import of changed archives, removal of members of deleted ones.

    archives found + known members -> restore members from the bin and import the archive | remove members

A changed archive is imported in the same way as one that the user adds: only the members that changed are read.
"""

import contextlib
import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import DocumentError
from workbench.model.import_progress import DocumentChanged, FileFinished, FileOutcome
from workbench.model.knowledge_base import LinkedFolder, Removal
from workbench.operations.folders.folder_scan import ScannedFolder
from workbench.operations.imports.archives import SUFFIX
from workbench.operations.imports.importing import Importer
from workbench.operations.imports.path_expansion import PathPatterns
from workbench.operations.library.library import Library
from workbench.parsing.long_files import is_part
from workbench.store.intake import TRY_AGAIN, FileStamp
from workbench.store.linked_folders import KnownFile
from workbench.worker.job import JobContext

_ENDING = re.compile(re.escape(SUFFIX + os.sep), re.I)


@dataclass(slots=True)
class ArchiveChanges:
    """Changes of archive members, by their paths."""

    added: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


class FolderArchives:
    """Known archives of one linked folder and their members."""

    def __init__(self, library: Library, folder: LinkedFolder) -> None:
        """Read the members from the library; blocking."""
        self.folder = folder
        self.members = library.linked.members(folder)
        self._seen = library.archives.followed
        self._by_archive: dict[str, list[KnownFile]] = defaultdict(list)
        for one in self.members:
            for archive in _archives_of(one.path):
                self._by_archive[archive].append(one)

    def changed(self, archives: Mapping[str, FileStamp]) -> list[str]:
        """Return the archives that are new or have changed since their members were read."""
        return [path for path, stamp in archives.items() if not self._as_known(path, stamp)]

    def lost(self, look: ScannedFolder) -> list[KnownFile]:
        """Return the members that are not in the bin and whose archive was deleted."""
        return [
            one
            for one in self.members
            if one.removal is None
            and not look.is_unexamined(one.path)
            and not any(archive in look.archives for archive in _archives_of(one.path))
        ]

    def of(self, archives: Iterable[str]) -> list[KnownFile]:
        """Return the members of archives, including those in the bin."""
        return [one for archive in archives for one in self._by_archive.get(archive, ())]

    def note(self, archives: Mapping[str, FileStamp], unlucky: Collection[str] = ()) -> None:
        """Remember the stamps of archives that were read; those in unlucky are retried once without a change."""
        base = self.folder.knowledge_base
        for path, stamp in archives.items():
            again = path in unlucky and self._seen.get((base, path)) != TRY_AGAIN
            self._seen[base, path] = TRY_AGAIN if again else stamp

    def _as_known(self, path: str, stamp: FileStamp) -> bool:
        seen = self._seen.get((self.folder.knowledge_base, path))
        if seen == TRY_AGAIN:
            return not _can_be_opened(path)
        if seen is not None:
            return seen == stamp
        # Not read since the program started: compare with its members, which have its modification time.
        there = [one for one in self._by_archive.get(path, ()) if one.removal is None]
        return bool(there) and all(one.stamp.mtime_ns == stamp.mtime_ns for one in there)


@dataclass(frozen=True, slots=True)
class _WantedMembers(PathPatterns):
    """Pattern that accepts all members except those that the user removed."""

    removed: frozenset[str] = frozenset()

    def excludes(self, path: Path) -> bool:
        return str(path) in self.removed


async def read_archives(
    library: Library,
    context: JobContext,
    folder: FolderArchives,
    steady: Mapping[str, FileStamp],
    found_in: Sequence[Path] = (),
) -> ArchiveChanges:
    """Import the changed archives of a folder; steady contains those that no program is writing."""
    done = ArchiveChanges()
    paths = folder.changed(steady)
    if not paths:
        return done
    known = folder.of(paths)
    done.restored = await library.on_store(_restore, library, context, paths, known)
    removed = frozenset(one.path for one in known if one.removal not in (None, Removal.WITH_FILE))
    reading = Importer(
        library,
        context,
        knowledge_base=folder.folder.knowledge_base,
        choice=_WantedMembers(removed=removed),
        found_in=found_in,
    )
    results = await reading.add([Path(path) for path in paths])
    await library.on_store(_place, library, folder.folder, results)
    folder.note({path: steady[path] for path in paths}, {one.path for one in results if one.can_pass})
    before = {one.path for one in known if one.removal in (None, Removal.WITH_FILE)}
    ready = [one.path for one in results if one.outcome is FileOutcome.READY]
    done.added = [path for path in ready if path not in before]
    done.edited = [path for path in ready if path in before]
    done.failed = [one.path for one in results if one.outcome is FileOutcome.FAILED]
    return done


def remove_lost(library: Library, folder: FolderArchives, looks: Sequence[ScannedFolder]) -> dict[int, str]:
    """Move the members of archives that are in no scan to the bin, and return their paths by id; blocking.

    Call it after the other archives were read, so that an archive that was only renamed keeps its documents.
    """
    now = FolderArchives(library, folder.folder)
    lost = {one.document: one.path for one in now.lost(looks[0])}
    for look in looks[1:]:
        also = {one.document for one in now.lost(look)}
        lost = {document: path for document, path in lost.items() if document in also}
    removed = library.documents.mark_removed(lost, Removal.WITH_FILE) if lost else []
    for archive in {archive for path in lost.values() for archive in _archives_of(path)}:
        library.archives.followed.pop((folder.folder.knowledge_base, archive), None)
    return {document: lost[document] for document in removed}


def _restore(library: Library, context: JobContext, archives: Sequence[str], known: Sequence[KnownFile]) -> list[str]:
    """Restore members that were binned with their archive; the import that follows reads those that changed."""
    present: set[str] = set()
    for archive in archives:
        with contextlib.suppress(DocumentError):  # the import reports the error
            present.update(str(member.path) for member in library.archives.members(Path(archive)))
    binned = {one.document: one.path for one in known if one.removal is Removal.WITH_FILE and one.path in present}
    back = library.documents.restore(binned) if binned else []
    for document in back:
        context.emit(DocumentChanged(library.documents.get(document)))
    return [binned[document] for document in back]


def _place(library: Library, folder: LinkedFolder, results: Sequence[FileFinished]) -> None:
    """Store the folders of members in the tree of the linked folder."""
    tree = library.linked.tree_name(folder)
    places: dict[int, str] = {}
    for one in results:
        if one.document is None or one.outcome not in (FileOutcome.READY, FileOutcome.FAILED):
            continue
        places[one.document] = tree_place(tree, folder, one.path)
    library.intake.put_folders(places)


def tree_place(tree: str, folder: LinkedFolder, path: str) -> str:
    """Return the folder of a file in the tree of a linked folder with the name tree, for example "Contracts/2024"."""
    below = Path(path).parent.relative_to(folder.path).as_posix()
    return "/".join(part for part in (tree, below) if part not in ("", "."))


def _can_be_opened(path: str) -> bool:
    try:
        with open(path, "rb"):
            return True
    except OSError:
        return False


def _archives_of(path: str) -> list[str]:
    """Return the archives in a member's path, outermost first, and the file that it is part of."""
    found = [path[: found.end() - 1] for found in _ENDING.finditer(path)]
    return [*found, str(Path(path).parent)] if is_part(Path(path)) else found
