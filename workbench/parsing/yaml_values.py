"""YAML that anybody may have written -> plain values, whatever it holds: PyYAML's own readers trust what a tag says.

“!!bool maybe” is a KeyError to them, “!!timestamp x” an AttributeError, a number of 200 colons an OverflowError; some
lines of “<<: [*a, *a]” merge into as many keys as fill the memory, and 500 brackets that never end take a second.
"""

from typing import Any

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
