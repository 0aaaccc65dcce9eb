"""The searches of a library's runs that wait for a person to choose; only the worker's thread touches them."""

import asyncio

from workbench.errors import NotFound
from workbench.model.approval import Choice, CurationAsked
from workbench.model.hit import Hit


class WaitingChoices:
    """What waits, by run and number, and what each session keeps pinned while the program runs."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, int], tuple[int, asyncio.Future[Choice]]] = {}
        self._pinned: dict[int, tuple[Hit, ...]] = {}

    def curator(self, session: int, run: int) -> "SessionCurator":
        """Return who chooses for the person in a run."""
        return SessionCurator(self, session, run)

    def pinned(self, session: int) -> tuple[Hit, ...]:
        """Return what a session keeps for each of its searches."""
        return self._pinned.get(session, ())

    def choose(self, run: int, number: int, choice: Choice) -> None:
        """Give the word on a search that waits; what it pins replaces what was pinned.

        Raises:
            NotFound: No such search waits (any more).
        """
        if (run, number) not in self._waiting:
            raise NotFound("This search does not wait any more.", "The answer went on, or was stopped.")
        session, future = self._waiting[run, number]
        self._pinned[session] = tuple(hit for hit in choice.hits if hit.chunk.id in choice.pinned)
        if not future.done():
            future.set_result(choice)

    async def wait(self, session: int, run: int, asked: CurationAsked) -> Choice:
        """Wait for the word on a search."""
        future: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()
        self._waiting[run, asked.number] = session, future
        try:
            return await future
        finally:
            del self._waiting[run, asked.number]


class SessionCurator:
    """Curator that waits until choose_passages is given the word."""

    def __init__(self, choices: WaitingChoices, session: int, run: int) -> None:
        self._choices = choices
        self._session = session
        self._run = run

    def pinned(self) -> tuple[Hit, ...]:
        """Return what the session keeps."""
        return self._choices.pinned(self._session)

    async def choose(self, asked: CurationAsked) -> Choice:
        """Wait, however long it takes."""
        return await self._choices.wait(self._session, self._run, asked)
