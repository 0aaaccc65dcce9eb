"""Bulk reads of whole columns, and in-memory caches that are valid until the library is written.

Reading each column as one text takes 0.2 s instead of 0.8 for 1,000,000 numbers.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from workbench.store.sql import Connection, DocumentDatabase
from workbench.store.stored_values import loaded_text

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]


Parameters = Sequence[str | bytes | int | float]


def columns(
    connection: Connection, names: Sequence[str], query: str, parameters: Parameters = ()
) -> "list[NDArray[np.int64]]":
    """Return integer columns of a query's rows, in its order; no value may be NULL.

    Args:
        connection: Any connection.
        names: Names of the columns.
        query: A SELECT.
        parameters: Parameters of the query.
    """
    import numpy as np  # 100 ms that the window does not wait for

    lists = ", ".join(f"group_concat({name})" for name in names)
    row = connection.execute(f"SELECT {lists} FROM ({query})", parameters).fetchone()
    return [np.fromstring(text, np.int64, sep=",") if text else np.empty(0, np.int64) for text in row]


_CHUNKS = (
    "SELECT c.id AS id, c.document AS document FROM documents d CROSS JOIN chunks c ON c.document = d.id"
    " WHERE d.removed = 0 AND c.disabled = 0 ORDER BY c.id"
)


def chunk_documents(database: DocumentDatabase) -> "tuple[Numbers, Numbers]":
    """Return the ids of all searchable chunks, ascending, and the document of each."""
    with database.read() as connection:
        chunks, documents = columns(connection, ("id", "document"), _CHUNKS)
    return chunks, documents


def document_names(database: DocumentDatabase) -> dict[int, tuple[str, str]]:
    """Return the name and knowledge base of each document that is not in the bin, by id."""
    with database.read() as connection:
        rows = connection.execute(
            "SELECT d.id, d.name, b.name FROM documents d"
            " JOIN knowledge_bases b ON b.id = d.knowledge_base WHERE d.removed = 0"
        ).fetchall()
    return {row[0]: (loaded_text(row[1]), loaded_text(row[2])) for row in rows}


# Few new chunks are found by their numbers; many are read faster from the index, which is a hundredth of the table.
_FEW = 1000


class ChunkOwners:
    """Mapping of chunk -> document, filled on first use. A chunk is never moved to another document.

    Selecting 500,000 of 1,000,000 chunks that pass a filter takes 480 ms row by row, 15 ms with this mapping.
    """

    def __init__(self) -> None:
        self._owners: NDArray[np.int32] | None = None

    def of(self, connection: Connection, condition: str, parameters: list[str | bytes | int | float]) -> "Ids":
        """Return the chunks, ascending, of the documents (alias d) that meet an SQL condition."""
        import numpy as np  # 100 ms that the window does not wait for

        rows = connection.execute(f"SELECT d.id, d.chunks FROM documents d WHERE {condition}", parameters).fetchall()
        owners = self._known(connection)
        documents = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        passes = np.zeros(max(int(owners.max(initial=0)), int(documents.max(initial=0))) + 1, np.bool_)
        passes[documents] = True
        ids = np.flatnonzero(passes[owners])
        if len(ids) != sum(row[1] for row in rows):
            # Some of the known chunks were deleted: their documents were chunked again.
            self._owners = None
            ids = np.flatnonzero(passes[self._known(connection)])
        return ids

    def _known(self, connection: Connection) -> "NDArray[np.int32]":
        """Return the document of each chunk, indexed by chunk number; 0 if there is no chunk."""
        import numpy as np  # 100 ms that the window does not wait for

        known = self._owners  # read once, because another search may reset it
        if known is None:
            known = np.zeros(1, np.int32)
        last = connection.execute("SELECT MAX(id) FROM chunks").fetchone()[0] or 0
        if last < len(known):
            return known
        index = "" if last - len(known) < _FEW else "INDEXED BY chunks_document"
        query = f"SELECT id, document FROM chunks {index} WHERE id >= ?"
        chunks, documents = columns(connection, ("id", "document"), query, (len(known),))
        owners = np.zeros(last + 1, np.int32)
        owners[: len(known)] = known
        owners[chunks] = documents
        self._owners = owners
        return owners


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_MOST = 100


class WriteInvalidatedCache(Generic[Key, Value]):
    """Cache that is cleared by writes of documents, not of sessions: each question is a search and several of those.

    Every search needs counts that take 4 ms each among 34,000 documents.
    """

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database
        self._kept: tuple[int, dict[Key, Value]] = (-1, {})

    def get(self, key: Key, count: Callable[[], Value]) -> Value:
        """Return the value cached since the last write, or the result of count()."""
        # Read the write number before counting: a cached value is never older than its number.
        now = self._database.document_writes
        of_writes, kept = self._kept
        if of_writes != now or len(kept) > _MOST:
            kept = {}
            self._kept = now, kept
        if key not in kept:
            kept[key] = count()
        return kept[key]
