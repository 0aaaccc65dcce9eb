"""Files are deleted, moved or given other modes only by workbench/files/changes.py, which validates the paths."""

import ast
from collections.abc import Iterator
from functools import cache

import pytest
from source_trees import module_name, modules_with, tree_of

HERE = {"files/changes.py"}

FUNCTIONS = {
    "os": {
        *("chmod", "fchmod", "lchmod", "chown", "fchown", "lchown", "chflags", "lchflags", "setxattr", "removexattr"),
        *("unlink", "remove", "rmdir", "removedirs", "rename", "renames", "replace", "truncate", "utime"),
    },
    "shutil": {"rmtree", "move", "chown", "copy", "copy2", "copymode", "copystat", "copytree"},
    # Deletes itself, after changing modes that prevent it.
    "tempfile": {"TemporaryDirectory"},
}
METHODS = {"unlink", "rmdir", "chmod", "lchmod", "touch", "rename", "replace"}
"""Methods of paths; other classes have methods of these names, too, with other arguments."""

NOT_FILES = {
    ("api/library_collections.py", "AsyncFolders.unlink"): "a linked folder",
    ("ui/chat/plan_list.py", "self._rows[index].rename"): "a row of the plan",
    ("ui/chat/timeline.py", "self._rows.replace"): "heights of rows",
    ("ui/exhaustive/pane.py", "self._presenter.rename"): "a question that is kept",
}


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Return the names in a module for modules with such functions."""
    imported = (one for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names)
    return {one.asname or one.name: one.name for one in imported if one.name in FUNCTIONS}


def _is_of_a_path(call: ast.Call, method: str) -> bool:
    """Return whether a method is that of a path, and not of a text, date or row, from its arguments."""
    keywords = {one.arg for one in call.keywords}
    if method in ("rename", "replace"):
        return (len(call.args), keywords) in ((1, set()), (0, {"target"}))
    if method in ("unlink", "rmdir"):
        return not call.args and keywords <= {"missing_ok"}
    return True


def _changes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line of each change of a file, and its source."""
    aliases = _aliases(tree)
    called = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in FUNCTIONS:
            yield from ((node.lineno, one.name) for one in node.names if one.name in FUNCTIONS[node.module])
        if not isinstance(node, ast.Attribute):
            continue
        owner = aliases.get(node.value.id, "") if isinstance(node.value, ast.Name) else ""
        call = called.get(id(node))
        if owner:
            is_change = node.attr in FUNCTIONS[owner]
        elif call is not None:
            is_change = node.attr in METHODS and _is_of_a_path(call, node.attr)
        else:
            # Passed as a callback.
            is_change = node.attr in METHODS - {"rename", "replace"}
        if is_change:
            yield node.lineno, ast.unparse(node)


@cache
def _found() -> tuple[tuple[str, int, str], ...]:
    paths = {module_name(path): path for path in modules_with(*FUNCTIONS, *METHODS)}
    return tuple(
        (module, *change) for module, path in paths.items() if module not in HERE for change in _changes(tree_of(path))
    )


def test_only_one_module_changes_files() -> None:
    found = [f"workbench/{module}:{line}: {how}" for module, line, how in _found() if (module, how) not in NOT_FILES]
    assert not found, "\n".join(["", *found])


def test_every_exempt_call_still_exists_in_the_source() -> None:
    known = {(module, how) for module, _line, how in _found()}
    assert set(NOT_FILES) <= known


@pytest.mark.parametrize(
    "code",
    [
        *("import os\nos.unlink(a)", "import os as o\no.chmod(a, 0o700)", "from os import replace"),
        *("import shutil\nlater(shutil.rmtree, a)", "from shutil import move as put", "import os\nos.renames(a, b)"),
        *("path.unlink()", "path.unlink(missing_ok=True)", "path.parent.rmdir()", "(a / b).chmod(0o600)"),
        *(
            "path.replace(target)",
            "path.rename(target=b)",
            "path.touch()",
            "later(path.unlink)",
            "import os\nos.utime(a)",
        ),
        *("import tempfile\nwith tempfile.TemporaryDirectory() as a: ...", "import shutil\nshutil.copystat(a, b)"),
    ],
)
def test_a_change_of_a_file_would_be_noticed(code: str) -> None:
    assert len(list(_changes(ast.parse(code)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        *("text.replace(a, b)", "text.replace(a, b, 1)", "date.replace(tzinfo=None)", "replace(value, a=1)"),
        *("dataclasses.replace(value, a=1)", "presenter.unlink(1, remove_documents=True)", "import os\nos.stat(a)"),
        *("import shutil\nshutil.copyfile(a, b)", "list.remove(a)", "import dataclasses\ndataclasses.replace(a, b=1)"),
    ],
)
def test_calls_that_change_no_file_are_not_reported(code: str) -> None:
    assert list(_changes(ast.parse(code))) == []
