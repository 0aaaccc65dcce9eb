"""BM25 shares of the parts of a question in chunks, in their pages and in neighbouring chunks.

A statement of cash flows is cut into several chunks, none of which contains everything that the question needs, but its
page does. Therefore each part of a question is compared with a chunk and with its whole page: for 34 questions about
annual and quarterly reports the page is among the first ten by keyword for 0.56 with chunks alone, for 0.68 with pages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.store.bm25 import B
from workbench.store.bm25_scorer import where
from workbench.store.index_reader import IndexReader

# Number of chunks examined on each side of a chunk: a page full of text has seven of 200 tokens.
_REACH = 8
# Saturation constant of pages relative to chunks: k1 = 1.2 for pages, 0.9 for chunks.
_PAGE_SATURATION = 1.2 / 0.9
# Upper limit, so that a word that fills a chunk is not fully saturated.
_HIGHEST = 0.98

Shares = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class KeywordEvidence:
    """Shares, 0 to 1, of the maximum score of the words of each part.

    Attributes:
        chunks: float32 [parts, chunks], for the chunk itself.
        pages: float32 [parts, chunks], for its best page; NaN in a document without pages.
    """

    chunks: Shares
    pages: Shares


@dataclass(frozen=True, slots=True)
class _EvidencePages:
    """Chunks to examine, and the ranges of them that form pages.

    Attributes:
        ids: int64 [around].
        tokens: int64 [around].
        found: Indexes of the wanted chunks that exist, int64 [found].
        own: Place of each of those among the chunks to examine, int64 [found].
        first: First place of each page, int64 [pages].
        last: One past the last place of each page.
        of: Index into found of the chunk that each page belongs to.
    """

    ids: NDArray[np.int64]
    tokens: NDArray[np.int64]
    found: NDArray[np.int64]
    own: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    of: NDArray[np.int64]


def keyword_evidence(
    index: IndexReader, parts: Sequence[Mapping[str, float]], chunks: Sequence[int]
) -> KeywordEvidence:
    """Return the share of each part in each chunk and on its page.

    Args:
        index: The keyword index.
        parts: Word -> its weight in the library, 0 or more.
        chunks: Their ids; the share of a missing chunk is 0.
    """
    own = np.zeros((len(parts), len(chunks)), np.float32)
    best = np.full_like(own, np.nan)
    words = list(dict.fromkeys(word for part in parts for word in part))
    pages = _pages(index, chunks)
    if words and len(pages.found):
        saturations = np.zeros((len(words), len(pages.ids)), np.float32)
        order = np.argsort(pages.ids)
        ascending = pages.ids[order]
        for row, word in enumerate(words):
            ids, values = index.postings(word)
            places, held = where(ids, ascending)
            saturations[row, order[held]] = np.minimum(values[places[held]], _HIGHEST)
        weights = _weights(parts, words)
        own[:, pages.found] = weights @ saturations[:, pages.own]
        _add_best(best, pages, weights @ _page_saturations(saturations, pages))
    return KeywordEvidence(own, best)


def _pages(index: IndexReader, chunks: Sequence[int]) -> _EvidencePages:
    layout = index.layout(chunks, _REACH, has_pages=True)
    found, places = layout.places(chunks)
    low, high, of = layout.pages(places)
    around, moved = layout.part(np.append(low, places), np.append(high, places + 1))
    return _EvidencePages(around.ids, around.tokens, found, moved[places], moved[low], moved[high], of)


def _weights(parts: Sequence[Mapping[str, float]], words: Sequence[str]) -> Shares:
    """Return float32 [parts, words]: the share of each word in the weight of each part."""
    weights = np.array([[part.get(word, 0.0) for word in words] for part in parts], np.float32)
    shares: Shares = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    return shares


def _page_saturations(saturations: Shares, pages: _EvidencePages) -> Shares:
    """Return float32 [words, pages]; saturations are tf / (tf + K), so the odds s / (1 - s) add up."""
    odds = np.cumsum(saturations / (1 - saturations), axis=1)
    odds = np.concatenate((np.zeros((len(odds), 1), np.float32), odds), axis=1)
    sums = odds[:, pages.last] - odds[:, pages.first]
    tokens = np.append(0, np.cumsum(pages.tokens))
    sizes = (tokens[pages.last] - tokens[pages.first]).astype(np.float32)
    usual = max(float(sizes.mean()), 1.0) if len(sizes) else 1.0
    lengths = _PAGE_SATURATION * (1 - B + B * sizes / usual)
    found: Shares = (sums / (sums + lengths)).astype(np.float32)
    return found


def _add_best(best: Shares, pages: _EvidencePages, shares: Shares) -> None:
    """Store the best share of the pages that contain each chunk."""
    found = np.full((len(pages.found), len(shares)), np.nan, np.float32)
    found[pages.of] = 0.0
    np.maximum.at(found, pages.of, shares.T)
    best[:, pages.found] = found.T


def words_around(
    index: IndexReader, words: Sequence[str], chunks: Sequence[int], reach: int
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Return bool [words, chunks], whether a chunk contains a word, and float32, the share of its neighbours that do.

    Args:
        index: The keyword index.
        words: As in the keyword index; one that ends in "*" matches all words with that prefix.
        chunks: Their ids; a missing chunk contains nothing.
        reach: Number of neighbours on each side, in the same document. Neighbours beyond the ends of the document count
            as not containing the word, because a single neighbour is not conclusive.
    """
    held = np.zeros((len(words), len(chunks)), np.bool_)
    shares = np.zeros((len(words), len(chunks)), np.float32)
    layout = index.layout(chunks, reach)
    found, places = layout.places(chunks)
    low, high = layout.around(places, reach)
    around, moved = layout.part(low, high)
    for row, word in enumerate(words):
        _, holds = where(index.postings(word)[0], around.ids)
        counted = np.append(0, np.cumsum(holds))
        own = holds[moved[places]]
        held[row, found] = own
        shares[row, found] = (counted[moved[high]] - counted[moved[low]] - own) / (2 * reach)
    return held, shares
