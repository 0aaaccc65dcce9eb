"""How much of what a model sees at once is left for what a search found."""

from collections.abc import Sequence

from workbench.agent.base import ModelCounts, ModelProvider
from workbench.agent.token_estimate import TokenEstimate
from workbench.model.message import ModelRequest, Usage
from workbench.settings import Settings

DEFAULT_CONTEXT = 8192
"""Tokens, where neither the settings nor the server say; most local models see as many."""

# Every model of use sees so many: a server is asked only where they are not enough.
_SMALLEST_CONTEXT = 4096

# Of what is left one search may take so much: another one may follow.
_SHARE = 2 / 3


class ContextWindow:
    """The tokens of one run: what its conversation takes, and what is left.

    Args:
        counts: The model's server; None where there is none to ask.
        size: How many tokens the model sees at once; 0 asks the server.
        answer: How many are kept for the answer.
    """

    def __init__(self, counts: ModelCounts | None, *, size: int = 0, answer: int = 1024) -> None:
        self._counts = counts
        self._size = size
        self._answer = answer
        self._estimate = TokenEstimate()
        self._used = 0.0

    @classmethod
    def of(cls, provider: ModelProvider, settings: Settings) -> "ContextWindow | None":
        """Return the window of the model that a provider speaks to; None for an answerer that has no limit."""
        if provider.counts is None:
            return None
        return cls(provider.counts, size=settings.context_tokens, answer=settings.answer_tokens)

    def sent(self, request: ModelRequest, usage: Usage) -> None:
        """Take in a turn of the model: what it was sent, and what the server counted."""
        self._estimate.learn(request, usage.input_tokens)
        asked = usage.input_tokens if usage.input_tokens is not None else self._estimate.count_request(request)
        self._used = asked + (usage.output_tokens or 0)

    def take(self, tokens: float) -> None:
        """Count a tool's result in: the next one of the same turn has that much less."""
        self._used += tokens

    def estimate(self, text: str) -> float:
        """Return how many tokens a text is held to be, without asking."""
        return self._estimate.count(text)

    async def count(self, text: str) -> float:
        """Return how many tokens a text is by the model's own count, or by the estimate."""
        counted = await self._counts.count(text) if self._counts is not None else None
        return counted if counted is not None else self._estimate.count(text)

    async def room(self, wanted: float) -> float:
        """Return how many tokens a search may hand over now.

        Args:
            wanted: How many it would; the server is asked for its size only where these may be too many.
        """
        if not self._size:
            room = self._room(_SMALLEST_CONTEXT)
            if wanted <= room:
                return room
        return self._room(await self.size())

    async def size(self) -> int:
        """Return how many tokens the model sees at once; its server is asked once where nobody has said so."""
        if not self._size:
            said = await self._counts.context() if self._counts is not None else None
            self._size = said or DEFAULT_CONTEXT
        return self._size

    async def room_for(self, texts: Sequence[str]) -> float:
        """Return how many tokens a search may hand over now, of these texts."""
        return await self.room(sum(map(self._estimate.count, texts)))

    def _room(self, size: int) -> float:
        # A model with a small window still has to answer: it keeps at most a quarter of it for that.
        answer = min(self._answer, size / 4)
        return max(0.0, _SHARE * (size - answer - self._used))
