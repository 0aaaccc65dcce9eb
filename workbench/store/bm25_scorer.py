"""BM25 scores of all chunks at once, as arrays, from postings and chunk lengths.

FTS5 looks up the length of each chunk that it ranks, which takes 1.4 microseconds per chunk: 7 ms for the words of a
question in 9,000 chunks. For a small library all lengths are read once after each change, and FTS5 only lists the
occurrences of a word: 1.5 ms.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.store.bm25 import BESIDE_BODY, BODY, K1, SATURATION, B, multiplied, ranks
from workbench.store.chunk_layout import ChunkLayout
from workbench.store.ranks import CompleteRanking, highest
from workbench.store.sql import Connection

# Size of the segments whose maxima are compared first: selecting the best of 1,000,000 takes 1 ms instead of 9.
_STRETCH = 512
# Weight of the preceding and following chunk as a separate field, as in BM25F (Robertson and Zaragoza 2004), if the cut
# went through a paragraph: an answer and the name it is about often fall on its two sides. nDCG@10, 1500 questions per
# set, without / at 0.3 / at 0.5 / at 0.3 with neighbours of any kind: drcd 0.9712 / 0.9727 / 0.9720 / 0.9727, xquad zh
# 0.964 / 0.965 / 0.966 / 0.965, pages en 0.976 / 0.978 / 0.977 / 0.976, zh 0.976 / 0.975 / 0.973 / 0.974.
_BESIDE = 0.3

Ids = NDArray[np.int64]
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class WeightedPostings:
    """Query word with its idf, the chunks that contain it (ascending) and its saturation in each of them."""

    idf: float
    ids: Ids
    saturations: Scores

    def among(self, chunks: Ids) -> Scores:
        """Return the saturation of the word in each chunk, float32 with the shape of chunks; 0 if it does not occur."""
        places, held = where(self.ids, chunks.ravel())
        found = np.zeros(chunks.size, np.float32)
        found[held] = self.saturations[places[held]]
        return found.reshape(chunks.shape)


def where(ids: Ids, wanted: Ids) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the position of each wanted id in ascending ids, and whether it is present.

    np.isin would sort them: 40 ms for the 160,000 chunks of a common word, compared with 0.02 here.
    """
    places = np.searchsorted(ids, wanted)
    held = places < len(ids)
    held[held] = ids[places[held]] == wanted[held]
    return places, held


def bm25_scores(words: Sequence[WeightedPostings]) -> Scores:
    """Return the score of every chunk, indexed by chunk number; 0 for chunks that contain none of the words."""
    scores = np.zeros(max((int(word.ids[-1]) + 1 for word in words if len(word.ids)), default=0), np.float32)
    for word in words:
        scores[word.ids] += word.saturations * np.float32(SATURATION * word.idf)
    return scores


def best(scores: Scores, count: int, allowed: Ids | None) -> list[tuple[int, float]]:
    """Return the best of the allowed chunks that contain any word, best first; ties are ordered oldest first.

    Args:
        scores: Indexed by chunk number.
        count: Maximum number of results.
        allowed: Chunk numbers, ascending; None means all.
    """
    ids = None if allowed is None else allowed[: np.searchsorted(allowed, len(scores))]
    values = scores if ids is None else scores[ids]
    places = _highest(values, count)
    places = places[values[places] > 0]
    numbers = places if ids is None else ids[places]
    order = np.lexsort((numbers, -values[places]))
    return list(zip(numbers[order].tolist(), values[places][order].tolist(), strict=True))


def whole_list(scores: Scores, count: int, allowed: Ids) -> CompleteRanking:
    """Return all allowed chunks that contain any word, with the best ones in the order of best().

    Args:
        scores: Indexed by chunk number.
        count: Number of best chunks.
        allowed: Chunk numbers, ascending.
    """
    ids = allowed[: np.searchsorted(allowed, len(scores))]
    values = scores[ids]
    ids, values = ids[values > 0], values[values > 0]
    places = highest(values, count)
    head = list(zip(ids[places].tolist(), values[places].tolist(), strict=True))
    return CompleteRanking(head, np.delete(ids, places), np.delete(values, places))


def _highest(values: Scores, count: int) -> NDArray[np.intp]:
    """Return the indexes of the highest values, ascending."""
    stretches = len(values) // _STRETCH
    if count >= stretches:
        return _highest_of(values, count)
    tops = values[: stretches * _STRETCH].reshape(stretches, _STRETCH).max(axis=1)
    chosen = _highest_of(tops, count)
    rest = np.arange(stretches * _STRETCH, len(values))
    places = np.append((chosen[:, None] * _STRETCH + np.arange(_STRETCH)).ravel(), rest)
    return places[_highest_of(values[places], count)]


def _highest_of(values: Scores, count: int) -> NDArray[np.intp]:
    if count >= len(values):
        return np.arange(len(values))
    return np.sort(np.argpartition(-values, count)[:count])


def rescore_with_neighbours(
    ranked: Sequence[tuple[int, float]], words: Sequence[WeightedPostings], layout: ChunkLayout
) -> list[tuple[int, float]]:
    """Return a ranking rescored together with the rest of the paragraphs that the chunks were cut from.

    A saturation s is tf / (tf + K), so tf in units of K is s / (1 - s): those of a chunk and of its neighbours add up.
    K grows with the length of the scored text, that is, with the number of neighbours relative to its mean.

    Args:
        ranked: Chunks with their scores, best first; chunks missing from the layout are left out.
        words: Words of the question.
        layout: Contains the chunks and their neighbours.
    """
    _, places = layout.places([chunk for chunk, _ in ranked])
    if not len(places):
        return []
    trio = np.stack((places, np.maximum(places - 1, 0), np.minimum(places + 1, len(layout.ids) - 1)))
    beside = _go_on(layout, trio[1], places), _go_on(layout, places, trio[2])
    weights = np.stack((np.ones(len(places)), *(_BESIDE * one for one in beside)))
    sizes = weights.sum(axis=0)
    lengths = 1 - B + B * sizes / sizes.mean()
    holders = layout.ids[trio]
    scores = np.zeros(len(places))
    for word in words:
        saturations = word.among(holders).astype(np.float64)
        frequencies = (weights * saturations / (1 - saturations)).sum(axis=0)
        scores += SATURATION * word.idf * frequencies / (frequencies + lengths)
    ids = layout.ids[places]
    order = np.lexsort((ids, -scores))
    return list(zip(ids[order].tolist(), scores[order].tolist(), strict=True))


def _go_on(layout: ChunkLayout, before: Ids, after: Ids) -> NDArray[np.bool_]:
    """Return whether the text continues from one chunk to the next: at most one character lies between them."""
    is_next: NDArray[np.bool_] = layout.ordinals[before] + 1 == layout.ordinals[after]
    is_next &= layout.documents[before] == layout.documents[after]
    is_next &= layout.ends[before] + 1 >= layout.starts[after]
    return is_next


Postings = tuple[NDArray[np.int64], NDArray[np.float32]]
"""Chunks, ascending, and the saturation of the word in each."""

_RANK = [("chunk", "<i8"), ("rank", "<f8")]
_IN_BODY = ord("1")


@dataclass(frozen=True, slots=True, eq=False)
class ChunkLengths:
    """K of BM25 for every chunk in the keyword index, computed from its length.

    Attributes:
        ids: int64 [chunks], ascending.
        damping: float64 [chunks].
    """

    ids: NDArray[np.int64]
    damping: NDArray[np.float64]


def chunk_lengths(connection: Connection) -> ChunkLengths:
    """Return the K values of all chunks: 7 ms for 9,000.

    FTS5 stores the number of words of each column as a varint of 7 bits per byte, highest first, in one blob per row
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


def ranked_postings(connection: Connection, word: str, chunks: float) -> Postings:
    """Return the postings of a word from FTS5's own rank; for a word that ends in "*", of all words with this prefix.

    Args:
        connection: A transaction.
        word: As in the index.
        chunks: Number of chunks in the index.
    """
    found = np.fromiter(ranks(connection, word), np.dtype(_RANK))
    return found["chunk"], (found["rank"] / multiplied(chunks, len(found))).astype(np.float32)


def listed_postings(connection: Connection, word: str, lengths: ChunkLengths) -> Postings:
    """Return the postings of a single word, as ranked_postings() does, from the lengths of all chunks."""
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
