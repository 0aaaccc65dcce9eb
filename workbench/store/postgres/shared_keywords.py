"""The keyword index of a shared library: PostgreSQL's text search over segmented words, ranked by our BM25.

PostgreSQL finds the chunks with a word by a GIN index. Its own rankings know no document frequencies; but ts_rank_cd()
of a single word is the sum of the weights of its occurrences, from which BM25 is computed exactly as for SQLite. Words
that many chunks contain are read from stored lists (posting_lists.py).
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from workbench.store.bm25 import BESIDE_BODY, BODY, K1, B
from workbench.store.index_reader import IndexCache, IndexReader
from workbench.store.keywords import KeywordIndex
from workbench.store.postgres.binary_copy import copied_rows
from workbench.store.postgres.postgres_database import PostgresConnection, PostgresDatabase
from workbench.store.segmentation import segment

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

    Lists = tuple[NDArray[np.int64], NDArray[np.float32]]

LONGEST_WORD = 500
"""Maximum length in bytes of a word in the index: longer ones are no words, and PostgreSQL accepts 2,046."""
_MOST_POSITION = 16_383
"""Largest position of a word in PostgreSQL's text search."""
_MOST_LISTS = 5_000
"""Maximum number of cached lists."""
_ID, _SHARE, SATURATED = "<u4", "<u2", 65_535


def text_search_vector(title: str, headings: Sequence[str], text: str) -> tuple[str, int]:
    """Return the words of a chunk as the text form of a tsvector, and their number.

    A heading that equals the title is left out, as in a personal library (KeywordRow).
    """
    positions: dict[str, list[str]] = {}
    place = 0
    above = " ".join(heading for heading in headings if heading != title)
    for words, weight in ((segment(title), "A"), (segment(above), "B"), (segment(text), "")):
        for word in words.split():
            place += 1
            positions.setdefault(word, []).append(f"{min(place, _MOST_POSITION)}{weight}")
    entries = (
        f"{quoted(word)}:{','.join(places[:255])}"
        for word, places in positions.items()
        if len(word.encode()) <= LONGEST_WORD
    )
    return " ".join(entries), place


def quoted(word: str) -> str:
    """Return a word as part of a tsvector or tsquery."""
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def query_of(word: str) -> str:
    """Return the tsquery of a word; one that ends in "*" matches all words with this prefix."""
    return f"{quoted(word[:-1])}:*" if word.endswith("*") else quoted(word)


class SharedKeywordIndex(KeywordIndex):
    """Finds chunks of a shared library by their words."""

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database)
        self._shared = database
        self._lists = PostingLists()

    def _rebuild_if_segmented_otherwise(self) -> None:
        """Do nothing: PostgresDatabase.open has checked the version of the words."""

    @contextmanager
    def _reading(self) -> Iterator[IndexReader]:
        with self._shared.read_revision() as (connection, revision):
            assert revision is not None
            if self._cache.revision != revision:
                self._cache = IndexCache(revision)
            yield SharedIndexReader(connection, self._cache, self._lists)

    def holding_all(self, words: Sequence[str]) -> list[int]:
        """Return the ids of the chunks that contain every word, ascending."""
        import numpy as np  # 100 ms that the window does not wait for

        if not words:
            return []
        with self._reading() as index:
            found = [index.postings(word)[0] for word in words]
        ids = found[0]
        for others in found[1:]:
            ids = np.intersect1d(ids, others, assume_unique=True)
        return [int(one) for one in ids]

    def keep_common_words(self, stop: Callable[[], bool]) -> None:
        """Do nothing: workers store the lists of common words (posting_lists.py)."""

    def cache_common_words(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Do nothing: common words are cached as they are read."""

    def tidy(self) -> bool:
        """Do nothing: PostgreSQL maintains its indexes itself."""
        return False

    def rebuild(self) -> None:
        """Do nothing: only a new version of the words requires it."""


class PostingLists:
    """Cache of the stored lists of common words, which stay valid while their build is the current one."""

    def __init__(self) -> None:
        self.builds: dict[int, int] = {}
        self._lists: OrderedDict[tuple[int, int, str], Lists] = OrderedDict()

    def get(self, raw: Any, word: str) -> "list[Lists]":
        """Return the chunks, ascending, and saturations of a word, one pair for each build that has it."""
        import numpy as np  # as above

        keys = {base: (base, last, word) for base, last in self.builds.items()}
        missing = [base for base, key in keys.items() if key not in self._lists]
        if missing:
            rows = raw.execute(
                "SELECT knowledge_base, ids, saturations FROM posting_lists"
                " WHERE word = %s AND knowledge_base = ANY(%s)",
                (word, missing),
                binary=True,
            ).fetchall()
            found = {
                base: (
                    np.frombuffer(ids, _ID).astype(np.int64),
                    np.frombuffer(saturations, _SHARE) * np.float32(1 / SATURATED),
                )
                for base, ids, saturations in rows
            }
            nothing = np.empty(0, np.int64), np.empty(0, np.float32)
            for base in missing:
                self._lists[keys[base]] = found.get(base, nothing)
            while len(self._lists) > _MOST_LISTS:
                self._lists.popitem(last=False)
        return [lists for key in keys.values() if len((lists := self._lists[key])[0])]


class SharedIndexReader(IndexReader):
    """Reads the keyword index of a shared library within one transaction."""

    def __init__(self, connection: PostgresConnection, cache: IndexCache, lists: PostingLists) -> None:
        super().__init__(connection, cache)
        self._raw = connection.raw
        self._stored = lists
        self._fresh: tuple[float, int] | None = None

    @property
    def common(self) -> None:
        """None: the lists of common words are not arrays of a whole build as in a personal library."""
        return

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return the number of chunks that contain each word."""
        known = self._cache.frequencies
        for word in (words := list(words)):
            if word not in known:
                known[word] = len(self.postings(word)[0])
        return {word: known[word] for word in words}

    def kept_postings(self, word: str) -> "Lists | None":
        """Return the postings of a word that has stored lists; None for other words."""
        if word in self._cache.kept:
            return self._cache.kept[word]
        self._load_state()
        lists = self._stored.get(self._raw, word) if self._stored.builds and not word.endswith("*") else []
        found = self._read_postings(word, lists) if lists else None
        self._cache.make_room(found)
        self._cache.kept[word] = found
        return found

    def _read_postings(self, word: str, lists: "Sequence[Lists]" = ()) -> "Lists":
        """Return the chunks with a word, ascending, and its saturations: from lists, and from the index beyond them."""
        import numpy as np  # as above

        average, newest = self._load_state()
        builds = self._stored.builds if lists else {}
        after = min(builds.values(), default=0) if len(builds) == self._readable_bases() else 0
        parts = list(lists)
        if newest > after:
            rows = _copied(self._raw, word, after)
            if builds:
                last = np.array([builds.get(int(base), 0) for base in rows["base"]], np.int64)
                rows = rows[rows["id"] > last]
            if len(rows):
                frequencies = rows["occurrences"].astype(np.float64) * BODY
                damping = K1 * (1 - B + B * rows["length"].astype(np.float64) / average)
                parts.append((rows["id"].astype(np.int64), (frequencies / (frequencies + damping)).astype(np.float32)))
        if not parts:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        ids, saturations = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(ids, kind="stable")
        return ids[order], saturations[order]

    def _load_state(self) -> tuple[float, int]:
        """Return the mean length of a chunk in words, and the highest chunk; also read the current builds."""
        if self._fresh is None:
            raw = self._raw
            words, chunks = raw.execute("SELECT sum(words), sum(chunks) FROM documents WHERE chunks > 0").fetchone()
            newest = raw.execute("SELECT max(id) FROM chunks").fetchone()[0] or 0
            self._stored.builds = dict(raw.execute("SELECT knowledge_base, last FROM posting_builds").fetchall())
            self._fresh = (float(words) / float(chunks) if chunks else 1.0, int(newest))
        return self._fresh

    def _readable_bases(self) -> int:
        return int(self._raw.execute("SELECT cardinality(accessible(1))").fetchone()[0])


def _copied(raw: Any, word: str, after: int) -> "NDArray[np.void]":
    return copied_rows(
        raw,
        "SELECT chunk, knowledge_base, occurrences, length FROM postings(%s::tsquery, %s, %s)",
        (query_of(word), after, BESIDE_BODY / BODY),
        {"id": "i8", "base": "i4", "occurrences": "f4", "length": "i4"},
    )
