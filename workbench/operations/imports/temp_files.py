"""Temporary files: staging folders, orphans and the start-up clean-up, reference counts of copies.

A half-written export lies beside the user's own files, and pictures of pages lie in the system's folder for what is
temporary: nobody would ever look for them there.
"""

import contextlib
import logging
import os
import re
import secrets
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import DiskFull, LibraryUnwritable
from workbench.files.changes import delete_file, delete_folder
from workbench.files.modes import make_folder, new_file
from workbench.indexing.atomic_files import UNFINISHED, fsync_file, fsync_new_name
from workbench.operations.imports.source_files import drop_partial
from workbench.operations.sessions.imported_page_images import drop_kept
from workbench.store.backups import FOLDER
from workbench.store.backups import UNFINISHED as UNFINISHED_COPY
from workbench.store.intake import Origins
from workbench.worker.scratch import drop_abandoned

if TYPE_CHECKING:
    from workbench.operations.library.library import Library


def staging_of(library: "Library") -> Path:
    """Return where all of it stands; the next start empties it (temp_files.py)."""
    return library.folder / "staging"


@contextlib.contextmanager
def staging_folder(library: "Library") -> Iterator[Path]:
    """Make a folder below the library; it goes with everything in it. Blocking.

    Raises:
        LibraryError: The library cannot be written.
    """
    base = staging_of(library)
    try:
        make_folder(base, inherit=True)
        folder = Path(tempfile.mkdtemp(dir=base))
    except OSError as error:
        raise LibraryUnwritable("The library's folder cannot be written.", "Check its permissions.") from error
    try:
        yield folder
    finally:
        delete_folder(folder, within=library.folder)


def write_staged(file: Path, data: bytes) -> Path:
    """Write a staged file; blocking.

    Raises:
        DiskFull: There is no room for it.
    """
    try:
        file.write_bytes(data)
    except OSError as error:
        raise DiskFull("The disk is full: nothing was added.", "Free some space, then try again.") from error
    return file


_MARK = "workbench-"
_NAME = re.compile(r"\.?workbench-([0-9a-f]{12})(\.part)?")
"""What is deleted has such a name, whatever a note says: a library may come from somebody else."""


class TempFiles:
    """Lends places for what is on the way, each until it is done with."""

    def __init__(self, notes: Path) -> None:
        """Keep notes in a folder that nobody else uses; it is made when it is needed."""
        self._notes = notes

    @contextlib.contextmanager
    def beside(self, target: Path) -> Iterator[Path]:
        """Lend an empty file in the folder of another; what is there at the end is deleted.

        Raises:
            OSError: It cannot be made.
        """
        token = secrets.token_hex(6)
        path = target.parent / f".{_MARK}{token}.part"
        with self._noted(token, path):
            new_file(path)
            yield path

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """Lend a folder for what is temporary; it goes with everything in it. Blocking.

        Raises:
            OSError: It cannot be made.
        """
        token = secrets.token_hex(6)
        path = Path(tempfile.gettempdir(), _MARK + token)
        with self._noted(token, path):
            path.mkdir(mode=0o700)
            yield path

    def drop(self) -> None:
        """Delete what a kill left; only for the one program that has the library."""
        for note in self._notes.iterdir() if self._notes.is_dir() else ():
            with contextlib.suppress(OSError):
                path = Path(os.fsdecode(note.read_bytes()))
                found = _NAME.fullmatch(path.name)
                if found is not None and found.group(1) == note.name and path.is_absolute():
                    _delete(path)
                delete_file(note, within=self._notes)

    @contextlib.contextmanager
    def _noted(self, token: str, path: Path) -> Iterator[None]:
        note = self._notes / token
        # Without room for the note the work goes on: only a kill would leave something.
        with contextlib.suppress(OSError):
            made = make_folder(self._notes, inherit=True)
            new_file(note, inherit=True)
            note.write_bytes(os.fsencode(path.absolute()))
            # A power cut would leave the file, too, and nobody would know.
            fsync_file(note)
            fsync_new_name(note, made)
        try:
            yield
        finally:
            _delete(path)
            with contextlib.suppress(OSError):
                delete_file(note, within=self._notes)


def _delete(path: Path) -> None:
    """Delete what has such a name, wherever the user had it made; never what a link of that name leads to."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            delete_folder(path, within=path.parent)
        else:
            delete_file(path, within=path.parent, missing_ok=True)


logger = logging.getLogger(__name__)


def delete_unfinished(library: "Library") -> None:
    """Delete what was on its way: at every start, quick where there is nothing."""
    drop_partial(library.originals)
    # Nobody has opened an index or a map yet, or begun a backup; SQLite keeps a journal beside one.
    index, charts, backups = (library.folder / name for name in ("index", "map", FOLDER))
    found = [*index.glob(f"*/*{UNFINISHED}"), *charts.glob(f"*{UNFINISHED}")]
    for folder in (backups, library.folder):
        found += folder.glob(f"*{UNFINISHED_COPY}*")
    for path in found:
        with contextlib.suppress(OSError):
            delete_file(path, within=library.folder)
    delete_folder(staging_of(library), within=library.folder)
    library.unfinished.drop()
    Origins(library.database).discard_unwritten()
    drop_kept(library.folder, library.session_upkeep.numbers())


def delete_orphans(library: "Library") -> None:
    """Delete what belongs to nothing any more: copies without a document, indexes and maps without vectors; blocking.

    After a kill only: 100,000 copies take 0.5 s to go through.
    """
    logger.info("The program ended without closing the library: looking for what it left")
    drop_abandoned()
    library.drop_copies()
    # First what is there, then what is known: an index that is begun meanwhile is not among the first.
    folders = [*_inside(library.folder / "index")]
    charts = [*_inside(library.folder / "map")]
    used = {library.index_path(name).name for name in library.embedders.names()}
    for folder in folders:
        if folder.name not in used:
            delete_folder(folder, within=library.folder)
    for chart in charts:
        if chart.stem not in used:
            with contextlib.suppress(OSError):
                delete_file(chart, within=library.folder)


def _inside(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


class CopyReferences:
    """Counts who needs which copy; safe on any thread."""

    def __init__(self, library_folder: Path) -> None:
        """Take the folder in which all copies are."""
        self._library_folder = library_folder
        self._lock = threading.Lock()
        self._holders: Counter[str] = Counter()
        self._sweeps = 0
        self._let_go: list[str] = []

    def hold(self, sha256: str) -> None:
        """Keep the copy of these bytes, be it there or not yet, until it is let go as often as it was held."""
        with self._lock:
            self._holders[sha256] += 1

    def let_go(self, hashes: Iterable[str]) -> None:
        """Need these copies no longer: their documents are there, or never will be."""
        with self._lock:
            if self._sweeps:
                # A sweep may have asked for the documents before this one was there.
                self._let_go.extend(hashes)
            else:
                self._holders.subtract(hashes)

    def begin_sweep(self) -> None:
        """Keep what is held from now on until the sweep ends; to be called before the documents are asked for."""
        with self._lock:
            self._sweeps += 1

    def end_sweep(self) -> None:
        """End what begin_sweep began."""
        with self._lock:
            self._sweeps -= 1
            if not self._sweeps:
                self._holders.subtract(self._let_go)
                self._let_go.clear()
                self._holders += Counter()  # forgets those at nothing

    def delete(self, folder: Path) -> None:
        """Delete a copy, a folder named by its hash, unless somebody needs it."""
        with self._lock:
            if self._holders[folder.name] <= 0:
                delete_folder(folder, within=self._library_folder)
