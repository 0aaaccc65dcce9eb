"""Runner of one turn's tool calls: validates them, runs them concurrently, keeps the results in order."""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.agent.approval_gate import ApprovalGate, RefusedCall
from workbench.agent.base import Tool, ToolResult
from workbench.errors import ToolError
from workbench.language import mark
from workbench.model.message import Message, Role, ToolCall, ToolSpec
from workbench.model.run import Notice, RunEvent, ToolCompleted, ToolFailed, ToolStarted

logger = logging.getLogger(__name__)

# Stop must complete within 100 ms; a tool that has not ended by then is left to end by itself.
_GRACE_SECONDS = 0.05

_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float, str),  # small models write numbers as text; the tool reads both
    "integer": (int, str),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


@dataclass(frozen=True, slots=True)
class ToolTurnResult:
    """The calls of a turn as they were carried out, and a message for each."""

    calls: tuple[ToolCall, ...]
    messages: tuple[Message, ...]


class ToolRunner:
    """Carries out the calls of a run up to its limit and emits an event for every step.

    Args:
        tools: The available tools.
        limit: Maximum number of calls.
        emit: Called with the event of every step.
        gate: Gate at which calls wait for approval; None approves all of them.
        made: Number of calls that count as already carried out.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        *,
        limit: int,
        emit: Callable[[RunEvent], None],
        gate: ApprovalGate | None = None,
        made: int = 0,
    ) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        self._specs = {name: tool.spec for name, tool in self._tools.items()}
        self._limit = limit
        self._emit = emit
        self._gate = gate or ApprovalGate()
        self._made = made
        self._limit_told = False

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """Specs of the tools that are declared to the model."""
        return tuple(self._specs.values())

    async def answer(self, calls: Sequence[ToolCall]) -> ToolTurnResult:
        """Carry out the calls of one turn and return a message for each, in their order.

        Calls beyond the limit, also within one turn, are not carried out; their message states that the limit is
        reached.
        """
        allowed = max(0, self._limit - self._made)
        self._made += min(allowed, len(calls))
        running = [asyncio.ensure_future(self._carry_out(call)) for call in calls[:allowed]]
        refused = [(call, self._refuse(call)) for call in calls[allowed:]]
        try:
            # Not gather: when cancelled, it waits until every call has ended.
            if running:
                await asyncio.wait(running, return_when=asyncio.FIRST_EXCEPTION)
            ended = [*(task.result() for task in running), *refused]
        except BaseException:
            await _stop(running)
            raise
        messages = tuple(Message(Role.TOOL, text, tool_call_id=call.id) for call, text in ended)
        return ToolTurnResult(tuple(call for call, _text in ended), messages)

    async def _carry_out(self, call: ToolCall) -> tuple[ToolCall, str]:
        """Return the call as it was carried out, and the text of its result for the model."""
        spec = self._specs.get(call.name)
        if spec is not None:
            try:
                checked_arguments(call, spec)
            except ToolError:
                pass  # Reported to the model below: the user is not asked about a call that cannot be carried out.
            else:
                passed = await self._gate.passed(call, spec, self._emit)
                if isinstance(passed, RefusedCall):
                    self._emit(ToolFailed(call.id, call.name, passed.text, 0.0))
                    return call, passed.text
                call = passed
        self._emit(ToolStarted(call.id, call.name, call.arguments))
        began = time.perf_counter()
        result = await self._result(call)
        milliseconds = round((time.perf_counter() - began - result.waited) * 1000, 1)
        end = ToolFailed if result.failed else ToolCompleted
        self._emit(end(call.id, call.name, result.text, milliseconds))
        for event in result.events:
            self._emit(event)
        return call, result.text

    async def _result(self, call: ToolCall) -> ToolResult:
        """Call the tool; every error becomes a text for the model, and the run goes on."""
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(self._tools)
            return ToolResult(f"There is no tool named {call.name!r}. The tools are: {known}.", failed=True)
        try:
            return await tool.call(checked_arguments(call, self._specs[call.name]))
        except ToolError as error:
            return ToolResult(error.message, failed=True)
        # The tool contract: for any other error the model sees only the type name, since the message may contain a
        # path, a
        # password, or personal data.
        except Exception as error:
            logger.exception("Tool %s failed", call.name)
            return ToolResult(f"Error in {call.name}: {type(error).__name__}", failed=True)

    def _refuse(self, call: ToolCall) -> str:
        text = (
            f"Tool call limit reached ({self._limit} calls). This call was not carried out. Do not call more tools and "
            "do not retry: answer now from what you have."
        )
        self._emit(ToolStarted(call.id, call.name, call.arguments))
        self._emit(ToolFailed(call.id, call.name, text, 0.0))
        if not self._limit_told:
            self._limit_told = True
            self._emit(
                Notice(mark(f"The limit of {self._limit} tool calls was reached; the model was told to answer now."))
            )
        return text


def checked_arguments(call: ToolCall, spec: ToolSpec) -> dict[str, Any]:
    """Return the call's arguments, validated against the tool's schema.

    Raises:
        ToolError: The text explains to the model how to call the tool.
    """
    arguments = parsed_arguments(call)
    properties: dict[str, Any] = spec.parameters.get("properties", {})
    required: Sequence[str] = spec.parameters.get("required", ())
    missing = [name for name in required if arguments.get(name) is None]
    if missing:
        raise ToolError(f"Missing required argument of {call.name}: {', '.join(missing)}.")
    for name, value in arguments.items():
        kind = _kind(properties.get(name))
        if value is not None and kind in _JSON_TYPES and not isinstance(value, _JSON_TYPES[kind]):
            raise ToolError(f"Argument {name} of {call.name} must be a JSON {kind}.")
    if spec.parameters.get("additionalProperties") or not properties:
        return arguments  # a tool of another program, which validates them itself
    return {name: value for name, value in arguments.items() if name in properties}


def _kind(schema: object) -> str:
    """Return the single type in a property's schema; empty for any type or several."""
    kind = schema.get("type") if isinstance(schema, dict) else ""
    return kind if isinstance(kind, str) else ""


def parsed_arguments(call: ToolCall) -> dict[str, Any]:
    """Return the call's arguments as a dict, without a schema.

    Raises:
        ToolError: They are not a JSON object.
    """
    try:
        value = json.loads(call.arguments or "{}")
        if isinstance(value, str):
            value = json.loads(value)  # some servers encode the arguments twice
    except RecursionError as error:
        raise ToolError(f"The arguments of {call.name} are nested too deeply.") from error
    except ValueError as error:  # a number with thousands of digits raises no JSONDecodeError
        raise ToolError(f"The arguments of {call.name} are not valid JSON: {error}. Call it again.") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ToolError(f"The arguments of {call.name} must be a JSON object.")
    return value


async def _stop(running: Sequence["asyncio.Future[tuple[ToolCall, str]]"]) -> None:
    for task in running:
        task.cancel()
    if running:
        done, _late = await asyncio.wait(running, timeout=_GRACE_SECONDS)
        for task in done:
            if not task.cancelled():
                task.exception()  # retrieved, so that asyncio does not report it as never retrieved
