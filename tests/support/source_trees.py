"""Sources of the program and their syntax trees, read and parsed once for all rules of tests/house."""

import ast
import re
from functools import cache
from pathlib import Path

import workbench

PACKAGE = Path(workbench.__file__).resolve().parent


@cache
def module_paths() -> tuple[Path, ...]:
    """Return the paths of all modules, sorted."""
    return tuple(sorted(PACKAGE.rglob("*.py")))


def module_name(path: Path) -> str:
    """Return the path of a module below the package: "store/lock.py"."""
    return path.relative_to(PACKAGE).as_posix()


@cache
def source_of(path: Path) -> str:
    """Return the text of a module."""
    return path.read_text("utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a module; parsing all of them takes 5 s."""
    return ast.parse(source_of(path))


def modules_with(*words: str) -> list[Path]:
    """Return the modules that contain one of these words: most rules concern few, and looking at all nodes is slow."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    return [path for path in module_paths() if pattern.search(source_of(path))]
