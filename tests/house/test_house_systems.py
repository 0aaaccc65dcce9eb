"""Only workbench/system asks which operating system runs the program."""

import ast
from pathlib import Path

import workbench

ROOT = Path(workbench.__file__).parent

QUESTIONS = {"sys.platform", "os.name", "os.uname", "os.killpg", "os.setpgid", "os.setpriority", "os.getpriority"}
MODULES = {"fcntl", "msvcrt", "resource", "winreg"}
SANDBOX = "worker/linux_sandbox.py"
"""It is of Linux as a whole, and asks for the kind of processor."""


def _asked(path: Path) -> list[str]:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    asked = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)} & QUESTIONS
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names} & MODULES
    return sorted(asked | imported)


def test_only_one_package_asks_for_the_operating_system() -> None:
    found = {path.relative_to(ROOT).as_posix(): _asked(path) for path in ROOT.rglob("*.py")}
    others = {name: asked for name, asked in found.items() if asked and not name.startswith("system/")}
    assert others == {SANDBOX: ["os.uname"]}
