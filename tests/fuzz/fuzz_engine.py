"""Sequence of inputs: seeds, stored findings, mutations of both, and texts from grammars; and the result of each.

Without atheris, an input that reaches a new line of our code is kept and mutated further.
"""

import sys
from collections.abc import Callable, Iterator
from random import Random
from types import CodeType, FrameType
from typing import Any

from fuzz_mutation import Mutator
from fuzz_target import Target, bytes_of, kept_findings
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

_GRAMMAR_BYTES = 2048
_MOST_KEPT = 2000
_BY_GRAMMAR = 0.25


class Inputs:
    """The inputs of one target, reproducible for a seed."""

    def __init__(self, target: Target, seed: int) -> None:
        self._random = Random(f"{target.name} {seed}")
        self._mutator = Mutator(self._random, target.kind, target.words)
        self._drawn = drawn(target.grammar) if target.grammar is not None else None
        self.first = [*target.seeds(), *(path.read_bytes() for path in kept_findings(target.name))]
        self._kept = list(target.seeds()) or [b""]

    def next(self) -> bytes:
        """Return the next input."""
        if self._drawn is not None and self._random.random() < _BY_GRAMMAR:
            made = self._drawn(self._random.randbytes(self._random.randrange(16, _GRAMMAR_BYTES)))
            if made is not None:
                return made
        return self.changed(self._random.choice(self._kept))

    def changed(self, data: bytes) -> bytes:
        """Return a mutation of an input."""
        return self._mutator.changed(data, self._random.choice(self._kept))

    def keep(self, data: bytes) -> None:
        """Use this input for further mutations."""
        if len(self._kept) < _MOST_KEPT:
            self._kept.append(data)


def drawn(grammar: SearchStrategy[str]) -> Callable[[bytes], bytes | None]:
    """Return a function from random bytes to a text of a grammar; None if they produce none."""
    made: list[str] = []

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(grammar)
    def take(text: str) -> None:
        made.append(text)

    def draw(data: bytes) -> bytes | None:
        made.clear()
        take.hypothesis.fuzz_one_input(data)
        return bytes_of(made[0]) if made else None

    return draw


def shrunk(data: bytes, is_finding: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Yield ever smaller inputs that are still findings, until a time limit."""
    size = len(data) // 2
    while size:
        at = 0
        while at < len(data):
            smaller = data[:at] + data[at + size :]
            if is_finding(smaller):
                data = smaller
                yield data
            else:
                at += size
        size //= 2


class Coverage:
    """Counts executed lines of our code; code objects that are fully covered are no longer traced."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._left: dict[CodeType, set[int]] = {}
        self.lines = 0

    def run(self, work: Callable[[], object]) -> bool:
        """Run a function; return whether it reached a new line."""
        before = self.lines
        sys.settrace(self._called)
        try:
            work()
        finally:
            sys.settrace(None)
        return self.lines > before

    def _called(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        left = self._left.get(code)
        if left is None:
            is_ours = code.co_filename.startswith(self._folder)
            left = {line for *_, line in code.co_lines() if line} if is_ours else set()
            self._left[code] = left
        return self._reached if left else None

    def _reached(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            left = self._left[frame.f_code]
            if frame.f_lineno in left:
                left.discard(frame.f_lineno)
                self.lines += 1
        return self._reached
