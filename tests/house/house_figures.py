"""Figures of the code structure: sizes, importers, repeated names, and the modules used for one PDF and one question.

usage: python tests/house/house_figures.py [--walk]

Prints a table. --walk adds one of the sample documents to a library in a temporary folder, asks a question, and counts
the modules with a function that is called in this process (the parser runs in another one).
"""

import argparse
import ast
import asyncio
import statistics
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "workbench"
SAMPLE = ROOT / "resources" / "sample"
QUESTION = "When did the harbour freeze?"
MOST_LINES = 700
_REGISTRIES = {
    "workbench.agent.tools.toolbox",
    "workbench.cli.commands",
    "workbench.cli.main",
    "workbench.cli.parser",
    "workbench.export.format_registry",
    "workbench.indexing.stores.store_registry",
    "workbench.operations.__init__",
    "workbench.ui.app_controller",
    "workbench.ui.dialog_manager",
    "workbench.ui.pane_docks",
    "workbench.ui.settings.settings_dialog",
    "workbench.ui.wiring",
}
"""Modules that list others of one kind: tools, commands, exporters, vector stores, operations, dialogs and panes."""
MAY_REPEAT = {"__init__", "pane", "presenter", "model", "base"}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walk", action="store_true")
    options = parser.parse_args()
    for what, figure in figures():
        print(f"{what:<44} {figure}")
    if options.walk:
        called, deepest = asyncio.run(_walk())
        print(f"{'files on the way of a document and a question':<44} {len({file for file, _ in called})}")
        print(f"{'functions, deepest call':<44} {len(called)}, {deepest}")


def figures() -> Iterator[tuple[str, str]]:
    """Yield each figure with its name."""
    paths = sorted(PACKAGE.rglob("*.py"))
    lines = sorted(len(path.read_text("utf-8").splitlines()) for path in paths)
    yield "files", f"{len(paths):,}"
    yield "lines", f"{sum(lines):,}"
    yield "median / 90th percentile / most lines", f"{statistics.median(lines):.0f} / {_ninth(lines)} / {lines[-1]}"
    reasons = Counter(_reasons_for_one_importer(paths))
    yield "modules with one importer", _share(reasons.total(), len(paths))
    for reason, count in sorted(reasons.items()):
        yield f"    {reason}", _share(count, len(paths))
    yield "file names used more than once", _listed(repeated_stems(paths))
    classes = Counter(
        node.name
        for path in paths
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    yield "class names used more than once", _listed(_repeated(classes))


def repeated_stems(paths: list[Path]) -> dict[str, int]:
    """Return the names of several modules, except those that may repeat, with their counts."""
    return _repeated(Counter(path.stem for path in paths if path.stem not in MAY_REPEAT))


def _ninth(ordered: list[int]) -> int:
    return ordered[int(0.9 * len(ordered))]


def _repeated(counts: Counter[str]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count > 1}


def _listed(repeated: dict[str, int]) -> str:
    most = ", ".join(f"{name} {count}" for name, count in Counter(repeated).most_common(5))
    return f"{len(repeated)} for {sum(repeated.values())}" + (f" ({most})" if most else "")


def _importers(paths: list[Path]) -> dict[str, set[str]]:
    """Return the modules that import each module, at any place in the file."""
    names = {_dotted(path) for path in paths if path.name != "__init__.py"}
    found: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
            elif isinstance(node, ast.Import):
                whole = {alias.name for alias in node.names}
            else:
                continue
            for name in whole & names - {_dotted(path)}:
                found[name].add(_dotted(path))
    return found


def _reasons_for_one_importer(paths: list[Path]) -> Iterator[str]:
    """Yield for each module with one importer why the two are separate modules."""
    path_of = {_dotted(path): path for path in paths}
    for name, importers in _importers(paths).items():
        if len(importers) > 1:
            continue
        (importer,) = importers
        lines = sum(len(path_of[one].read_text("utf-8").splitlines()) for one in (name, importer))
        if importer in _REGISTRIES:
            yield "entries of a registry, such as a tool or a dialog"
        elif name.split(".")[1] != importer.split(".")[1]:
            yield "of another layer"
        elif not _is_imported_at_start(name, path_of[importer]):
            yield "imported only when they are needed"
        else:
            yield "too long for one module" if lines > MOST_LINES else "could be merged"


def _is_imported_at_start(name: str, importer: Path) -> bool:
    """Return whether a module is imported as soon as its importer is."""
    return any(
        isinstance(node, ast.ImportFrom) and name in {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
        for node in ast.parse(importer.read_text("utf-8")).body
    )


def _share(count: int, total: int) -> str:
    return f"{count} ({count / total:.0%})"


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


async def _walk() -> tuple[set[tuple[str, str]], int]:
    """Return file and name of each called function, and the maximum nesting of our calls."""
    from workbench import open_library_async

    called: set[tuple[str, str]] = set()
    deepest = 0

    def note(frame: FrameType, event: str, _arg: object) -> None:
        nonlocal deepest
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(str(PACKAGE)):
            return
        place = (file, frame.f_code.co_qualname)
        if place in called or place[1] == "<module>":
            return
        called.add(place)
        depth, above = 0, frame
        while above is not None:
            depth += above.f_code.co_filename.startswith(str(PACKAGE))
            above = above.f_back  # type: ignore[assignment]
        deepest = max(deepest, depth)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with open_library_async(Path(folder) / "library") as library:
                await library.add(next(iter(sorted(SAMPLE.glob("*.pdf")))))
                await library.ask(QUESTION)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return called, deepest


if __name__ == "__main__":
    main()
