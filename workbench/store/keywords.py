"""The keyword index: FTS5 over segmented text, ranked by BM25."""

import json
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.store import common_words
from workbench.store.bm25 import SATURATION, idf, matching, shares
from workbench.store.columns import columns
from workbench.store.common_words import CommonWords
from workbench.store.database import Database
from workbench.store.filtering import conditions
from workbench.store.segmentation import SEGMENTATION, compounds_in, matched_terms, question_words, segment
from workbench.store.state import put_state, state
from workbench.store.values import loaded_json, loaded_text

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

    from workbench.store.adding_up import Posted
    from workbench.store.common_words import Arrays
    from workbench.store.keyword_evidence import KeywordEvidence

__all__ = ["SATURATION", "KeywordIndex", "KeywordRow", "add_rows", "matched_terms", "remove_rows", "segment", "terms"]

# Rows that one question may look at, rarest words first. 100,000 chunks: 16 ms for 15,000 rows, 1 microsecond a row.
_ROWS = 30_000
_B = 0.75
# The chunks before and after are a field of their own, of this weight, as in BM25F (Robertson and Zaragoza 2004), where
# the cut went through a paragraph: an answer and the name it is about often fall on its two sides. nDCG@10, 1500
# questions a set, without / here / at 0.5 / here with neighbours of any kind: drcd 0.9712 / 0.9727 / 0.9720 / 0.9727,
# xquad zh 0.964 / 0.965 / 0.966 / 0.965, pages en 0.976 / 0.978 / 0.977 / 0.976, zh 0.976 / 0.975 / 0.973 / 0.974.
_BESIDE = 0.3
# Only the best chunks are asked for their neighbours.
_WITH_NEIGHBOURS = 100
_KEPT_FREQUENCIES = 10_000
# 20 bytes each: 20 MB.
_KEPT_POSTINGS = 1_000_000
# More than so many are not asked for one by one whether they pass a filter.
_MANY = 5000
# FTS5 keeps at most three pieces of a size by itself; when there are so many, all are merged into one.
_PIECES = 8
_MERGED_PAGES = 250


@dataclass(frozen=True, slots=True)
class KeywordRow:
    """What the index takes of one chunk.

    Attributes:
        chunk: Its id.
        title: Its document's title.
        headings: The headings over it.
        text: Its text.
        words: segment(text) where it is known already.
        disabled: It stands in no index.
    """

    chunk: int
    title: str
    headings: tuple[str, ...]
    text: str
    words: str | None = None
    disabled: bool = False

    @property
    def values(self) -> tuple[int, str, str, str]:
        """The row as it is bound: title words that the headings repeat are left out of the headings."""
        headings = " ".join(heading for heading in self.headings if heading != self.title)
        words = segment(self.text) if self.words is None else self.words
        return self.chunk, _segmented(self.title), _segmented(headings), words


# A document's chunks share their title, and mostly their headings too.
_segmented = lru_cache(maxsize=256)(segment)


def terms(question: str) -> list[str]:
    """Return the words of a question to search for; see segmentation.question_words."""
    return list(question_words(question))


def add_rows(connection: sqlite3.Connection, rows: Iterable[KeywordRow]) -> None:
    """Put chunks into the index but for those that are disabled, inside the caller's transaction."""
    connection.executemany(
        "INSERT INTO keyword_index (rowid, title, headings, body) VALUES (?, ?, ?, ?)",
        (row.values for row in rows if not row.disabled),
    )


def remove_rows(connection: sqlite3.Connection, rows: Iterable[KeywordRow]) -> None:
    """Take chunks out of the index; they must be as they were added, since the index keeps no text of its own."""
    connection.executemany(
        "INSERT INTO keyword_index (keyword_index, rowid, title, headings, body) VALUES ('delete', ?, ?, ?, ?)",
        (row.values for row in rows if not row.disabled),
    )


class KeywordIndex:
    """Finds chunks by their words."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._counted = (-1, 0)
        self._indexed = (-1, 0.0)
        self._frequencies: tuple[int, dict[str, int]] = (-1, {})
        self._postings: tuple[int, dict[str, Arrays]] = (-1, {})
        self._rebuild_if_segmented_otherwise()

    @property
    def count(self) -> int:
        """How many chunks can be found; a search asks three times, so it is kept while the library stays the same."""
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
            k: How many.
            filter: What may be found.
            allowed: Its ids, ascending, where they are known already.

        Raises:
            NotFound: The filter names a knowledge base that is not there.
        """
        wanted = terms(question)
        revision = self._database.revision
        with self._database.read() as connection:
            condition, parameters = conditions(connection, filter)
            if not wanted or k < 1 or (allowed is not None and not len(allowed)):
                return []
            frequencies = self._known_frequencies(connection, revision, wanted)
            asked = _asked(question, frequencies, self._total(connection, revision))
            common = common_words.kept(connection)
            found: list[tuple[int, float]] = []
            for rows in (_ROWS, sys.maxsize):
                words, is_complete = _posted(connection, common, asked, rows, self._known_postings(revision))
                found = _added_up(connection, words, k, allowed, (condition, parameters))
                if len(found) >= k or is_complete or common is not None:
                    break
        return found

    def holding_all(self, words: Sequence[str]) -> list[int]:
        """Return the ids of the chunks that hold each of the words in text, headings or title, ascending.

        Args:
            words: As terms() gives them; none finds nothing.
        """
        if not words:
            return []
        asked = " AND ".join(map(matching, words))
        with self._database.read() as connection:
            rows = connection.execute("SELECT rowid FROM keyword_index WHERE keyword_index MATCH ?", (asked,))
            return [int(row[0]) for row in rows]

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many chunks each word stands; words as terms() gives them."""
        revision = self._database.revision
        with self._database.read() as connection:
            return self._known_frequencies(connection, revision, terms)

    def words_around(
        self, words: Sequence[str], chunks: Sequence[int], reach: int
    ) -> "tuple[NDArray[np.bool_], NDArray[np.float32]]":
        """Return bool [words, chunks], whether a chunk holds a word, and float32, the share of those around that do.

        Args:
            words: As terms() gives them.
            chunks: Their ids.
            reach: How many chunks to each side, in the same document, are around one; at least 1.
        """
        from workbench.store.words_around import words_around  # numpy, as above

        revision = self._database.revision
        with self._database.read() as connection:
            return words_around(connection, self._total(connection, revision), words, chunks, reach)

    def evidence(self, parts: Sequence[str], chunks: Sequence[int]) -> "KeywordEvidence":
        """Return how much of each part of a question stands in each chunk and on its page, as shares of BM25.

        Args:
            parts: Texts: the question, what documents write for its terms.
            chunks: Their ids.
        """
        from workbench.store.keyword_evidence import keyword_evidence  # numpy, as above

        revision = self._database.revision
        with self._database.read() as connection:
            total = self._total(connection, revision)
            weights = []
            for part in parts:
                asked = _asked(part, self._known_frequencies(connection, revision, terms(part)), total)
                weights.append({word: asked.idf(word, number) for word, number in asked.frequencies.items()})
            postings = partial(_read, connection, common_words.kept(connection), total, self._known_postings(revision))
            return keyword_evidence(connection, weights, chunks, postings)

    def _known_frequencies(self, connection: sqlite3.Connection, revision: int, terms: Iterable[str]) -> dict[str, int]:
        """Return the frequencies, kept while the library stays the same: one search asks twice for each word.

        The revision is that of before the connection began to read: what is kept is never older than it says.
        """
        common = common_words.kept(connection)
        of_revision, known = self._frequencies
        if of_revision != revision or len(known) > _KEPT_FREQUENCIES:
            known = {}
            self._frequencies = revision, known
        found = {}
        for term in terms:
            if term not in known:
                known[term] = _frequency(connection, common, term)
            found[term] = known[term]
        return found

    def _known_postings(self, revision: int) -> "dict[str, Arrays]":
        """Return what was read of words, kept while the library stays the same: FTS5 takes 1.2 microseconds a chunk.

        A question is searched three times where it names a document or has parts, and the next one is about much the
        same things.
        """
        of_revision, known = self._postings
        if of_revision != revision or sum(len(ids) for ids, _ in known.values()) > _KEPT_POSTINGS:
            known = {}
            self._postings = revision, known
        return known

    def _total(self, connection: sqlite3.Connection, revision: int) -> float:
        """Return how many chunks the index holds, those of removed documents too; kept like the frequencies."""
        if self._indexed[0] != revision:
            # In two parts, each along an index of its own.
            count = "(SELECT TOTAL(chunks) FROM documents WHERE removed"
            (total,) = connection.execute(f"SELECT {count} = 0) + {count} > 0)").fetchone()
            self._indexed = revision, total
        return self._indexed[1]

    def keep_common_words(self, stop: Callable[[], bool]) -> None:
        """Do in a big library what makes searches for common words quick; ends soon when stop says so."""
        common_words.keep(self._database, stop)

    def tidy(self) -> bool:
        """Merge some of what writing leaves in pieces, in 50 ms at most; returns whether there is more to do.

        100,000 chunks that were added by 1,000 transactions: 11 ms for a rare word, 9 ms when they are merged.
        """
        with self._database.write() as connection:
            pieces = connection.execute("SELECT COUNT(DISTINCT segid) FROM keyword_index_idx").fetchone()[0]
            if pieces < _PIECES:
                return False
            before = connection.total_changes
            # A negative number merges all into one, not only what lies on one level.
            connection.execute("INSERT INTO keyword_index (keyword_index, rank) VALUES ('merge', ?)", (-_MERGED_PAGES,))
            return connection.total_changes - before > 1

    def rebuild(self) -> None:
        """Make the index anew from the chunks, in one transaction."""
        with self._database.write() as connection:
            common_words.forget(connection)
            connection.execute("INSERT INTO keyword_index (keyword_index) VALUES ('delete-all')")
            # Not fetched at once: the text of 1,000,000 chunks is 1 GB.
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question's words with the number of chunks that hold each, rarest first, and the number of all chunks.

    What a word of a compound keeps of its weight stands in kept.
    """

    frequencies: Mapping[str, int]
    kept: Mapping[str, float]
    total: float

    def idf(self, word: str, holding: int) -> float:
        """Return what a word is worth that so many of the chunks hold."""
        return self.kept.get(word, 1.0) * idf(self.total, holding)


def _asked(question: str, frequencies: Mapping[str, int], total: float) -> _Asked:
    kept = shares(compounds_in(question), lambda word: idf(total, frequencies[word]))
    return _Asked(dict(sorted(frequencies.items(), key=lambda item: item[1])), kept, total)


def _added_up(
    connection: sqlite3.Connection,
    words: "Sequence[Posted]",
    k: int,
    allowed: "NDArray[np.int64] | None",
    condition: tuple[str, Sequence[str | bytes | int | float]],
) -> list[tuple[int, float]]:
    """Return what search() does, by these words.

    Summed here, since FTS5's own idf is 0 for a word in half of the chunks or more: in a small library most words.
    """
    from workbench.store.adding_up import added_up, best  # numpy, as above

    scores = added_up(words)
    if allowed is None and k > _MANY:
        allowed = _passing(connection, *condition)
    wanted = max(_WITH_NEIGHBOURS, 2 * k + 20)
    while True:
        head = best(scores, wanted, allowed)
        ranked = _with_neighbours(connection, head, words)
        found = ranked[:k] if allowed is not None else _first_passing(connection, ranked, k, *condition)
        if len(found) >= k or len(head) < wanted:
            return found
        wanted *= 8


def _passing(
    connection: sqlite3.Connection, condition: str, parameters: Sequence[str | bytes | int | float]
) -> "NDArray[np.int64]":
    """Return all that passes, ascending: for who wants the whole ranking, 1,000,000 in 0.3 s."""
    query = f"SELECT c.id FROM documents d CROSS JOIN chunks c ON c.document = d.id WHERE {condition} ORDER BY c.id"
    return columns(connection, ("id",), query, parameters)[0]


def _posted(
    connection: sqlite3.Connection,
    common: CommonWords | None,
    asked: _Asked,
    rows: int,
    known: "dict[str, Arrays]",
) -> "tuple[list[Posted], bool]":
    """Return the words, rarest first, and whether none was left out for having more chunks than may be looked at.

    Args:
        connection: Within a transaction.
        common: Words kept as arrays; these cost nothing.
        asked: The words.
        rows: How many chunks of other words may be looked at. One that is known counts as much, so that a question
            finds the same whenever it is asked.
        known: What was read of words before; what is read is added.
    """
    from workbench.store.adding_up import Posted  # numpy, as above

    words, looked_at, is_complete = [], 0, True
    for word, frequency in asked.frequencies.items():
        found = common_words.arrays(connection, common, word, asked.total) if common is not None else None
        if found is None:
            if looked_at and looked_at + frequency > rows:
                is_complete = False
                continue
            if (found := known.get(word)) is None:
                found = known[word] = common_words.from_index(connection, word, asked.total)
            looked_at += len(found[0])
        words.append(Posted(asked.idf(word, len(found[0])), *found))
    return words, is_complete


def _read(
    connection: sqlite3.Connection, common: CommonWords | None, total: float, known: "dict[str, Arrays]", word: str
) -> "Arrays":
    """Return the chunks that hold a word, ascending, and its saturation there; what is read is added to known."""
    found = common_words.arrays(connection, common, word, total) if common is not None else None
    if found is None and (found := known.get(word)) is None:
        found = known[word] = common_words.from_index(connection, word, total)
    return found


def _with_neighbours(
    connection: sqlite3.Connection, ranked: list[tuple[int, float]], words: "Sequence[Posted]"
) -> list[tuple[int, float]]:
    """Return the ranking, its best chunks scored anew together with the rest of the paragraphs that they were cut from.

    A saturation s is tf / (tf + K), so tf in units of K is s / (1 - s): those of a chunk and of its neighbours add up.
    K grows with the length that is looked at, so with the number of neighbours beside what is usual among the best.
    """
    best = [chunk for chunk, _ in ranked[:_WITH_NEIGHBOURS]]
    beside = connection.execute(
        "SELECT c.id, (SELECT id FROM chunks WHERE document = c.document AND ordinal = c.ordinal - 1"
        ' AND "end" >= c.start - 1), (SELECT id FROM chunks WHERE document = c.document AND ordinal = c.ordinal + 1'
        ' AND start <= c."end" + 1) FROM json_each(?) j CROSS JOIN chunks c'
        " INDEXED BY chunks_places ON c.id = j.value",
        (json.dumps(best),),
    ).fetchall()
    counted: dict[int, list[tuple[int, float]]] = {}  # what holds a word -> the chunks that it counts for, how much
    sizes = {}
    for chunk, *pair in beside:
        others = [one for one in pair if one is not None]
        sizes[chunk] = 1 + _BESIDE * len(others)
        counted.setdefault(chunk, []).append((chunk, 1.0))
        for other in others:
            counted.setdefault(other, []).append((chunk, _BESIDE))
    usual = sum(sizes.values()) / max(len(sizes), 1)
    lengths = {chunk: 1 - _B + _B * size / usual for chunk, size in sizes.items()}
    scores = dict.fromkeys(sizes, 0.0)
    for word in words:
        frequencies: dict[int, float] = {}
        for holder, saturation in word.among(counted).items():
            odds = saturation / (1 - saturation)
            for chunk, weight in counted[holder]:
                frequencies[chunk] = frequencies.get(chunk, 0.0) + weight * odds
        for chunk, frequency in frequencies.items():
            scores[chunk] += SATURATION * word.idf * frequency / (frequency + lengths[chunk])
    return _sorted(scores) + ranked[_WITH_NEIGHBOURS:]


def _sorted(scores: dict[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def _first_passing(
    connection: sqlite3.Connection,
    ranked: Sequence[tuple[int, float]],
    k: int,
    condition: str,
    parameters: Sequence[str | bytes | int | float],
) -> list[tuple[int, float]]:
    """Return the first k that pass the filter, which is asked of ever more of them: it never shortens the answer."""
    found: list[tuple[int, float]] = []
    start, step = 0, 2 * k + 20
    while start < len(ranked) and len(found) < k:
        asked = ranked[start : start + step]
        passing = {
            row[0]
            for row in connection.execute(
                "SELECT c.id FROM json_each(?) j CROSS JOIN chunks c INDEXED BY chunks_places ON c.id = j.value"
                f" CROSS JOIN documents d ON d.id = c.document WHERE {condition}",
                (json.dumps([chunk for chunk, _ in asked]), *parameters),
            )
        }
        found += [item for item in asked if item[0] in passing]
        start, step = start + step, step * 4
    return found[:k]


def _frequency(connection: sqlite3.Connection, common: CommonWords | None, term: str) -> int:
    if common is not None and (number := common_words.holding(connection, common, term)) is not None:
        return number
    if term.endswith("*"):
        row = connection.execute(
            "SELECT SUM(doc) FROM keyword_terms WHERE term >= ? AND term < ?", (term[:-1], term[:-1] + "\U0010ffff")
        ).fetchone()
    else:
        row = connection.execute("SELECT doc FROM keyword_terms WHERE term = ?", (term,)).fetchone()
    return int(row[0] or 0) if row else 0
