"""Table of the abbreviations that the documents of a library define, searched by short and by long form."""

import json
import sqlite3
from collections.abc import Callable, Collection, Sequence

from workbench.errors import LibraryDamaged
from workbench.model.filter import ChunkFilter
from workbench.store.database import Database
from workbench.store.definitions import Definition, definitions_in, phrase_of
from workbench.store.filtering import by_page, conditions
from workbench.store.packing import unpacked_text
from workbench.store.state import forget_state, put_state, state

# State: the highest number of a document that has not been looked through; migration 0013 sets it.
_TO_FILL_IN = "documents without abbreviations"

# Rows of one form that are counted to find the usual meaning: "SEC" is defined in every filing.
_MOST_ROWS = 500

# Definitions of one short form: "PE" is physical education in one document and price to earnings in another.
_MOST_MEANINGS = 2


class AbbreviationTable:
    """Definitions of all documents; they are replaced, copied and deleted with their document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def defined(self, forms: Collection[str], filter: ChunkFilter) -> list[Definition]:
        """Return the usual definitions of those forms that are defined.

        Of a short form the two that most documents have, of a long form the one.

        Args:
            forms: Short forms as Definition has them, and long forms as phrase_of() has them.
            filter: What may be found; other documents define nothing.

        Raises:
            NotFound: The filter names a knowledge base that is not there.
        """
        with self._database.read() as connection:
            short = _defined(connection, "short", "phrase", forms, filter, _MOST_MEANINGS)
            return short + _defined(connection, "phrase", "short", forms, filter, 1)

    def of_document(self, document: int) -> list[Definition]:
        """Return what a document defines, in its order."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT short, long FROM abbreviations WHERE document = ? ORDER BY id", (document,)
            )
            return [Definition(short, long) for short, long in rows]

    def fill_in(self, stop: Callable[[], bool]) -> None:
        """Look through the documents of earlier versions until stop says so; blocking, 0.1 ms a page, for idle time."""
        while not stop() and self._fill_in_next():
            pass

    def _fill_in_next(self) -> bool:
        """Look through one document; False where all are looked through."""
        with self._database.read() as connection:
            highest = state(connection, _TO_FILL_IN)
            if highest is None:
                return False
            row = connection.execute(
                "SELECT document, text FROM contents WHERE document <= ? ORDER BY document DESC LIMIT 1",
                (int(highest),),
            ).fetchone()
        if row is None:
            with self._database.write() as connection:
                forget_state(connection, _TO_FILL_IN)
            return False
        document, packed = row
        definitions = _definitions_in(packed)
        with self._database.write() as connection:
            # Its text may have been replaced meanwhile, with its definitions.
            is_same = "SELECT 1 FROM contents WHERE document = ? AND text = ?"
            if connection.execute(is_same, (document, packed)).fetchone():
                replace_definitions(connection, document, definitions)
            put_state(connection, _TO_FILL_IN, str(document - 1))
        return True


def fill_in_later(connection: sqlite3.Connection) -> None:
    """Have fill_in() look through all documents; within a transaction, in a library of any version."""
    (highest,) = connection.execute("SELECT MAX(document) FROM contents").fetchone()
    if highest is not None:
        put_state(connection, _TO_FILL_IN, str(highest))


def replace_definitions(connection: sqlite3.Connection, document: int, definitions: Sequence[Definition]) -> None:
    """Put definitions in the place of what a document defined; within a transaction."""
    connection.execute("DELETE FROM abbreviations WHERE document = ?", (document,))
    connection.executemany(
        "INSERT INTO abbreviations (document, short, long, phrase) VALUES (?, ?, ?, ?)",
        ((document, one.short, one.long, phrase_of(one.long)) for one in definitions),
    )


def _definitions_in(packed: bytes) -> list[Definition]:
    try:
        return definitions_in(unpacked_text(packed))
    except LibraryDamaged:  # the integrity check reports it; the other documents go on
        return []


def _defined(
    connection: sqlite3.Connection, column: str, other: str, forms: Collection[str], filter: ChunkFilter, most: int
) -> list[Definition]:
    """Return for each form that stands in a column the definitions with the most frequent values of the other one."""
    there = connection.execute(
        f"SELECT j.value FROM json_each(?) j WHERE EXISTS (SELECT 1 FROM abbreviations a WHERE a.{column} = j.value)",
        (json.dumps(list(forms)),),
    ).fetchall()
    if not there:
        return []
    passes, parameters = conditions(connection, filter)
    if by_page(filter):
        passes = f"EXISTS (SELECT 1 FROM chunks c WHERE c.document = d.id AND {passes})"
    definitions: list[Definition] = []
    for (form,) in there:
        rows = connection.execute(
            "SELECT short, MIN(long) FROM (SELECT a.* FROM abbreviations a JOIN documents d ON d.id = a.document"
            f" WHERE a.{column} = ? AND {passes} LIMIT ?) GROUP BY {other} ORDER BY COUNT(*) DESC, {other} LIMIT ?",
            (form, *parameters, _MOST_ROWS, most),
        )
        definitions += (Definition(short, long) for short, long in rows)
    return definitions
