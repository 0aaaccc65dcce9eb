"""Checksums of vectors and token codes: every flipped bit is found; rows of earlier versions get them in idle time."""

import random

import numpy as np
import pytest
from numpy.typing import NDArray
from store_content import Add

from workbench.model.integrity_report import Cure
from workbench.store.checksums import fill_in_checksums, row_checksum
from workbench.store.database import Database
from workbench.store.database_check import DatabaseCheck
from workbench.store.documents import DocumentStore
from workbench.store.knowledge_bases import KnowledgeBaseStore
from workbench.store.vectors import CodedTokens, VectorTable

FLIPS = 41


@pytest.fixture
def ids(database: Database, documents: DocumentStore, vectors: VectorTable, add: Add) -> NDArray[np.int64]:
    """Return chunks with unit vectors and token codes."""
    document = add("".join(f"Line {number}.\n" for number in range(9)))
    ids = np.array([chunk.id for chunk in documents.chunks(document.id)], np.int64)
    rows = np.random.default_rng(1).standard_normal((len(ids), 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    vectors.put("e", ids, rows, CodedTokens(b"codec", [f"codes of {id}".encode() for id in ids]))
    assert _cures(database) == set()
    return ids


def _cures(database: Database) -> set[Cure]:
    return {fault.cure for fault in DatabaseCheck(database).vectors()[0]}


def _flipped(value: bytes | int, chance: random.Random) -> bytes | int:
    if isinstance(value, int):
        return value ^ 1 << chance.randrange(max(1, value.bit_length()))
    changed = bytearray(value)
    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize(
    ("table", "column", "cure"),
    [
        ("vectors", "vector", Cure.EMBED_AGAIN),
        ("vectors", "checksum", Cure.EMBED_AGAIN),
        ("token_codes", "codes", Cure.CODE_AGAIN),
        ("token_codes", "checksum", Cure.CODE_AGAIN),
        ("token_codecs", "codec", Cure.CODE_AGAIN),
        ("token_codecs", "checksum", Cure.CODE_AGAIN),
    ],
)
def test_each_flipped_bit_is_found(
    database: Database, ids: NDArray[np.int64], table: str, column: str, cure: Cure
) -> None:
    chance = random.Random(f"{table} {column}")
    with database.read() as connection:
        rows = connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
    found = 0
    for number, value in chance.choices(rows, k=FLIPS):
        for put in (_flipped(value, chance), value):
            with database.write() as connection:
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (put, number))
            found += _cures(database) == {cure}
    assert (found, _cures(database)) == (FLIPS, set())


def test_the_checksum_of_a_copied_chunk_is_its_own_and_that_of_a_damaged_one_stays_wrong(
    database: Database, documents: DocumentStore, ids: NDArray[np.int64]
) -> None:
    with database.write() as connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(1536) WHERE chunk = ?", (int(ids[0]),))
    knowledge_bases = KnowledgeBaseStore(database)
    knowledge_bases.add("other")
    knowledge_bases.copy([documents.list()[0].id], "other")
    with database.read() as connection:
        rows = connection.execute("SELECT embedder, chunk, vector, checksum FROM vectors ORDER BY id").fetchall()
    right = [row_checksum(*row[:3]) == row[3] for row in rows]
    assert right == [False] + [True] * 8 + [False] + [True] * 8


def test_rows_of_earlier_versions_are_sound_and_get_their_checksums_in_idle_time(
    database: Database, ids: NDArray[np.int64], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.checksums._PIECE", 4)
    with database.write() as connection:
        for table, key in (("vectors", "id"), ("token_codes", "vector"), ("token_codecs", "embedder")):
            connection.execute(f"UPDATE {table} SET checksum = NULL")
            connection.execute(
                "INSERT INTO remembered (scope, key, value)"
                f" SELECT 'state', '{table} without checksums', MAX({key}) FROM {table}"
            )
    assert _cures(database) == set()
    fill_in_checksums(database, lambda: False)
    with database.read() as connection:
        for table in ("vectors", "token_codes", "token_codecs"):
            (lacking,) = connection.execute(f"SELECT COUNT(*) FROM {table} WHERE checksum IS NULL").fetchone()
            assert lacking == 0
        assert not connection.execute("SELECT 1 FROM remembered WHERE key LIKE '%without checksums'").fetchone()
    assert _cures(database) == set()
