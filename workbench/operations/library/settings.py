"""Settings: read, change, reset."""

from typing import Any

from workbench.errors import SettingError
from workbench.logs import masked
from workbench.logs.log_file import set_detail
from workbench.model.egress import AirGapChoice
from workbench.operations.library.credentials import require_variable
from workbench.operations.library.library import Library
from workbench.operations.library.trust import settle
from workbench.operations.questions.reranking import OF_RERANKING
from workbench.settings import Settings, declaration
from workbench.worker.job import JobContext, Operation

_OF_MODELS = frozenset({"embedder", "embedding_backend"})


def load_settings(library: Library) -> Operation[Settings]:
    """Return the settings in force."""

    async def operation(_context: JobContext) -> Settings:
        return await library.on_store(library.setting_values.load)

    return operation


def put_setting(library: Library, key: str, value: Any) -> Operation[Settings]:
    """Change one setting and return them all; to choose an air gap is to say that a library's settings are one's own.

    Raises:
        SettingError: There is no such setting, or the value is not allowed; nothing is changed then.
    """

    async def operation(_context: JobContext) -> Settings:
        checked = declaration(key).check(value)
        _require_no_key(key, checked)
        if key == "air_gap" and checked != AirGapChoice.ON:
            await library.on_store(settle, library.database)
        await library.on_store(library.setting_values.put, key, checked)
        return await _changed(library, key)

    return operation


def reset_setting(library: Library, key: str) -> Operation[Settings]:
    """Put one setting back to its default and return them all."""

    async def operation(_context: JobContext) -> Settings:
        await library.on_store(library.setting_values.reset, declaration(key).key)
        return await _changed(library, key)

    return operation


def _require_no_key(key: str, value: Any) -> None:
    """Go on only where no key or password stands in a value, which the library keeps and the window shows.

    Raises:
        SettingError: One does, or what looks like one.
    """
    if key.endswith("_key_env"):
        require_variable(value)
    elif isinstance(value, str) and masked(value) != value:
        raise SettingError(
            f"What looks like a key or a password stands in “{declaration(key).title}”.",
            "Enter the key in its own field.",
        )


async def _changed(library: Library, key: str) -> Settings:
    if key in OF_RERANKING:
        library.forget_retriever()
    if key in _OF_MODELS and library.embedders.current is None:
        # Nothing was embedded yet. Otherwise change_embedder goes over to what the settings ask for.
        library.forget_models()
    if key == "air_gap":
        await library.on_store(library.gate.enforce)
    settings = await library.on_store(library.setting_values.load)
    if key == "token_codes":
        if settings.token_codes == "no":
            await library.on_store(library.tokens.delete_all)
        library.upkeep.soon()
    set_detail(more=settings.log_detail == "more")
    return settings
