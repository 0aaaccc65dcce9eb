"""Agents: list, change, copy, remove, restore; and agents imported from workspace folders."""

from dataclasses import replace
from pathlib import Path

from workbench.agent.built_in_agent import BUILT_IN
from workbench.agent.tools.reasoning import ANALYZE, THINK
from workbench.agent.tools.search import SEARCH_KNOWLEDGE_BASE
from workbench.agent.tools.toolbox import tool_offers
from workbench.agent.workspace import WORKSPACE, ContextLimits, agents_of_workspace, read_workspace
from workbench.errors import NotFound, SettingError
from workbench.language import mark
from workbench.model.agent import (
    BUILT_IN_NAME,
    Agent,
    AgentChoices,
    AgentListing,
    OptionChoice,
    ProblemGravity,
    Workspace,
    WorkspaceProblem,
)
from workbench.model.extensions import RetrieverInfo, RetrieverState
from workbench.operations.library.library import Library
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.settings import Settings
from workbench.store.configuration import ToolServerStore
from workbench.worker.job import JobContext, Operation

OF_EVERY_AGENT = (THINK, ANALYZE, SEARCH_KNOWLEDGE_BASE)
"""Tools that an agent gets by its switches, not by name."""

_SEARCH = OptionChoice(SEARCH_KNOWLEDGE_BASE, mark("Search the documents"))


def list_agents(library: Library) -> Operation[list[Agent]]:
    """Return the agents, the built-in one first."""

    async def operation(_context: JobContext) -> list[Agent]:
        return await library.on_store(_all, library)

    return operation


def agent_shelf(library: Library) -> Operation[AgentListing]:
    """Return the agents, and the name of the current one."""

    async def operation(_context: JobContext) -> AgentListing:
        def shelf() -> AgentListing:
            return AgentListing(tuple(_all(library)), library.setting_values.load().agent)

        return await library.on_store(shelf)

    return operation


def get_agent(library: Library, name: str) -> Operation[Agent]:
    """Return an agent.

    Raises:
        NotFound: There is no agent of that name.
    """

    async def operation(_context: JobContext) -> Agent:
        return await library.on_store(agent_named, library, name)

    return operation


def put_agent(library: Library, agent: Agent, *, renamed: str = "") -> Operation[list[Agent]]:
    """Add or replace an agent and return them all.

    Args:
        library: The open library.
        agent: The agent to store.
        renamed: Its previous name; the agent of that name is removed, and the setting “Agent” is updated.

    Raises:
        SettingError: Its name is taken by another agent, or the name or another field is invalid.
        RetrievalError: Its filter cannot be parsed.
    """

    async def operation(_context: JobContext) -> list[Agent]:
        filter_of_text(agent.filter)

        def put() -> list[Agent]:
            known = {one.name for one in _all(library)}
            if renamed and renamed != agent.name and agent.name in known:
                raise SettingError(f"There is an agent “{agent.name}” already.", "Choose another name.")
            library.agents.put(agent)
            if renamed and renamed != agent.name:
                library.agents.remove(renamed)
                _replace_current(library, renamed, agent.name)
            return _all(library)

        return await library.on_store(put)

    return operation


def copy_agent(library: Library, name: str) -> Operation[Agent]:
    """Add a copy of an agent under a free name and return it.

    Raises:
        NotFound: There is no agent of that name.
    """

    async def operation(_context: JobContext) -> Agent:
        def copy() -> Agent:
            known = {agent.name for agent in _all(library)}
            base = "My agent" if name == BUILT_IN_NAME else f"{name} copy"
            free = next(
                one for n in range(1, len(known) + 2) if (one := base if n == 1 else f"{base} {n}") not in known
            )
            made = replace(agent_named(library, name), name=free, id="")
            library.agents.put(made)
            return made

        return await library.on_store(copy)

    return operation


def remove_agent(library: Library, name: str) -> Operation[Agent]:
    """Remove an agent and return it, for restore_agent.

    If it was the current agent, the built-in one becomes the current one.

    Raises:
        NotFound: There is no agent of that name.
        SettingError: It is the built-in one.
    """

    async def operation(_context: JobContext) -> Agent:
        def remove() -> Agent:
            removed = library.agents.remove(name)
            _replace_current(library, name, BUILT_IN_NAME)
            return removed

        return await library.on_store(remove)

    return operation


def restore_agent(library: Library, agent: Agent, *, is_asked: bool = False) -> Operation[None]:
    """Undo remove_agent; is_asked makes it the current agent again."""

    async def operation(_context: JobContext) -> None:
        def restore() -> None:
            library.agents.put(agent)
            if is_asked:
                library.setting_values.put("agent", agent.name)

        await library.on_store(restore)

    return operation


def agent_choices(library: Library) -> Operation[AgentChoices]:
    """Return the profiles, knowledge bases, tools and retrievers that an agent can use in this library."""

    async def operation(_context: JobContext) -> AgentChoices:
        def choices() -> AgentChoices:
            tools = [
                OptionChoice(
                    one.name, one.title, mark(f"{one.help} It uses the network.") if one.needs_network else one.help
                )
                for one in (*tool_offers(), *library.tools.offers())
                if one.name not in OF_EVERY_AGENT
            ]
            single = tuple(tools)
            tools += [
                OptionChoice(f"{one.name}.*", mark(f"All tools of {one.name}"), one.reached_by)
                for one in ToolServerStore(library.database).list()
            ]
            retrievers = [OptionChoice(one.name, one.name, one.problem) for one in library.retrievers.infos()]
            profiles = [OptionChoice(one.name, one.name, one.model) for one in library.profiles.list()]
            bases = [OptionChoice(name, name) for name in library.documents.knowledge_bases()]
            return AgentChoices(tuple(profiles), tuple(bases), tuple(tools), tuple(retrievers), (_SEARCH, *single))

        return await library.on_store(choices)

    return operation


def missing_of_agent(library: Library, agent: Agent) -> Operation[list[str]]:
    """Return a sentence for each retriever, tool, profile and knowledge base of an agent that does not exist."""

    async def operation(context: JobContext) -> list[str]:
        return _missing(agent, await agent_choices(library)(context))

    return operation


def problems_of_agents(library: Library) -> Operation[dict[str, list[str]]]:
    """Return sentences about all that keeps agents from working, by the agents' names; runs no plug-in.

    These are missing items that an agent names, retrievers that failed or may not run, and errors in its workspace.
    """

    async def operation(context: JobContext) -> dict[str, list[str]]:
        choices = await agent_choices(library)(context)
        infos = {info.name: info for info in await library.on_store(library.retrievers.infos)}
        wrong = [one for one in await workspace_problems(library)(context) if one.gravity is ProblemGravity.ERROR]
        found: dict[str, list[str]] = {}
        for agent in await list_agents(library)(context):
            sentences = _missing(agent, choices)
            sentences += [_readiness_problem(infos[name]) for name in agent.retrievers if name in infos]
            if WORKSPACE in agent.metadata:
                sentences += [one.message for one in wrong if one.agent == (agent.id or agent.name)]
            found[agent.name] = [sentence for sentence in sentences if sentence]
        return found

    return operation


def _missing(agent: Agent, choices: AgentChoices) -> list[str]:
    named = (
        (mark("retriever"), agent.retrievers, choices.retrievers),
        (mark("tool"), [name for name in agent.tools if "." not in name and name not in OF_EVERY_AGENT], choices.tools),
        (mark("model profile"), (agent.profile,) if agent.profile else (), choices.profile),
        (mark("knowledge base"), agent.knowledge_bases, choices.knowledge_bases),
    )
    return [
        mark(f"There is no {kind} “{name}” here yet.")
        for kind, names, there in named
        for name in names
        if name not in {one.name for one in there}
    ]


def _readiness_problem(info: RetrieverInfo) -> str:
    """Return the reason why a retriever cannot be used; empty if none is known without running it."""
    if info.state is RetrieverState.NEEDS_CONSENT:
        return mark(f"The retriever “{info.name}” was not allowed to run yet, or its file has changed.")
    if info.state is RetrieverState.FAILED:
        return mark(f"The retriever “{info.name}” cannot be used. {info.problem}")
    return ""


def agent_named(library: Library, name: str) -> Agent:
    """Return an agent; blocks on the store.

    Raises:
        NotFound: There is no agent of that name.
    """
    return BUILT_IN if name == BUILT_IN_NAME else library.agents.get(name)


def asked_agent(library: Library, named: "str | Agent | None", settings: Settings) -> Agent:
    """Return the agent to use: the one that is named, or that of the settings; blocks on the store.

    Raises:
        NotFound: There is no agent of that name.
    """
    if isinstance(named, Agent):
        return named
    try:
        return agent_named(library, named or settings.agent)
    except NotFound as error:
        if named:
            raise
        raise NotFound(error.message, "Choose another “Agent” in the settings.") from error


def _all(library: Library) -> list[Agent]:
    return [BUILT_IN, *library.agents.list()]


def _replace_current(library: Library, name: str, new: str) -> None:
    """Set the setting “Agent” to another agent, if it names this one."""
    if library.setting_values.load().agent == name:
        library.setting_values.put("agent", new)


def open_workspace(library: Library, folder: Path) -> Operation[Workspace]:
    """Read a workspace and return it without storing anything.

    Raises:
        NotFound: There is no such folder.
    """

    async def operation(_context: JobContext) -> Workspace:
        return await library.on_store(_read, library, folder)

    return operation


def import_agents(library: Library, folder: Path) -> Operation[tuple[list[Agent], tuple[WorkspaceProblem, ...]]]:
    """Store the agents of a workspace, replacing those that were read from it before; returns them and its problems.

    Raises:
        NotFound: There is no such folder.
        SettingError: An agent has an invalid name.
    """

    async def operation(_context: JobContext) -> tuple[list[Agent], tuple[WorkspaceProblem, ...]]:
        return await library.on_store(_import, library, folder)

    return operation


def list_workspaces(library: Library) -> Operation[list[Workspace]]:
    """Read the workspaces of all imported agents again and return them; nothing is changed."""

    async def operation(_context: JobContext) -> list[Workspace]:
        return await library.on_store(_workspaces_all, library)

    return operation


def workspace_problems(library: Library) -> Operation[list[WorkspaceProblem]]:
    """Read the workspaces of all agents again and return their problems; nothing is changed."""

    async def operation(_context: JobContext) -> list[WorkspaceProblem]:
        read = await library.on_store(_workspaces_all, library)
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
    # Agents whose folder was deleted or has another label are removed; a broken one is kept as it was last read.
    broken = {problem.agent for problem in workspace.problems} - {agent.id for agent in agents}
    for agent in before:
        if agent.name not in names and agent.id not in broken:
            library.agents.remove(agent.name)
    return agents, workspace.problems


def _workspaces_all(library: Library) -> list[Workspace]:
    folders = dict.fromkeys(agent.metadata.get(WORKSPACE, "") for agent in library.agents.list())
    return [
        _read(library, Path(one)) if Path(one).is_dir() else _missing_workspace(one) for one in filter(None, folders)
    ]


def _missing_workspace(folder: str) -> Workspace:
    message = mark("The workspace is gone; its agents stay as they were imported.")
    return Workspace(folder, problems=(WorkspaceProblem(message, path=folder),))
