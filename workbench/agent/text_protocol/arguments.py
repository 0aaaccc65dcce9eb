"""What stands in a call's parentheses -> the JSON object that the tool is called with.

Understood are a JSON object, name=value pairs, and values alone: one of them is the tool's first argument, whole,
whatever commas it holds. What cannot be understood becomes the first argument as well: the tool says what is wrong.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from workbench.model.message import ToolSpec

_PAIR = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*[=:：]\s*(?P<value>.*?)\s*", re.DOTALL)
_QUOTED = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_UNKNOWN_ARGUMENT = "input"
_NOTHING = object()


def as_json(text: str, tool: ToolSpec | None) -> str:
    """Return the arguments as the text of a JSON object; tool is None for one that is not known."""
    return json.dumps(_arguments(text.strip(), tool), ensure_ascii=False)


def _arguments(text: str, tool: ToolSpec | None) -> dict[str, Any]:
    if not text:
        return {}
    whole = _json(text)
    if isinstance(whole, dict):
        return whole
    properties: dict[str, Any] = tool.parameters.get("properties", {}) if tool else {}
    if not properties:
        return {_UNKNOWN_ARGUMENT: text}
    parts = _split(text)
    named = _pairs(parts, properties)
    if named is not None:
        return named
    assert tool is not None
    names = _in_order(properties, tool.parameters.get("required", ()))
    values = [_literal(part) for part in parts]
    if 1 < len(parts) <= len(names) and _NOTHING not in values:
        return {name: _fitting(part, properties[name]) for name, part in zip(names, parts, strict=False)}
    return {names[0]: _fitting(text, properties[names[0]])}


def _in_order(properties: dict[str, Any], required: Sequence[str]) -> list[str]:
    first = [name for name in required if name in properties]
    return [*first, *(name for name in properties if name not in first)]


def _pairs(parts: list[str], properties: dict[str, Any]) -> dict[str, Any] | None:
    """Return name=value pairs; None where a part is not a pair, or names no argument of the tool."""
    found: dict[str, Any] = {}
    for part in parts:
        pair = _PAIR.fullmatch(part)
        if pair is None or pair["name"] not in properties:
            return None
        found[pair["name"]] = _fitting(pair["value"], properties[pair["name"]])
    return found


def _fitting(text: str, schema: Any) -> Any:
    """Return a value: text stays the text it is where the schema asks for text, whatever it looks like."""
    text = text.strip()
    value = _literal(text)
    kind = schema.get("type") if isinstance(schema, dict) else None
    if value is _NOTHING or (kind == "string" and not isinstance(value, str)):
        return text
    return value


def _literal(text: str) -> Any:
    """Return what quoted text or JSON means; _NOTHING for bare words."""
    text = text.strip()
    value = _json(text)
    if value is not _NOTHING:
        return value
    if len(text) > 1 and _QUOTED.get(text[0]) == text[-1] and text[-1] not in text[1:-1].replace(f"\\{text[-1]}", ""):
        return text[1:-1].replace(f"\\{text[-1]}", text[-1])
    return _NOTHING


def _json(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _NOTHING


def _split(text: str) -> list[str]:
    """Return the parts between commas that stand neither in quotation marks nor in brackets."""
    parts, began, depth, quote = [], 0, 0, ""
    place = 0
    while place < len(text):
        character = text[place]
        if quote:
            if character == "\\":
                place += 1
            elif character == quote:
                quote = ""
        elif character in _QUOTED and not text[place - 1 : place].isalnum():
            quote = _QUOTED[character]
        elif character in "([{（":
            depth += 1
        elif character in ")]}）":
            depth -= 1
        elif character in ",，" and depth <= 0:
            parts.append(text[began:place])
            began = place + 1
        place += 1
    return [*parts, text[began:]]
