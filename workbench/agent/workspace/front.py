"""AGENT.md -> its head, which is YAML between two lines of dashes, and its body, which is the prompt."""

from dataclasses import dataclass, field
from typing import Any

from workbench.language import mark
from workbench.parsing.front_matter import as_text
from workbench.parsing.yaml_values import BrokenYaml, yaml_values

_FENCE = "---"
_LONGEST_HEAD = 100_000


class BrokenHead(ValueError):
    """The head is no YAML, or none that says keys and values; its text is a sentence."""


@dataclass(frozen=True, slots=True)
class Front:
    """A file's head and its body, which has no white space at its ends."""

    body: str
    head: dict[str, Any] = field(default_factory=dict)


def split(text: str) -> Front:
    """Return head and body; a file that does not begin with a line of three dashes is all body.

    Raises:
        BrokenHead: Nothing of such a file may be taken for a prompt.
    """
    lines = text.lstrip().split("\n")
    if lines[0].rstrip() != _FENCE:
        return Front(text.strip())
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE), None)
    if end is None:
        raise BrokenHead(mark("Its head is not closed by a line of three dashes."))
    return Front("\n".join(lines[end + 1 :]).strip(), parsed("\n".join(lines[1:end])))


def parsed(text: str) -> dict[str, Any]:
    """Return what YAML says by key; nothing where it says nothing.

    Raises:
        BrokenHead: It is no YAML, or none that says keys and values.
    """
    if len(text) > _LONGEST_HEAD:
        raise BrokenHead(mark(f"Its head is longer than {_LONGEST_HEAD:,} characters."))
    try:
        value = yaml_values(text)
    except BrokenYaml as error:
        # Without a line: a date such as 2024-13-45, or brackets a thousand deep.
        at_line = mark(f"Its YAML cannot be read (line {error.line} of it).") if error.line else ""
        raise BrokenHead(at_line or mark("Its YAML holds a value that cannot be.")) from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BrokenHead(mark(f"Its YAML is a {type(value).__name__} where keys and values are expected."))
    return {as_text(key): one for key, one in value.items()}
