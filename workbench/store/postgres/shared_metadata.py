"""Metadata and tags of documents in a shared library, changed by members who may write."""

from collections.abc import Iterable, Mapping

from workbench.errors import MetadataError
from workbench.language import mark
from workbench.model.document import Document
from workbench.store.document_writes import CustomMetadataStore, MetadataStore
from workbench.store.postgres.dialect import storable
from workbench.store.postgres.import_jobs import require_access
from workbench.store.postgres.postgres_database import PostgresConnection, PostgresDatabase
from workbench.store.postgres.shared_names import put_names

_WRITE = 2


class SharedMetadataStore(MetadataStore):
    """Store of metadata fields and tags of a shared library."""

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database)

    def _require_writable(self, connection: PostgresConnection, documents: Iterable[int]) -> None:  # type: ignore[override]
        require_writable(connection, documents)

    def _update_indexes(  # type: ignore[override]
        self, connection: PostgresConnection, document: Document, fields: Mapping[str, object]
    ) -> None:
        """Store the words by which the document can be named.

        Raises:
            MetadataError: The title would change, which the stored lists of common words contain (posting_lists.py).
        """
        row = connection.execute(
            "SELECT knowledge_base, name, title, author FROM documents WHERE id = ? AND removed = 0", (document.id,)
        ).fetchone()
        if row is None:
            return
        base, name, title, author = row
        if storable(fields.get("title", title)) != title:
            raise MetadataError(
                mark("The title of a document in a shared library cannot be changed yet."),
                mark("Change it in the file, and add the file again."),
            )
        put_names(connection, document.id, base, (name, title, str(storable(fields.get("author", author)))))


class SharedCustomMetadataStore(CustomMetadataStore):
    """Store of custom metadata of a shared library."""

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database)

    def _require_writable(self, connection: PostgresConnection, documents: Iterable[int]) -> None:  # type: ignore[override]
        require_writable(connection, documents)


def require_writable(connection: PostgresConnection, documents: Iterable[int]) -> None:
    """Raise an error if the user may not change one of these documents.

    Raises:
        SharedAccessDenied: The user may only read it.
    """
    rows = connection.execute(
        "SELECT DISTINCT knowledge_base FROM documents WHERE id = ANY (?)", (list(documents),)
    ).fetchall()
    for (base,) in rows:
        require_access(connection, int(base), _WRITE)
