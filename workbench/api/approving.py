"""A function of a script as the person who is asked before a tool is called."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Any, TypeVar

from workbench.model.approval import Approval, Decision
from workbench.model.options import require_function
from workbench.model.run import ApprovalAsked

T = TypeVar("T")

Word = bool | Mapping[str, Any] | Approval
"""True lets a call go on, False does not; a dict has it go on with these arguments; Approval says the same in full."""

Approve = Callable[[ApprovalAsked], Word | Awaitable[Word]]
"""Is told which tool is to be called with what, and why it is asked; plain or asynchronous."""


class CallbackApprover:
    """Approver that asks a function; what that raises stops the run and reaches whoever asked the question."""

    def __init__(self, approve: Approve) -> None:
        require_function("approve", approve)
        self._approve = approve
        self._asking: asyncio.Task[Any] | None = None
        self._error: Exception | None = None

    def remembers(self, tool: str) -> bool:  # noqa: ARG002
        """Return False: the function is asked each time."""
        return False

    async def decide(self, asked: ApprovalAsked) -> Approval:
        """Return what the function says."""
        try:
            word = self._approve(asked)
            return _approval(await word if isawaitable(word) else word)
        except Exception as error:
            self._error = error
            if self._asking is not None:
                self._asking.cancel()
            raise asyncio.CancelledError from error

    async def run(self, answer: Awaitable[T]) -> T:
        """Return an answer during which this is asked, or raise what the function raised."""
        self._asking = asyncio.current_task()
        try:
            return await answer
        except asyncio.CancelledError:
            if self._error is None or self._asking is None:
                raise
            self._asking.uncancel()
            raise self._error from None


def _approval(word: object) -> Approval:
    match word:
        case Approval():
            return word
        case True:
            return Approval(Decision.APPROVE)
        case False:
            return Approval(Decision.DENY)
        case Mapping():
            return Approval(Decision.EDIT, json.dumps(dict(word), ensure_ascii=False))
    raise TypeError(f"'approve' must return True, False, a dict of other arguments or an Approval, not {word!r}.")
