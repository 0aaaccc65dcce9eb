"""gateway.yaml -> the limits of retrieval; variables of the environment in it, and in place of it."""

import os
import re
from collections.abc import Mapping
from typing import Any

from workbench.agent.workspace.fence import Fence
from workbench.agent.workspace.front import BrokenHead, parsed
from workbench.language import mark
from workbench.model.agent import GatewaySettings

FILE = "gateway.yaml"
_BLOCK = "context_retrieval"
_ENVIRONMENT = "AGENT_GATEWAY_CONTEXT_RETRIEVAL__"
_VARIABLE = re.compile(r"\$\{([^}]+)\}")
_KEYS: dict[str, type[int] | type[float]] = {
    "retriever_timeout_seconds": float,
    "max_retrieved_chars": int,
    "max_context_file_chars": int,
}


def gateway_settings(fence: Fence, environment: Mapping[str, str] = os.environ) -> GatewaySettings:
    """Return what gateway.yaml says, or the environment in its place; what is wrong with it is a problem."""
    text = fence.text(fence.root / FILE)
    values: dict[str, Any] = {}
    try:
        block = parsed(text or "").get(_BLOCK)
    except BrokenHead as error:
        fence.tell(mark(f"{error} Its settings were ignored."), path=FILE, is_error=True)
        block = None
    if isinstance(block, dict):
        values.update(block)
    elif block is not None:
        fence.tell(mark(f"“{_BLOCK}” must be keys and values; it was ignored."), path=FILE)
    given = {key: environment.get(f"{_ENVIRONMENT}{key.upper()}", values.get(key)) for key in _KEYS}
    return GatewaySettings(**{key: _number(fence, key, value, environment) for key, value in given.items()})


def _number(fence: Fence, key: str, value: Any, environment: Mapping[str, str]) -> Any:
    if value is None:
        return None
    try:
        number = _KEYS[key](_with_variables(value, environment) if isinstance(value, str) else value)
        if isinstance(value, bool) or not 0 < number < float("inf"):
            raise ValueError(value)
    except KeyError as error:
        fence.tell(mark(f"{key} names the variable {error.args[0]}, which is not set."), path=FILE, is_error=True)
        return None
    except (TypeError, ValueError, OverflowError):
        kind = mark("a whole number") if _KEYS[key] is int else mark("a number")
        fence.tell(mark(f"{key} must be {kind} above 0; it was ignored."), path=FILE, is_error=True)
        return None
    return number


def _with_variables(text: str, environment: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: environment[match.group(1)], text)
