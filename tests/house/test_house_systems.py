"""Only workbench/system asks which operating system runs the program."""

import ast
from pathlib import Path

from source_trees import module_name, modules_with, tree_of

QUESTIONS = {"sys.platform", "os.name", "os.uname", "os.killpg", "os.setpgid", "os.setpriority", "os.getpriority"}
MODULES = {"fcntl", "msvcrt", "resource", "winreg"}
SANDBOX = "worker/linux_sandbox.py"
"""It is of Linux as a whole, and asks for the kind of processor."""


def _asked(path: Path) -> list[str]:
    nodes = list(ast.walk(tree_of(path)))
    asked = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)} & QUESTIONS
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names} & MODULES
    return sorted(asked | imported)


def test_only_one_package_asks_for_the_operating_system() -> None:
    words = {question.rpartition(".")[2] for question in QUESTIONS} | MODULES
    found = {module_name(path): _asked(path) for path in modules_with(*words)}
    others = {name: asked for name, asked in found.items() if asked and not name.startswith("system/")}
    assert others == {SANDBOX: ["os.uname"]}
