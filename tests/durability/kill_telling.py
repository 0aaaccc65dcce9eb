"""What a child said before it was killed: what it wanted to do, and what it was told is done."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


class Teller:
    """Writes to the pipe of whoever watches; each line is there before the child goes on."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def told(self, what: str, value: Any = None) -> None:
        """Say that something is acknowledged."""
        os.write(self._pipe, json.dumps([what, value], default=str).encode() + b"\n")

    def wants(self, key: str, value: Any) -> None:
        """Say that something is about to become so."""
        self.told("wants", [key, value])

    def has(self, key: str, value: Any) -> None:
        """Say that it was acknowledged to be so."""
        self.told("has", [key, value])


@dataclass
class Told:
    """The lines of a child, as far as they were whole."""

    lines: list[tuple[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, data: bytes) -> "Told":
        whole = data[: data.rfind(b"\n") + 1]
        return cls([tuple(json.loads(line)) for line in whole.splitlines()])

    def all(self, what: str) -> list[Any]:
        """Return the values of one kind, in order."""
        return [value for name, value in self.lines if name == what]

    def broken(self, key: str, value: Any) -> Iterator[str]:
        """Yield a complaint where a value is neither the last acknowledged one nor one that was on its way after it."""
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
        """Return of what was said how it is."""
        return {said[0] for what, said in self.lines if what == "has"}

    def kept(self, read: Callable[[str], Any]) -> Iterator[str]:
        """Yield a complaint for each thing that is not as it was acknowledged; read says how it is."""
        for key in sorted(self.keys()):
            yield from self.broken(key, read(key))
