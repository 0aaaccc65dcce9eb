"""How much a tool may hand to the model: whole pieces, as many as there is room for."""

from collections.abc import Sequence

from workbench.agent.context_window import ContextWindow

MOST_CHARACTERS = 48_000
"""Of one result, whatever the model sees: more is asked for page by page."""

# What JSON puts around a piece.
_FRAME = 60


class Room:
    """The room that the run's model has left; for an answerer without a limit only that of one result."""

    def __init__(self, window: ContextWindow | None) -> None:
        self._window = window

    async def take(self, texts: Sequence[str]) -> int:
        """Return how many of the texts fit, from the first on, and count them in."""
        characters = 0
        count = 0
        for text in texts:
            characters += len(text) + _FRAME
            if characters > MOST_CHARACTERS and count:
                break
            count += 1
        if self._window is None:
            return count
        sizes = [self._window.estimate(text) + self._window.estimate("x" * _FRAME) for text in texts[:count]]
        room = await self._window.room(sum(sizes))
        taken = 0.0
        for place, size in enumerate(sizes):
            if taken + size > room:
                count = place
                break
            taken += size
        self._window.take(taken)
        return count
