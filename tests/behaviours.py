"""Numbered behaviours and the tests that verify them: read from the tests' names, written to BEHAVIOURS.md.

The name of a test that verifies a numbered behaviour begins with its number, or with several: test_s4_...,
test_b24_b27_...
Run it with "make behaviours".
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parent
TABLE = TESTS / "BEHAVIOURS.md"
GROUPS = {
    "S": ("The agent run", 23),
    "A": ("Custom retrievers", 14),
    "B": ("Agentic retrieval and knowledge", 31),
    "C": ("Reasoning", 19),
    "D": ("Workspaces and their context", 22),
    "E": ("Documents, search, citations, tools", 48),
}
"""The groups of numbered behaviours: subject and size of each."""

REASONS = {
    "C-16": "An example of LanceDB with Cohere's embedder and reranker, which are held by E-47, C-17 and E-31; its"
    " instructions and hybrid search by S-2, B-16, B-19 and C-18.",
}
"""The numbers without a test, with the reason."""

_TEST = re.compile(r"^\s*(?:async )?def test_((?:[sabcde]\d+_)+)(\w+)\(", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, order=True)
class NumberedTest:
    """A test that verifies a behaviour."""

    path: str
    sentence: str


Held = dict[str, list[NumberedTest]]


def held_behaviours(files: Iterable[Path] = ()) -> Held:
    """Return the tests of each number, such as "S-4"."""
    held: defaultdict[str, set[NumberedTest]] = defaultdict(set)
    for path in files or TESTS.rglob("*.py"):  # a contract is in a module without tests of its own
        for match in _TEST.finditer(path.read_text("utf-8")):
            test = NumberedTest(path.relative_to(TESTS).as_posix(), match[2].replace("_", " "))
            for number in match[1].strip("_").upper().split("_"):
                held[f"{number[0]}-{number[1:]}"].add(test)
    return {number: sorted(tests) for number, tests in held.items()}


def table(held: Held) -> str:
    """Return the table of all groups, and the numbers without a test, with the reason."""
    return "\n".join([
        "# Numbered behaviours and their tests",
        "",
        "Made by `make behaviours` from the names of the tests.",
        *(line for letter in GROUPS for line in _group(letter, held)),
        "",
    ])  # fmt: skip


def numbers_of(text: str) -> set[str]:
    """Return the numbers that have a test according to a table."""
    return set(re.findall(r"^\| ([SABCDE]-\d+) \|", text, re.MULTILINE))


def _group(letter: str, held: Held) -> Iterator[str]:
    title, count = GROUPS[letter]
    yield from ("", f"## {letter}: {title}", "", "| | held by |", "|---|---|")
    numbers = [f"{letter}-{number}" for number in range(1, count + 1)]
    for number in numbers:
        if number in held:
            told = "<br>".join(f"{test.sentence} (`{test.path}`)" for test in held[number])
            yield f"| {number} | {told} |"
    without = [number for number in numbers if number not in held]
    if without:
        yield from ("", "Without a test that names them:", "")
        yield from (f"- {number}: {REASONS.get(number, 'no reason is known.')}" for number in without)


if __name__ == "__main__":
    TABLE.write_text(table(held_behaviours()), "utf-8")
