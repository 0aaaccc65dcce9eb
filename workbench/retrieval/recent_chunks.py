"""Recent chunks: those that the last searches found, looked up by their text."""

import threading
from collections import OrderedDict
from collections.abc import Iterable

from workbench.model.chunk import Chunk

_MOST_CHUNKS = 512


class RecentChunks:
    """Chunks that the last searches found, by their text; safe to call from several threads.

    A passage reaches the offline answerer as a text in its conversation, without the id of its chunk.
    """

    def __init__(self) -> None:
        self._chunks: OrderedDict[str, Chunk] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, chunks: Iterable[Chunk]) -> None:
        """Add chunks; the oldest ones are dropped."""
        with self._lock:
            for chunk in chunks:
                self._chunks[chunk.text] = chunk
                self._chunks.move_to_end(chunk.text)
            while len(self._chunks) > _MOST_CHUNKS:
                self._chunks.popitem(last=False)

    def get(self, text: str) -> Chunk | None:
        """Return the chunk with exactly this text; None if no recent search found one."""
        with self._lock:
            return self._chunks.get(text)
