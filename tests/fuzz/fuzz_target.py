"""Fuzz targets and the definition of a finding: any error that is not ours, or one of ours without a sentence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hypothesis.strategies import SearchStrategy

from workbench.errors import WorkbenchError

CORPUS = Path(__file__).with_name("corpus")
"""Minimised inputs of earlier findings: a folder for each target."""

MOST_BYTES = 64 * 1024
"""Size limit of one input; if one of this size takes long, the time is not linear."""


class Kind(Enum):
    """Kind of mutation of a target's inputs."""

    BYTES = "bytes"
    TEXT = "text"
    JSON = "json"
    XML = "xml"
    ZIP = "zip"


@dataclass(frozen=True, slots=True)
class Target:
    """A function of ours that reads untrusted input.

    Attributes:
        name: Unique, and a file name.
        run: Reads one input; raises a WorkbenchError, or returns. Anything else that it raises is a finding.
        seeds: Creates the initial inputs.
        kind: Kind of mutation.
        words: Useful tokens to insert into an input.
        grammar: Generator of texts that are nearly valid.
        seconds: Processor time limit of one input, on a shared machine with two cores.
        slow: Whether an input takes so long that a short run tries only a few.
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
    """Run a target on an input; return our error, if it raised one.

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
    """Return the inputs of earlier findings of a target."""
    folder = CORPUS / name
    return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []


def text_of(data: bytes) -> str:
    """Return the text of an input; lone surrogates are kept, as in JSON."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def bytes_of(text: str) -> bytes:
    """Return the input of a text."""
    return text.encode("utf-8", "surrogatepass")


def seeds_of(*values: bytes | str) -> Callable[[], Sequence[bytes]]:
    """Return a function that yields these inputs."""
    return lambda: tuple(value if isinstance(value, bytes) else bytes_of(value) for value in values)
