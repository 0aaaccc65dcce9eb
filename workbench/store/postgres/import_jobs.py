"""Queue of documents that workers have to read, and the original files, in a shared library.

A document is acknowledged when its row, its file and its job are committed, in one transaction. A worker claims jobs
for a limited time (the lease), which it renews while it reads, and ends a job in the transaction that writes the
content: a worker that was killed, or whose lease ended, leaves nothing behind, and another one reads the document.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import NotFound
from workbench.language import mark
from workbench.model.document import Document, DocumentStatus
from workbench.model.knowledge_base import Removal
from workbench.store.document_rows import documents_where
from workbench.store.filtering import knowledge_base_id
from workbench.store.postgres.dialect import storable
from workbench.store.postgres.postgres_database import PostgresConnection, PostgresDatabase, access_denied
from workbench.store.postgres.shared_names import put_names
from workbench.store.stored_values import loaded_text, now, stored_name

LEASE_SECONDS = 60
"""Time after which the document of a worker that does not answer is read by another one."""
MOST_ATTEMPTS = 3
"""Number of workers that may end while they read a document: it is marked as failed then."""
PIECE = 1 << 20
"""Size of the pieces of an original file in bytes."""


@dataclass(frozen=True, slots=True)
class ImportJob:
    """Claimed document.

    Attributes:
        document: The document as it is in the library.
        attempt: 1 for the first worker that reads it.
    """

    document: Document
    attempt: int


class ImportJobs:
    """Queue of documents to be read; used by workbenches that add files, and by workers."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def add(self, knowledge_base: str, file: Path, *, name: str = "", path: str = "", folder: str = "") -> Document:
        """Add a file and queue it; if the knowledge base has the same bytes already, return that document.

        Args:
            knowledge_base: Name of the knowledge base.
            file: The file, which is copied to the server.
            name: Name of the document; that of the file by default.
            path: Source shown to users; the path of the file by default.
            folder: Folder in the tree of the knowledge base.

        Raises:
            OSError: The file cannot be read.
            NotFound: There is no such knowledge base.
            SharedAccessDenied: The user may only read it.
        """
        with file.open("rb") as source:
            sha256 = hashlib.file_digest(source, "sha256").hexdigest()
        size = file.stat().st_size
        title = stored_name(Path(name or file.name).stem)
        with self._database.write() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            require_access(connection, base, 2)
            row = connection.raw.execute(
                "INSERT INTO documents (knowledge_base, path, name, sha256, size, format, status, title, added, folder)"
                " VALUES (%s, %s, %s, %s, %s, %s, 'queued', %s, %s, %s) ON CONFLICT DO NOTHING RETURNING id",
                (
                    base,
                    _text(path or str(file)),
                    _text(stored_name(name or file.name)),
                    sha256,
                    size,
                    file.suffix.lower().lstrip("."),
                    _text(title),
                    now(),
                    _text(folder),
                ),
            ).fetchone()
            if row is not None:
                put_names(connection, row[0], base, (_text(stored_name(name or file.name)), _text(title), ""))
                put_original(connection, row[0], base, file, sha256)
                connection.execute("INSERT INTO import_jobs (document, knowledge_base) VALUES (?, ?)", (row[0], base))
            return documents_where(
                connection, "d.knowledge_base = ? AND d.sha256 = ? AND d.removed = 0", (base, sha256)
            )[0]

    def add_again(self, document: int) -> Document:
        """Queue a document, to be read again from its original; searches find its old content until then.

        Raises:
            NotFound: There is no such document.
            SharedAccessDenied: The user may only read its knowledge base.
        """
        with self._database.write() as connection:
            found = documents_where(connection, "d.id = ? AND d.removed = 0", (document,))
            if not found:
                raise NotFound(mark("This document is no longer in the library."), mark("Add the file again."))
            base = knowledge_base_id(connection, found[0].knowledge_base)
            require_access(connection, base, 2)
            connection.execute(
                "INSERT INTO import_jobs (document, knowledge_base) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (document, base),
            )
            connection.execute(
                "UPDATE documents SET status = ?, reason = '', hint = '' WHERE id = ?",
                (DocumentStatus.QUEUED.value, document),
            )
            return documents_where(connection, "d.id = ?", (document,))[0]

    def claim(self, worker: str) -> ImportJob | None:
        """Claim the next document that no other worker reads; None if there is none.

        A document that ended MOST_ATTEMPTS workers is marked as failed.
        """
        while True:
            with self._database.write() as connection:
                row = connection.execute(
                    "UPDATE import_jobs SET worker = ?, attempts = attempts + 1, lease = now() + ? * interval '1 s'"
                    " WHERE document = (SELECT j.document FROM import_jobs j WHERE j.lease < now()"
                    " AND j.knowledge_base = ANY (accessible(2))"
                    " ORDER BY j.position LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING document, attempts",
                    (worker, LEASE_SECONDS),
                ).fetchone()
                if row is None:
                    return None
                document, attempt = row
                if attempt <= MOST_ATTEMPTS:
                    connection.execute(
                        "UPDATE documents SET status = ? WHERE id = ? AND chunks = 0",
                        (DocumentStatus.PARSING.value, document),
                    )
                    found = documents_where(connection, "d.id = ?", (document,))
                    return ImportJob(found[0], attempt)
                self._fail(
                    connection,
                    document,
                    mark("Reading this file crashed the worker several times."),
                    mark("Open it in the program that made it and save it again, then read it again."),
                )

    def remove(self, documents: Sequence[int], removal: Removal = Removal.BY_USER) -> list[int]:
        """Move documents to the bin, with their jobs deleted; return the ids of those that existed.

        Raises:
            SharedAccessDenied: The user may only read the knowledge base of one of them; nothing is removed.
        """
        with self._database.write() as connection:
            rows = connection.execute(
                "SELECT DISTINCT knowledge_base FROM documents WHERE id = ANY (?)", (list(documents),)
            ).fetchall()
            for (base,) in rows:
                require_access(connection, base, 2)
            connection.execute("DELETE FROM import_jobs WHERE document = ANY (?)", (list(documents),))
            moved = connection.execute(
                "UPDATE documents SET removed = ?, removed_at = ? WHERE id = ANY (?) AND removed = 0 RETURNING id",
                (removal.value, now(), list(documents)),
            ).fetchall()
        return [int(row[0]) for row in moved]

    def purge(self, days: int) -> int:
        """Delete documents for good that have been in the bin for more than some days; return their number."""
        with self._database.write() as connection:
            rows = connection.execute(
                "DELETE FROM documents WHERE removed > 0 AND removed_at < to_char(now() AT TIME ZONE 'UTC'"
                " - ? * interval '1 day', 'YYYY-MM-DD\"T\"HH24:MI:SS') AND knowledge_base = ANY (accessible(2))"
                " RETURNING id",
                (days,),
            ).fetchall()
        return len(rows)

    def renew(self, worker: str) -> int:
        """Extend the leases of a worker; return the number of its jobs."""
        with self._database.write(documents=False) as connection:
            return int(
                connection.execute(
                    "UPDATE import_jobs SET lease = now() + ? * interval '1 s' WHERE worker = ? AND lease > now()",
                    (LEASE_SECONDS, worker),
                ).rowcount
            )

    def release(self, worker: str) -> None:
        """Return the documents of a worker that stops to the queue; they do not count as attempts."""
        with self._database.write() as connection:
            rows = connection.execute(
                "UPDATE import_jobs SET worker = '', lease = '-infinity', attempts = attempts - 1 WHERE worker = ?"
                " RETURNING document",
                (worker,),
            ).fetchall()
            connection.execute(
                "UPDATE documents SET status = 'queued' WHERE id = ANY (?) AND chunks = 0", ([row[0] for row in rows],)
            )

    def fail(self, document: int, worker: str, *, reason: str, hint: str, status: DocumentStatus) -> bool:
        """End a job whose document could not be read; return False if the worker has lost it.

        Args:
            document: The document.
            worker: The worker that has claimed it.
            reason: Why it could not be read.
            hint: What the user can do.
            status: FAILED or LOCKED.
        """
        with self._database.write() as connection:
            if not end_job(connection, document, worker):
                return False
            self._fail(connection, document, reason, hint, status)
        return True

    def waiting(self) -> int:
        """Return the number of documents that are waiting or being read."""
        with self._database.read() as connection:
            return int(connection.execute("SELECT count(*) FROM import_jobs").fetchone()[0])

    def workers(self) -> int:
        """Return the number of workers that read documents now."""
        with self._database.read() as connection:
            row = connection.execute("SELECT count(DISTINCT worker) FROM import_jobs WHERE lease > now()").fetchone()
            return int(row[0])

    def read_original(self, document: int, target: Path) -> None:
        """Write the original file of a document to a new file.

        Raises:
            NotFound: The document has no original, or is not in the library.
            OSError: The file cannot be written.
        """
        with self._database.read() as connection, target.open("wb") as file:
            number = 0
            while (piece := _piece(connection, document, number)) is not None:
                file.write(piece)
                number += 1
        if not number:
            raise NotFound(
                mark("The original file of this document is not in the shared library."), mark("Add the file again.")
            )

    def _fail(
        self,
        connection: PostgresConnection,
        document: int,
        reason: str,
        hint: str,
        status: DocumentStatus = DocumentStatus.FAILED,
    ) -> None:
        connection.execute("DELETE FROM import_jobs WHERE document = ?", (document,))
        # A document that was read before keeps its content.
        connection.execute(
            "UPDATE documents SET status = ?, reason = ?, hint = ? WHERE id = ?",
            (status.value, reason, hint, document),
        )


def end_job(connection: PostgresConnection, document: int, worker: str) -> bool:
    """Remove the job of a document within a transaction; return False if the worker has lost it meanwhile."""
    row = connection.execute(
        "DELETE FROM import_jobs WHERE document = ? AND worker = ? RETURNING 1", (document, worker)
    ).fetchone()
    return row is not None


def require_access(connection: PostgresConnection, base: int, level: int) -> None:
    """Raise an error if the user lacks the access to a knowledge base: 1 to read, 2 to write, 3 to manage.

    Row-level security alone would change nothing without an error.

    Raises:
        SharedAccessDenied: The user lacks it.
    """
    row = connection.execute("SELECT ? = ANY (accessible(?))", (base, level)).fetchone()
    if not row[0]:
        raise access_denied()


def put_original(connection: PostgresConnection, document: int, base: int, file: Path, sha256: str = "") -> None:
    """Store a file in pieces, within a transaction.

    Raises:
        OSError: The file cannot be read, or has changed since its hash was computed.
    """
    digest = hashlib.sha256()
    with file.open("rb") as source:
        number = 0
        while piece := source.read(PIECE):
            digest.update(piece)
            connection.raw.execute(
                "INSERT INTO original_pieces (document, knowledge_base, number, bytes) VALUES (%s, %s, %s, %s)",
                (document, base, number, piece),
            )
            number += 1
    if sha256 and digest.hexdigest() != sha256:
        raise OSError("The file was changed while it was being read.")


def _piece(connection: PostgresConnection, document: int, number: int) -> bytes | None:
    row = connection.raw.execute(
        "SELECT bytes FROM original_pieces WHERE document = %s AND number = %s", (document, number), binary=True
    ).fetchone()
    return None if row is None else bytes(row[0])


def _text(value: str | bytes) -> Any:
    return storable(loaded_text(value))
