"""What a person who is asked before a tool call is told, and whether what they typed can be called; knows no Qt."""

import json
from dataclasses import dataclass
from typing import Any

from workbench.agent.tool_runner import checked_arguments, parsed_arguments
from workbench.errors import ToolError
from workbench.language import said, tr
from workbench.model.approval import Decision
from workbench.model.message import ToolCall, ToolSpec
from workbench.model.run import ApprovalAsked
from workbench.model.visible import escaped_json


@dataclass(frozen=True, slots=True)
class Word:
    """What a person says to a call."""

    asked: ApprovalAsked
    decision: Decision
    arguments: str = ""
    always: bool = False


def spec_of(tool: str, declared: str) -> ToolSpec:
    """Return how a tool was declared to the model; nothing is known of one that is not among the declared."""
    tools: list[dict[str, Any]] = json.loads(declared) if declared else []
    found = next((one for one in tools if one.get("name") == tool), {})
    return ToolSpec(tool, str(found.get("description", "")), found.get("parameters") or {})


def readable(arguments: str) -> str:
    """Return a call's arguments over several lines, what nobody would see as escapes; as they came where no JSON."""
    try:
        return escaped_json(json.dumps(json.loads(arguments or "{}"), ensure_ascii=False, indent=2))
    except (ValueError, RecursionError):
        return arguments


def problem(arguments: str, spec: ToolSpec) -> str:
    """Return why the tool cannot be called with these arguments; empty where it can."""
    try:
        call = ToolCall("", spec.name, arguments)
        known, given = checked_arguments(call, spec), parsed_arguments(call)
    except ToolError as error:
        return said(error.message)
    unknown = [name for name in given if name not in known]
    if not unknown or not spec.parameters:
        return ""
    return tr("{tool} has no argument {names}.", tool=spec.name, names=", ".join(unknown))


def word(asked: ApprovalAsked, arguments: str, *, always: bool = False) -> Word:
    """Return the word that lets a call go on: with other arguments where they are not what the model wrote."""
    if readable(arguments) == readable(asked.arguments):
        return Word(asked, Decision.APPROVE, always=always)
    return Word(asked, Decision.EDIT, arguments, always=always)
