"""Plug-in files listed, allowed and forbidden; and the custom retrievers of an agent."""

from collections.abc import Sequence
from typing import Any

from workbench.agent.retrievers.plugin_process import PluginFile
from workbench.agent.retrievers.retriever_registry import RetrieverLimits, RetrieverRegistry
from workbench.agent.tools.search import SearchFunction
from workbench.errors import NotFound, PluginError
from workbench.language import mark
from workbench.model.agent import Agent
from workbench.model.extensions import PluginInfo, PluginText, RetrieverInfo, RetrieverQuestion, RunContext
from workbench.model.hit import SearchResult
from workbench.operations.library.library import Library
from workbench.operations.library.trust import config_folder
from workbench.plugins.plugin_consent import PluginConsentFile
from workbench.worker.job import JobContext, Operation

FOLDER = "plugins"
"""In the library's folder."""


def consents() -> PluginConsentFile:
    """Return what this user allows; not kept in the library, which may come from somebody else."""
    return PluginConsentFile(config_folder() / "allowed-plugins.json")


def list_plugins(library: Library) -> Operation[list[PluginInfo]]:
    """List the plug-in files, by name, without running any."""

    async def operation(_context: JobContext) -> list[PluginInfo]:
        return await library.on_store(lambda: [file.info() for file in library.retrievers.plugin_files()])

    return operation


def read_plugin(library: Library, name: str) -> Operation[PluginText]:
    """Return what stands in a plug-in file, to be looked at before it is allowed.

    Raises:
        NotFound: There is no such file.
        PluginError: It cannot be read.
    """

    async def operation(_context: JobContext) -> PluginText:
        file = await library.on_store(_file, library, name)
        source = await library.on_store(file.source)
        return PluginText(file.path.name, source.sha256, source.code.decode("utf-8", "replace"))

    return operation


def allow_plugin(library: Library, name: str, *, sha256: str | None = None) -> Operation[PluginInfo]:
    """Let a plug-in file run as it stands now; returns what was found in it. A changed file asks again.

    Args:
        library: The open library.
        name: The file's name in the plug-in folder; its .py may be left out.
        sha256: Of what was looked at; None for the file as it is now.

    Raises:
        NotFound: There is no such file.
        PluginError: It cannot be read, has changed since it was looked at, or does not load.
    """

    async def operation(_context: JobContext) -> PluginInfo:
        file = await library.on_store(_file, library, name)
        source = await library.on_store(file.source)
        if sha256 not in (None, source.sha256):
            raise PluginError(f"{file.path.name} has changed since you looked at it.", "Look at it again.")
        offered = await file.offered(source)
        if offered.fault is not None:
            raise PluginError(f"{file.path.name} cannot be loaded: {offered.fault.sentence}.", "Mend it first.")
        if not offered.names:
            why = " ".join(offered.problems.values())
            raise PluginError(f"{file.path.name} has no retriever that can be asked.", why)
        await library.on_store(file.allow, source.sha256, offered.names)
        return await library.on_store(file.info)

    return operation


def forbid_plugin(library: Library, name: str) -> Operation[PluginInfo]:
    """Let a plug-in file run no longer, and end its process.

    Raises:
        NotFound: There is no such file.
    """

    async def operation(_context: JobContext) -> PluginInfo:
        file = await library.on_store(_file, library, name)
        await library.on_store(file.forbid)
        await file.close(1.0)
        return await library.on_store(file.info)

    return operation


def _file(library: Library, name: str) -> PluginFile:
    files = {file.path.name: file for file in library.retrievers.plugin_files()}
    found = files.get(name) or files.get(f"{name}.py")
    if found is None:
        there = mark(f"There are {', '.join(files)}.") if files else mark(f"Put it into {library.retrievers.folder}.")
        raise NotFound(f"There is no plug-in file “{name}”.", there)
    return found


def retrievers_of(library: Library) -> RetrieverRegistry:
    """Return every retriever that a library can ask; none of them is loaded yet."""
    return RetrieverRegistry(
        library.folder / FOLDER,
        consents(),
        lambda: _limits(library),
        lambda: library.settings.plugin_megabytes,
        gate=library.gate,
    )


def retriever_search(
    library: Library, wanted: Sequence[Any], context: RunContext, num_documents: int | None = None
) -> SearchFunction | None:
    """Return a search that asks retrievers, or None where none is wanted.

    Args:
        library: The open library.
        wanted: Names, or retrievers themselves; each is asked once, in this order.
        context: The run for which they are asked.
        num_documents: How many passages are wanted; None leaves it to them.
    """
    if not wanted:
        return None
    agent = context.agent
    agent_id = agent.key if agent is not None else ""

    async def search(query: str) -> SearchResult:
        question = RetrieverQuestion(query, num_documents, agent_id, context)
        limits = await library.on_store(_limits, library, agent)
        return await library.retrievers.ask(wanted, question, limits)

    return search


def _limits(library: Library, agent: Agent | None = None) -> RetrieverLimits:
    """Return what the settings allow, or what the workspace says that an agent was read from."""
    settings = library.settings
    said = agent.metadata if agent is not None else {}
    try:
        seconds = float(said.get("retriever_timeout_seconds", settings.retriever_seconds))
        return RetrieverLimits(seconds, int(said.get("max_retrieved_chars", settings.retriever_characters)))
    except ValueError:  # whoever edits an agent may write anything there
        return RetrieverLimits(settings.retriever_seconds, settings.retriever_characters)


def list_retrievers(library: Library) -> Operation[list[RetrieverInfo]]:
    """List the custom retrievers and how each stands; runs no plug-in."""

    async def operation(_context: JobContext) -> list[RetrieverInfo]:
        return await library.on_store(library.retrievers.infos)

    return operation
