"""A folder of agents -> agents of the library, and what is wrong with them. Reading it again brings them up to date."""

from pathlib import Path

from workbench.agent.workspace.workspace_agents import WORKSPACE, agents_of_workspace
from workbench.agent.workspace.workspace_reader import ContextLimits, read_workspace
from workbench.language import mark
from workbench.model.agent import Agent, Workspace, WorkspaceProblem
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation


def open_workspace(library: Library, folder: Path) -> Operation[Workspace]:
    """Read a workspace without keeping anything of it.

    Raises:
        NotFound: There is no such folder.
    """

    async def operation(_context: JobContext) -> Workspace:
        return await library.on_store(_read, library, folder)

    return operation


def import_agents(library: Library, folder: Path) -> Operation[tuple[list[Agent], tuple[WorkspaceProblem, ...]]]:
    """Keep the agents of a workspace, in place of those that were read from it before; returns them and its problems.

    Raises:
        NotFound: There is no such folder.
        SettingError: An agent has a name that cannot be.
    """

    async def operation(_context: JobContext) -> tuple[list[Agent], tuple[WorkspaceProblem, ...]]:
        return await library.on_store(_import, library, folder)

    return operation


def list_workspaces(library: Library) -> Operation[list[Workspace]]:
    """Read the workspaces of all imported agents as they are now; nothing is changed."""

    async def operation(_context: JobContext) -> list[Workspace]:
        return await library.on_store(_all, library)

    return operation


def workspace_problems(library: Library) -> Operation[list[WorkspaceProblem]]:
    """Read the workspaces of all agents anew and list what is wrong with them; nothing is changed."""

    async def operation(_context: JobContext) -> list[WorkspaceProblem]:
        read = await library.on_store(_all, library)
        return [problem for workspace in read for problem in workspace.problems]

    return operation


def _read(library: Library, folder: Path) -> Workspace:
    settings = library.settings
    limits = ContextLimits(settings.context_file_characters, settings.context_characters)
    return read_workspace(folder, limits, retrievers=library.retrievers.known())


def _import(library: Library, folder: Path) -> tuple[list[Agent], tuple[WorkspaceProblem, ...]]:
    workspace = _read(library, folder)
    agents = list(agents_of_workspace(workspace))
    names = {agent.name for agent in agents}
    before = [agent for agent in library.agents.list() if agent.metadata.get(WORKSPACE) == workspace.folder]
    for agent in agents:
        library.agents.put(agent)
    # One whose folder is gone or has another label now; one that is broken today stays as it was read last.
    broken = {problem.agent for problem in workspace.problems} - {agent.id for agent in agents}
    for agent in before:
        if agent.name not in names and agent.id not in broken:
            library.agents.remove(agent.name)
    return agents, workspace.problems


def _all(library: Library) -> list[Workspace]:
    folders = dict.fromkeys(agent.metadata.get(WORKSPACE, "") for agent in library.agents.list())
    return [_read(library, Path(one)) if Path(one).is_dir() else _gone(one) for one in filter(None, folders)]


def _gone(folder: str) -> Workspace:
    told = mark("The workspace is gone; its agents are as they were read.")
    return Workspace(folder, problems=(WorkspaceProblem(told, path=folder),))
