"""Chunks and words -> which of the words each chunk holds, and how many of the chunks around it hold them, too."""

import json
import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.store import common_words
from workbench.store.adding_up import Ids, where
from workbench.store.bm25 import matching
from workbench.store.columns import columns

# Ordinals of a document end below.
_STRETCH = 1 << 32


def words_around(
    connection: sqlite3.Connection, total: float, words: Sequence[str], chunks: Sequence[int], reach: int
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Return bool [words, chunks], whether a chunk holds a word, and float32, the share of those around it that do.

    Args:
        connection: A transaction.
        total: How many chunks the index holds.
        words: As in the keyword index; one that ends in "*" stands for all that begin so.
        chunks: Their ids; of one that is gone nothing is held.
        reach: How many chunks to each side, in the same document, are around one. What the document does not have holds
            nothing: of one neighbour alone nothing can be told.
    """
    wanted, places, ids, keys = _around(connection, chunks, reach)
    held = np.zeros((len(words), len(chunks)), np.bool_)
    shares = np.zeros((len(words), len(chunks)), np.float32)
    first, last = np.searchsorted(keys, places - reach), np.searchsorted(keys, places + reach, side="right")
    own = np.searchsorted(keys, places)
    common = common_words.kept(connection)
    for row, word in enumerate(words):
        _, holds = where(_holders(connection, common, word, total, ids), ids)
        counted = np.append(0, np.cumsum(holds))
        held[row, wanted] = holds[own]
        shares[row, wanted] = (counted[last] - counted[first] - holds[own]) / (2 * reach)
    return held, shares


def places_of(connection: sqlite3.Connection, chunks: Sequence[int]) -> list[Ids]:
    """Return which of the chunks are there, int64 [found], the documents they are in, and their ordinals there."""
    return columns(
        connection,
        ("place", "document", "ordinal"),
        "SELECT j.key AS place, c.document, c.ordinal FROM json_each(?) j CROSS JOIN chunks c INDEXED BY chunks_places"
        " ON c.id = j.value",
        (json.dumps(list(chunks)),),
    )


def stretches_around(documents: Ids, ordinals: Ids, reach: int) -> list[list[int]]:
    """Return [document, first ordinal, last ordinal] of what is around the places; none overlaps another."""
    stretches: list[list[int]] = []
    for document, ordinal in sorted(zip(documents.tolist(), ordinals.tolist(), strict=True)):
        if stretches and stretches[-1][0] == document and ordinal - reach <= stretches[-1][2]:
            stretches[-1][2] = ordinal + reach
        else:
            stretches.append([document, ordinal - reach, ordinal + reach])
    return stretches


def _around(connection: sqlite3.Connection, chunks: Sequence[int], reach: int) -> tuple[Ids, ...]:
    """Return which of the chunks are there, their places, and of all around them ids and places, by place.

    A place is the document's number and the chunk's ordinal in one.
    """
    wanted, documents, ordinals = places_of(connection, chunks)
    stretches = stretches_around(documents, ordinals, reach)
    ids, around, at = columns(
        connection,
        ("id", "document", "ordinal"),
        "SELECT c.id, c.document, c.ordinal FROM json_each(?) j CROSS JOIN chunks c INDEXED BY chunks_document"
        " ON c.document = j.value ->> 0 AND c.ordinal BETWEEN j.value ->> 1 AND j.value ->> 2"
        " ORDER BY c.document, c.ordinal",
        (json.dumps(stretches),),
    )
    return wanted, _places(documents, ordinals), ids, _places(around, at)


def _places(documents: Ids, ordinals: Ids) -> Ids:
    return documents * _STRETCH + ordinals


def _holders(
    connection: sqlite3.Connection,
    common: common_words.CommonWords | None,
    word: str,
    total: float,
    among: Ids,
) -> Ids:
    """Return the chunks that hold a word, ascending, at least those that are among these."""
    if not len(among):
        return among
    if common is not None and (found := common_words.arrays(connection, common, word, total)) is not None:
        return found[0]
    rows = connection.execute(
        "SELECT rowid FROM keyword_index WHERE keyword_index MATCH ? AND rowid BETWEEN ? AND ?",
        (matching(word), int(among.min()), int(among.max())),
    )
    return np.array([row[0] for row in rows], np.int64)
