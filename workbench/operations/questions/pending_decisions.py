"""Pending decisions of runs: tool calls and searches that wait for a person, each as a future."""

import asyncio
import json

from workbench.errors import NotFound, ToolError
from workbench.model.approval import Approval, CurationAsked, Decision, PassageChoice
from workbench.model.hit import Hit
from workbench.model.run import ApprovalAsked


class WaitingCalls:
    """Tool calls that wait for approval, by run and call, and the tools that a session approves without asking."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, str], tuple[str, int, asyncio.Future[Approval]]] = {}
        self._always_approved: set[tuple[int, str]] = set()

    def approver(self, session: int, run: int) -> "SessionApprover":
        """Return the approver of a run."""
        return SessionApprover(self, session, run)

    def decide(self, run: int, call_id: str, word: Approval, *, always: bool = False) -> None:
        """Decide on a call.

        Raises:
            NotFound: No such call is waiting (any more).
            ToolError: The arguments are not a JSON object.
        """
        if (run, call_id) not in self._waiting:
            raise NotFound("This tool call is no longer waiting for approval.", "The answer went on, or was stopped.")
        if word.decision is Decision.EDIT and not _is_object(word.arguments):
            raise ToolError("The arguments are not a JSON object.", 'They look like this: {"name": "value"}')
        tool, session, future = self._waiting[run, call_id]
        if always:
            self._always_approved.add((session, tool))
        if not future.done():
            future.set_result(word)

    def is_let_through(self, session: int, tool: str) -> bool:
        """Return whether a session approves a tool without asking."""
        return (session, tool) in self._always_approved

    async def wait(self, session: int, run: int, asked: ApprovalAsked) -> Approval:
        """Wait for the decision on a call."""
        future: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self._waiting[run, asked.call_id] = asked.tool, session, future
        try:
            return await future
        finally:
            del self._waiting[run, asked.call_id]


class SessionApprover:
    """Approver that waits until decide_call passes on the decision."""

    def __init__(self, calls: WaitingCalls, session: int, run: int) -> None:
        self._calls = calls
        self._session = session
        self._run = run

    def remembers(self, tool: str) -> bool:
        """Return whether the user approved the tool for the whole session."""
        return self._calls.is_let_through(self._session, tool)

    async def decide(self, asked: ApprovalAsked) -> Approval:
        """Wait for the decision, without a timeout."""
        return await self._calls.wait(self._session, self._run, asked)


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


class WaitingChoices:
    """Searches that wait for a choice, by run and number, and the pinned hits of each session, in memory only."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, int], tuple[int, asyncio.Future[PassageChoice]]] = {}
        self._pinned: dict[int, tuple[Hit, ...]] = {}

    def curator(self, session: int, run: int) -> "SessionCurator":
        """Return the curator of a run."""
        return SessionCurator(self, session, run)

    def pinned(self, session: int) -> tuple[Hit, ...]:
        """Return the pinned hits of a session, which each of its searches includes."""
        return self._pinned.get(session, ())

    def choose(self, run: int, number: int, choice: PassageChoice) -> None:
        """Choose hits of a waiting search; the hits that it pins replace the pinned ones.

        Raises:
            NotFound: No such search is waiting (any more).
        """
        if (run, number) not in self._waiting:
            raise NotFound(
                "This search is no longer waiting for your selection.", "The answer went on, or was stopped."
            )
        session, future = self._waiting[run, number]
        self._pinned[session] = tuple(hit for hit in choice.hits if hit.chunk.id in choice.pinned)
        if not future.done():
            future.set_result(choice)

    async def wait(self, session: int, run: int, asked: CurationAsked) -> PassageChoice:
        """Wait for the choice of a search."""
        future: asyncio.Future[PassageChoice] = asyncio.get_running_loop().create_future()
        self._waiting[run, asked.number] = session, future
        try:
            return await future
        finally:
            del self._waiting[run, asked.number]


class SessionCurator:
    """Curator that waits until choose_passages passes on the choice."""

    def __init__(self, choices: WaitingChoices, session: int, run: int) -> None:
        self._choices = choices
        self._session = session
        self._run = run

    def pinned(self) -> tuple[Hit, ...]:
        """Return the pinned hits of the session."""
        return self._choices.pinned(self._session)

    async def choose(self, asked: CurationAsked) -> PassageChoice:
        """Wait for the choice, without a timeout."""
        return await self._choices.wait(self._session, self._run, asked)
