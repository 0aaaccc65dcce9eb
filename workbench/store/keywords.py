"""The keyword index: FTS5 over segmented text, ranked by BM25."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.store import common_words
from workbench.store.bm25 import SATURATION, matching
from workbench.store.bulk_reads import columns
from workbench.store.filtering import conditions
from workbench.store.index_reader import IndexCache, IndexReader, QueryTerms
from workbench.store.segmentation import SEGMENTATION, matched_terms, question_words, segment
from workbench.store.sql import Connection, DocumentDatabase
from workbench.store.stored_values import loaded_json, loaded_text, put_state, state

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

    from workbench.store.bm25_scorer import WeightedPostings
    from workbench.store.keyword_evidence import KeywordEvidence
    from workbench.store.ranks import CompleteRanking

__all__ = ["SATURATION", "KeywordIndex", "KeywordRow", "add_rows", "matched_terms", "remove_rows", "segment", "terms"]

# Maximum number of rows read per question, rarest words first. 100,000 chunks: 16 ms for 15,000 rows, 1 microsecond a
# row.
_ROWS = 30_000
# Number of best chunks that are rescored with their neighbours.
_WITH_NEIGHBOURS = 100
# Above this number, chunks are not checked individually against a filter.
_MANY = 5000
# Each transaction leaves a segment or more. When the library is idle, all are merged into one from this number on, a
# few pages at a time.
_PIECES = 8
_MERGED_PAGES = 250
# More segments than this are merged while documents are added: three searches in 10 segments of 3 MB take 8 ms, in 48
# 10 ms. The number of segments is looked at after so many chunks, in 0.2 ms.
_MOST_PIECES = 128
_CHECKED_EVERY = 16
# 5,400 chunks of prose are 680 pages of the index, which are written once more for each 128-fold size of a segment.
_PAGES_PER_CHUNK = 0.5

# One look-up per segment: COUNT(DISTINCT segid) reads the whole table.
_COUNT_PIECES = """
    WITH RECURSIVE segments (number) AS (
        SELECT MIN(segid) FROM keyword_index_idx
        UNION ALL
        SELECT (SELECT MIN(segid) FROM keyword_index_idx WHERE segid > number) FROM segments WHERE number IS NOT NULL
    )
    SELECT COUNT(number) FROM segments
"""


@dataclass(frozen=True, slots=True)
class KeywordRow:
    """Keyword index row of one chunk.

    Attributes:
        chunk: Its id.
        title: Title of its document.
        headings: Headings above it.
        text: Its text.
        words: segment(text) if already known.
        disabled: The chunk is not in the index.
    """

    chunk: int
    title: str
    headings: tuple[str, ...]
    text: str
    words: str | None = None
    disabled: bool = False

    @property
    def values(self) -> tuple[int, str, str, str]:
        """Parameters to bind: a heading that equals the title is left out of the headings."""
        headings = " ".join(heading for heading in self.headings if heading != self.title)
        words = segment(self.text) if self.words is None else self.words
        return self.chunk, _segment_cached(self.title), _segment_cached(headings), words


# A document's chunks share their title, and mostly their headings too.
_segment_cached = lru_cache(maxsize=256)(segment)


def terms(question: str) -> list[str]:
    """Return the words of a question to search for; see segmentation.question_words."""
    return list(question_words(question))


def add_rows(connection: Connection, rows: Iterable[KeywordRow]) -> None:
    """Add chunks to the index except disabled ones, inside the caller's transaction."""
    connection.executemany(
        "INSERT INTO keyword_index (rowid, title, headings, body) VALUES (?, ?, ?, ?)",
        (row.values for row in rows if not row.disabled),
    )


def merge_many(connection: Connection, added: Sequence[int]) -> None:
    """Merge some segments of the index if there are very many, inside the transaction that added these chunks.

    The work is in proportion to the number of chunks, so that no transaction has to merge everything: 128 segments of
    3 MB would take 10 s.
    """
    if not added or min(added) // _CHECKED_EVERY == max(added) // _CHECKED_EVERY:
        return
    if connection.execute(_COUNT_PIECES).fetchone()[0] > _MOST_PIECES:
        pages = max(_MERGED_PAGES, int(_PAGES_PER_CHUNK * len(added)))
        connection.execute("INSERT INTO keyword_index (keyword_index, rank) VALUES ('merge', ?)", (pages,))


def remove_rows(connection: Connection, rows: Iterable[KeywordRow]) -> None:
    """Remove chunks from the index; the values must equal the added ones, because the index stores no text."""
    connection.executemany(
        "INSERT INTO keyword_index (keyword_index, rowid, title, headings, body) VALUES ('delete', ?, ?, ?, ?)",
        (row.values for row in rows if not row.disabled),
    )


class KeywordIndex:
    """Finds chunks by their words."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database
        self._counted = (-1, 0)
        self._cache = IndexCache(-1)
        self._rebuild_if_segmented_otherwise()

    @property
    def count(self) -> int:
        """Number of searchable chunks, cached while the library is unchanged, because a search reads it three times."""
        revision, count = self._counted
        if revision != self._database.revision:
            revision = self._database.revision
            with self._database.read() as connection:
                row = connection.execute("SELECT TOTAL(chunks) FROM documents WHERE removed = 0").fetchone()
            count = int(row[0])
            self._counted = revision, count
        return count

    def search(
        self, question: str, k: int, *, filter: ChunkFilter = EVERYTHING, allowed: "NDArray[np.int64] | None" = None
    ) -> list[tuple[int, float]]:
        """Return (chunk id, BM25) of the at most k best chunks that pass the filter, best first, higher is better.

        Any punctuation in the question is harmless; a question without a single word finds nothing.

        Args:
            question: Any text.
            k: Maximum number of results.
            filter: Restricts the chunks.
            allowed: Ids of the chunks that pass the filter, ascending, if already known.

        Raises:
            NotFound: The filter names a knowledge base that does not exist.
        """
        wanted = terms(question)
        with self._reading() as index:
            condition = conditions(index.connection, filter)
            if not wanted or k < 1 or (allowed is not None and not len(allowed)):
                return []
            query_terms = index.query_terms(question, wanted)
            found: list[tuple[int, float]] = []
            for rows in (_ROWS, sys.maxsize):
                words, is_complete = _collect_postings(index, query_terms, rows)
                found = _rank_chunks(index, words, k, allowed, condition)
                if len(found) >= k or is_complete or index.common is not None:
                    break
        return found

    def whole_list(self, question: str, allowed: "NDArray[np.int64]") -> "CompleteRanking":
        """Return everything that search() finds without a limit, sorting only the best of a million chunks.

        Args:
            question: Any text.
            allowed: Ids of the chunks that may be found, ascending.
        """
        from workbench.store.bm25_scorer import bm25_scores, rescore_with_neighbours, whole_list  # numpy, as above

        with self._reading() as index:
            query_terms = index.query_terms(question, terms(question))
            # Like a search that never has enough results: use all words unless common words are stored as arrays.
            words, _ = _collect_postings(index, query_terms, sys.maxsize if index.common is None else _ROWS)
            found = whole_list(bm25_scores(words), _WITH_NEIGHBOURS, allowed)
            layout = index.layout([chunk for chunk, _ in found.best], 1)
            return replace(found, best=rescore_with_neighbours(found.best, words, layout))

    def holding_all(self, words: Sequence[str]) -> list[int]:
        """Return the ids of the chunks that contain every word in text, headings or title, ascending.

        Args:
            words: As returned by terms(); an empty list finds nothing.
        """
        if not words:
            return []
        query = " AND ".join(map(matching, words))
        with self._database.read() as connection:
            rows = connection.execute("SELECT rowid FROM keyword_index WHERE keyword_index MATCH ?", (query,))
            return [int(row[0]) for row in rows]

    def holding_near(self, words: Sequence[str], most: int) -> list[int]:
        """Return the ids of at most this many chunks in which these words stand close together, in any order.

        Args:
            words: As returned by terms(); an empty list finds nothing.
            most: Maximum number of chunks.
        """
        if not words:
            return []
        near = f"NEAR({' '.join(map(matching, words))}, {len(words)})"
        query = "SELECT rowid FROM keyword_index WHERE keyword_index MATCH ? LIMIT ?"
        with self._database.read() as connection:
            return [int(row[0]) for row in connection.execute(query, (near, most))]

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of chunks that contain each word; words as returned by terms()."""
        terms, cache = list(terms), self._cache
        known = cache.frequencies
        if cache.revision == self._database.revision and all(word in known for word in terms):
            # Without a transaction: an answer asks six times for the words of its question.
            return {word: known[word] for word in terms}
        with self._reading() as index:
            return index.frequencies(terms)

    def words_around(
        self, words: Sequence[str], chunks: Sequence[int], reach: int
    ) -> "tuple[NDArray[np.bool_], NDArray[np.float32]]":
        """Return bool [words, chunks], True if a chunk contains a word, and float32, the share of neighbours that do.

        Args:
            words: As returned by terms().
            chunks: Their ids.
            reach: Number of neighbours on each side, in the same document; at least 1.
        """
        from workbench.store.keyword_evidence import words_around  # numpy, as above

        with self._reading() as index:
            return words_around(index, words, chunks, reach)

    def evidence(self, parts: Sequence[str], chunks: Sequence[int]) -> "KeywordEvidence":
        """Return the share of each part of a question in each chunk and on its page, as shares of BM25.

        Args:
            parts: Texts: the question, and alternative wordings of its terms in documents.
            chunks: Their ids.
        """
        from workbench.store.keyword_evidence import keyword_evidence  # numpy, as above

        with self._reading() as index:
            weights = []
            for part in parts:
                query = index.query_terms(part, terms(part))
                weights.append({word: query.idf(word, number) for word, number in query.frequencies.items()})
            return keyword_evidence(index, weights, chunks)

    @contextmanager
    def _reading(self) -> Iterator[IndexReader]:
        """Yield an index reader with the cache of exactly the state that it reads; an empty cache during a commit."""
        with self._database.read_revision() as (connection, revision):
            cache = self._cache
            if revision is None or cache.revision != revision:
                cache = IndexCache(-1 if revision is None else revision)
            if revision is not None:
                self._cache = cache
            yield IndexReader(connection, cache)

    def keep_common_words(self, stop: Callable[[], bool]) -> None:
        """Make searches for common words fast: from arrays on disk in a large library, from the cache in a small one.

        Args:
            stop: Called between words; the method ends soon after it returns True.
        """
        common_words.keep(self._database, stop)
        self.cache_common_words(stop)

    def cache_common_words(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Cache the postings of common words of a small library: 0.3 s for 9,000 chunks, else 2 ms per question."""
        with self._reading() as index:
            index.cache_common_words(stop)

    def tidy(self) -> bool:
        """Merge some of the index segments, in 50 ms at most; return whether there is more to do.

        100,000 chunks that were added by 1,000 transactions: 11 ms for a rare word, 9 ms after merging.
        """
        with self._database.write() as connection:
            if connection.execute(_COUNT_PIECES).fetchone()[0] < _PIECES:
                return False
            (before,) = connection.execute("SELECT total_changes()").fetchone()
            # A negative number merges all segments into one, not only those of one level.
            connection.execute("INSERT INTO keyword_index (keyword_index, rank) VALUES ('merge', ?)", (-_MERGED_PAGES,))
            (after,) = connection.execute("SELECT total_changes()").fetchone()
            return bool(after - before > 1)

    def rebuild(self) -> None:
        """Rebuild the index from the chunks, in one transaction."""
        with self._database.write() as connection:
            common_words.forget(connection)
            connection.execute("INSERT INTO keyword_index (keyword_index) VALUES ('delete-all')")
            # Rows are not fetched at once: the text of 1,000,000 chunks is 1 GB.
            rows = connection.execute(
                "SELECT c.id, d.title, c.headings, c.text FROM chunks c JOIN documents d ON d.id = c.document"
                " WHERE c.disabled = 0"
            )
            add_rows(
                connection,
                (
                    KeywordRow(chunk, loaded_text(title), tuple(loaded_json(headings)), loaded_text(text))
                    for chunk, title, headings, text in rows
                ),
            )
            put_state(connection, "segmentation", SEGMENTATION)
            self._database.revision += 1

    def _rebuild_if_segmented_otherwise(self) -> None:
        with self._database.read() as connection:
            is_same = state(connection, "segmentation") == SEGMENTATION
        if not is_same:
            self.rebuild()


def _rank_chunks(
    index: IndexReader,
    words: "Sequence[WeightedPostings]",
    k: int,
    allowed: "NDArray[np.int64] | None",
    condition: tuple[str, Sequence[str | bytes | int | float]],
) -> list[tuple[int, float]]:
    """Return the results of search() for the given words.

    The sum is computed here, since FTS5's own idf is 0 for a word in half of the chunks or more: in a small library
    most words.
    """
    from workbench.store.bm25_scorer import best, bm25_scores, rescore_with_neighbours  # numpy, as above

    scores = bm25_scores(words)
    if allowed is None and k > _MANY:
        allowed = _passing_chunks(index.connection, *condition)
    wanted = max(_WITH_NEIGHBOURS, 2 * k + 20)
    while True:
        head = best(scores, wanted, allowed)
        layout = index.layout([chunk for chunk, _ in head[:_WITH_NEIGHBOURS]], 1)
        ranked = rescore_with_neighbours(head[:_WITH_NEIGHBOURS], words, layout) + head[_WITH_NEIGHBOURS:]
        found = ranked[:k] if allowed is not None else _first_passing(index.connection, ranked, k, *condition)
        if len(found) >= k or len(head) < wanted:
            return found
        wanted *= 8


def _passing_chunks(
    connection: Connection, condition: str, parameters: Sequence[str | bytes | int | float]
) -> "NDArray[np.int64]":
    """Return all chunks that pass, ascending; used for complete rankings: 1,000,000 in 0.3 s."""
    query = f"SELECT c.id FROM documents d CROSS JOIN chunks c ON c.document = d.id WHERE {condition} ORDER BY c.id"
    return columns(connection, ("id",), query, parameters)[0]


def _collect_postings(index: IndexReader, asked: QueryTerms, rows: int) -> "tuple[list[WeightedPostings], bool]":
    """Return the words, rarest first, and whether none was left out because of the row limit.

    Args:
        index: The keyword index.
        asked: The words.
        rows: Maximum number of rows of words that are not stored as arrays. Cached words count the same, so that the
            result of a question does not depend on the cache.
    """
    from workbench.store.bm25_scorer import WeightedPostings  # numpy, as above

    words, looked_at, is_complete = [], 0, True
    for word, frequency in asked.frequencies.items():
        if (found := index.kept_postings(word)) is None:
            if looked_at and looked_at + frequency > rows:
                is_complete = False
                continue
            found = index.postings(word)
            looked_at += len(found[0])
        words.append(WeightedPostings(asked.idf(word, len(found[0])), *found))
    return words, is_complete


def _first_passing(
    connection: Connection,
    ranked: Sequence[tuple[int, float]],
    k: int,
    condition: str,
    parameters: Sequence[str | bytes | int | float],
) -> list[tuple[int, float]]:
    """Return the first k that pass the filter, checking growing batches, so that the filter never shortens it."""
    found: list[tuple[int, float]] = []
    start, step = 0, 2 * k + 20
    while start < len(ranked) and len(found) < k:
        batch = ranked[start : start + step]
        passing = {
            row[0]
            for row in connection.execute(
                "SELECT c.id FROM json_each(?) j CROSS JOIN chunks c INDEXED BY chunks_places ON c.id = j.value"
                f" CROSS JOIN documents d ON d.id = c.document WHERE {condition}",
                (json.dumps([chunk for chunk, _ in batch]), *parameters),
            )
        }
        found += [item for item in batch if item[0] in passing]
        start, step = start + step, step * 4
    return found[:k]
