"""A folder -> the workspace in it. Never raises for what stands in there: whatever is wrong is in its problems."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from workbench.agent.workspace.context import ContextLimits, context_files
from workbench.agent.workspace.fence import Fence
from workbench.agent.workspace.front import BrokenHead, Front, split
from workbench.agent.workspace.gateway import gateway_settings
from workbench.errors import NotFound
from workbench.language import mark
from workbench.model.agent import Workspace, WorkspaceAgent

_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_UNUSED = ("skills", "tools", "schedules", "notifications", "input_schema", "output_schema", "delegates_to")


def read_workspace(folder: Path, limits: ContextLimits, *, retrievers: Collection[str] = ()) -> Workspace:
    """Read a workspace; nothing outside of its folder is looked at.

    Args:
        folder: The workspace.
        limits: How much is taken of context files, where gateway.yaml does not say.
        retrievers: The names that are known.

    Raises:
        NotFound: There is no such folder.
    """
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.", "Name the folder that holds “agents”.")
    fence = Fence(folder)
    settings = gateway_settings(fence)
    if settings.max_context_file_chars is not None:
        limits = ContextLimits(settings.max_context_file_chars, limits.total)
    agents = fence.root / "agents"
    if not agents.is_dir() or not fence.holds(agents):
        fence.tell(mark("There is no folder “agents” in it."), is_error=True)
        return Workspace(str(fence.root), settings=settings, problems=tuple(fence.problems))
    found = [_agent(fence, path, limits) for path in sorted(agents.iterdir())]
    usable = tuple(agent for agent in found if agent is not None)
    for agent in usable:
        for name in agent.retrievers:
            if name not in retrievers:
                fence.tell(mark(f"There is no retriever “{name}”."), agent.id)
    return Workspace(
        str(fence.root),
        usable,
        _shared(fence, agents / "AGENTS.md"),
        _shared(fence, agents / "BEHAVIOR.md"),
        settings,
        tuple(fence.problems),
    )


def _agent(fence: Fence, folder: Path, limits: ContextLimits) -> WorkspaceAgent | None:
    """Return the agent of a folder; None where it is none, or one that cannot be used."""
    name = fence.name(folder)
    if folder.name.startswith(".") or not folder.is_dir():
        return None
    if not fence.holds(folder):
        fence.tell(mark("It is a link and was not read."), path=name)
        return None
    if not _ID.fullmatch(folder.name):
        told = mark("This folder's name cannot be that of an agent: small letters, digits, _ and - only, 64 at most.")
        fence.tell(told, path=name)
        return None
    text = fence.text(folder / "AGENT.md", folder.name)
    if text is None:
        return None
    front = _front(fence, folder, "AGENT.md", text)
    if front is None:
        return None
    if not front.body:
        fence.tell(mark("AGENT.md holds no prompt; the agent was left out."), folder.name, f"{name}/AGENT.md")
        return None
    if front.head.get("enabled") is False:
        fence.tell(mark("The agent is switched off by “enabled: false”."), folder.name)
        return None
    if unused := [f"“{key}”" for key in _UNUSED if front.head.get(key)]:
        fence.tell(mark(f"Not used here: {', '.join(unused)}."), folder.name, f"{name}/AGENT.md")
    behavior = fence.text(folder / "BEHAVIOR.md", folder.name)
    own = _front(fence, folder, "BEHAVIOR.md", behavior) if behavior else None
    return WorkspaceAgent(
        folder.name,
        _text(fence, folder, front.head, "display_name") or _text(fence, folder, front.head, "name") or folder.name,
        front.body,
        _text(fence, folder, front.head, "description"),
        own.body if own is not None else "",
        _retrievers(fence, folder, front.head.get("retrievers")),
        context_files(fence, folder, front.head.get("context"), limits),
    )


def _front(fence: Fence, folder: Path, file: str, text: str) -> Front | None:
    try:
        return split(text)
    except BrokenHead as error:
        fence.tell(mark(f"{error} Nothing of it is sent."), folder.name, f"{fence.name(folder)}/{file}", is_error=True)
        return None


def _shared(fence: Fence, path: Path) -> str:
    text = fence.text(path)
    if not text:
        return ""
    try:
        return split(text).body
    except BrokenHead as error:
        fence.tell(mark(f"{error} Nothing of it is sent."), path=fence.name(path), is_error=True)
        return ""


def _text(fence: Fence, folder: Path, head: dict[str, Any], key: str) -> str:
    value = head.get(key)
    if isinstance(value, str) or value is None:
        return " ".join((value or "").split())
    fence.tell(mark(f"“{key}” must be a text; it was ignored."), folder.name)
    return ""


def _retrievers(fence: Fence, folder: Path, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        fence.tell(mark("“retrievers” must be a list of names; it was ignored."), folder.name)
        return ()
    return tuple(dict.fromkeys(value))
