"""The saved index read beside the program that writes it: brought into step in memory, never on the disk."""

import logging
from collections.abc import Callable
from pathlib import Path

from workbench.errors import IndexUnavailable
from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.following import follow
from workbench.indexing.opening import Truth

logger = logging.getLogger(__name__)

# A save takes milliseconds from the new manifest to the last file that it deletes.
_TRIES = 5


class ReadIndex:
    """An index that is searched while another program may write the library and its files.

    Files that are deleted there stay open here. What the saved index lacks is taken from the library.

    Attributes:
        store: The index; only its content in memory changes.
    """

    def __init__(self, path: Path, truth: Callable[[], Truth]) -> None:
        """Open what was saved.

        Args:
            path: The folder that it was saved to; there may be none.
            truth: Gives the library's vectors as they are when it is called.

        Raises:
            IndexUnavailable: The vectors of the library do not fit the embedder.
        """
        self._truth = truth
        now = truth()
        self.store = _saved(path, now.dim)
        # Whatever number it has: no later one is known yet.
        self._generation = self.store.generation
        self._follow(now)

    def follow(self) -> None:
        """Take in what the other program has changed since."""
        self._follow(self._truth())

    def _follow(self, now: Truth) -> None:
        if now.generation != self._generation and self.store.count:
            self.store.remove(self.store.differing(*now.beginnings()))
        follow(self.store, now.ids(), now.fetch)
        # The number of before: what was changed meanwhile has another one, and is looked at the next time.
        self._generation = now.generation


def _saved(path: Path, dim: int) -> FaissStore:
    """Return what was saved as far as it can be believed, in a store that writes nothing."""
    for _ in range(_TRIES):
        try:
            store, problems = FaissStore.rescue(path, to_read=True)
        except IndexUnavailable as error:
            logger.info("The search index is made in memory: %s", error.message)
            return FaissStore(dim)
        if not problems:
            break
        # Its files were merged between the manifest and them: there is another manifest by now.
        logger.info("The search index is read again: %s", problems[0].message)
    return store if store.dim == dim else FaissStore(dim)
