"""Every pattern that is looked for anywhere in a text looks at each character a bounded number of times.

One that begins anew at each of a run of spaces takes the square of its length: 60,000 spaces in the code of an answer
took 18 s where the window is drawn. Linear ones take 2 ms for what is tried here, others 80 and more.
"""

import importlib
import re
import time
from collections.abc import Iterator
from pathlib import Path

import workbench

ROOT = Path(workbench.__file__).parent
CHARACTERS = 6_000
SECONDS = 0.04

RUNS = (
    *("\n", " ", "\t \n", "\r", "\xa0", ">", "> ", "[", "[1,", "[1, ", " [1", "|", "| ", "|--", "|\n", "a|", "-", "- "),
    *("`", "`\n", "```\n", "== ", ".. ", '"', "“", "「", "<", "</", "<!--", "{{", "{", "(", "(a", "](", "[a](", "!["),
    *("http://", "#", "# ", "$ ", "$$", "\\", "a", "a.", "1", "1.", "1 ", "a ", "a-", "a_", "_a"),
    *("*", "**a", "&", "&a"),
    *("中", "a@", "@", ",a", "ref ", "'", "%", "=%", ":", "/", "A1", "a\n", ".\n"),
)

# What they are given is short, or typed by the user, or one name of many.
SHORT = {
    "agent/exhaustive/quotes.py": {"_ELLIPSIS"},
    "agent/passage.py": {"_QUOTED"},
    "operations/tool_servers.py": {"_NAMED_THERE"},
    "parsing/markdown_parser.py": {"_MARKUP"},
    "parsing/number_format.py": {"_BRACKETS"},
    "parsing/pdf_furniture.py": {"_NUMBER_AT_END"},
    "retrieval/filters/completion.py": {"_BEGUN"},
    "retrieval/question_parts.py": {"_NEXT_QUESTION", "_TWO_NAMES"},
    "ui/inspector/passages.py": {"_MARKS"},
    "ui/library/query.py": {"_RICH"},
    "ui/qt_messages.py": {"_QUOTED"},
    "worker/environment.py": {"_SECRET"},
}


def _searched() -> Iterator[tuple[str, str]]:
    """Yield each module and the name of a pattern that it looks for anywhere, rather than at one place."""
    for path in sorted(ROOT.rglob("*.py")):
        module, source = path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
        for name in re.findall(r"^(_?[A-Z][A-Z_0-9]*)(?:: [^=\n]+)? = re\.compile\(", source, re.MULTILINE):
            if re.search(rf"\b{name}\.(?:search|subn?|finditer|findall|split)\b", source):
                yield module, name


def _seconds(pattern: re.Pattern[str] | re.Pattern[bytes], run: str) -> float:
    text = run * (CHARACTERS // len(run))
    began = time.process_time()
    if isinstance(pattern.pattern, bytes):
        list(pattern.finditer(text.encode()))  # type: ignore[arg-type]
    else:
        list(pattern.finditer(text))  # type: ignore[arg-type]
    return time.process_time() - began


def _slow(module: str, name: str) -> Iterator[str]:
    """Yield the runs at which a pattern looks more than once."""
    pattern = getattr(importlib.import_module(f"workbench.{module[:-3].replace('/', '.')}"), name)
    # The better of two: a collection of garbage in between is no fault of the pattern's.
    return (run for run in RUNS if _seconds(pattern, run) > SECONDS and _seconds(pattern, run) > SECONDS)


def test_every_pattern_looks_at_a_run_of_one_thing_once() -> None:
    searched = [(module, name) for module, name in _searched() if name not in SHORT.get(module, ())]
    slow = [f"{name} of workbench/{module}: {run!r}" for module, name in searched for run in _slow(module, name)]
    assert searched
    assert not slow, "\n".join(["", *slow])


def test_what_is_exempt_is_still_there() -> None:
    known = set(_searched())
    assert [(module, name) for module, names in SHORT.items() for name in names if (module, name) not in known] == []
