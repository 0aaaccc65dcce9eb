"""House rules on size, prose and definitions: one test per rule over the whole tree, which lists every violation.

In one file, so that one process parses the tree.
"""

import ast
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from house_figures import MOST_LINES, repeated_stems
from source_trees import PACKAGE, module_name, module_paths, source_of, tree_of

MODULES = module_paths()
PACKAGES = [path for path in MODULES if path.name == "__init__.py" and path.parent != PACKAGE]
MEDIAN_LINES = range(150, 260)
REPEATED_NAMES = 2
"""File names used by several modules, which readers could confuse."""
FUNCTION_LINES = 60
CLASS_METHODS = 40
MEANINGLESS_NAMES = {"utils", "core", "common", "helpers", "managers"}

QT_OVERRIDES = {"data", "event", "flags", "paint"}

EXCEPTIONS: dict[str, str] = {}
"""Limits that had to be broken: "path" or "path:name" -> the reason."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _docstring(path: Path) -> str:
    return ast.get_docstring(tree_of(path)) or ""


def _functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _name(path: Path, node: Function | ast.ClassDef | None = None) -> str:
    relative = module_name(path)
    return f"{relative}:{node.name}" if node else relative


def _lines(path: Path) -> int:
    return len(source_of(path).splitlines())


def _hold(found: Iterable[tuple[str, object]]) -> None:
    """Fail with every violation that has no exception, one per line."""
    violations = [f"{name}: {what}" for name, what in found if name not in EXCEPTIONS]
    assert not violations, "\n".join(["", *violations])


def test_the_median_module_is_neither_tiny_nor_huge() -> None:
    assert int(statistics.median(map(_lines, MODULES))) in MEDIAN_LINES


def test_names_of_modules_are_hardly_ever_used_twice() -> None:
    assert len(repeated_stems(MODULES)) <= REPEATED_NAMES


def test_modules_stay_within_their_budget() -> None:
    lengths = ((_name(path), _lines(path)) for path in MODULES)
    _hold((name, lines) for name, lines in lengths if lines > MOST_LINES)


def test_functions_stay_within_their_budget() -> None:
    lengths = ((_name(path, f), (f.end_lineno or 0) - f.lineno + 1) for path in MODULES for f in _functions(path))
    _hold((name, lines) for name, lines in lengths if lines > FUNCTION_LINES)


def test_classes_stay_within_their_budget() -> None:
    classes = ((path, node) for path in MODULES for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef))
    methods = ((_name(path, one), sum(isinstance(item, Function) for item in one.body)) for path, one in classes)
    _hold((name, count) for name, count in methods if count > CLASS_METHODS)


def test_every_module_has_a_docstring() -> None:
    _hold((_name(path), "no docstring") for path in MODULES if not _docstring(path))


def test_every_function_names_what_it_returns() -> None:
    _hold((_name(path, f), f"line {f.lineno}") for path in MODULES for f in _functions(path) if f.returns is None)


def test_every_public_function_has_a_docstring() -> None:
    public = ((path, f) for path in MODULES for f in _public(tree_of(path).body))
    _hold((_name(path, f), f"line {f.lineno}") for path, f in public if not ast.get_docstring(f))


def _public(body: list[ast.stmt]) -> Iterator[Function]:
    """Yield the functions and methods that other modules may call, except properties, whose names are sufficient."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public(node.body)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            # Qt calls its own overrides: those in camelCase, and these few.
            is_ours = node.name.islower() and node.name not in QT_OVERRIDES
            yield from [node] if is_ours and not _is_property(node) else []


def _is_property(function: Function) -> bool:
    """Return whether it is a property, or the setter of one."""
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in function.decorator_list}
    return bool(names & {"property", "setter"})


def test_no_module_contains_a_todo_marker() -> None:
    unfinished = re.compile("TO" + "DO|FIX" + "ME|XX" + "X")
    found = ((_name(path), unfinished.search(source_of(path))) for path in MODULES)
    _hold((name, word[0]) for name, word in found if word)


def test_every_module_is_named_in_the_docstring_of_its_package() -> None:
    modules = ((page, path.name) for page in PACKAGES for path in sorted(page.parent.glob("*.py")) if path != page)
    _hold((_name(page), f"lacks {name}") for page, name in modules if name not in _docstring(page))


def test_the_docstring_of_a_package_names_no_missing_module() -> None:
    known = {path.name for path in MODULES}
    named = ((page, name) for page in PACKAGES for name in re.findall(r"\b\w+\.py\b", _docstring(page)))
    _hold((_name(page), f"names {name}") for page, name in named if name not in known)


def test_no_module_or_package_has_a_name_without_meaning() -> None:
    assert not {path.stem for path in [*MODULES, *PACKAGE.rglob("*")]} & MEANINGLESS_NAMES


def test_type_checking_has_no_exempt_modules_of_ours() -> None:
    config = (PACKAGE.parent / "pyproject.toml").read_text("utf-8")
    overrides = config.split("[[tool.mypy.overrides]]")[1:]
    assert overrides
    assert all("workbench" not in section.split("[tool")[0] for section in overrides)


_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _twice(tree: ast.AST) -> Iterator[str]:
    """Yield duplicate definitions in one body, except decorated ones: setters of properties and typed variants."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef)):
            names = [
                one.name
                for one in node.body
                if isinstance(one, _DEFINITIONS)
                and not any(_name_of(mark) in ("setter", "overload") for mark in one.decorator_list)
            ]
            yield from (name for name, count in Counter(names).items() if count > 1)


def _name_of(mark: ast.expr) -> str:
    return mark.attr if isinstance(mark, ast.Attribute) else mark.id if isinstance(mark, ast.Name) else ""


def test_e30_no_class_function_or_method_is_defined_twice_under_one_name() -> None:
    found = {module_name(path): twice for path in module_paths() if (twice := list(_twice(tree_of(path))))}
    assert found == {}


@pytest.mark.parametrize("body", ["class A: ...\nclass A: ...", "class A:\n def f(self): ...\n def f(self): ..."])
def test_a_second_definition_would_be_noticed(body: str) -> None:
    assert list(_twice(ast.parse(body)))
