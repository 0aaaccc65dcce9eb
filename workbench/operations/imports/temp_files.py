"""Temporary files: staging folders, orphans and the start-up clean-up, reference counts of copies.

A half-written export lies next to the user's own files, and page images lie in the system's temporary folder. A note
of each such file is kept in the library, so that it is deleted at the next start if the program was killed.
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
from workbench.model.embedder import BUILT_IN_STORE
from workbench.operations.imports.source_files import drop_partial, is_full, unwritable
from workbench.operations.library.index_stores import embedder_part
from workbench.operations.sessions.imported_page_images import drop_kept
from workbench.store.backups import FOLDER
from workbench.store.backups import UNFINISHED as UNFINISHED_COPY
from workbench.store.intake import Origins
from workbench.worker.scratch import drop_abandoned

if TYPE_CHECKING:
    from workbench.operations.library.library import Library


def staging_of(library: "Library") -> Path:
    """Return the folder of all staging folders; it is deleted at the next start."""
    return library.folder / "staging"


@contextlib.contextmanager
def staging_folder(library: "Library") -> Iterator[Path]:
    """Provide a new folder in the library's folder, and delete it on exit with its contents; blocking.

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
        DiskFull: The disk is full.
        LibraryUnwritable: The file cannot be written for another reason, which the message gives.
    """
    try:
        file.write_bytes(data)
    except OSError as error:
        if is_full(error):
            raise DiskFull("The disk is full: nothing was added.", "Free some space, then try again.") from error
        raise unwritable(error) from error
    return file


_MARK = "workbench-"
_NAME = re.compile(r"\.?workbench-([0-9a-f]{12})(\.part)?")
"""Required name of a file that is deleted because of a note; the notes may be those of another person's library."""


class TempFiles:
    """Temporary files and folders outside the library; a note in the library keeps the path of each until deleted."""

    def __init__(self, notes: Path) -> None:
        """Store the notes in a folder that nothing else uses; it is created when it is needed."""
        self._notes = notes

    @contextlib.contextmanager
    def beside(self, target: Path) -> Iterator[Path]:
        """Provide an empty file in the folder of target; if it still exists on exit, it is deleted.

        Raises:
            OSError: The file cannot be created.
        """
        token = secrets.token_hex(6)
        path = target.parent / f".{_MARK}{token}.part"
        with self._keep_note(token, path):
            new_file(path)
            yield path

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """Provide a temporary folder, and delete it on exit with its contents; blocking.

        Raises:
            OSError: The folder cannot be created.
        """
        token = secrets.token_hex(6)
        path = Path(tempfile.gettempdir(), _MARK + token)
        with self._keep_note(token, path):
            path.mkdir(mode=0o700)
            yield path

    def drop(self) -> None:
        """Delete what a killed process left; only for the one program that has opened the library."""
        for note in self._notes.iterdir() if self._notes.is_dir() else ():
            with contextlib.suppress(OSError):
                path = Path(os.fsdecode(note.read_bytes()))
                found = _NAME.fullmatch(path.name)
                if found is not None and found.group(1) == note.name and path.is_absolute():
                    _delete(path)
                delete_file(note, within=self._notes)

    @contextlib.contextmanager
    def _keep_note(self, token: str, path: Path) -> Iterator[None]:
        note = self._notes / token
        # If the note cannot be written, the work continues: only a killed process would leave a file.
        with contextlib.suppress(OSError):
            made = make_folder(self._notes, inherit=True)
            new_file(note, inherit=True)
            note.write_bytes(os.fsencode(path.absolute()))
            # The note is synced, because otherwise a power failure could leave the file without its note.
            fsync_file(note)
            fsync_new_name(note, made)
        try:
            yield
        finally:
            _delete(path)
            with contextlib.suppress(OSError):
                delete_file(note, within=self._notes)


def _delete(path: Path) -> None:
    """Delete a temporary file or folder; if the path is a link, only the link is deleted."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            delete_folder(path, within=path.parent)
        else:
            delete_file(path, within=path.parent, missing_ok=True)


logger = logging.getLogger(__name__)


def delete_unfinished(library: "Library") -> None:
    """Delete unfinished files; called at every start, and quick if there are none."""
    drop_partial(library.originals)
    # No index or map is open yet and no backup has begun; SQLite keeps a journal next to an unfinished backup.
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
    """Delete orphans: copies without a document, and indexes and maps without vectors; blocking.

    Called only after the program was killed: 100,000 copies take 0.5 s to check.
    """
    logger.info("The program ended without closing the library: looking for what it left")
    drop_abandoned()
    library.drop_copies()
    # List the files before the embedders, so that an index that is created meanwhile is not in the list.
    folders = [*_list_folder(library.folder / "index")]
    charts = [*_list_folder(library.folder / "map")]
    used = {library.models.stores.path(name, BUILT_IN_STORE).name for name in library.embedders.names()}
    for folder in folders:
        if embedder_part(folder) not in used:
            library.models.stores.delete(folder)
    for chart in charts:
        if chart.stem not in used:
            with contextlib.suppress(OSError):
                delete_file(chart, within=library.folder)


def _list_folder(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


class CopyReferences:
    """Reference counts of the library's copies; thread-safe."""

    def __init__(self, library_folder: Path) -> None:
        """Set the library's folder, in which all copies are."""
        self._library_folder = library_folder
        self._lock = threading.Lock()
        self._holders: Counter[str] = Counter()
        self._sweeps = 0
        self._released: list[str] = []

    def hold(self, sha256: str) -> None:
        """Keep the copy with this hash, even if it does not exist yet, until it is released as often as it was held."""
        with self._lock:
            self._holders[sha256] += 1

    def let_go(self, hashes: Iterable[str]) -> None:
        """Release these copies: their documents are stored, or never will be."""
        with self._lock:
            if self._sweeps:
                # A sweep may have listed the documents before the document of this copy was stored.
                self._released.extend(hashes)
            else:
                self._holders.subtract(hashes)

    def begin_sweep(self) -> None:
        """Keep all held copies until the sweep ends; call this before the documents are listed."""
        with self._lock:
            self._sweeps += 1

    def end_sweep(self) -> None:
        """End a sweep, and release the copies that were released while it ran."""
        with self._lock:
            self._sweeps -= 1
            if not self._sweeps:
                self._holders.subtract(self._released)
                self._released.clear()
                self._holders += Counter()  # removes entries with a count of zero

    def delete(self, folder: Path) -> None:
        """Delete a copy, which is a folder named by its hash, unless the copy is held."""
        with self._lock:
            if self._holders[folder.name] <= 0:
                delete_folder(folder, within=self._library_folder)
