"""Tools made from Python functions; the name, docstring and parameters are declared to the model.

    def gulls(harbour: str, year: Annotated[int, "Four digits"] = 2024) -> str:
        "Counts the gulls of a harbour."

Parameters may have the types str, int, float, bool, list, dict or a Literal of strings, each optionally with None; the
default is str. The function runs in a separate thread (if it is asynchronous, in an event loop there) with a timeout,
and a stop never waits for it.
"""

import inspect
import json
import re
import threading
import types
from collections.abc import Callable
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from workbench.agent.base import ToolResult
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.agent.tools.tool_results import MOST_CHARACTERS
from workbench.agent.tools.toolbox import tool_offers
from workbench.errors import ToolError
from workbench.language import in_seconds
from workbench.model.message import ToolReach, ToolSpec
from workbench.plugins.threads import ExitRequested, RetrieverThreads, StillBusy

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KINDS: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
    Any: "string",
}
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_UNIONS = (Union, types.UnionType)


class FunctionTools:
    """Functions that agents of one open library may call, in the order of registration."""

    def __init__(self) -> None:
        self._tools: dict[str, FunctionTool] = {}
        self._lock = threading.Lock()

    def register(self, function: Callable[..., Any], *, name: str, reach: ToolReach, seconds: float) -> None:
        """Add a function under a name, or under its own name if that is empty.

        Raises:
            ValueError: The name is in use or invalid, or the function has no docstring.
            TypeError: A parameter has an unsupported type.
        """
        tool = FunctionTool(function, spec_of(function, name=name, reach=reach), seconds)
        with self._lock:
            if tool.spec.name in self._tools or tool.spec.name in {offer.name for offer in tool_offers()}:
                raise ValueError(f"A tool named {tool.spec.name!r} is there already.")
            self._tools[tool.spec.name] = tool

    def offers(self) -> tuple[ToolOffer, ...]:
        """Return the functions as tools that an agent may list."""
        with self._lock:
            return tuple(tool.offer for tool in self._tools.values())

    def close(self) -> None:
        """Stop the event loops of the functions."""
        for tool in self._tools.values():
            tool.close()


class FunctionTool:
    """Tool that calls a function."""

    def __init__(self, function: Callable[..., Any], spec: ToolSpec, seconds: float) -> None:
        self._function = function
        self._spec = spec
        self._seconds = seconds
        self._threads = RetrieverThreads(f"tool {spec.name}")

    @property
    def spec(self) -> ToolSpec:
        """Declaration of the tool for the model."""
        return self._spec

    @property
    def offer(self) -> ToolOffer:
        """Declaration of the tool for agents and users."""
        return ToolOffer(
            self._spec.name,
            self._spec.name,
            self._spec.description.partition("\n\n")[0],
            "tool",
            self._return_self,
            needs_network=self._spec.reach is ToolReach.NETWORK,
            has_side_effects=self._spec.reach is ToolReach.CHANGES,
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Call the function and return its result as text.

        Raises:
            ToolError: An argument has the wrong type, the function timed out, or it raised a ToolError itself.
        """
        kinds = self._spec.parameters["properties"]
        given = {name: _value(name, value, kinds[name]) for name, value in arguments.items() if name in kinds}
        try:
            return ToolResult(await self._threads.run(lambda: self._function(**given), _text, self._seconds))
        except TimeoutError as error:
            raise ToolError(
                f"{self._spec.name} took longer than {in_seconds(self._seconds)} and was given up."
            ) from error
        except StillBusy as error:
            raise ToolError(f"{self._spec.name} is still busy with earlier calls that were stopped.") from error
        except ExitRequested as error:
            raise RuntimeError from error  # reported to the model as a failure; must not end the event loop

    def close(self) -> None:
        """Stop the tool's event loop, if it has one."""
        self._threads.close()

    def _return_self(self, _context: ToolContext) -> "FunctionTool":
        return self


def spec_of(function: Callable[..., Any], *, name: str = "", reach: ToolReach = ToolReach.LOCAL) -> ToolSpec:
    """Return the declaration of a function for a model.

    Raises:
        ValueError: The name is invalid, or the function has no docstring.
        TypeError: A parameter has an unsupported type.
    """
    tool_name = name or getattr(function, "__name__", "")
    if not _NAME.fullmatch(tool_name):
        raise ValueError(f"A tool cannot be called {tool_name!r}: letters, digits, “_” and “-”, 64 at most.")
    description = inspect.getdoc(function) if getattr(function, "__doc__", None) else ""
    if not description:
        raise ValueError(f"{tool_name} needs a docstring: it is what a model is told.")
    hints = get_type_hints(function, include_extras=True)
    properties, required = {}, []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.POSITIONAL_ONLY and parameter.default is parameter.empty:
            raise TypeError(f"{tool_name}: {parameter.name} cannot be given by its name.")
        if parameter.kind in _NAMED:
            properties[parameter.name] = _schema(hints.get(parameter.name, str), f"{tool_name}: {parameter.name}")
            if parameter.default is parameter.empty:
                required.append(parameter.name)
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return ToolSpec(tool_name, description, parameters, reach=reach)


def _schema(hint: Any, where: str) -> dict[str, Any]:
    """Return the JSON Schema of a type."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        words = next((one for one in inside[1:] if isinstance(one, str)), "")
        return _schema(inside[0], where) | ({"description": words} if words else {})
    if origin in _UNIONS:
        some = [one for one in inside if one is not types.NoneType]
        if len(some) == 1:
            return _schema(some[0], where)
    if origin is Literal and all(isinstance(one, str) for one in inside):
        return {"type": "string", "enum": list(inside)}
    if origin is list and inside:
        return {"type": "array", "items": _schema(inside[0], where)}
    try:
        return {"type": _KINDS[origin or hint]}
    except (KeyError, TypeError):
        raise TypeError(f"{where} is of type {hint}, which no model can write.") from None


def _value(name: str, value: Any, schema: dict[str, Any]) -> Any:
    """Convert an argument to the type that the function expects; models may write numbers as text."""
    if value is None:
        return None
    if schema["type"] in ("integer", "number"):
        try:
            return int(str(value).strip()) if schema["type"] == "integer" else float(value)
        except ValueError as error:
            shown = str(value)[:40]
            raise ToolError(
                f"{name} must be a whole number, not “{shown}”."
                if schema["type"] == "integer"
                else f"{name} must be a number, not “{shown}”."
            ) from error
    if value not in schema.get("enum", [value]):
        raise ToolError(f"{name} must be one of {', '.join(schema['enum'])}.")
    return value


def _text(value: Any) -> str:
    """Return the result of a function as text for the model."""
    if value is None:
        return "Done."
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    left = len(text) - MOST_CHARACTERS
    return text if left <= 0 else f"{text[:MOST_CHARACTERS]}\n[{left:,} more characters are left out.]"
