"""The files that are in every prompt of an agent: those in its context folder, and those that its head names."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.agent.workspace.fence import Fence
from workbench.language import mark
from workbench.model.agent import ContextFile


@dataclass(frozen=True, slots=True)
class ContextLimits:
    """Characters that are taken of each file, and of all files of an agent together."""

    file: int = 100_000
    total: int = 400_000


def context_files(fence: Fence, folder: Path, named: Any, limits: ContextLimits) -> tuple[ContextFile, ...]:
    """Return the context files of an agent, each once, those of its folder first.

    Args:
        fence: Reads inside the workspace, and holds its problems.
        folder: The agent's folder.
        named: What its head says under “context”.
        limits: How much is taken.
    """
    agent = folder.name
    found: dict[Path, str] = {}
    for path in (*_of_folder(fence, folder), *_named(fence, folder, named)):
        if path not in found and (text := fence.text(path, agent)) is not None:
            found[path] = text
    files: list[ContextFile] = []
    left = limits.total
    for path, text in found.items():
        kept = text[: min(limits.file, left)]
        left -= len(kept)
        files.append(ContextFile(fence.name(path), kept, len(text)))
        if files[-1].is_cut:
            told = mark(f"Only the first {len(kept):,} of its {len(text):,} characters are in the prompt.")
            fence.tell(told, agent, fence.name(path))
    return tuple(files)


def _of_folder(fence: Fence, folder: Path) -> list[Path]:
    context = folder / "context"
    if not context.is_dir():
        return []
    if not fence.holds(context):
        fence.tell(
            mark("The context folder is a link and was not read."), folder.name, fence.name(context), is_error=True
        )
        return []
    paths = sorted(path for path in context.iterdir() if path.suffix == ".md" and (path.is_file() or path.is_symlink()))
    for path in (path for path in paths if path.is_symlink()):
        fence.tell(mark("It is a link and was not read."), folder.name, fence.name(path))
    return [path for path in paths if not path.is_symlink()]


def _named(fence: Fence, folder: Path, named: Any) -> Iterator[Path]:
    if named is None:
        return
    if not isinstance(named, list):
        fence.tell(mark("“context” must be a list of paths; it was ignored."), folder.name)
        return
    for one in named:
        if not isinstance(one, str):
            fence.tell(mark("“context” holds something that is no path; it was left out."), folder.name)
            continue
        path = _resolved(fence, folder, one)
        if path is not None:
            yield path


def _resolved(fence: Fence, folder: Path, named: str) -> Path | None:
    """Return the file that is meant: seen from the agent's folder, or else from the workspace."""
    plain = [Path(os.path.normpath(base / named)) for base in (folder, fence.root)]
    if not plain[0].is_relative_to(fence.root):
        fence.tell(mark("It lies outside of the workspace and was not read."), folder.name, named, is_error=True)
        return None
    for path in plain:
        if path.is_relative_to(fence.root) and os.path.lexists(path):
            if not fence.holds(path):
                fence.tell(
                    mark("It is a link, or lies behind one, and was not read."), folder.name, named, is_error=True
                )
                return None
            if path.is_file():
                return path
    fence.tell(mark("There is no such file."), folder.name, named)
    return None
