"""View of the keyword index in one transaction, with a cache that is valid while the library is unchanged.

A search reads the same words and the same chunks a dozen times, and the next question often has similar words.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from workbench.store import common_words
from workbench.store.bm25 import idf, shares
from workbench.store.common_words import CommonWords
from workbench.store.segmentation import compounds_in, longer_codes
from workbench.store.sql import Connection

if TYPE_CHECKING:  # The window starts without numpy.
    from workbench.store.bm25_scorer import ChunkLengths, Postings
    from workbench.store.chunk_layout import ChunkLayout

_MOST_FREQUENCIES = 10_000
# Number of common words cached in advance: in a library of 9,000 chunks each of these occurs in 330 or more.
_READ_AHEAD = 400
_FREQUENCIES_READ_AHEAD = 5_000
# 12 bytes each: 48 MB, far more than a library of 20,000 chunks needs. Eight common words of 1,000,000 chunks have
# 1,300,000 postings; if they do not fit, each search reads them again.
_MOST_POSTINGS = 4_000_000


@dataclass(slots=True)
class IndexCache:
    """Cached values of one state of the library; at worst two threads read the same value.

    Attributes:
        revision: Revision of the library.
        total: Number of chunks in the index; None if not read yet.
        common: Current build of the common word arrays; "unknown" if not read yet.
        frequencies: Word -> number of chunks that contain it.
        postings: Word -> its postings.
        kept: Word -> its postings from the common word arrays, None for other words.
        lengths: Lengths of all chunks, in a small library.
        layout: Layout of all chunks, in a small library.
        posted: Total number of postings in both mappings.
        has_common: Whether the commonest words of a small library were read.
    """

    revision: int
    total: float | None = None
    common: CommonWords | Literal["unknown"] | None = "unknown"
    frequencies: dict[str, int] = field(default_factory=dict)
    postings: "dict[str, Postings]" = field(default_factory=dict)
    kept: "dict[str, Postings | None]" = field(default_factory=dict)
    lengths: "ChunkLengths | None" = None
    layout: "ChunkLayout | None" = None
    posted: int = 0
    has_common: bool = False

    def make_room(self, postings: "Postings | None") -> None:
        """Count the postings of one more word; if there are too many, drop those of all other words."""
        more = 0 if postings is None else len(postings[0])
        self.posted += more
        if self.posted > _MOST_POSTINGS or len(self.kept) > _MOST_FREQUENCIES:
            self.postings, self.kept, self.posted = {}, {}, more


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """Words of a question with their weights.

    Attributes:
        frequencies: Word -> number of chunks that contain it, rarest first.
        kept: Share of its weight that each word of a compound keeps.
        total: Number of chunks in the index.
    """

    frequencies: Mapping[str, int]
    kept: Mapping[str, float]
    total: float

    def idf(self, word: str, holding: int) -> float:
        """Return the weight of a word that occurs in the given number of chunks."""
        return self.kept.get(word, 1.0) * idf(self.total, holding)


class IndexReader:
    """Reads the keyword index within one transaction."""

    def __init__(self, connection: Connection, cache: IndexCache) -> None:
        """Create a reader.

        Args:
            connection: A transaction.
            cache: Cache of exactly the state that the transaction sees: postings and lengths of two states do not
                match.
        """
        self.connection = connection
        self._cache = cache

    @property
    def total(self) -> float:
        """Number of chunks in the index, including those of removed documents."""
        if (total := self._cache.total) is None:
            # In two parts, each of which uses an index.
            count = "(SELECT TOTAL(chunks) FROM documents WHERE removed"
            (total,) = self.connection.execute(f"SELECT {count} = 0) + {count} > 0)").fetchone()
            self._cache.total = total
        return total

    @property
    def common(self) -> CommonWords | None:
        """Current build of the common word arrays; None if there is none."""
        if (common := self._cache.common) == "unknown":
            common = self._cache.common = common_words.stored_build(self.connection)
        return common

    def query_terms(self, question: str, words: Iterable[str]) -> QueryTerms:
        """Return the words of a question with their weights; a code that occurs nowhere becomes a prefix."""
        frequencies = self.frequencies(words)
        frequencies |= longer_codes(frequencies, self.frequencies).values()
        kept = shares(compounds_in(question), lambda word: idf(self.total, frequencies[word]))
        return QueryTerms(dict(sorted(frequencies.items(), key=lambda item: item[1])), kept, self.total)

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return the number of chunks that contain each word; a word that ends in "*" matches as a prefix."""
        if len(self._cache.frequencies) > _MOST_FREQUENCIES:
            self._cache.frequencies = {}
        words, known = list(words), self._cache.frequencies
        new = [word for word in words if word not in known]
        if self.common is not None:
            known |= {
                word: number
                for word in new
                if (number := common_words.holding(self.connection, self.common, word)) is not None
            }
        if not new:
            return {word: known[word] for word in words}
        single = [word for word in new if word not in known and not word.endswith("*")]
        known |= dict.fromkeys(single, 0)
        known |= self.connection.execute(
            "SELECT term, doc FROM json_each(?) j CROSS JOIN keyword_terms t ON t.term = j.value", (json.dumps(single),)
        ).fetchall()
        for word in new:
            if word not in known:
                (number,) = self.connection.execute(
                    "SELECT TOTAL(doc) FROM keyword_terms WHERE term >= ? AND term < ?",
                    (word[:-1], word[:-1] + "\U0010ffff"),
                ).fetchone()
                known[word] = int(number)
        return {word: known[word] for word in words}

    def kept_postings(self, word: str) -> "Postings | None":
        """Return the postings of a word from the common word arrays at nearly no cost; None for other words."""
        if self.common is None:
            return None
        known = self._cache.kept  # another thread may replace it meanwhile
        if word in known:
            return known[word]
        found = common_words.arrays(self.connection, self.common, word, self.total)
        self._cache.make_room(found)
        self._cache.kept[word] = found
        return found

    def postings(self, word: str) -> "Postings":
        """Return the chunks that contain a word, ascending, and its saturation in each."""
        if (found := self.kept_postings(word)) is not None:
            return found
        if (found := self._cache.postings.get(word)) is None:
            found = self._read_postings(word)
            self._cache.make_room(found)
            self._cache.postings[word] = found
        return found

    def cache_common_words(self, stop: Callable[[], bool]) -> None:
        """Cache the postings and frequencies of the commonest words of a small library.

        Args:
            stop: Called between words; reading ends once it returns True.
        """
        if not self._is_small or self._cache.has_common:
            return
        rows = self.connection.execute(
            "SELECT term, doc FROM keyword_terms ORDER BY doc DESC LIMIT ?", (_FREQUENCIES_READ_AHEAD,)
        ).fetchall()
        self._cache.frequencies |= rows
        for word, holding in rows[:_READ_AHEAD]:
            if stop():
                return
            if self._cache.posted + holding > _MOST_POSTINGS // 4:
                break
            self.postings(word)
        self._cache.has_common = True

    def layout(self, chunks: Sequence[int], reach: int, *, has_pages: bool = False) -> "ChunkLayout":
        """Return the layout of chunks and of at least reach neighbours on each side, as layout_around()."""
        from workbench.store.chunk_layout import layout_around, whole_layout  # numpy

        if not self._is_small:
            return layout_around(self.connection, chunks, reach, has_pages=has_pages)
        if (found := self._cache.layout) is None:
            found = self._cache.layout = whole_layout(self.connection)
        return found

    def _read_postings(self, word: str) -> "Postings":
        from workbench.store.bm25_scorer import chunk_lengths, listed_postings, ranked_postings  # numpy

        if not self._is_small or word.endswith("*"):
            return ranked_postings(self.connection, word, self.total)
        if (lengths := self._cache.lengths) is None:
            lengths = self._cache.lengths = chunk_lengths(self.connection)
        return listed_postings(self.connection, word, lengths)

    @property
    def _is_small(self) -> bool:
        """True if all chunks can be scanned quickly; in a larger library common words are stored as arrays."""
        return self.total < common_words.LEAST_CHUNKS
