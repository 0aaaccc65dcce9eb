"""Plug-in files: list, allow and forbid; and the custom retrievers of an agent."""

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
from workbench.plugins.plugin_consent import PluginConsentFile
from workbench.settings.preferences import config_folder
from workbench.worker.job import JobContext, Operation

FOLDER = "plugins"
"""Name of the plug-in folder in the library's folder."""


def consents() -> PluginConsentFile:
    """Return the consents of this user; not stored in the library, which may come from another person."""
    return PluginConsentFile(config_folder() / "allowed-plugins.json")


def list_plugins(library: Library) -> Operation[list[PluginInfo]]:
    """List the plug-in files, by name, without running any."""

    async def operation(_context: JobContext) -> list[PluginInfo]:
        return await library.on_store(lambda: [file.info() for file in library.retrievers.plugin_files()])

    return operation


def read_plugin(library: Library, name: str) -> Operation[PluginText]:
    """Return the content of a plug-in file, for review before it is allowed.

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
    """Allow a plug-in file to run with its current content and return its info; a changed file needs consent again.

    Args:
        library: The open library.
        name: The file's name in the plug-in folder; its .py may be omitted.
        sha256: Hash of the reviewed content; None for the current content.

    Raises:
        NotFound: There is no such file.
        PluginError: It cannot be read, has changed since the review, or does not load.
    """

    async def operation(_context: JobContext) -> PluginInfo:
        file = await library.on_store(_file, library, name)
        source = await library.on_store(file.source)
        if sha256 not in (None, source.sha256):
            raise PluginError(f"{file.path.name} has changed since you looked at it.", "Look at it again.")
        offered = await file.offered(source)
        if offered.fault is not None:
            raise PluginError(f"{file.path.name} cannot be loaded: {offered.fault.sentence}.", "Fix it first.")
        if not offered.names:
            why = " ".join(offered.problems.values())
            raise PluginError(f"{file.path.name} has no retriever that can be used.", why)
        await library.on_store(file.allow, source.sha256, offered.names)
        return await library.on_store(file.info)

    return operation


def forbid_plugin(library: Library, name: str) -> Operation[PluginInfo]:
    """Withdraw the consent to a plug-in file, and end its process.

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
    """Return the registry of a library's retrievers; none of them is loaded yet."""
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
    """Return a search function that calls custom retrievers, or None if none are given.

    Args:
        library: The open library.
        wanted: Retrievers, by name or as objects; each is called once, in this order.
        context: The run that calls them.
        num_documents: Requested number of passages; None leaves it to the retrievers.
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
    """Return the limits of the agent's workspace, or those of the settings."""
    settings = library.settings
    values = agent.metadata if agent is not None else {}
    try:
        seconds = float(values.get("retriever_timeout_seconds", settings.retriever_seconds))
        return RetrieverLimits(seconds, int(values.get("max_retrieved_chars", settings.retriever_characters)))
    except ValueError:  # a user who edits an agent can enter any text there
        return RetrieverLimits(settings.retriever_seconds, settings.retriever_characters)


def list_retrievers(library: Library) -> Operation[list[RetrieverInfo]]:
    """List the custom retrievers with their state; runs no plug-in."""

    async def operation(_context: JobContext) -> list[RetrieverInfo]:
        return await library.on_store(library.retrievers.infos)

    return operation
