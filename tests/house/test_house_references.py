"""Files that texts of the project refer to exist: a reader can open what a docstring or a command names."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from source_trees import PACKAGE, tree_of

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


def imported_from_the_program(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield module and name of each import from the program."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "workbench":
            yield from ((node.module or "", alias.name) for alias in node.names)


def is_defined(module: str, name: str) -> bool:
    """Return whether a module defines or imports a name, or is the package of a module with this name."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    if path.is_dir():
        if (path / name).is_dir() or (path / f"{name}.py").is_file():
            return True
        path = path / "__init__"
    path = path.with_suffix(".py")
    return path.is_file() and name in _bound_names(path)


@cache
def _bound_names(path: Path) -> set[str]:
    nodes = list(ast.walk(tree_of(path)))
    defined = {node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)}
    imported = {
        alias.asname or alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assigned = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return defined | imported | assigned


def test_names_that_benchmarks_and_packaging_import_exist() -> None:
    scripts = [path for path in _files(["tests/benchmarks", "packaging"]) if path.suffix == ".py"]
    imports = {(path.name, *one) for path in scripts for one in imported_from_the_program(tree_of(path))}
    assert len(imports) > 200
    assert {one for one in imports if not is_defined(*one[1:])} == set()


@pytest.mark.parametrize("name", ["gone.Lock", "store.lock.Gone", "store.gone"])
def test_an_import_of_a_missing_name_is_detected(name: str) -> None:
    module, _, missing_name = f"workbench.{name}".rpartition(".")
    assert not is_defined(module, missing_name)
