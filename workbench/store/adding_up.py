"""Words of a question, as arrays -> the best chunks: BM25 added up over all chunks of the library at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.store.bm25 import SATURATION, B
from workbench.store.chunk_layout import ChunkLayout
from workbench.store.ranks import WholeList, highest

# The best of 1,000,000 are among the best stretches of so many: 1 ms in place of 9.
_STRETCH = 512
# The chunks before and after are a field of their own, of this weight, as in BM25F (Robertson and Zaragoza 2004), where
# the cut went through a paragraph: an answer and the name it is about often fall on its two sides. nDCG@10, 1500
# questions a set, without / here / at 0.5 / here with neighbours of any kind: drcd 0.9712 / 0.9727 / 0.9720 / 0.9727,
# xquad zh 0.964 / 0.965 / 0.966 / 0.965, pages en 0.976 / 0.978 / 0.977 / 0.976, zh 0.976 / 0.975 / 0.973 / 0.974.
_BESIDE = 0.3

Ids = NDArray[np.int64]
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Posted:
    """A word of the question: its idf, the chunks that hold it, ascending, and how far it is saturated there."""

    idf: float
    ids: Ids
    saturations: Scores

    def among(self, chunks: Ids) -> Scores:
        """Return the saturation of the word in each chunk, float32 like chunks; 0 where it does not stand."""
        places, held = where(self.ids, chunks.ravel())
        found = np.zeros(chunks.size, np.float32)
        found[held] = self.saturations[places[held]]
        return found.reshape(chunks.shape)


def where(ids: Ids, wanted: Ids) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return at which place of ascending ids each wanted one stands, and whether it does.

    np.isin would sort them: 40 ms for the 160,000 chunks of a common word, so 0.02.
    """
    places = np.searchsorted(ids, wanted)
    held = places < len(ids)
    held[held] = ids[places[held]] == wanted[held]
    return places, held


def added_up(words: Sequence[Posted]) -> Scores:
    """Return the score of every chunk, by its number; 0 for those that hold no word."""
    scores = np.zeros(max((int(word.ids[-1]) + 1 for word in words if len(word.ids)), default=0), np.float32)
    for word in words:
        scores[word.ids] += word.saturations * np.float32(SATURATION * word.idf)
    return scores


def best(scores: Scores, count: int, allowed: Ids | None) -> list[tuple[int, float]]:
    """Return the best chunks of those allowed that hold any word, best first; of equal ones the older first.

    Args:
        scores: By number of the chunk.
        count: How many at most.
        allowed: Numbers, ascending; None means all.
    """
    ids = None if allowed is None else allowed[: np.searchsorted(allowed, len(scores))]
    values = scores if ids is None else scores[ids]
    places = _highest(values, count)
    places = places[values[places] > 0]
    numbers = places if ids is None else ids[places]
    order = np.lexsort((numbers, -values[places]))
    return list(zip(numbers[order].tolist(), values[places][order].tolist(), strict=True))


def whole_list(scores: Scores, count: int, allowed: Ids) -> WholeList:
    """Return the list of the chunks allowed that hold any word, so many of the best in order; as best() of all.

    Args:
        scores: By number of the chunk.
        count: How many.
        allowed: Numbers, ascending.
    """
    ids = allowed[: np.searchsorted(allowed, len(scores))]
    values = scores[ids]
    ids, values = ids[values > 0], values[values > 0]
    places = highest(values, count)
    head = list(zip(ids[places].tolist(), values[places].tolist(), strict=True))
    return WholeList(head, np.delete(ids, places), np.delete(values, places))


def _highest(values: Scores, count: int) -> NDArray[np.intp]:
    """Return the places of the highest values, ascending."""
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


def with_neighbours(
    ranked: Sequence[tuple[int, float]], words: Sequence[Posted], layout: ChunkLayout
) -> list[tuple[int, float]]:
    """Return a ranking, scored anew together with the rest of the paragraphs that the chunks were cut from.

    A saturation s is tf / (tf + K), so tf in units of K is s / (1 - s): those of a chunk and of its neighbours add up.
    K grows with the length that is looked at, so with the number of neighbours beside what is usual among the chunks.

    Args:
        ranked: Chunks with their scores, best first; one that the layout does not have is left out.
        words: Of the question.
        layout: Has the chunks and their neighbours.
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
    """Return whether the text goes on from one chunk to the next: a character lies between them at the most."""
    is_next: NDArray[np.bool_] = layout.ordinals[before] + 1 == layout.ordinals[after]
    is_next &= layout.documents[before] == layout.documents[after]
    is_next &= layout.ends[before] + 1 >= layout.starts[after]
    return is_next
