"""The house rules on size and prose, as tests: no module, function or class may grow unnoticed."""

import ast
import re
import statistics
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "workbench"
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = [path for path in MODULES if path.name == "__init__.py" and path.parent != PACKAGE]
MEDIAN_LINES = 170
MODULE_LINES = 500
FUNCTION_LINES = 60
CLASS_METHODS = 25
FORBIDDEN_ROOMS = {"utils", "core", "common", "helpers", "managers"}

QT_OVERRIDES = {"data", "event", "flags", "paint"}

EXCEPTIONS: dict[str, str] = {}
"""Limits that had to be broken: "path" or "path:name" -> the reason."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def _tree(path: Path) -> ast.Module:
    """Return what a module says; parsed once for all rules, of which there are eight for each of 450 modules."""
    return ast.parse(path.read_text("utf-8"))


def _functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _name(path: Path, node: Function | ast.ClassDef | None = None) -> str:
    relative = path.relative_to(PACKAGE).as_posix()
    return f"{relative}:{node.name}" if node else relative


def test_median_module_is_short() -> None:
    lengths = [len(path.read_text("utf-8").splitlines()) for path in MODULES]
    assert statistics.median(lengths) < MEDIAN_LINES


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_module_stays_within_its_budget(path: Path) -> None:
    assert _name(path) in EXCEPTIONS or len(path.read_text("utf-8").splitlines()) <= MODULE_LINES


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_functions_stay_within_their_budget(path: Path) -> None:
    long = {_name(path, f): (f.end_lineno or 0) - f.lineno + 1 for f in _functions(path)}
    assert {name: n for name, n in long.items() if n > FUNCTION_LINES and name not in EXCEPTIONS} == {}


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_classes_stay_within_their_budget(path: Path) -> None:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ClassDef):
            methods = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
            assert len(methods) <= CLASS_METHODS or _name(path, node) in EXCEPTIONS, node.name


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(_tree(path))


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_every_function_names_what_it_returns(path: Path) -> None:
    assert [f.name for f in _functions(path) if f.returns is None] == []


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_every_public_function_says_what_a_caller_gets(path: Path) -> None:
    assert [f.name for f in _public(_tree(path).body) if not ast.get_docstring(f)] == []


def _public(body: list[ast.stmt]) -> Iterator[Function]:
    """Yield the functions and methods that other modules may call; a property says itself by its name."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public(node.body)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            # Qt calls its own overrides: those in camelCase, and these few.
            is_ours = node.name.islower() and node.name not in QT_OVERRIDES
            yield from [node] if is_ours and not _is_property(node) else []


def _is_property(function: Function) -> bool:
    """Whether it is a property, or the setter of one."""
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in function.decorator_list}
    return bool(names & {"property", "setter"})


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_nothing_is_left_to_do(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not any(word in text for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X"))


@pytest.mark.parametrize("page", ROOMS, ids=lambda page: page.parent.relative_to(PACKAGE).as_posix())
def test_every_module_stands_on_the_page_of_its_room(page: Path) -> None:
    said = ast.get_docstring(_tree(page)) or ""
    modules = {path.name for path in page.parent.glob("*.py")} - {"__init__.py"}
    assert {name for name in modules if name not in said} == set()
    assert {name for name in re.findall(r"\b\w+\.py\b", said) if not list(PACKAGE.rglob(name))} == set()


def test_no_room_for_odds_and_ends() -> None:
    assert not {path.stem for path in [*MODULES, *PACKAGE.rglob("*")]} & FORBIDDEN_ROOMS


def test_type_checking_has_no_exempt_modules_of_ours() -> None:
    config = (PACKAGE.parent / "pyproject.toml").read_text("utf-8")
    overrides = config.split("[[tool.mypy.overrides]]")[1:]
    assert all("workbench" not in section.split("[tool")[0] for section in overrides)
