"""The time that a run may take; what it waits for a person does not count."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from workbench.errors import LimitReached
from workbench.language import in_seconds
from workbench.model.run import Limit


class TimeLimit:
    """An async context that ends what runs in it after so many seconds, and stands still while waiting() is entered."""

    def __init__(self, seconds: float, *, spent: float = 0.0) -> None:
        """Take the limit, and how much of it was needed before."""
        self._seconds = seconds
        self._timeout = asyncio.timeout(None)
        self._waiting = 0
        self._left = seconds - spent

    async def __aenter__(self) -> "TimeLimit":
        await self._timeout.__aenter__()
        self._timeout.reschedule(asyncio.get_running_loop().time() + self._left)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, error, traceback)
        except TimeoutError as expired:
            raise LimitReached(
                f"The answer took longer than {in_seconds(self._seconds)} and was stopped.",
                "Ask a narrower question, or raise “Time limit per answer” in the settings.",
                Limit.SECONDS,
            ) from expired

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let the time stand still; several calls may wait side by side."""
        now = asyncio.get_running_loop().time
        if not self._waiting:
            self._left = (self._timeout.when() or now()) - now()
            self._timeout.reschedule(None)
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            # A run that is being stopped needs no limit any more, and would refuse one.
            if not self._waiting and not self._timeout.expired():
                self._timeout.reschedule(now() + self._left)
