"""Linked folders of a library, and the known files in them."""

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from workbench.errors import LibraryError, NotFound
from workbench.model.custom_metadata import metadata_in_file
from workbench.model.knowledge_base import LinkedFolder, Removal
from workbench.model.metadata import CustomSource
from workbench.store.bulk_reads import WriteInvalidatedCache
from workbench.store.database import Database
from workbench.store.filtering import knowledge_base_id
from workbench.store.intake import FileStamp
from workbench.store.stored_values import (
    absolute_path,
    loaded_json,
    loaded_text,
    now,
    stored_json,
    stored_name,
    stored_text,
)

_COLUMNS = (
    "f.id, (SELECT name FROM knowledge_bases WHERE id = f.knowledge_base), f.path, f.added, f.checked, f.reason,"
    " f.knowledge_base, (SELECT given FROM folder_metadata WHERE folder = f.id)"
)


@dataclass(frozen=True, slots=True)
class KnownFile:
    """File known to the library.

    Attributes:
        document: Id of the document.
        path: Last known path of the file.
        sha256: Hash of its bytes.
        stamp: Stamp of the file when its bytes were hashed; zeros if unknown.
        removal: Reason why the document is in the bin; None if it is not.
        folder: Folder of the document in the tree of the library.
    """

    document: int
    path: str
    sha256: str
    stamp: FileStamp
    removal: Removal | None
    folder: str = ""


@dataclass(frozen=True, slots=True)
class LinkedFilePlace:
    """Current path of a document's file, and its stamp there."""

    document: int
    path: str
    stamp: FileStamp
    folder: str


# The method list() hides the type inside the class.
Folders = list[LinkedFolder]
KnownFiles = list[KnownFile]
Given = list[tuple[str, Mapping[str, object]]]


class LinkedFolderStore:
    """Store of folders linked to a knowledge base; no two of the same base may be nested."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Read for each unchanged file.
        self._given = WriteInvalidatedCache[str, Given](database)

    def add(self, path: str, knowledge_base: str) -> LinkedFolder:
        """Link a folder to a knowledge base and return it; an existing link stays unchanged.

        Raises:
            NotFound: There is no such knowledge base.
            LibraryError: It is inside a linked folder, or contains one.
        """
        path = absolute_path(path)
        with self._database.write() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            for other in linked_paths(connection, base):
                if is_below(path, other) or is_below(other, path):
                    raise LibraryError(
                        f"“{path}” contains the linked folder “{other}”, or is inside it.",
                        "Unlink the other one first, or link it to another knowledge base.",
                    )
            connection.execute(
                "INSERT OR IGNORE INTO linked_folders (knowledge_base, path, added) VALUES (?, ?, ?)",
                (base, stored_text(path), now()),
            )
            return _folders(connection, "f.knowledge_base = ? AND f.path = ?", (base, stored_text(path)))[0]

    def list(self) -> Folders:
        """Return the linked folders in the order they were linked."""
        with self._database.read() as connection:
            return _folders(connection, "1", ())

    def get(self, id: int) -> LinkedFolder:
        """Return a linked folder.

        Raises:
            NotFound: There is no linked folder of that number.
        """
        with self._database.read() as connection:
            found = _folders(connection, "f.id = ?", (id,))
        if not found:
            raise NotFound(f"There is no linked folder {id}.", "“links” shows the linked folders with their numbers.")
        return found[0]

    def remove(self, folder: LinkedFolder) -> None:
        """Unlink a folder; its documents stay."""
        with self._database.write() as connection:
            known = [*_known(connection, folder), *_known(connection, folder, "archive")]
            names = [one.document for one in known if one.removal is Removal.FOR_GOOD]
            connection.executemany("DELETE FROM documents WHERE id = ?", [(name,) for name in names])
            connection.execute("DELETE FROM linked_folders WHERE id = ?", (folder.id,))

    def set_checked(self, id: int, reason: str = "") -> None:
        """Record that a folder was checked just now, and a message about problems."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE linked_folders SET checked = ?, reason = ? WHERE id = ?", (now(), stored_text(reason), id)
            )

    def tree_name(self, folder: LinkedFolder) -> str:
        """Return the name of the tree of a folder, unique in its knowledge base; empty for the root of a file system.

        The name of the folder, with that of the folder around it if a folder that was linked earlier has the same name.
        """
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT path FROM linked_folders WHERE knowledge_base = ? AND id < ? ORDER BY id",
                (knowledge_base_id(connection, folder.knowledge_base), folder.id),
            ).fetchall()
        taken: set[str] = set()
        for path in (*(loaded_text(row[0]) for row in rows), folder.path):
            around, plain = os.path.split(path)
            name = plain if plain not in taken else f"{plain} ({os.path.basename(around)})"
            if plain and name in taken:
                name = next(one for number in count(2) if (one := f"{plain} ({number})") not in taken)
            taken.add(name)
        return name

    def covers(self, knowledge_base: str, path: str) -> bool:
        """Return whether a file is in a linked folder of a knowledge base, so that it is read in place."""
        with self._database.read() as connection:
            return any(
                is_below(path, loaded_text(row[0]))
                for row in connection.execute(
                    "SELECT f.path FROM linked_folders f JOIN knowledge_bases b ON b.id = f.knowledge_base"
                    " WHERE b.name = ?",
                    (knowledge_base,),
                )
            )

    def put_metadata(self, folder: int, given: Mapping[str, object]) -> None:
        """Store the metadata given to every document of a folder, replacing the former; an empty mapping removes it."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM folder_metadata WHERE folder = ?", (folder,))
            if given:
                connection.execute(
                    "INSERT INTO folder_metadata (folder, given) VALUES (?, ?)", (folder, stored_json(dict(given)))
                )

    def metadata(self, knowledge_base: str, path: str) -> Mapping[str, object]:
        """Return the metadata that a file gets from its linked folder."""
        given = self._given.get(knowledge_base, partial(self._read_given, knowledge_base))
        return next((values for folder, values in given if is_below(path, folder)), {})

    def _read_given(self, knowledge_base: str) -> Given:
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT f.path, m.given FROM folder_metadata m JOIN linked_folders f ON f.id = m.folder"
                " JOIN knowledge_bases b ON b.id = f.knowledge_base WHERE b.name = ?",
                (knowledge_base,),
            ).fetchall()
        return [(loaded_text(folder), loaded_json(given)) for folder, given in rows]

    def known(self, folder: LinkedFolder) -> KnownFiles:
        """Return the files of a folder that are or were documents of its knowledge base."""
        with self._database.read() as connection:
            return _known(connection, folder)

    def members(self, folder: LinkedFolder) -> KnownFiles:
        """Return the known files that are members of archives in a folder."""
        with self._database.read() as connection:
            return _known(connection, folder, "archive")

    def holding(self, knowledge_base: str, hashes: Iterable[str]) -> KnownFiles:
        """Return the documents of a knowledge base with bytes of these hashes, including those in the bin."""
        with self._database.read() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            return _known_where(
                connection,
                "d.sha256 IN (SELECT value FROM json_each(?)) AND d.knowledge_base = ?",
                (json.dumps(sorted(set(hashes))), base),
            )

    def place(self, places: Sequence[LinkedFilePlace]) -> None:
        """Store the current paths of files, all in one transaction."""
        with self._database.write() as connection:
            connection.executemany(
                "UPDATE documents SET path = ?, name = ?, folder = ?, file_size = ?, file_mtime_ns = ? WHERE id = ?",
                (
                    (
                        stored_text(one.path),
                        stored_name(os.path.basename(one.path)),
                        stored_text(one.folder),
                        one.stamp.size,
                        one.stamp.mtime_ns,
                        one.document,
                    )
                    for one in places
                ),
            )
            self._database.revision += bool(places)  # filters depend on paths and folders


def linked_paths(connection: sqlite3.Connection, base: int) -> list[str]:
    """Return the paths of the folders that are linked to a knowledge base."""
    rows = connection.execute("SELECT path FROM linked_folders WHERE knowledge_base = ?", (base,))
    return [loaded_text(row[0]) for row in rows]


def is_below(path: str, folder: str) -> bool:
    """Return whether a path is somewhere inside a folder."""
    return path.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def _folders(connection: sqlite3.Connection, condition: str, parameters: Sequence[object]) -> list[LinkedFolder]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM linked_folders f WHERE {condition} ORDER BY f.id", parameters
    ).fetchall()
    return [
        LinkedFolder(
            id,
            base,
            loaded_text(path),
            added,
            checked,
            loaded_text(reason),
            _count(connection, number, path),
            metadata_in_file(loaded_json(given), CustomSource.SIDECAR)[0] if given is not None else (),
        )
        for id, base, path, added, checked, reason, number, given in rows
    ]


def _count(connection: sqlite3.Connection, base: int, path: str | bytes) -> int:
    condition, parameters = _folder_condition(loaded_text(path))
    row = connection.execute(
        "SELECT COUNT(*) FROM documents d WHERE d.knowledge_base = ? AND d.removed = 0 AND d.chunks > 0"
        f" AND {condition}",
        (base, *parameters),
    ).fetchone()
    return int(row[0])


def _known(connection: sqlite3.Connection, folder: LinkedFolder, origin: str = "file") -> list[KnownFile]:
    condition, parameters = _folder_condition(folder.path)
    base = knowledge_base_id(connection, folder.knowledge_base)
    known = _known_where(connection, f"d.knowledge_base = ? AND {condition}", (base, *parameters), origin)
    return [one for one in known if is_below(one.path, folder.path)]


def _known_where(
    connection: sqlite3.Connection, condition: str, parameters: Sequence[object], origin: str = "file"
) -> list[KnownFile]:
    rows = connection.execute(
        "SELECT d.id, d.path, d.sha256, d.file_size, d.file_mtime_ns, d.removed, d.folder FROM documents d"
        f" WHERE {condition} AND d.origin = ? ORDER BY d.id",
        (*parameters, origin),
    ).fetchall()
    return [
        KnownFile(
            document=id,
            path=loaded_text(path),
            sha256=sha256,
            stamp=FileStamp(size, mtime_ns),
            removal=Removal(removed) if removed else None,
            folder=loaded_text(folder),
        )
        for id, path, sha256, size, mtime_ns, removed, folder in rows
    ]


def _folder_condition(folder: str) -> tuple[str, tuple[str | bytes, ...]]:
    """Return the condition that d.path is inside a folder: a range that an index can serve, or bytes."""
    start = folder if folder.endswith(os.sep) else folder + os.sep
    end = start[:-1] + chr(ord(os.sep) + 1)
    # A name that cannot be encoded in UTF-8 is stored as bytes, which sort separately from text.
    values = tuple(bound.encode("utf-8", "surrogatepass") for bound in (start, end))
    if isinstance(stored_text(start), bytes):
        return "d.path >= ? AND d.path < ?", values
    return "((d.path >= ? AND d.path < ?) OR (d.path >= ? AND d.path < ?))", (start, end, *values)
