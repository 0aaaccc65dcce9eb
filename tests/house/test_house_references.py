"""Files that texts of the project refer to exist: a reader can open what a docstring or a command names."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from source_trees import PACKAGE

ROOT = PACKAGE.parent
_MODULE = re.compile(r"(?<![\w.<>{}*-])\w+\.py\b")
_EXAMPLES = {
    "minutes.py",  # a retriever of the user
    "setup.py",  # a title of source code
    "loaders.py",  # beside the documents of the benchmarks
}


def _files(folders: Iterable[str]) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".py", ".md")]


def missing(text: str, known: set[str]) -> set[str]:
    """Return the modules that a text names and that do not exist."""
    return set(_MODULE.findall(text)) - known - _EXAMPLES


def test_modules_that_the_program_and_its_benchmarks_name_exist() -> None:
    known = {path.name for path in _files(["workbench", "tests", "packaging"])}
    texts = [*_files(["workbench", "tests/benchmarks"]), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    assert len(texts) > 500
    assert {path.name: gone for path in texts if (gone := missing(path.read_text("utf-8"), known))} == {}


@pytest.mark.parametrize("text", ["see store/gone.py", '("gone.py", "--data")', "“gone.py”"])
def test_a_reference_to_a_missing_module_is_detected(text: str) -> None:
    assert missing(text, {"lock.py"}) == {"gone.py"}
