"""What a fuzz target is, and what counts as a finding: any error that is none of ours, or ours without a sentence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hypothesis.strategies import SearchStrategy

from workbench.errors import WorkbenchError

CORPUS = Path(__file__).with_name("corpus")
"""Inputs that were findings once, made small: a folder for each target."""

MOST_BYTES = 64 * 1024
"""Of one input; what takes long at this size is not linear."""


class Kind(Enum):
    """How inputs of a target are changed."""

    BYTES = "bytes"
    TEXT = "text"
    JSON = "json"
    XML = "xml"
    ZIP = "zip"


@dataclass(frozen=True, slots=True)
class Target:
    """Something of ours that reads what others wrote.

    Attributes:
        name: Unique, and a file name.
        run: Reads one input; raises a WorkbenchError, or returns. Anything else that it raises is a finding.
        seeds: Makes the inputs that the others are made from.
        kind: How they are changed.
        words: What is worth putting into an input.
        grammar: Texts that are nearly what the target expects.
        seconds: Of the processor that one input may take, by a machine of two cores that others work on as well.
        slow: An input takes so long that a short run tries only few.
    """

    name: str
    run: Callable[[bytes], object]
    seeds: Callable[[], Sequence[bytes]]
    kind: Kind = Kind.TEXT
    words: tuple[str, ...] = ()
    grammar: SearchStrategy[str] | None = None
    seconds: float = 4.0
    slow: bool = False


def try_input(target: Target, data: bytes) -> WorkbenchError | None:
    """Have a target read an input; return the error of ours that it ended with.

    Raises:
        Exception: A finding.
    """
    try:
        target.run(data)
    except WorkbenchError as error:
        refused = error
    else:
        return None
    assert refused.message.strip(), "an error without a sentence"
    return refused


def kept_findings(name: str) -> list[Path]:
    """Return the inputs that were findings of a target once."""
    folder = CORPUS / name
    return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []


def text_of(data: bytes) -> str:
    """Return the text that an input stands for; lone surrogates are let through, as JSON lets them through."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def bytes_of(text: str) -> bytes:
    """Return the input that stands for a text."""
    return text.encode("utf-8", "surrogatepass")


def seeds_of(*values: bytes | str) -> Callable[[], Sequence[bytes]]:
    """Return what makes these inputs."""
    return lambda: tuple(value if isinstance(value, bytes) else bytes_of(value) for value in values)
