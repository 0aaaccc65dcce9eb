"""Rows that could be read -> a new database of the same schema."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import LibraryDamaged, LibraryTooNew
from workbench.files.modes import new_file
from workbench.store.abbreviations import fill_in_later
from workbench.store.database import add_functions, prepare_new
from workbench.store.failures import library_error
from workbench.store.lock import unwritable
from workbench.store.migration import Step, migrate
from workbench.store.salvage.page_file import PageFile
from workbench.store.salvage.records import Value, rows
from workbench.store.salvage.shapes import Shape, shapes
from workbench.store.salvage.trees import Found, find_pages, sequences
from workbench.store.state import FILES_WANTED, put_state

_TOGETHER = 500
# A number that nothing had before: old citations name chunks by their numbers, which are never given twice.
_FAR = 1_000_000
_MADE_ANEW = ("segmentation", "common words", "common words, begun")
"""What the library remembers of indexes that are not taken over."""


_TOLD_BY = ("knowledge_bases", "documents", "chunks", "contents", "sessions", "remembered")
"""Where none of these holds anything, it was no library, or nothing is left of it."""


@dataclass(slots=True)
class Salvaged:
    """What was read of a damaged database.

    Attributes:
        rows: How many of each table are in the new one.
        unreadable: How many of each table could be seen and not be read, or did not fit.
        pages: How many pages were no pages any more, by table; "" where nobody knows whose they were.
        version: The number of the schema.
    """

    rows: dict[str, int] = field(default_factory=dict)
    unreadable: dict[str, int] = field(default_factory=dict)
    pages: dict[str, int] = field(default_factory=dict)
    version: int = 0


def salvage(
    source: Path, target: Path, steps: Sequence[Step], *, tell: Callable[[int, int], None] = lambda _done, _of: None
) -> Salvaged:
    """Make a new database of everything that can be read of another one, which stays as it is.

    Args:
        source: The damaged one; nobody has it open.
        target: The new one; not there yet.
        steps: The schema files of this program.
        tell: Told how many of the pages were looked at; what it raises ends the work.

    Raises:
        LibraryDamaged: Nothing of ours is in it.
        LibraryTooNew: A later version of the program wrote it.
        DiskFull: There is no room for the new one.
        LibraryError: A file cannot be read or written.
    """
    try:
        pages = PageFile(source)
    except OSError as error:
        raise unwritable(source.parent, error) from error
    try:
        if pages.is_of_another_program:
            raise LibraryDamaged(f"{source} is not a library of this program.", "Choose another library folder.")
        if pages.version > steps[-1].number:
            raise LibraryTooNew(
                f"The library in {source.parent} was written by a later version of this program.",
                "Update the program, or choose another library folder.",
            )
        version = pages.version or steps[-1].number
        known = tuple(step for step in steps if step.number <= version)
        tables = shapes(known)
        found = find_pages(pages, tables, lambda done: tell(done, 2 * pages.count))
        made = Salvaged(version=version, pages={name: len(some) for name, some in found.broken.items()})
        with _translated(source), closing(_new_database(target)) as connection:
            _prepare(connection, target, known)
            _fill(connection, pages, tables, found, made, lambda done: tell(pages.count + done, 2 * pages.count))
            _settle(connection, sequences(pages))
    finally:
        pages.close()
    if not any(made.rows.get(name) for name in _TOLD_BY):
        raise LibraryDamaged(
            f"Nothing can be read any more of the library's database in {source.parent}.",
            "Put a backup in its place: “workbench backup list” shows what there is. Nothing was changed.",
        )
    return made


def begin_anew(target: Path, steps: tuple[Step, ...]) -> Salvaged:
    """Make a database with nothing in it, for a folder in which files are all that is left.

    Raises:
        DiskFull: There is no room for it.
    """
    with _translated(target), closing(_new_database(target)) as connection:
        add_functions(connection)
        prepare_new(connection)
        migrate(connection, target, steps, None)
        put_state(connection, FILES_WANTED, "wanted")
    return Salvaged(version=steps[-1].number)


def _new_database(target: Path) -> sqlite3.Connection:
    try:
        new_file(target, inherit=True)
    except OSError as error:
        raise unwritable(target.parent, error) from error
    return sqlite3.connect(target, isolation_level=None)


@contextmanager
def _translated(source: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        translated = library_error(error, source.parent)
        if translated is None:
            raise
        raise translated from error


def _prepare(connection: sqlite3.Connection, target: Path, steps: Sequence[Step]) -> None:
    add_functions(connection)
    prepare_new(connection)
    # It is nothing to anybody until it is whole.
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA journal_mode = MEMORY")
    connection.execute("PRAGMA foreign_keys = OFF")
    migrate(connection, target, steps, None)
    connection.execute("DELETE FROM knowledge_bases")


def _fill(
    connection: sqlite3.Connection,
    pages: PageFile,
    tables: Mapping[str, Shape],
    found: Found,
    made: Salvaged,
    tell: Callable[[int], None],
) -> None:
    looked = 0
    for name, shape in tables.items():
        connection.execute("BEGIN")
        for values in _batches(pages, shape, found.pages.get(name, []), made):
            before = connection.total_changes
            for many, group in _by_length(values):
                columns = ", ".join(f'"{column}"' for column in shape.columns[:many])
                places = ", ".join("?" * many)
                connection.executemany(f"INSERT OR IGNORE INTO {name} ({columns}) VALUES ({places})", group)
            # The triggers that keep the words of names add to what changed.
            added = connection.total_changes - before
            made.rows[name] = made.rows.get(name, 0) + min(added, len(values))
            looked += 1
            tell(looked)
        connection.execute("COMMIT")


def _batches(
    pages: PageFile, shape: Shape, numbers: Sequence[int], made: Salvaged
) -> Iterator[list[tuple[Value, ...]]]:
    batch: list[tuple[Value, ...]] = []
    for number in numbers:
        for row in rows(pages, number):
            values = shape.values(row) if row is not None else None
            if values is None:
                made.unreadable[shape.name] = made.unreadable.get(shape.name, 0) + 1
            else:
                batch.append(values)
        if len(batch) >= _TOGETHER:
            yield batch
            batch = []
    if batch:
        yield batch


def _by_length(values: list[tuple[Value, ...]]) -> Iterator[tuple[int, list[tuple[Value, ...]]]]:
    """Yield the rows by how many values they have: those that are older than a column lack it."""
    for many in sorted({len(one) for one in values}):
        yield many, [one for one in values if len(one) == many]


def _settle(connection: sqlite3.Connection, numbers: dict[str, int]) -> None:
    marks = ", ".join("?" * len(_MADE_ANEW))
    connection.execute(f"DELETE FROM remembered WHERE scope = 'state' AND key IN ({marks})", _MADE_ANEW)
    put_state(connection, FILES_WANTED, "wanted")
    fill_in_later(connection)
    # The search index that was saved is of vectors that may not be there any more.
    connection.execute("UPDATE embedders SET generation = generation + 1")
    for (name,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%' AND type = 'table'"
    ).fetchall():
        (highest,) = connection.execute(f"SELECT COALESCE(MAX(id), 0) FROM {name}").fetchone()
        number = numbers.get(name, 0) if numbers else highest + _FAR
        connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, max(number, highest)))
