"""A model whose calls count as the run's own, without being turns of its conversation."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import cast

from workbench.agent.base import ModelCounts, ModelProvider
from workbench.agent.token_budget import TokenBudget
from workbench.errors import LimitReached
from workbench.model.message import ModelEvent, ModelRequest, ReasoningDelta, TextDelta, TurnEnd, Usage
from workbench.model.run import Limit


class CountedProvider:
    """ModelProvider that takes the tokens of every call from a run's budget.

    Args:
        provider: Who is asked.
        budget: Of the run; what it has no more room for raises LimitReached.
        count: Told what the server says that a call took.
        kept: Tokens of the budget that its calls leave, however much the model says.
    """

    def __init__(
        self, provider: ModelProvider, budget: TokenBudget, count: Callable[[Usage], None], *, kept: float = 0.0
    ) -> None:
        self._provider = provider
        self._kept = kept
        self._budget = budget
        self._count = count

    @property
    def mode(self) -> str:
        return self._provider.mode

    @property
    def counts(self) -> ModelCounts | None:
        return self._provider.counts

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Yield the events of one call; see ModelProvider.

        Raises:
            LimitReached: The run has no tokens left for it.
        """
        self._budget.ask(request)
        stream = cast(AsyncGenerator[ModelEvent, None], self._provider.stream(request))
        async with aclosing(stream) as events:
            async for event in events:
                match event:
                    case TextDelta(text) | ReasoningDelta(text):
                        self._budget.say(text)
                        self._check()
                    case TurnEnd():
                        self._count(event.usage)
                        self._budget.end(request, event.usage)
                yield event

    def _check(self) -> None:
        if self._budget.left < self._kept:
            raise LimitReached(
                "The tokens that are left are kept for the answer.",
                "Ask a narrower question, or raise “Tokens per answer” in the settings.",
                Limit.TOKENS,
            )

    async def close(self) -> None:
        """Do nothing: the provider is closed by whoever opened it."""
