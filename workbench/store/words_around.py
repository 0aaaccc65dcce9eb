"""Chunks and words -> which of the words each chunk holds, and how many of the chunks around it hold them, too."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.store.adding_up import where
from workbench.store.index_reader import IndexReader


def words_around(
    index: IndexReader, words: Sequence[str], chunks: Sequence[int], reach: int
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Return bool [words, chunks], whether a chunk holds a word, and float32, the share of those around it that do.

    Args:
        index: The keyword index.
        words: As in the keyword index; one that ends in "*" stands for all that begin so.
        chunks: Their ids; of one that is gone nothing is held.
        reach: How many chunks to each side, in the same document, are around one. What the document does not have holds
            nothing: of one neighbour alone nothing can be told.
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
