"""What the map needs of documents and chunks: whole columns, since it shows all of them at once."""

from typing import TYPE_CHECKING

from workbench.store.columns import columns
from workbench.store.database import Database
from workbench.store.values import loaded_text

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_CHUNKS = (
    "SELECT c.id AS id, c.document AS document FROM documents d CROSS JOIN chunks c ON c.document = d.id"
    " WHERE d.removed = 0 AND c.disabled = 0 ORDER BY c.id"
)


def chunk_documents(database: Database) -> "tuple[Numbers, Numbers]":
    """Return the ids of all chunks that a search can find, ascending, and of which document each is."""
    with database.read() as connection:
        chunks, documents = columns(connection, ("id", "document"), _CHUNKS)
    return chunks, documents


def document_names(database: Database) -> dict[int, tuple[str, str]]:
    """Return what all documents are called that are not in the bin, each with its knowledge base, by id."""
    with database.read() as connection:
        rows = connection.execute(
            "SELECT d.id, d.name, b.name FROM documents d"
            " JOIN knowledge_bases b ON b.id = d.knowledge_base WHERE d.removed = 0"
        ).fetchall()
    return {row[0]: (loaded_text(row[1]), loaded_text(row[2])) for row in rows}
