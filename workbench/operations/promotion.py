"""Ways of searching: kept under a name, and promoted to how a knowledge base is searched."""

from workbench.errors import SettingError
from workbench.model.evaluation import NamedConfiguration, Promotion, SearchSettings
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.library import Library
from workbench.settings import declaration
from workbench.worker.job import JobContext, Operation

Named = tuple[NamedConfiguration, ...]


def list_configurations(library: Library) -> Operation[Named]:
    """Return the configurations that are kept under a name, by name."""

    async def operation(_context: JobContext) -> Named:
        return await library.on_store(library.search_configurations.named)

    return operation


def keep_configuration(library: Library, name: str, configuration: SearchConfiguration) -> Operation[Named]:
    """Keep a configuration under a name, in the place of one of the same name; returns them all.

    Raises:
        SettingError: It cannot have that name, or names a reranker that there is not.
    """

    async def operation(_context: JobContext) -> Named:
        check(configuration)
        await library.on_store(library.search_configurations.keep, name, configuration)
        return await library.on_store(library.search_configurations.named)

    return operation


def remove_configuration(library: Library, name: str) -> Operation[Named]:
    """Forget a named configuration; returns the others.

    Raises:
        NotFound: There is none of that name.
    """

    async def operation(_context: JobContext) -> Named:
        await library.on_store(library.search_configurations.remove, name)
        return await library.on_store(library.search_configurations.named)

    return operation


def search_settings(library: Library, knowledge_base: str | None = None) -> Operation[SearchSettings]:
    """Return how a knowledge base is searched; None stands for all at once.

    Raises:
        NotFound: There is no such knowledge base.
    """

    async def operation(_context: JobContext) -> SearchSettings:
        return await library.on_store(library.search_configurations.in_force, knowledge_base)

    return operation


def promote(
    library: Library, knowledge_base: str | None, configuration: SearchConfiguration | None
) -> Operation[Promotion]:
    """Search a knowledge base with this configuration from now on; promoting what it had before is the undo.

    Args:
        library: The open library.
        knowledge_base: Its name; None for all at once, and for each that has none of its own.
        configuration: How it is searched; None takes its own away.

    Raises:
        NotFound: There is no such knowledge base.
        SettingError: The configuration names a reranker that there is not.
    """

    async def operation(_context: JobContext) -> Promotion:
        if configuration is not None:
            check(configuration)
        try:
            before = await library.on_store(library.search_configurations.own, knowledge_base)
        except SettingError:
            before = None  # what cannot be read, as a later version wrote it, must be possible to replace
        await library.on_store(library.search_configurations.promote, knowledge_base, configuration)
        return Promotion(knowledge_base, before, configuration)

    return operation


def check(configuration: SearchConfiguration) -> None:
    """Refuse a configuration that no search can go by.

    Raises:
        SettingError: It names a reranker that there is not.
    """
    if configuration.reranking:
        declaration("reranking").check(configuration.reranking)
