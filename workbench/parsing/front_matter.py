"""Front matter of Markdown files (YAML or TOML), and a reader of YAML values with limits.

PyYAML raises KeyError for “!!bool maybe”, AttributeError for “!!timestamp x” and OverflowError for a number of 200
colons. A few lines of “<<: [*a, *a]” merge into enough keys to fill the memory, and 500 unclosed brackets take a
second.
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

_FENCED = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
LIMIT = 65_536
"""Maximum length; longer text is not metadata."""


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """Return the metadata, with keys in lower case, and the text after it; an empty mapping if there is none."""
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
    """Return a value as one line of text: dates as ISO 8601, an empty string for nested values."""
    if value is None or isinstance(value, (dict, list, tuple, set)):
        return ""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    try:
        return " ".join(str(value).split())
    except ValueError:  # an integer of thousands of digits, which YAML and TOML accept in hexadecimal notation
        return ""


def as_texts(value: Any) -> tuple[str, ...]:
    """Return the items of a list, or of a text with commas."""
    parts = value if isinstance(value, list) else as_text(value).split(",")
    return tuple(part for part in (as_text(part) for part in parts) if part)


_MOST_MERGED = 1_000
"""Maximum keys of a mapping, and of mappings merged into it; real files have fewer."""

_DEEPEST = 50
"""Maximum nesting of brackets and braces: the scanner checks all open ones at each."""


class BrokenYaml(ValueError):
    """Error for invalid YAML or an invalid value in it.

    Attributes:
        line: Line of the error, 1-based; None if unknown.
    """

    def __init__(self, line: int | None = None) -> None:
        super().__init__("broken YAML")
        self.line = line


def yaml_values(text: str) -> Any:
    """Return the values of a YAML text: mappings, lists, texts, numbers, dates.

    Raises:
        BrokenYaml: It is not valid YAML.
    """
    import yaml  # takes 20 ms, and few files have YAML

    class Loader(yaml.SafeLoader):
        """Loader with limits on merging and nesting."""

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
    except Exception as error:  # see the docstring of this module
        raise BrokenYaml from error
