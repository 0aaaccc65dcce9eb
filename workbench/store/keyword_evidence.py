"""BM25 shares of chunks and of the pages they stand on, for the parts of a question.

A statement of cash flows is cut into several chunks, of which none holds all that is asked for; its page does. So each
part of a question is compared with a chunk and with its whole page: of 34 questions to annual and quarterly reports the
page is among the first ten by keyword for 0.56 with chunks alone, for 0.68 with pages.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.store.adding_up import where
from workbench.store.columns import columns
from workbench.store.words_around import places_of, stretches_around

# Chunks to each side of one that are looked at: a page full of text has seven of 200 tokens.
_REACH = 8
_B = 0.75
# The saturation of a page: with k1 = 1.2 where chunks have 0.9.
_PAGE_SATURATION = 1.2 / 0.9
# A word that fills a chunk is no more than saturated.
_HIGHEST = 0.98

Shares = NDArray[np.float32]
Postings = Callable[[str], "tuple[NDArray[np.int64], NDArray[np.float32]]"]
"""Word -> the chunks that hold it, ascending, and its saturation there, 0 to 1."""


@dataclass(frozen=True, slots=True)
class KeywordEvidence:
    """Shares, 0 to 1, of the most that the words of each part could give.

    Attributes:
        chunks: float32 [parts, chunks], of the chunk itself.
        pages: float32 [parts, chunks], of its best page; NaN in a document without pages.
    """

    chunks: Shares
    pages: Shares


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """Chunks around the wanted ones by document and place, and the stretches of them that make pages.

    Attributes:
        ids: int64 [around].
        tokens: int64 [around].
        own: Place of each wanted chunk that is there among them, int64 [found].
        found: Which of the wanted chunks are there, int64 [found].
        first: First place of each page, int64 [pages].
        last: One past the last place of each page.
        of: Index into found of the chunk that each page belongs to.
    """

    ids: NDArray[np.int64]
    tokens: NDArray[np.int64]
    own: NDArray[np.int64]
    found: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    of: NDArray[np.int64]


def keyword_evidence(
    connection: sqlite3.Connection,
    parts: Sequence[Mapping[str, float]],
    chunks: Sequence[int],
    postings: Postings,
) -> KeywordEvidence:
    """Return how much of each part stands in each chunk and on its page.

    Args:
        connection: A transaction.
        parts: Word -> what it is worth in the library, 0 or more.
        chunks: Their ids; one that is gone has 0.
        postings: Where a word stands.
    """
    own = np.zeros((len(parts), len(chunks)), np.float32)
    pages = np.full_like(own, np.nan)
    words = list(dict.fromkeys(word for part in parts for word in part))
    around = _surroundings(connection, chunks)
    if words and len(around.found):
        saturations = np.zeros((len(words), len(around.ids)), np.float32)
        order = np.argsort(around.ids)
        for row, word in enumerate(words):
            ids, values = postings(word)
            places, held = where(ids, around.ids[order])
            saturations[row, order[held]] = np.minimum(values[places[held]], _HIGHEST)
        weights = _weights(parts, words)
        own[:, around.found] = weights @ saturations[:, around.own]
        _add_best(pages, around, weights @ _page_saturations(saturations, around))
    return KeywordEvidence(own, pages)


def _weights(parts: Sequence[Mapping[str, float]], words: Sequence[str]) -> Shares:
    """Return float32 [parts, words]: the share of each part that a word is."""
    weights = np.array([[part.get(word, 0.0) for word in words] for part in parts], np.float32)
    shares: Shares = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    return shares


def _page_saturations(saturations: Shares, around: _Surroundings) -> Shares:
    """Return float32 [words, pages]; saturations are tf / (tf + K), so that the odds s / (1 - s) add up."""
    odds = np.cumsum(saturations / (1 - saturations), axis=1)
    odds = np.concatenate((np.zeros((len(odds), 1), np.float32), odds), axis=1)
    sums = odds[:, around.last] - odds[:, around.first]
    tokens = np.append(0, np.cumsum(around.tokens))
    sizes = (tokens[around.last] - tokens[around.first]).astype(np.float32)
    usual = max(float(sizes.mean()), 1.0) if len(sizes) else 1.0
    lengths = _PAGE_SATURATION * (1 - _B + _B * sizes / usual)
    found: Shares = (sums / (sums + lengths)).astype(np.float32)
    return found


def _add_best(pages: Shares, around: _Surroundings, shares: Shares) -> None:
    """Set the best share of the pages on which each chunk stands."""
    best = np.full((len(around.found), len(shares)), np.nan, np.float32)
    best[around.of] = 0.0
    np.maximum.at(best, around.of, shares.T)
    pages[:, around.found] = best.T


def _surroundings(connection: sqlite3.Connection, chunks: Sequence[int]) -> _Surroundings:
    wanted, documents, ordinals = places_of(connection, chunks)
    stretches = stretches_around(documents, ordinals, _REACH)
    ids, around, at, first_page, last_page, tokens = columns(
        connection,
        ("id", "document", "ordinal", "first_page", "last_page", "tokens"),
        "SELECT c.id, c.document, c.ordinal, COALESCE(c.page, 0) AS first_page, COALESCE(c.page_end, 0) AS last_page,"
        " c.tokens FROM json_each(?) j CROSS JOIN chunks c INDEXED BY chunks_document"
        " ON c.document = j.value ->> 0 AND c.ordinal BETWEEN j.value ->> 1 AND j.value ->> 2"
        " ORDER BY c.document, c.ordinal",
        (json.dumps(stretches),),
    )
    keys = around * (1 << 32) + at
    own = np.searchsorted(keys, documents * (1 << 32) + ordinals)
    pages = [
        (first, last, index)
        for index, place in enumerate(own.tolist())
        for first, last in _pages_of(place, around, first_page, last_page)
    ]
    first, last, of = np.array(pages, np.int64).reshape(-1, 3).T
    return _Surroundings(ids, tokens, own, wanted, first, last, of)


def _pages_of(
    place: int,
    documents: NDArray[np.int64],
    first_page: NDArray[np.int64],
    last_page: NDArray[np.int64],
) -> Iterator[tuple[int, int]]:
    """Yield the stretch of chunks that stand on each page of a chunk, if it has any: they follow one another."""
    document = documents[place]
    for page in range(int(first_page[place]), int(last_page[place]) + 1) if first_page[place] else ():
        low = place
        while low and documents[low - 1] == document and first_page[low - 1] <= page <= last_page[low - 1]:
            low -= 1
        high = place + 1
        while high < len(documents) and documents[high] == document and first_page[high] <= page <= last_page[high]:
            high += 1
        yield low, high
