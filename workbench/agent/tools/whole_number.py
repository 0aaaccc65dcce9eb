"""A whole number among a tool's arguments: models write them as text, too."""

from collections.abc import Mapping
from typing import Any

from workbench.errors import ToolError


def whole_number(
    arguments: Mapping[str, Any], name: str, *, default: int, least: int = 0, most: int = 1_000_000_000
) -> int:
    """Return the argument of that name, or the default where it was left out.

    Raises:
        ToolError: It is not a whole number within the bounds.
    """
    given = arguments.get(name)
    if given is None or given == "":
        return default
    try:
        number = int(str(given).strip())
    except ValueError as error:
        raise ToolError(f"{name} must be a whole number, not “{str(given)[:40]}”.") from error
    if not least <= number <= most:
        raise ToolError(f"{name} must be from {least} to {most}.")
    return number
