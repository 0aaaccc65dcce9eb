"""The keyword index of a shared library: PostgreSQL's text search over segmented words, ranked by our BM25.

PostgreSQL finds the chunks with a word by a GIN index. Its own rankings know no document frequencies; but ts_rank_cd()
of a single word is the sum of the weights of its occurrences, from which BM25 is computed exactly as for SQLite. Words
that many chunks contain are read from stored lists (posting_lists.py).
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from workbench.store.bm25 import BESIDE_BODY, BODY, K1, B
from workbench.store.index_reader import IndexCache, IndexReader
from workbench.store.keywords import KeywordIndex
from workbench.store.postgres.binary_columns import sent_array
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
        self._states: dict[int, IndexState] = {}

    def _rebuild_if_segmented_otherwise(self) -> None:
        """Do nothing: PostgresDatabase.open has checked the version of the words."""

    @contextmanager
    def _reading(self) -> Iterator[IndexReader]:
        with self._shared.read_revision() as (connection, revision):
            assert revision is not None
            if self._cache.revision != revision:
                self._cache = IndexCache(revision)
            yield SharedIndexReader(connection, self._cache, self._lists, self._states)

    def holding_all(self, words: Sequence[str]) -> list[int]:
        """Return the ids of the chunks that contain every word, ascending."""
        import numpy as np  # 100 ms that the window does not wait for

        if not words:
            return []
        with self._reading() as index:
            index.frequencies(words)  # reads them together
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
    """Cache of the stored lists of common words; each belongs to a build of a knowledge base."""

    def __init__(self) -> None:
        self._lists: OrderedDict[tuple[int, int, str], Lists] = OrderedDict()

    def get(self, raw: Any, builds: "Mapping[int, int]", words: Sequence[str]) -> "dict[str, dict[int, Lists]]":
        """Return word -> knowledge base -> chunks, ascending, and saturations; for the words that have a list there.

        Args:
            raw: A psycopg connection.
            builds: Knowledge base -> highest chunk of its build.
            words: The words.
        """
        import numpy as np  # as above

        keys = {(base, last, word) for base, last in builds.items() for word in words}
        missing = sorted({word for *_, word in keys - self._lists.keys()})
        if missing:
            nothing = np.empty(0, np.int64), np.empty(0, np.float32)
            self._lists |= {key: nothing for key in keys if key[2] in missing}
            rows = raw.execute(
                "SELECT knowledge_base, word, ids, saturations FROM posting_lists WHERE word = ANY(%s)",
                (missing,),
                binary=True,
            ).fetchall()
            for base, word, ids, saturations in rows:
                self._lists[base, builds.get(base, 0), word] = (
                    np.frombuffer(ids, _ID).astype(np.int64),
                    np.frombuffer(saturations, _SHARE) * np.float32(1 / SATURATED),
                )
            while len(self._lists) > _MOST_LISTS:
                self._lists.popitem(last=False)
        found: dict[str, dict[int, Lists]] = {}
        for base, last, word in keys:
            lists = self._lists.get((base, last, word))
            if lists is not None and len(lists[0]):
                found.setdefault(word, {})[base] = lists
        return found


@dataclass(frozen=True, slots=True)
class IndexState:
    """State of the keyword index in one generation.

    Attributes:
        average: Mean length of a chunk in words.
        newest: Knowledge base that the user may read -> its highest chunk.
        builds: Knowledge base -> highest chunk of its lists.
    """

    average: float
    newest: Mapping[int, int]
    builds: Mapping[int, int]


class SharedIndexReader(IndexReader):
    """Reads the keyword index of a shared library within one transaction."""

    def __init__(
        self, connection: PostgresConnection, cache: IndexCache, lists: PostingLists, states: dict[int, IndexState]
    ) -> None:
        """Create a reader.

        Args:
            connection: A transaction.
            cache: Cache of exactly the generation that the transaction sees.
            lists: Cache of the lists of common words.
            states: State of the index by generation.
        """
        super().__init__(connection, cache)
        self._raw = connection.raw
        self._stored = lists
        self._states = states

    @property
    def common(self) -> None:
        """None: the lists of common words are not arrays of a whole build as in a personal library."""
        return

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return the number of chunks that contain each word."""
        words, known = list(words), self._cache.frequencies
        self._load([word for word in words if word not in known])
        return {word: known[word] for word in words}

    def kept_postings(self, word: str) -> "Lists | None":
        """Return the postings of a word that has stored lists; None for other words."""
        if word not in self._cache.kept:
            self._load([word])
        return self._cache.kept[word]

    def postings(self, word: str) -> "Lists":
        """Return the chunks that contain a word, ascending, and its saturation in each."""
        if word not in self._cache.kept:
            self._load([word])
        return self._cache.kept[word] or self._cache.postings[word]

    def _load(self, words: Sequence[str]) -> None:
        """Read the postings of several words, in two round trips."""
        words = list(dict.fromkeys(words))
        if not words:
            return
        state = self._state()
        lists = self._stored.get(self._raw, state.builds, [word for word in words if not word.endswith("*")])
        parts: dict[str, list[Lists]] = {word: list(lists.get(word, {}).values()) for word in words}
        wanted: list[tuple[str, int, int, int]] = []
        for word in words:
            for base, newest in state.newest.items():
                if base not in lists.get(word, {}):
                    wanted.append((word, base, 0, 0))
                elif newest > (last := state.builds[base]):
                    wanted.append((word, base, last, newest - last))
        for word, found in self._fresh(wanted, state.average):
            parts[word].append(found)
        for word, several in parts.items():
            postings = _joined(several)
            self._cache.make_room(postings)
            self._cache.frequencies[word] = len(postings[0])
            self._cache.kept[word] = postings if word in lists else None
            self._cache.postings[word] = postings

    def _fresh(self, wanted: Sequence[tuple[str, int, int, int]], average: float) -> "Iterator[tuple[str, Lists]]":
        """Yield postings from the index, given the parameters of postings(): word, knowledge base, after and newer."""
        import numpy as np  # as above

        if not wanted:
            return
        words, bases, after, newer = (list(column) for column in zip(*wanted, strict=True))
        rows = self._raw.execute(
            "SELECT place, array_send(array_agg(chunk)), array_send(array_agg(occurrences)),"
            " array_send(array_agg(length))"
            " FROM postings(%s::tsquery[], %s::integer[], %s::bigint[], %s::bigint[], %s::real) GROUP BY place",
            ([query_of(word) for word in words], bases, after, newer, BESIDE_BODY / BODY),
            binary=True,
        ).fetchall()
        for place, chunks, occurrences, lengths in rows:
            ids = sent_array(chunks, "i8").astype(np.int64)
            saturations = saturations_of(sent_array(occurrences, "f4"), sent_array(lengths, "i4"), average)
            order = np.argsort(ids)
            yield words[place - 1], (ids[order], saturations.astype(np.float32)[order])

    def _state(self) -> IndexState:
        generation = self._cache.revision
        if generation not in self._states:
            raw = self._raw
            words, chunks = raw.execute("SELECT sum(words), sum(chunks) FROM documents WHERE chunks > 0").fetchone()
            newest = raw.execute(
                "SELECT b.id, (SELECT max(chunk) FROM chunk_words c WHERE c.knowledge_base = b.id)"
                " FROM knowledge_bases b WHERE b.removed = 0"
            ).fetchall()
            builds = dict(raw.execute("SELECT knowledge_base, last FROM posting_builds").fetchall())
            self._states.clear()
            self._states[generation] = IndexState(
                float(words) / float(chunks) if chunks else 1.0, {base: last for base, last in newest if last}, builds
            )
        return self._states[generation]


def _joined(several: "list[Lists]") -> "Lists":
    """Return postings of several knowledge bases as one list, ascending."""
    import numpy as np  # as above

    several = sorted((one for one in several if len(one[0])), key=lambda one: int(one[0][0]))
    if not several:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    ids, saturations = (np.concatenate(column) for column in zip(*several, strict=True))
    if all(one[0][-1] < other[0][0] for one, other in pairwise(several)):
        return ids, saturations
    order = np.argsort(ids, kind="stable")
    return ids[order], saturations[order]


def saturations_of(
    occurrences: "NDArray[np.generic]", lengths: "NDArray[np.generic]", average: float
) -> "NDArray[np.float64]":
    """Return the saturation of a word in chunks, as in bm25_scorer.py.

    Args:
        occurrences: Number of its occurrences, those beside the text with their weight.
        lengths: Lengths of the chunks in words.
        average: Mean length of all chunks.
    """
    import numpy as np  # as above

    frequencies = occurrences.astype(np.float64) * BODY
    saturations: NDArray[np.float64] = frequencies / (
        frequencies + K1 * (1 - B + B * lengths.astype(np.float64) / average)
    )
    return saturations
