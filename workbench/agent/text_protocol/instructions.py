"""The section of the prompt that explains to a model how to call tools by text."""

import json
from collections.abc import Sequence
from typing import Any

from workbench.model.message import ToolSpec

_HOW = """<tool_protocol>
You can use tools. To call one, write a line of this form, and nothing else on that line:

TOOL: name({"argument": "value"})

- name is one of the tools below. Its arguments are one JSON object, on the same line.
- To call several tools at once, write several such lines, one below the other.
- After the last of them stop: write nothing more. The results come in the next message, between <tool_results> tags.
  Never write results yourself.
- When you need no tool any more, write the answer, without any line that begins with TOOL.

The tools:
"""


def text_protocol_instructions(specs: Sequence[ToolSpec]) -> str:
    """Return the whole section; empty where there are no tools."""
    if not specs:
        return ""
    return "\n".join([_HOW, *(_tool(spec) for spec in specs), "</tool_protocol>"])


def _tool(spec: ToolSpec) -> str:
    required = spec.parameters.get("required", ())
    arguments = spec.parameters.get("properties", {})
    lines = [f"- {name} ({_kind(name, schema, required)}){_about(schema)}" for name, schema in arguments.items()]
    example = {name: _example(arguments[name]) for name in required if name in arguments}
    call = f"TOOL: {spec.name}({json.dumps(example, ensure_ascii=False) if example else ''})"
    return "\n".join([f"{spec.name}: {' '.join(spec.description.split())}", *lines, f"  {call}", ""])


def _kind(name: str, schema: Any, required: Sequence[str]) -> str:
    kind = schema.get("type", "string") if isinstance(schema, dict) else "string"
    return f"{kind}, required" if name in required else str(kind)


def _about(schema: Any) -> str:
    if not isinstance(schema, dict):
        return ""
    about = str(schema.get("description") or "")
    allowed = schema.get("enum")
    return (
        f": {about}{f' One of {json.dumps(allowed, ensure_ascii=False)}.' if allowed else ''}"
        if about or allowed
        else ""
    )


def _example(schema: Any) -> Any:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return {"number": 1, "integer": 1, "boolean": True, "array": [], "object": {}}.get(str(kind), "…")
