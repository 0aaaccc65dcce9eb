"""Names are defined once in a scope: a second definition would silently replace the first."""

import ast
from collections import Counter
from collections.abc import Iterator

import pytest
from source_trees import module_name, module_paths, tree_of

_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _twice(tree: ast.AST) -> Iterator[str]:
    """Yield duplicate definitions in one body, except decorated ones: setters of properties and typed variants."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef)):
            names = [
                one.name
                for one in node.body
                if isinstance(one, _DEFINITIONS)
                and not any(ast.unparse(mark).endswith((".setter", "overload")) for mark in one.decorator_list)
            ]
            yield from (name for name, count in Counter(names).items() if count > 1)


def test_e30_no_class_function_or_method_is_defined_twice_under_one_name() -> None:
    found = {module_name(path): twice for path in module_paths() if (twice := list(_twice(tree_of(path))))}
    assert found == {}


@pytest.mark.parametrize("body", ["class A: ...\nclass A: ...", "class A:\n def f(self): ...\n def f(self): ..."])
def test_a_second_definition_would_be_noticed(body: str) -> None:
    assert list(_twice(ast.parse(body)))
