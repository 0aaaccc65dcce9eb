"""Stored lists of the chunks with a common word in a shared library, built by workers.

PostgreSQL takes some microseconds for each chunk with a word, a list 0.01: without lists, a word in 160,000 of
1,000,000 chunks takes a second. Chunks added since are found by the index (shared_keywords.py).
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from workbench.store.bm25 import BESIDE_BODY, BODY
from workbench.store.postgres.binary_columns import read_columns
from workbench.store.postgres.postgres_database import PostgresDatabase
from workbench.store.postgres.shared_keywords import SATURATED, query_of, saturations_of
from workbench.store.segmentation import SEGMENTATION

logger = logging.getLogger(__name__)

PUBLISHING = 7_267_001
"""Advisory lock: shared by publications, exclusive for the moment in which a build notes the highest chunk.

Ids of chunks are taken before they are committed: a build must not count chunks that it cannot see yet.
"""
_BUILDING = 7_267_002
"""Advisory lock of a build, with the number of the knowledge base."""
LEAST_CHUNKS = 2_000
"""Minimum number of chunks of a knowledge base with lists."""
_COMMON = 100
"""Minimum number of chunks with a common word, in up to 1,000,000 chunks; then one of _SHARE.

Without a list, a chunk takes 4 microseconds if it is in the server's memory, 20 if not. With 300 (and 1,000 in
1,000,000 chunks), a question of 4 to 8 words waited 80 ms for them; the lists of rarer words add a tenth of the space.
"""
_SHARE = 10_000
_LEFT_OUT = 0.05
"""Share of new chunks from which the lists are built again."""
_HIGHEST = 0.9999
_CONNECTIONS = 4
"""Number of connections on which lists are made: each is a process of the server."""
_TOGETHER = 50
"""Number of lists made by one connection and stored at once."""

Stop = Callable[[], bool]
_List = tuple[str, int, bytes, bytes]


def build_posting_lists(database: PostgresDatabase, stop: Stop = lambda: False, *, least: int = LEAST_CHUNKS) -> int:
    """Build the lists of every knowledge base that needs it and that the user may write; blocking, minutes if large.

    Args:
        database: The shared library.
        stop: Called between words; nothing is written if it returns True.
        least: Minimum number of chunks of a knowledge base.

    Returns:
        The number of knowledge bases whose lists were built.
    """
    with database.read() as connection:
        bases = [
            int(row[0])
            for row in connection.execute(
                "SELECT d.knowledge_base FROM documents d LEFT JOIN posting_builds b USING (knowledge_base)"
                " WHERE d.knowledge_base = ANY (accessible(2))"
                " GROUP BY d.knowledge_base, b.segmentation, b.chunks HAVING SUM(d.chunks) >= ?"
                " AND (b.segmentation IS DISTINCT FROM ? OR abs(SUM(d.chunks) - b.chunks) > ? * b.chunks)",
                (least, SEGMENTATION, _LEFT_OUT),
            )
        ]
    return sum(_build(database, base, stop) for base in bases if not stop())


def _build(database: PostgresDatabase, base: int, stop: Stop) -> bool:
    """Build the lists of one knowledge base in one transaction; False if another worker does, or if stopped."""
    with database.unpooled() as raw:
        raw.execute("SET statement_timeout = 0")
        if not raw.execute("SELECT pg_try_advisory_lock(%s, %s)", (_BUILDING, base)).fetchone()[0]:
            return False
        raw.execute("SELECT pg_advisory_lock(%s)", (PUBLISHING,))
        raw.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        # The first statement of the transaction fixes the state that it sees.
        last = raw.execute("SELECT max(id) FROM chunks WHERE knowledge_base = %s", (base,)).fetchone()[0] or 0
        raw.execute("SELECT pg_advisory_unlock(%s)", (PUBLISHING,))
        average = _mean_length(raw)
        count = raw.execute("SELECT count(*) FROM chunks WHERE knowledge_base = %s", (base,)).fetchone()[0]
        raw.execute("DELETE FROM posting_lists WHERE knowledge_base = %s", (base,))
        found = raw.execute(
            "SELECT word FROM ts_stat(%s) WHERE ndoc >= %s ORDER BY ndoc DESC",
            (f"SELECT words FROM workbench.chunk_words WHERE knowledge_base = {base}", max(_COMMON, count // _SHARE)),
        ).fetchall()
        words = [row[0] for row in found]
        snapshot = raw.execute("SELECT pg_export_snapshot()").fetchone()[0]
        parts = [words[first : first + _TOGETHER] for first in range(0, len(words), _TOGETHER)]
        with ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="posting-lists") as pool:
            make = partial(_make_lists, database, snapshot, base, last, average)
            for lists in pool.map(lambda part: make(part, stop), parts):
                raw.cursor().executemany(
                    "INSERT INTO posting_lists (word, knowledge_base, ids, saturations) VALUES (%s, %s, %s, %s)", lists
                )
        if stop():
            return False  # closing the connection rolls back
        raw.execute(
            "INSERT INTO posting_builds (knowledge_base, segmentation, last, chunks) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (knowledge_base) DO UPDATE SET segmentation = excluded.segmentation, last = excluded.last,"
            " chunks = excluded.chunks",
            (base, SEGMENTATION, last, count),
        )
        raw.execute("SELECT advance()")
        raw.execute("COMMIT")
    logger.info("Lists of %d common words were built for %d chunks", len(words), count)
    return True


def _mean_length(raw: Any) -> float:
    words, chunks = raw.execute("SELECT sum(words), sum(chunks) FROM documents WHERE chunks > 0").fetchone()
    return float(words) / float(chunks) if chunks else 1.0


def _make_lists(
    database: PostgresDatabase, snapshot: str, base: int, last: int, average: float, words: Sequence[str], stop: Stop
) -> list[_List]:
    """Return the lists of some words, read in a snapshot of the building transaction."""
    import numpy as np  # 100 ms that the window does not wait for

    made: list[_List] = []
    with database.unpooled() as raw:
        raw.execute("SET statement_timeout = 0")
        raw.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        raw.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
        for word in words:
            if stop():
                break
            found = read_columns(
                raw,
                "SELECT chunk, occurrences, length"
                " FROM postings(ARRAY[%s::tsquery], ARRAY[%s], '{0}', '{0}', %s::real) WHERE chunk <= %s",
                (query_of(word), base, BESIDE_BODY / BODY, last),
                {"chunk": "i8", "occurrences": "f4", "length": "i4"},
            )
            order = np.argsort(found["chunk"], kind="stable")
            shares = saturations_of(found["occurrences"], found["length"], average)[order]
            saturations = np.rint(np.minimum(shares, _HIGHEST) * SATURATED).astype("<u2")
            made.append((word, base, found["chunk"][order].astype("<u4").tobytes(), saturations.tobytes()))
    return made
