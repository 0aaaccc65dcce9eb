"""Mutation testing of the modules that guarantee safety: the share of small faults that make a test fail.

    python tests/benchmarks/mutation.py [--module PART] [--mutants N] [--seed N]

Each mutant is one change of a module: a comparison, a condition, a constant or an operator is swapped, or a call, a
raise or a returned value is removed. It is written into a copy of the project in a temporary folder, and the tests of
that module run there, one mutant after the other: about 2 s each. Docstrings, annotations, decorators, log calls, texts
of errors, and code for other systems only are not mutated. ACCEPTED lists the survivors that no test can detect.
"""

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
COPIED = ("workbench", "tests", "resources", "pyproject.toml")
MODULES = {
    "workbench/indexing/atomic_files.py": ["indexing/test_indexing_durable.py", "indexing/test_indexing_segment.py"],
    "workbench/store/lock.py": ["store/test_store_lock.py"],
    "workbench/worker/scratch.py": ["worker/test_worker_scratch.py"],
    "workbench/files/changes.py": ["files/test_files_changes.py", "files/test_files_modes.py"],
    "workbench/files/modes.py": ["files/test_files_modes.py"],
    "workbench/egress/gate.py": ["egress/test_egress_gate.py"],
    "workbench/fetching/address.py": ["fetching/test_fetching_address.py", "fetching/test_fetching_topic.py"],
    "workbench/export/escaping.py": [
        "export/test_export_escaping.py",
        "export/test_export_file_name.py",
        "export/test_export_spreadsheet.py",
    ],
    "workbench/plugins/plugin_consent.py": ["plugins/test_plugins_consent.py"],
    "workbench/store/stored_values.py": [
        "store/test_store_packing.py",
        "store/test_store_sessions.py",
        "store/test_store_documents.py",
    ],
}
"""Module -> its tests, relative to tests/unit."""

ACCEPTED = [
    ("store/lock.py", "[1073741824 -> 1073741825]", "The byte that only Windows locks."),
    ("store/lock.py", "[[''] -> ['XX']]", "Anything that is no number means that nobody is named."),
    ("worker/scratch.py", "[1 << 62 -> 2 << 62]", "Any number is right that is larger than a disk."),
    ("worker/scratch.py", "[1 << 62 -> 1 << 63]", "Any number is right that is larger than a disk."),
    ("worker/scratch.py", "_is_heard: return False   [return False -> return None]", "Both are no."),
    ("egress/gate.py", "ContextVar('carriedXX'", "A name that only a debugger shows."),
    ("fetching/address.py", "LONGEST = 4096   [4096 -> 4097]", "Any length is right that servers take."),
    ("plugins/plugin_consent.py", "[indent=2 -> indent=3]", "Any layout is right that people can read."),
    ("files/changes.py", "prefix=f'.{path.stem}-'", "Any name is right that no other file has."),
    ("store/stored_values.py", "[value == '[]' -> False]", "Only the speed differs."),
    ("store/stored_values.py", "_LEVEL = 1   [1 -> 2]", "Every level is read; only the speed differs."),
    ("indexing/atomic_files.py", "_PIECE = 1 << 22   [1 << 22 -> 2 << 22]", "Any size of some megabytes is right."),
    ("indexing/atomic_files.py", "_PIECE = 1 << 22   [1 << 22 -> 1 << 23]", "Any size of some megabytes is right."),
]
"""End of a module's path, part of a survivor as printed -> the reason why no test can detect it."""

_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn},
    **{ast.NotIn: ast.In, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.And: ast.Or},
    **{ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult},
    **{ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift},
    **{ast.Break: ast.Continue, ast.Continue: ast.Break},
}
_SMALL = (ast.boolop, ast.cmpop, ast.operator, ast.Constant)
_DECLARED = ("annotation", "returns", "decorator_list", "format_spec")
_ERRORS = ("Error", "Closed", "DiskFull", "Locked", "NotFetched", "Refused", "Unavailable", "Unwritable")


@dataclass(frozen=True)
class Mutant:
    """Change of a module: a description and the whole source."""

    line: int
    change: str
    source: str


def mutants_of(source: str) -> list[Mutant]:
    """Return every mutant of a module."""
    tree = ast.parse(source)
    found: list[Mutant] = []
    _collect(tree, tree, tree, "", found)
    return found


def _collect(tree: ast.Module, holder: ast.AST, statement: ast.AST, inside: str, found: list[Mutant]) -> None:
    """Mutate each part of a node and of its children in turn, and restore it afterwards."""
    for field, value in ast.iter_fields(holder):
        parts = value if isinstance(value, list) else [value]
        for place, part in enumerate(parts):
            if not isinstance(part, ast.AST) or _is_left_alone(holder, field, part):
                continue
            around = part if isinstance(part, ast.stmt) else statement
            for new in _instead(holder, field, part):
                is_small = isinstance(part, _SMALL) and not isinstance(holder, ast.stmt | ast.arguments)
                shown = holder if is_small else part
                before = f"{inside}{_first_line(around)}   [{_said(shown)} -> "
                _put(holder, field, place, new)
                change = f"{before}{_said(holder if shown is holder else new)}]"
                found.append(Mutant(around.lineno, change, ast.unparse(tree)))  # type: ignore[attr-defined]
                _put(holder, field, place, part)
            is_named = isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
            _collect(tree, part, around, f"{part.name}: " if is_named else inside, found)


def _put(holder: ast.AST, field: str, place: int, part: ast.AST) -> None:
    value = getattr(holder, field)
    if isinstance(value, list):
        value[place] = part
    else:
        setattr(holder, field, part)


def _instead(holder: ast.AST, field: str, part: ast.AST) -> Iterator[ast.AST]:
    """Return the replacements of a part."""
    if field == "test" and isinstance(holder, ast.If | ast.IfExp):
        yield from (ast.Constant(True), ast.Constant(False))
    if type(part) in _SWAPPED:
        yield _SWAPPED[type(part)]()
    elif isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
        yield part.operand
    elif isinstance(part, ast.Raise) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Call | ast.Await)):
        yield ast.Pass()
    elif isinstance(part, ast.Return) and part.value is not None and _said(part.value) != "None":
        yield ast.Return(ast.Constant(None))
    elif isinstance(part, ast.Constant) and isinstance(part.value, bool):
        yield ast.Constant(not part.value)
    elif isinstance(part, ast.Constant) and isinstance(part.value, int | str):
        yield ast.Constant(part.value + 1 if isinstance(part.value, int) else f"{part.value}XX")


def _is_left_alone(holder: ast.AST, field: str, part: ast.AST) -> bool:
    if isinstance(holder, ast.If | ast.IfExp) and _is_of_the_system(holder.test):
        runs = eval(ast.unparse(holder.test), {"sys": sys, "os": os})
        return field == "test" or field == ("orelse" if runs else "body")
    if isinstance(holder, ast.Module) and isinstance(part, ast.Assign) and isinstance(part.value, ast.BinOp):
        return isinstance(part.value.op, ast.BitOr)  # a type
    if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
        return True  # a docstring
    is_log = isinstance(part, ast.Expr) and _said(part).startswith("logger.")
    return field in _DECLARED or is_log or _is_of_the_system(part) or _is_text(holder, part)


def _is_text(holder: ast.AST, part: ast.AST) -> bool:
    """Return whether a node is the text of an error, which a test of its wording would only repeat."""
    called = _said(holder.func) if isinstance(holder, ast.Call) else ""
    is_words = isinstance(part, ast.JoinedStr | ast.Constant | ast.IfExp)
    return is_words and (called in ("mark", "tr") or called.endswith(_ERRORS))


def _is_of_the_system(test: ast.AST) -> bool:
    return isinstance(test, ast.Compare) and _said(test.left) in ("sys.platform", "os.name")


def _said(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split()) or type(node).__name__


def _first_line(statement: ast.AST) -> str:
    line = ast.unparse(statement).partition("\n")[0]
    return line if len(line) <= 80 else f"{line[:79]}…"


class Copy:
    """A copy of the project in a temporary folder, in which tests run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "project"
        for name in COPIED:
            if (PROJECT / name).is_dir():
                shutil.copytree(PROJECT / name, self._folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(PROJECT / name, self._folder / name)

    def is_passing(self, tests: Sequence[str], timeout: float, **environment: str) -> bool:
        """Run tests; a timeout counts as a failure."""
        files = [f"tests/unit/{name}" for name in tests]
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:hypothesispytest",
            *files,
        ]
        places = {"PYTHONPATH": str(self._folder), "TMPDIR": str(self._folder.parent)}
        there = {"cwd": self._folder, "env": os.environ | places | environment, "start_new_session": True}
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **there)
        try:
            return child.wait(timeout) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()

    def survives(self, module: str, mutant: Mutant, tests: Sequence[str], timeout: float) -> bool:
        """Return whether the tests pass with a mutant in place of its module."""
        path = self._folder / module
        original = path.read_text("utf-8")
        path.write_text(mutant.source, "utf-8")
        try:
            # Cached bytecode is validated by second and size: the cache of the previous mutant would be used.
            return self.is_passing(tests, timeout, PYTHONDONTWRITEBYTECODE="1")
        finally:
            path.write_text(original, "utf-8")


def main() -> None:
    """Print the table, and each survivor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", default="", help="only modules whose path holds this")
    parser.add_argument("--mutants", type=int, default=40, help="sample size a module, 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'module':34}{'mutants':>9}{'tried':>7}{'killed':>8}{'accepted':>10}{'share':>8}{'seconds':>9}", flush=True)
    with tempfile.TemporaryDirectory(prefix="workbench-mutation-", ignore_cleanup_errors=True) as folder:
        project = Copy(Path(folder))
        for module, tests in MODULES.items():
            if options.module in module:
                _try(project, module, tests, options.mutants, options.seed)


def _try(project: Copy, module: str, tests: Sequence[str], size: int, seed: int) -> None:
    began = time.perf_counter()
    if not project.is_passing(tests, 300):
        raise SystemExit(f"{module}: its tests fail without any mutant.")
    timeout = 10 + 3 * (time.perf_counter() - began)
    mutants = mutants_of((PROJECT / module).read_text("utf-8"))
    tried = random.Random(seed).sample(mutants, min(size or len(mutants), len(mutants)))
    survivors = [one for one in tried if project.survives(module, one, tests, timeout)]
    reasons = [(part, reason) for end, part, reason in ACCEPTED if module.endswith(end)]
    accepted = {one: reason for one in survivors for part, reason in reasons if part in one.change}
    share = 1 - (len(survivors) - len(accepted)) / len(tried)
    print(
        f"{module:34}{len(mutants):9}{len(tried):7}{len(tried) - len(survivors):8}{len(accepted):10}{share:8.1%}"
        f"{time.perf_counter() - began:9.0f}"
    )
    for one in sorted(survivors, key=lambda one: one.line):
        reason = f"   accepted: {accepted[one]}" if one in accepted else ""
        print(f"    survived {one.line:4}  {one.change}{reason}", flush=True)


if __name__ == "__main__":
    main()
