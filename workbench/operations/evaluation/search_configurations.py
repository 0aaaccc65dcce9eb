"""Search configurations: parsed, saved under a name, and promoted to a knowledge base."""

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


_ANSWERS = {"yes": True, "true": True, "on": True, "1": True, "no": False, "false": False, "off": False, "0": False}


async def configuration_of(library: Library, text: str) -> SearchConfiguration:
    """Return the configuration that a text means.

    Raises:
        SettingError: There is none of that name, no such key, or it cannot have that value.
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
    """Return the configuration of “key=value,key=value”; what is not named is as by default.

    Raises:
        SettingError: There is no such key, or it cannot have that value.
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
