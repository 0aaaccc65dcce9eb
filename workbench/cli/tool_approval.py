"""Approval of tool calls at the terminal: yes, no, other arguments, or always; and confirmation by yes or no."""

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable

from workbench.agent.base import Approver
from workbench.cli.output import Output
from workbench.errors import ToolError
from workbench.model.approval import Approval, Decision
from workbench.model.message import ToolCall
from workbench.model.run import PLAN, ApprovalAsked

ReadLine = Callable[[], Awaitable[str]]
"""Reads a line; returns the empty text at the end of the input."""

_CHOICES = "[y]es, [n]o, [e]dit the arguments, [a]lways"


def approver_of(output: Output) -> Callable[[int, int], Approver] | None:
    """Return an approver that asks at the terminal; None if there is no terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    terminal = TerminalApprover(output, typed_line)

    def approver_of_run(_session: int, _run: int) -> Approver:
        return terminal

    return approver_of_run


class TerminalApprover:
    """Approver that asks on stderr and reads the reply from stdin, one call at a time."""

    def __init__(self, output: Output, read: ReadLine) -> None:
        self._output = output
        self._read = read
        self._lock = asyncio.Lock()
        self._always_allowed: set[str] = set()

    def remembers(self, tool: str) -> bool:
        """Return whether the user replied “always” for this tool."""
        return tool in self._always_allowed

    async def decide(self, asked: ApprovalAsked) -> Approval:
        """Ask until the reply is understood; the end of the input denies the call."""
        async with self._lock:
            if self.remembers(asked.tool):
                return Approval(Decision.APPROVE)
            self._output.note(_question(asked))
            while True:
                self._output.note(f"{_CHOICES}:")
                reply = (await self._read()).casefold()
                match reply.strip():
                    case "y" | "yes":
                        return Approval(Decision.APPROVE)
                    case "a" | "always":
                        self._always_allowed.add(asked.tool)
                        return Approval(Decision.APPROVE)
                    case "n" | "no":
                        return Approval(Decision.DENY)
                    case "e" | "edit":
                        edited = await self._read_arguments(asked)
                        if edited is not None:
                            return edited
                if not reply:
                    return Approval(Decision.DENY)

    async def _read_arguments(self, asked: ApprovalAsked) -> Approval | None:
        from workbench.agent.tool_runner import parsed_arguments

        self._output.note("The arguments, as a JSON object on one line:")
        typed = (await self._read()).strip()
        try:
            parsed_arguments(ToolCall(asked.call_id, asked.tool, typed))
        except ToolError as error:
            self._output.note(error.message)
            return None
        return Approval(Decision.EDIT, typed)


def _question(asked: ApprovalAsked) -> str:
    from workbench.agent.planning.plan_format import plan_of_json, plan_text

    if asked.call_id != PLAN:
        return f"May “{asked.tool}” be called? {asked.reason}\n  {asked.arguments}"
    steps = "\n".join(f"  {line}" for line in plan_text(plan_of_json(asked.arguments)).splitlines())
    return f"Execute this plan? If not, the question is answered without a plan.\n{steps}\n  {asked.arguments}"


async def is_confirmed(output: Output, question: str, refusal: str, *, yes: bool) -> bool:
    """Ask for confirmation at the terminal, unless it was given by an option.

    Args:
        output: Receives the question.
        question: The question.
        refusal: Sentence that is printed if there is no terminal to ask at.
        yes: True if the option --yes was given.
    """
    if yes:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        output.note(refusal)
        return False
    output.note(f"{question} [y]es, [n]o:")
    return (await typed_line()).strip().casefold() in ("y", "yes")


async def typed_line() -> str:
    """Read a line of stdin on a daemon thread, so that Ctrl+C ends the program while it waits for input."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def set_line(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def read() -> None:
        text = sys.stdin.readline()
        if not loop.is_closed():
            loop.call_soon_threadsafe(set_line, text)

    threading.Thread(target=read, name="terminal", daemon=True).start()
    return await line
