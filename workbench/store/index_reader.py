"""One transaction's view of the keyword index; what it reads is kept while the library stays the same.

A search asks for the same words and the same chunks a dozen times, and the next question is about much the same things.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from workbench.store import common_words
from workbench.store.bm25 import idf, shares
from workbench.store.common_words import CommonWords
from workbench.store.segmentation import compounds_in

if TYPE_CHECKING:  # The window starts without numpy.
    from workbench.store.bm25_scorer import ChunkLengths, Postings
    from workbench.store.chunk_layout import ChunkLayout

_MOST_FREQUENCIES = 10_000
# The commonest words are read ahead: in a library of 9,000 chunks each of these stands in 330 or more.
_READ_AHEAD = 400
_FREQUENCIES_READ_AHEAD = 5_000
# 12 bytes each: 48 MB, of which a library of 20,000 chunks has no use. Eight common words of 1,000,000 chunks have
# 1,300,000; where they do not fit, each search reads them again.
_MOST_POSTINGS = 4_000_000


@dataclass(slots=True)
class IndexCache:
    """What was read of one state of the library; at worst two threads read the same.

    Attributes:
        revision: Of the library.
        total: How many chunks the index holds; None where nobody asked yet.
        common: The words that are kept as arrays; "unknown" where nobody asked yet.
        frequencies: Word -> how many chunks hold it.
        postings: Word -> the chunks that hold it.
        kept: The same for words that are kept as arrays, None for others.
        lengths: Of all chunks, in a small library.
        layout: Of all chunks, in a small library.
        posted: How many chunks both have in all.
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
        """Count the postings of one more word; where they become too many, those of all others are forgotten."""
        more = 0 if postings is None else len(postings[0])
        self.posted += more
        if self.posted > _MOST_POSTINGS or len(self.kept) > _MOST_FREQUENCIES:
            self.postings, self.kept, self.posted = {}, {}, more


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The words of a question.

    Attributes:
        frequencies: Word -> how many chunks hold it, rarest first.
        kept: What share of its weight each word of a compound keeps.
        total: How many chunks the index holds.
    """

    frequencies: Mapping[str, int]
    kept: Mapping[str, float]
    total: float

    def idf(self, word: str, holding: int) -> float:
        """Return what a word is worth that so many of the chunks hold."""
        return self.kept.get(word, 1.0) * idf(self.total, holding)


class IndexReader:
    """Reads the keyword index within one transaction."""

    def __init__(self, connection: sqlite3.Connection, cache: IndexCache) -> None:
        """Take what is read from.

        Args:
            connection: A transaction.
            cache: Of the very state that the transaction sees: postings and lengths of two states do not fit together.
        """
        self.connection = connection
        self._cache = cache

    @property
    def total(self) -> float:
        """How many chunks the index holds, those of removed documents too."""
        if (total := self._cache.total) is None:
            # In two parts, each along an index of its own.
            count = "(SELECT TOTAL(chunks) FROM documents WHERE removed"
            (total,) = self.connection.execute(f"SELECT {count} = 0) + {count} > 0)").fetchone()
            self._cache.total = total
        return total

    @property
    def common(self) -> CommonWords | None:
        """The words that are kept as arrays; None where there are none."""
        if (common := self._cache.common) == "unknown":
            common = self._cache.common = common_words.kept(self.connection)
        return common

    def asked(self, question: str, words: Iterable[str]) -> QueryTerms:
        """Return the words of a question with what they are worth."""
        frequencies = self.frequencies(words)
        kept = shares(compounds_in(question), lambda word: idf(self.total, frequencies[word]))
        return QueryTerms(dict(sorted(frequencies.items(), key=lambda item: item[1])), kept, self.total)

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return in how many chunks each word stands; a word that ends in "*" stands for all that begin so."""
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
        """Return the postings of a word that costs next to nothing, since it is kept as an array."""
        if self.common is None:
            return None
        known = self._cache.kept  # another thread may forget all of it meanwhile
        if word in known:
            return known[word]
        found = common_words.arrays(self.connection, self.common, word, self.total)
        self._cache.make_room(found)
        self._cache.kept[word] = found
        return found

    def postings(self, word: str) -> "Postings":
        """Return the chunks that hold a word, ascending, and how far it is saturated there."""
        if (found := self.kept_postings(word)) is not None:
            return found
        if (found := self._cache.postings.get(word)) is None:
            found = self._read_postings(word)
            self._cache.make_room(found)
            self._cache.postings[word] = found
        return found

    def cache_common_words(self, stop: Callable[[], bool]) -> None:
        """Fill the cache with the postings of the commonest words, and how many chunks hold them, of a small library.

        Args:
            stop: Asked between words; nothing more is read once it returns True.
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
        """Return where chunks stand, and so many at least to each side of them; as layout_around()."""
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
        """Whether all chunks are looked through in no time; in a larger library common words are kept as arrays."""
        return self.total < common_words.LEAST_CHUNKS
