"""Search configurations: parse, save under a name, and promote to a knowledge base."""

from typing import Any

from workbench.errors import SettingError
from workbench.model.evaluation import NamedConfiguration, Promotion, SearchSettings
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import DEFAULT_SEARCH, WRITTEN, SearchConfiguration
from workbench.operations.library.library import Library
from workbench.settings import declaration
from workbench.worker.job import JobContext, Operation

Named = tuple[NamedConfiguration, ...]


def list_configurations(library: Library) -> Operation[Named]:
    """Return the named configurations, sorted by name."""

    async def operation(_context: JobContext) -> Named:
        return await library.on_store(library.search_configurations.named)

    return operation


def keep_configuration(library: Library, name: str, configuration: SearchConfiguration) -> Operation[Named]:
    """Save a configuration under a name, replacing one of the same name; return all named configurations.

    Raises:
        SettingError: The name is not valid, or the configuration names a reranker that does not exist.
    """

    async def operation(_context: JobContext) -> Named:
        check(configuration)
        await library.on_store(library.search_configurations.keep, name, configuration)
        return await library.on_store(library.search_configurations.named)

    return operation


def remove_configuration(library: Library, name: str) -> Operation[Named]:
    """Delete a named configuration and return the others.

    Raises:
        NotFound: No configuration has that name.
    """

    async def operation(_context: JobContext) -> Named:
        await library.on_store(library.search_configurations.remove, name)
        return await library.on_store(library.search_configurations.named)

    return operation


def search_settings(library: Library, knowledge_base: str | None = None) -> Operation[SearchSettings]:
    """Return the search settings of a knowledge base; None means a search of all at once.

    Raises:
        NotFound: No knowledge base has that name.
    """

    async def operation(_context: JobContext) -> SearchSettings:
        return await library.on_store(library.search_configurations.in_force, knowledge_base)

    return operation


def promote(
    library: Library, knowledge_base: str | None, configuration: SearchConfiguration | None
) -> Operation[Promotion]:
    """Use a configuration for the searches of a knowledge base; to undo, promote the previous one.

    Args:
        library: The open library.
        knowledge_base: Its name; None for a search of all at once, and for each without its own configuration.
        configuration: The configuration; None removes that of the knowledge base.

    Raises:
        NotFound: No knowledge base has that name.
        SettingError: The configuration names a reranker that does not exist.
    """

    async def operation(_context: JobContext) -> Promotion:
        if configuration is not None:
            check(configuration)
        try:
            before = await library.on_store(library.search_configurations.own, knowledge_base)
        except SettingError:
            before = None  # a configuration that a later version wrote cannot be read, but must be replaceable
        await library.on_store(library.search_configurations.promote, knowledge_base, configuration)
        return Promotion(knowledge_base, before, configuration)

    return operation


def check(configuration: SearchConfiguration) -> None:
    """Validate a configuration.

    Raises:
        SettingError: It names a reranker that does not exist.
    """
    if configuration.reranking:
        declaration("reranking").check(configuration.reranking)


_ANSWERS = {"yes": True, "true": True, "on": True, "1": True, "no": False, "false": False, "off": False, "0": False}


async def configuration_of(library: Library, text: str) -> SearchConfiguration:
    """Return the configuration for a text: “default”, the name of a saved one, or “key=value,key=value”.

    Raises:
        SettingError: No configuration has that name, or a key or value is not valid.
    """
    if text.strip() == "default":
        return DEFAULT_SEARCH
    if "=" in text:
        return configuration_of_pairs(text)
    kept = await list_configurations(library)(JobContext())
    for named in kept:
        if named.name == text:
            return named.configuration
    names = ", ".join(f"“{named.name}”" for named in kept)
    hint = f"Kept are {names}; or write one {WRITTEN}." if names else f"Write one {WRITTEN}."
    raise SettingError(f"There is no search configuration “{text}”.", hint)


def configuration_of_pairs(text: str) -> SearchConfiguration:
    """Return the configuration for “key=value,key=value”; keys that are absent have their defaults.

    Raises:
        SettingError: A key or value is not valid.
    """
    values: dict[str, Any] = {}
    for pair in text.split(","):
        key, _, value = (part.strip() for part in pair.partition("="))
        if key not in SearchConfiguration.__dataclass_fields__:
            keys = ", ".join(SearchConfiguration.__dataclass_fields__)
            raise SettingError(f"A search configuration has no “{key}”.", f"It has {keys}.")
        values[key] = _value(key, value)
    return SearchConfiguration(**values)


def _value(key: str, text: str) -> Any:
    usual = getattr(DEFAULT_SEARCH, key)
    if isinstance(usual, SearchMode):
        return _one_of(key, text, {mode.value: mode for mode in SearchMode})
    if isinstance(usual, bool):
        return _one_of(key, text.lower(), _ANSWERS)
    if usual is None and not text:
        return None
    if usual is None or isinstance(usual, int | float):
        try:
            return float(text)
        except ValueError as error:
            raise SettingError(f"“{key}” cannot be “{text}”.", "Give a number.") from error
    return declaration(key).check(text) if key == "reranking" and text else text


def _one_of(key: str, text: str, values: dict[str, Any]) -> Any:
    if text not in values:
        raise SettingError(f"“{key}” cannot be “{text}”.", f"Give one of {', '.join(values)}.")
    return values[text]
