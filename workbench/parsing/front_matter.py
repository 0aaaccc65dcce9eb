"""The metadata in front of a Markdown file: YAML between --- lines, or TOML between +++ lines."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from workbench.parsing.yaml_values import yaml_values

_FENCED = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
LIMIT = 65_536
"""Longer than that, it is not metadata."""


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """Return the metadata, keys in lower case, and the text after it; an empty mapping where there is none."""
    match = _FENCED.match(text, 0, LIMIT)
    if match is None:
        return {}, text
    try:
        values = yaml_values(match[2]) if match[1] == "---" else tomllib.loads(match[2])
    except (ValueError, RecursionError):
        return {}, text
    if not isinstance(values, dict):
        return {}, text
    return {as_text(key).lower(): value for key, value in values.items()}, text[match.end() :]


def as_text(value: Any) -> str:
    """Return a value as one line of text; dates as ISO 8601, anything nested as nothing."""
    if value is None or isinstance(value, (dict, list, tuple, set)):
        return ""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    try:
        return " ".join(str(value).split())
    except ValueError:  # a number of thousands of digits, which YAML and TOML take where it is written with letters
        return ""


def as_texts(value: Any) -> tuple[str, ...]:
    """Return a list, or a text with commas, as its parts."""
    parts = value if isinstance(value, list) else as_text(value).split(",")
    return tuple(part for part in (as_text(part) for part in parts) if part)
