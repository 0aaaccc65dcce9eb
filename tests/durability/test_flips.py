"""Bit flips in each table of a library: the check finds each, or a reason here says why it is harmless."""

import random
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from flipped_library import Flip, connected, flips, make

from workbench.embedding.base import Embedder
from workbench.model.integrity_report import Fault
from workbench.operations import Library
from workbench.operations.integrity.integrity_and_backups import find_faults

HARMLESS = {
    "abbreviations": "made of the text again whenever it is read; a question is widened by one word less",
    "chunk_changes": "with another token or checksum than it expects, a reader compares all passages",
    "chunks.by_hand": "asked only when the document is read again; edited chunks have checksums",
    "chunks.oversize": "a count of what could not be cut",
    "chunks.tokens": "an estimate of room, made again when the document is read",
    "chunks.headings": "stand over a passage; where they are no JSON the document is read again",
    "chunks.page": "of chunks that nobody edited: made again when the document is read",
    "document_names_config": "a number of SQLite's own",
    "document_names_content": "a letter in another case is the same word",
    "document_names_data": "room that a page of the index does not use",
    "document_names_idx": "where a page of the index begins: SQLite looks at it where that is another page",
    "embedders.generation": "the search index is brought into step once more",
    "keyword_index_config": "a number of SQLite's own",
    "keyword_index_data": "made of the passages; a sample of their words is looked up, the rest at the next rebuild",
    "keyword_index_docsize.sz": "how long a passage is for BM25",
    "keyword_index_idx": "where a page of the index begins: SQLite looks at it where that is another page",
    "remembered": "what the program and its window remember of themselves; settings have checksums",
    "row_checksums.holder": "a row without a checksum gets one",
    "sqlite_sequence": "SQLite takes the higher one of it and of the highest row",
    "sqlite_stat1": "statistics, by which SQLite chooses among indexes",
}
"""Tables and columns in which a flip is not always found, and why that is harmless."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    """Return a closed library, with a database whose triggers are removed, since a disk runs none."""
    library = make(tmp_path_factory.mktemp("flips"), embedder)
    with closing(connected(library)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name.decode()}")
    return library


@pytest.fixture(scope="module")
def library(folder: Path, embedder: Embedder) -> Iterator[Library]:
    library = Library.open(folder, embedder=embedder)
    yield library
    library.close()


def _faults(library: Library) -> tuple[Fault, ...]:
    return find_faults(library, lambda: False, lambda _progress: None).faults


def _is_harmless(flip: Flip) -> bool:
    return flip.table in HARMLESS or f"{flip.table}.{flip.column}" in HARMLESS or _holds_the_same(flip)


def _holds_the_same(flip: Flip) -> bool:
    """Return whether the uncompressed data are equal: a run of equal bytes may be copied from another one."""
    try:
        return zlib.decompress(flip.flipped) == zlib.decompress(flip.value)
    except (zlib.error, TypeError):
        return False


def test_a_flipped_bit_anywhere_in_the_database_is_found_or_harmless(library: Library, folder: Path) -> None:
    assert _faults(library) == ()
    tables, missed = set(), []
    with closing(connected(folder)) as connection:
        for flip in flips(folder, random.Random(7)):
            try:
                flip.put(connection)
            except sqlite3.IntegrityError:
                continue  # such a bit in a key refers to another existing row
            tables.add(flip.table)
            if not _faults(library) and not _is_harmless(flip):
                missed.append(flip)
            flip.put_back(connection)
    assert missed == []
    assert len(tables) > 30
    assert _faults(library) == ()
