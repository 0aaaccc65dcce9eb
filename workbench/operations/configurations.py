"""“mode=dense,reranking=none”, “default” or a kept name -> a search configuration."""

from typing import Any

from workbench.errors import SettingError
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import DEFAULT_SEARCH, WRITTEN, SearchConfiguration
from workbench.operations.library import Library
from workbench.operations.promotion import list_configurations
from workbench.settings import declaration
from workbench.worker.job import JobContext

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
