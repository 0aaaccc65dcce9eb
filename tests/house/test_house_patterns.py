"""Regular expressions that are searched in a text take linear time.

One that starts again at each of a run of spaces is quadratic: 60,000 spaces in the code of an answer took 18 s on the
main thread. Linear ones take 2 ms for the inputs here, quadratic ones 80 and more. On a busy machine both take several
times as long. Therefore a pattern that seems slow counts as slow only if a quarter of the run takes far less than a
quarter of the time: 1/16 if it is quadratic.
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
GROWTH = 8

RUNS = (
    *("\n", " ", "\t \n", "\r", "\xa0", ">", "> ", "[", "[1,", "[1, ", " [1", "|", "| ", "|--", "|\n", "a|", "-", "- "),
    *("`", "`\n", "```\n", "== ", ".. ", '"', "“", "「", "<", "</", "<!--", "{{", "{", "(", "(a", "](", "[a](", "!["),
    *("http://", "#", "# ", "$ ", "$$", "\\", "a", "a.", "1", "1.", "1 ", "a ", "a-", "a_", "_a"),
    *("*", "**a", "&", "&a"),
    *("中", "a@", "@", ",a", "ref ", "'", "%", "=%", ":", "/", "A1", "a\n", ".\n"),
)

# Their inputs are short, typed by the user, or one name of many.
SHORT = {
    "agent/exhaustive/model_reader.py": {"_ELLIPSIS"},
    "agent/citations.py": {"_QUOTED"},
    "operations/questions/tool_servers.py": {"_NAMED_THERE"},
    "parsing/markdown_parser.py": {"_MARKUP"},
    "parsing/number_format.py": {"_BRACKETS"},
    "parsing/pdf_headers_footers.py": {"_NUMBER_AT_END"},
    "retrieval/filters/text_syntax.py": {"_PARTIAL"},
    "retrieval/question_words.py": {"_NEXT_QUESTION", "_TWO_NAMES"},
    "ui/library/filter_query.py": {"_RICH"},
    "ui/bug_report.py": {"_QUOTED"},
    "worker/environment.py": {"_SECRET"},
}


def _searched() -> Iterator[tuple[str, str]]:
    """Yield each module and the name of a pattern that it searches, rather than matches at one position."""
    for path in sorted(ROOT.rglob("*.py")):
        module, source = path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
        for name in re.findall(r"^(_?[A-Z][A-Z_0-9]*)(?:: [^=\n]+)? = re\.compile\(", source, re.MULTILINE):
            if re.search(rf"\b{name}\.(?:search|subn?|finditer|findall|split)\b", source):
                yield module, name


def _seconds(pattern: re.Pattern[str] | re.Pattern[bytes], run: str, characters: int = CHARACTERS) -> float:
    text = run * (characters // len(run))
    began = time.process_time()
    if isinstance(pattern.pattern, bytes):
        list(pattern.finditer(text.encode()))  # type: ignore[arg-type]
    else:
        list(pattern.finditer(text))  # type: ignore[arg-type]
    return time.process_time() - began


def _slow(module: str, name: str) -> Iterator[str]:
    """Yield the runs of characters on which a pattern is not linear."""
    pattern = getattr(importlib.import_module(f"workbench.{module[:-3].replace('/', '.')}"), name)
    # Three comparisons, because one in many hundreds is wrong on a machine that is busy.
    return (
        run
        for run in RUNS
        if _seconds(pattern, run) > SECONDS and all(_grows_by_square(pattern, run) for _ in range(3))
    )


def _grows_by_square(pattern: re.Pattern[str] | re.Pattern[bytes], run: str) -> bool:
    """Return whether four times the characters take more than GROWTH times as long, each the best of three."""
    short, long = (min(_seconds(pattern, run, size) for _ in range(3)) for size in (CHARACTERS // 4, CHARACTERS))
    return long > SECONDS and long > GROWTH * short


def test_every_pattern_looks_at_a_run_of_one_thing_once() -> None:
    searched = [(module, name) for module, name in _searched() if name not in SHORT.get(module, ())]
    slow = [f"{name} of workbench/{module}: {run!r}" for module, name in searched for run in _slow(module, name)]
    assert searched
    assert not slow, "\n".join(["", *slow])


def test_every_exempt_pattern_still_exists() -> None:
    known = set(_searched())
    assert [(module, name) for module, names in SHORT.items() for name in names if (module, name) not in known] == []
