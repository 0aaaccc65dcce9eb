"""Reconstruction of a database: assignment of pages to tables, recognition of rows by the tables' shapes."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from workbench.errors import LibraryDamaged, LibraryTooNew
from workbench.files.modes import new_file
from workbench.store.abbreviation_table import fill_in_later
from workbench.store.database import add_functions, prepare_new
from workbench.store.failures import library_error
from workbench.store.lock import unwritable
from workbench.store.migration import MigrationStep, migrate
from workbench.store.salvage.page_file import (
    BTREE,
    FREE,
    INTERIOR_INDEX,
    LEAF_INDEX,
    LEAF_TABLE,
    ROOT,
    PageFile,
    StoredRow,
    Value,
    children,
    kind_of,
    rows,
)
from workbench.store.stored_values import FILES_WANTED, put_state

NOT_TAKEN = ("keyword_", "document_name", "sqlite_", "common_words", "token_code", "abbreviations", "row_checksums")
"""Prefixes of tables that are rebuilt from the others."""

SCOPES = ("setting", "state", "window")
# Additional tests where column types are not sufficient: an index over two texts has the same shape.
_SIGNS: Mapping[str, Callable[[Sequence[Value]], bool]] = {"remembered": lambda values: values[0] in SCOPES}

_TYPES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "INT": (int,),
    "REAL": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
    "ANY": (int, float, str, bytes),
}


@dataclass(frozen=True, slots=True)
class TableShape:
    """Shape of a table.

    Attributes:
        name: Name of the table.
        columns: Column names in the order in which they are stored.
        types: Column types.
        needed: Whether each column is never NULL.
        key: Index of the column that is the rowid and is stored as NULL; None if there is none.
        has_numbers: Whether the table has rowids.
        least: Minimum number of values in a row; columns added by later versions may be missing.
    """

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    needed: tuple[bool, ...]
    key: int | None
    has_numbers: bool
    least: int

    def values(self, row: StoredRow) -> tuple[Value, ...] | None:
        """Return the values of a row for the first columns, None if it is not a row of this table."""
        if (row.number is not None) != self.has_numbers or not self.least <= len(row.values) <= len(self.columns):
            return None
        values = list(row.values)
        if self.key is not None:
            if values[self.key] is not None:
                return None
            values[self.key] = row.number
        for value, type, needed in zip(values, self.types, self.needed, strict=False):
            if value is None:
                if needed:
                    return None
            elif not isinstance(value, _TYPES[type]):
                return None
        is_it = _SIGNS.get(self.name)
        return tuple(values) if is_it is None or is_it(values) else None


@lru_cache(maxsize=4)
def shapes(steps: tuple[MigrationStep, ...]) -> Mapping[str, TableShape]:
    """Return the tables of a schema with content that cannot be rebuilt."""
    first = _tables(steps[:1])
    return {
        name: TableShape(name, *rest, least=len(first[name][0]) if name in first else len(rest[0]))
        for name, rest in _tables(steps).items()
    }


_Parts = tuple[tuple[str, ...], tuple[str, ...], tuple[bool, ...], int | None, bool]


def _tables(steps: Sequence[MigrationStep]) -> dict[str, _Parts]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        add_functions(connection)
        migrate(connection, Path(":memory:"), steps, None)
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not name.startswith(NOT_TAKEN)
        ]
        return {name: _parts(connection, name) for name in names}


def _parts(connection: sqlite3.Connection, name: str) -> _Parts:
    rows = connection.execute(f"PRAGMA table_info({name})").fetchall()
    (has_numbers,) = connection.execute("SELECT NOT wr FROM pragma_table_list WHERE name = ?", (name,)).fetchone()
    keys = sorted((row for row in rows if row[5]), key=lambda row: row[5])
    if not has_numbers:
        # The key columns of a table without rowids come first in its rows.
        rows = keys + [row for row in rows if not row[5]]
    key = next((place for place, row in enumerate(rows) if row[5] and row[2] == "INTEGER"), None)
    is_rowid = bool(has_numbers) and len(keys) == 1
    needed = tuple(bool(row[3]) or (bool(row[5]) and not (is_rowid and row[2] == "INTEGER")) for row in rows)
    return (
        tuple(row[1] for row in rows),
        tuple(row[2].upper() for row in rows),
        needed,
        key if is_rowid else None,
        bool(has_numbers),
    )


_SCHEMA = 1
_DEEPEST = 30


@dataclass(slots=True)
class TablePages:
    """Pages of a database, by table.

    Attributes:
        pages: Numbers of pages that contain rows, ascending, by table name.
        broken: Pages that belong to a tree but are damaged, by table name; "" if the table is unknown.
    """

    pages: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    broken: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))


def find_pages(pages: PageFile, shapes: Mapping[str, TableShape], report: Callable[[int], None]) -> TablePages:
    """Return the pages that contain the rows of each table.

    Args:
        pages: The page file.
        shapes: The tables to look for.
        report: Called with the number of pages examined.
    """
    found = TablePages()
    tops = _tops(pages)
    owners = _assign_reachable_pages(pages, tops, found)
    lost: dict[int, list[int]] = defaultdict(list)
    for number in range(2, pages.count + 1):
        if number % 1000 == 0:
            report(number)
        place = pages.place_of(number)
        if place is None and pages.is_map(number):
            continue
        if number not in owners and place is not None and place[0] not in (ROOT, BTREE):
            continue
        kind = kind_of(pages.page(number), number)
        if number not in owners and kind not in (LEAF_TABLE, LEAF_INDEX, INTERIOR_INDEX):
            if place is not None and not kind:
                found.broken[_find_owner(pages, number, owners)[0] or ""].append(number)
            continue
        name, top = _find_owner(pages, number, owners)
        if name is None:
            lost[top].append(number)
        elif name in shapes:
            _keep(found, shapes[name], number, kind)
    for group in lost.values():
        shape = _match_table(pages, group, shapes)
        for number in group if shape is not None else ():
            _keep(found, shape, number, kind_of(pages.page(number), number))
    return found


def sequences(pages: PageFile) -> dict[str, int]:
    """Return the highest number that each table has assigned, as far as readable."""
    found = {}
    for top, name in _tops(pages).items():
        for row in _tree_rows(pages, top) if name == "sqlite_sequence" else ():
            if len(row.values) == 2 and isinstance(row.values[0], str) and isinstance(row.values[1], int):
                found[row.values[0]] = row.values[1]
    return found


def _keep(found: TablePages, shape: TableShape | None, number: int, kind: int) -> None:
    if shape is not None and (kind == LEAF_TABLE if shape.has_numbers else kind in (LEAF_INDEX, INTERIOR_INDEX)):
        found.pages[shape.name].append(number)


def _tops(pages: PageFile) -> dict[int, str]:
    """Return the names of all trees by root page, as far as the schema is readable; indexes begin with “#”."""
    tops = {}
    for row in _tree_rows(pages, _SCHEMA):
        if len(row.values) == 5 and isinstance(top := row.values[3], int) and top > 1:
            kind, name = row.values[0], row.values[1]
            tops[top] = str(name) if kind == "table" else f"#{name!r}"
    return tops


def _tree_rows(pages: PageFile, top: int) -> Iterator[StoredRow]:
    waiting, seen = [top], {top}
    while waiting:
        number = waiting.pop()
        yield from (row for row in rows(pages, number) if row is not None)
        more = [one for one in children(pages, number) if one not in seen]
        seen.update(more)
        waiting += more


def _assign_reachable_pages(pages: PageFile, tops: Mapping[int, str], found: TablePages) -> dict[int, str]:
    """Return the tree name of each page that is reachable from a root page."""
    owners: dict[int, str] = {}
    for top, name in tops.items():
        waiting = [top]
        while waiting:
            number = waiting.pop()
            if number in owners:
                continue
            place = pages.place_of(number)
            if place is not None and place[0] == FREE:
                continue
            owners[number] = name
            if not kind_of(pages.page(number), number):
                found.broken[name].append(number)
            waiting += children(pages, number)
    return owners


def _find_owner(pages: PageFile, number: int, owners: Mapping[int, str]) -> tuple[str | None, int]:
    """Return the tree name of a page, found via its ancestors, and the highest ancestor reached."""
    for _ in range(_DEEPEST):
        if number in owners:
            return owners[number], number
        place = pages.place_of(number)
        if place is None or place[0] != BTREE:
            break
        number = place[1]
    return None, number


def _match_table(pages: PageFile, group: list[int], shapes: Mapping[str, TableShape]) -> TableShape | None:
    """Return the only table that all readable rows of some pages fit; None if there is none or it is ambiguous."""
    fitting = list(shapes.values())
    is_empty = True
    for number in group:
        for row in rows(pages, number):
            if row is not None:
                is_empty = False
                fitting = [shape for shape in fitting if shape.values(row) is not None]
                if not fitting:
                    return None
    return fitting[0] if len(fitting) == 1 and not is_empty else _most_specific(fitting) if not is_empty else None


def _most_specific(fitting: list[TableShape]) -> TableShape | None:
    """Return the table with the most specific shape; None if the first two are equally specific."""
    ordered = sorted(fitting, key=lambda shape: (shape.least, sum(type != "ANY" for type in shape.types)), reverse=True)
    two = [(shape.least, sum(type != "ANY" for type in shape.types)) for shape in ordered[:2]]
    return ordered[0] if len(two) < 2 or two[0] != two[1] else None


_TOGETHER = 500
# Added to the highest number to give unused ones: old citations refer to chunk numbers, which are never reused.
_FAR = 1_000_000
_MADE_ANEW = ("segmentation", "common words", "common words, begun")
"""Stored state of indexes that are not copied."""


_TOLD_BY = ("knowledge_bases", "documents", "chunks", "contents", "sessions", "remembered")
"""Tables of which at least one has rows if anything of a library was recovered."""


@dataclass(slots=True)
class Salvaged:
    """Result of reading a damaged database.

    Attributes:
        rows: Number of rows of each table in the new database.
        unreadable: Number of rows of each table that were found but could not be read, or did not fit.
        pages: Number of damaged pages by table; "" if the table is unknown.
        version: Number of the schema.
    """

    rows: dict[str, int] = field(default_factory=dict)
    unreadable: dict[str, int] = field(default_factory=dict)
    pages: dict[str, int] = field(default_factory=dict)
    version: int = 0


def salvage(
    source: Path,
    target: Path,
    steps: Sequence[MigrationStep],
    *,
    report: Callable[[int, int], None] = lambda _done, _of: None,
) -> Salvaged:
    """Create a new database from everything that is readable in another one, which stays unchanged.

    Args:
        source: The damaged database; it must not be open.
        target: The new database; it must not exist yet.
        steps: The schema files of this program.
        report: Called with the number of processed pages and the total; an exception that it raises ends the work.

    Raises:
        LibraryDamaged: Nothing of ours was found in it.
        LibraryTooNew: A later version of the program wrote it.
        DiskFull: There is not enough space for the new database.
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
        found = find_pages(pages, tables, lambda done: report(done, 2 * pages.count))
        made = Salvaged(version=version, pages={name: len(some) for name, some in found.broken.items()})
        with _translate_errors(source), closing(_new_database(target)) as connection:
            _prepare(connection, target, known)
            _fill(connection, pages, tables, found, made, lambda done: report(pages.count + done, 2 * pages.count))
            _settle(connection, sequences(pages))
    finally:
        pages.close()
    if not any(made.rows.get(name) for name in _TOLD_BY):
        raise LibraryDamaged(
            f"The library's database in {source.parent} can no longer be read at all.",
            "Restore a backup: “workbench backup list” shows the backups. Nothing was changed.",
        )
    return made


def create_empty_database(target: Path, steps: tuple[MigrationStep, ...]) -> Salvaged:
    """Create an empty database, for a folder in which only files are left.

    Raises:
        DiskFull: There is not enough space for it.
    """
    with _translate_errors(target), closing(_new_database(target)) as connection:
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
def _translate_errors(source: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        translated = library_error(error, source.parent)
        if translated is None:
            raise
        raise translated from error


def _prepare(connection: sqlite3.Connection, target: Path, steps: Sequence[MigrationStep]) -> None:
    add_functions(connection)
    prepare_new(connection)
    # Durability is not needed until the database is complete.
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA journal_mode = MEMORY")
    connection.execute("PRAGMA foreign_keys = OFF")
    migrate(connection, target, steps, None)
    connection.execute("DELETE FROM knowledge_bases")


def _fill(
    connection: sqlite3.Connection,
    pages: PageFile,
    tables: Mapping[str, TableShape],
    found: TablePages,
    made: Salvaged,
    report: Callable[[int], None],
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
            # The triggers that maintain the words of names also count as changes.
            added = connection.total_changes - before
            made.rows[name] = made.rows.get(name, 0) + min(added, len(values))
            looked += 1
            report(looked)
        connection.execute("COMMIT")


def _batches(
    pages: PageFile, shape: TableShape, numbers: Sequence[int], made: Salvaged
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
    """Yield the rows grouped by their number of values: rows older than a column lack it."""
    for many in sorted({len(one) for one in values}):
        yield many, [one for one in values if len(one) == many]


def _settle(connection: sqlite3.Connection, numbers: dict[str, int]) -> None:
    marks = ", ".join("?" * len(_MADE_ANEW))
    connection.execute(f"DELETE FROM remembered WHERE scope = 'state' AND key IN ({marks})", _MADE_ANEW)
    put_state(connection, FILES_WANTED, "wanted")
    fill_in_later(connection)
    # The saved search index may refer to vectors that were not recovered.
    connection.execute("UPDATE embedders SET generation = generation + 1")
    for (name,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%' AND type = 'table'"
    ).fetchall():
        (highest,) = connection.execute(f"SELECT COALESCE(MAX(id), 0) FROM {name}").fetchone()
        number = numbers.get(name, 0) if numbers else highest + _FAR
        connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, max(number, highest)))
