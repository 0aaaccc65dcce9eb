"""What both wire formats share: arguments and text made fit to be sent, a call's id made sure of."""

import json
import uuid

from workbench.agent.providers.text_stream import joined_surrogates
from workbench.model.message import ToolCall, Usage


def sendable(text: str) -> str:
    """Return text that can be encoded: a lone surrogate would make the whole request fail."""
    return joined_surrogates(text)


def sendable_arguments(arguments: str) -> str:
    """Return a call's arguments as they may be sent back: "{}" where the model wrote no JSON object.

    llama.cpp's server parses them again for its chat template and answers 500 to anything else.
    """
    try:
        return arguments if isinstance(json.loads(arguments), dict) else "{}"
    except (ValueError, RecursionError):  # a number of thousands of digits is no JSONDecodeError
        return "{}"


def made_up_id() -> str:
    """Return an id for a call to which the server gave none."""
    return f"call_{uuid.uuid4().hex[:12]}"


def tool_call(call_id: object, name: object, arguments: object) -> ToolCall:
    """Return a call; an id is made up where the server gave none, arguments given as an object become text."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return ToolCall(_text(call_id) or made_up_id(), _text(name), joined_surrogates(text) or "{}")


def _text(value: object) -> str:
    return joined_surrogates(value) if isinstance(value, str) else ""


def usage_of(input_tokens: object, output_tokens: object) -> Usage:
    """Return the tokens where the server counted them; anything but a whole number is not a count."""
    return Usage(
        input_tokens if isinstance(input_tokens, int) else None,
        output_tokens if isinstance(output_tokens, int) else None,
    )
