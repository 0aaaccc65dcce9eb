"""A small library with rows in every table, and single-bit flips as on a failing disk."""

import asyncio
import random
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.agent import Agent
from workbench.model.evaluation import GoldenQuestion, Judgement
from workbench.model.extensions import ToolServer
from workbench.model.profile import ModelProfile
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.store.database import FILE_NAME
from workbench.worker.job import JobContext

ROWS = 2
"""Number of rows of each table in which a bit of each value is flipped."""

TEXTS = {
    "harbour.md": "# Harbour\n\nThe harbour of Lindhamn (HL) froze in 1987.\n\n## Ferry\n\nThe ferry stayed in port.\n",
    "港口.txt": "港口的水深是十二米。灯塔建于一九零三年。\n",
}


def make(place: Path, embedder: Embedder) -> Path:
    """Create a library in a folder and return the library's folder; its source files are next to it."""
    files, linked = place / "files", place / "linked"
    for folder in (files, linked):
        folder.mkdir()
    for name, text in TEXTS.items():
        (files / name).write_text(text, "utf-8")
    (files / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing that could be read")
    (linked / "tide.md").write_text("# Tide\n\nThe tide of the bay is seven metres.\n", "utf-8")
    library = Library.open(place / "library", embedder=embedder)
    try:
        asyncio.run(_fill(library, files, linked))
    finally:
        library.close()
    return place / "library"


async def _fill(library: Library, files: Path, linked: Path) -> None:
    async def done(operation: Any) -> Any:
        return await operation(JobContext())

    await done(operations.add_documents(library, [files]))
    await done(operations.link_folder(library, linked))
    await done(operations.put_setting(library, "search_results", 7))
    await done(operations.put_profile(library, ModelProfile("local", "http://127.0.0.1:9/v1", "model")))
    await done(operations.put_agent(library, Agent("helper", instructions=("Be brief.",))))
    await done(operations.keep_configuration(library, "mine", SearchConfiguration()))
    await done(operations.put_memory(library, "Ann prefers metres."))
    await done(operations.put_questions(library, "set", [GoldenQuestion("When?", (Judgement(text="froze in 1987"),))]))
    await done(operations.evaluate(library, "set"))
    await done(operations.read_all(library, "When did the harbour freeze?"))
    await done(operations.put_tool_server(library, ToolServer("calendar", ("calendar-server",))))
    number = next(one.id for one in library.documents.list() if one.name == "harbour.md")
    await done(operations.edit_chunk(library, library.documents.chunks(number)[0].id, "The harbour froze in 1987."))
    await done(operations.ask(library, "When did the harbour freeze?"))


@dataclass(frozen=True)
class Flip:
    """A bit of a stored value.

    Attributes:
        table: Name of the table.
        column: Name of the column.
        key: The key columns of the row with their values.
        value: The original value.
        flipped: The value with a flipped bit.
    """

    table: str
    column: str
    key: tuple[tuple[str, Any], ...]
    value: Any
    flipped: Any

    def put(self, connection: sqlite3.Connection) -> None:
        """Flip the bit."""
        self._write(connection, self.key, self.flipped)

    def put_back(self, connection: sqlite3.Connection) -> None:
        """Restore the original value."""
        key = tuple((name, self.flipped if name == self.column else value) for name, value in self.key)
        self._write(connection, key, self.value)

    def _write(self, connection: sqlite3.Connection, key: tuple[tuple[str, Any], ...], value: Any) -> None:
        where = " AND ".join(f'"{name}" IS {_place(one)}' for name, one in key)
        changed = connection.execute(
            f'UPDATE "{self.table}" SET "{self.column}" = {_place(value)} WHERE {where}',
            [_bound(value), *(_bound(one) for _, one in key)],
        ).rowcount
        assert changed == 1, self


def flips(library: Path, chance: random.Random) -> Iterator[Flip]:
    """Yield a flip for each stored value of some rows of each table."""
    with closing(connected(library)) as connection:
        tables = [
            name.decode()
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
            )
        ]
        for table in tables:
            yield from _flips_of(connection, table, chance)


def _flips_of(connection: sqlite3.Connection, table: str, chance: random.Random) -> Iterator[Flip]:
    info = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
    columns = [row[1].decode() for row in info]
    keys = [row[1].decode() for row in info if row[5]] or columns
    rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()
    for row in chance.sample(rows, min(ROWS, len(rows))):
        values = dict(zip(columns, row, strict=True))
        key = tuple((name, values[name]) for name in keys)
        for column, value in values.items():
            if value is None or value == b"":
                continue
            other = flipped(value, chance)
            if other != value:  # SQLite stores -0.0 as 0
                yield Flip(table, column, key, value, other)


class _Text(bytes):
    """A stored text as bytes: with a flipped bit it may no longer be UTF-8."""


def flipped(value: Any, chance: random.Random) -> Any:
    """Return a value with one bit of its stored form changed."""
    if isinstance(value, int):
        return value ^ 1 << chance.randrange(max(8, value.bit_length()))
    if isinstance(value, float):
        return struct.unpack("<d", _one_bit(struct.pack("<d", value), chance))[0]
    return type(value)(_one_bit(value, chance))


def _one_bit(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def connected(library: Path) -> sqlite3.Connection:
    """Return a connection to the database of a library that returns texts as bytes, without our settings."""
    connection = sqlite3.connect(library / FILE_NAME, isolation_level=None)
    connection.text_factory = _Text
    connection.execute("PRAGMA journal_mode = WAL")
    return connection


def _place(value: Any) -> str:
    return "CAST(? AS TEXT)" if isinstance(value, _Text) else "?"


def _bound(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytes) else value
