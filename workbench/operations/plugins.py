"""Plug-in files of a library: listed, allowed and forbidden. None runs before somebody has looked at it and said so."""

from workbench.agent.retrievers.plugin_process import PluginFile
from workbench.errors import NotFound, PluginError
from workbench.language import mark
from workbench.model.extensions import PluginInfo, PluginText
from workbench.operations.library import Library
from workbench.operations.user_config import config_folder
from workbench.plugins.plugin_consent import Consents
from workbench.worker.job import JobContext, Operation

FOLDER = "plugins"
"""In the library's folder."""


def consents() -> Consents:
    """Return what this user allows; not kept in the library, which may come from somebody else."""
    return Consents(config_folder() / "allowed-plugins.json")


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
