"""Messages of a child before it was killed: changes it started, and changes that were acknowledged."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


class Teller:
    """Writes to the observer's pipe; each line is written before the child continues."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def told(self, what: str, value: Any = None) -> None:
        """Report that something is acknowledged."""
        os.write(self._pipe, json.dumps([what, value], default=str).encode() + b"\n")

    def wants(self, key: str, value: Any) -> None:
        """Report that a value is about to change."""
        self.told("wants", [key, value])

    def has(self, key: str, value: Any) -> None:
        """Report that a value was acknowledged."""
        self.told("has", [key, value])


@dataclass
class Told:
    """The complete lines of a child."""

    lines: list[tuple[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, data: bytes) -> "Told":
        whole = data[: data.rfind(b"\n") + 1]
        return cls([tuple(json.loads(line)) for line in whole.splitlines()])

    def all(self, what: str) -> list[Any]:
        """Return the values of one kind, in order."""
        return [value for name, value in self.lines if name == what]

    def broken(self, key: str, value: Any) -> Iterator[str]:
        """Yield a violation if a value is neither the last acknowledged one nor one started after it."""
        allowed: list[Any] = []
        known = False
        for what, said in self.lines:
            if what in ("wants", "has") and said[0] == key:
                if what == "has":
                    allowed, known = [], True
                allowed.append(said[1])
        value = json.loads(json.dumps(value, default=str))
        if known and value not in allowed:
            yield f"{key}: {value!r} is there, {' or '.join(repr(one) for one in allowed)} was acknowledged"

    def keys(self) -> set[str]:
        """Return the keys of acknowledged values."""
        return {said[0] for what, said in self.lines if what == "has"}

    def kept(self, read: Callable[[str], Any]) -> Iterator[str]:
        """Yield a violation for each acknowledged value that read does not return."""
        for key in sorted(self.keys()):
            yield from self.broken(key, read(key))
