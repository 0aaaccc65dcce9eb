"""Front matter of Markdown files (YAML or TOML), and the safe reader of YAML values.

“!!bool maybe” is a KeyError to them, “!!timestamp x” an AttributeError, a number of 200 colons an OverflowError; some
lines of “<<: [*a, *a]” merge into as many keys as fill the memory, and 500 brackets that never end take a second.
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

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


_MOST_MERGED = 1_000
"""Keys of a mapping, and mappings that are merged into it: nobody writes so many."""

_DEEPEST = 50
"""Brackets and braces in one another, as above: at each the scanner goes through those that are open."""


class BrokenYaml(ValueError):
    """A text that is no YAML, or holds a value that cannot be.

    Attributes:
        line: Where, 1-based; None where nobody knows.
    """

    def __init__(self, line: int | None = None) -> None:
        super().__init__("broken YAML")
        self.line = line


def yaml_values(text: str) -> Any:
    """Return what a YAML text says: mappings, lists, texts, numbers, dates.

    Raises:
        BrokenYaml: It is none.
    """
    import yaml  # 20 ms, and few files have any

    class Loader(yaml.SafeLoader):
        """Merges and nests within limits."""

        def fetch_flow_collection_start(self, TokenClass: type[yaml.Token]) -> None:
            if self.flow_level >= _DEEPEST:
                raise yaml.scanner.ScannerError(problem_mark=self.get_mark())
            super().fetch_flow_collection_start(TokenClass)

        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            merged = (value for key, value in node.value if key.tag == "tag:yaml.org,2002:merge")
            if any(isinstance(value.value, list) and len(value.value) > _MOST_MERGED for value in merged):
                raise yaml.constructor.ConstructorError(problem_mark=node.start_mark)
            super().flatten_mapping(node)
            if len(node.value) > _MOST_MERGED:
                raise yaml.constructor.ConstructorError(problem_mark=node.start_mark)

    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        raise BrokenYaml(place.line + 1 if place else None) from error
    except Exception as error:  # as the docstring of this module says
        raise BrokenYaml from error
