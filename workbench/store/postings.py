"""A word -> the chunks that hold it and how far it is saturated there, 0 to 1: tf / (tf + K) of BM25.

FTS5 looks up the length of each chunk that it ranks: 1.4 microseconds a chunk, 7 ms for the words of a question to
9,000 chunks. Of a small library all lengths are read once after each change, and FTS5 only lists where a word stands:
1.5 ms.
"""

import sqlite3
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.store.bm25 import BESIDE_BODY, BODY, K1, B, multiplied, ranks

Postings = tuple[NDArray[np.int64], NDArray[np.float32]]
"""Chunks, ascending, and the word's saturation in each."""

_RANK = [("chunk", "<i8"), ("rank", "<f8")]
_IN_BODY = ord("1")


@dataclass(frozen=True, slots=True, eq=False)
class ChunkLengths:
    """The K of BM25 for every chunk in the keyword index, by its length.

    Attributes:
        ids: int64 [chunks], ascending.
        damping: float64 [chunks].
    """

    ids: NDArray[np.int64]
    damping: NDArray[np.float64]


def chunk_lengths(connection: sqlite3.Connection) -> ChunkLengths:
    """Return the lengths of all chunks: 7 ms for 9,000.

    FTS5 keeps the number of words of each column as a varint of 7 bits a byte, the highest first, in one blob a row
    (sqlite.org/fts5.html, "The %_docsize table").
    """
    rows = connection.execute("SELECT id, sz FROM keyword_index_docsize ORDER BY id").fetchall()
    if not rows:
        return ChunkLengths(np.empty(0, np.int64), np.empty(0))
    ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    sizes = np.fromiter((len(row[1]) for row in rows), np.int64, len(rows))
    values = np.frombuffer(b"".join(row[1] for row in rows), np.uint8).astype(np.int64)
    last = np.flatnonzero(values < 128)
    behind = last[np.searchsorted(last, np.arange(len(values)))] - np.arange(len(values))
    words = np.add.reduceat((values & 127) << (7 * behind), np.cumsum(sizes) - sizes)
    return ChunkLengths(ids, K1 * (1 - B + B * words / words.mean()))


def ranked_postings(connection: sqlite3.Connection, word: str, chunks: float) -> Postings:
    """Return the postings of a word by FTS5's own rank; of one that ends in "*" those of all that begin so.

    Args:
        connection: A transaction.
        word: As in the index.
        chunks: How many there are in the index.
    """
    found = np.fromiter(ranks(connection, word), np.dtype(_RANK))
    return found["chunk"], (found["rank"] / multiplied(chunks, len(found))).astype(np.float32)


def listed_postings(connection: sqlite3.Connection, word: str, lengths: ChunkLengths) -> Postings:
    """Return what ranked_postings() does, of a single word, by the lengths of all chunks."""
    occurrences, in_body = connection.execute(
        "SELECT group_concat(doc), group_concat(col = 'body', '') FROM keyword_occurrences WHERE term = ?", (word,)
    ).fetchone()
    if occurrences is None:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    where = np.fromstring(occurrences, np.int64, sep=",")
    weights = np.where(np.frombuffer(in_body.encode(), np.uint8) == _IN_BODY, BODY, BESIDE_BODY)
    first = np.append(0, np.flatnonzero(np.diff(where)) + 1)
    frequencies = np.add.reduceat(weights, first)
    ids = where[first]
    damping = lengths.damping[np.searchsorted(lengths.ids, ids)]
    return ids, (frequencies / (frequencies + damping)).astype(np.float32)
