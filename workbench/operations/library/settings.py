"""Settings: read, change, reset."""

from typing import Any

from workbench.errors import SettingError
from workbench.logs import masked
from workbench.logs.log_file import set_detail
from workbench.model.egress import OfflineModeChoice
from workbench.operations.library.credentials import require_variable
from workbench.operations.library.embedding_servers import checked_server
from workbench.operations.library.library import Library
from workbench.operations.library.trust import settle
from workbench.operations.questions.reranking import OF_RERANKING
from workbench.settings import Settings, declaration
from workbench.worker.job import JobContext, Operation

_OF_MODELS = frozenset({"embedder", "embedding_backend"})


def load_settings(library: Library) -> Operation[Settings]:
    """Return the current settings."""

    async def operation(_context: JobContext) -> Settings:
        return await library.on_store(library.setting_values.load)

    return operation


def put_setting(library: Library, key: str, value: Any) -> Operation[Settings]:
    """Change a setting and return all of them; setting offline mode to other than on also marks the library as trusted.

    Raises:
        SettingError: There is no such setting, or the value is not allowed; then nothing is changed.
    """

    async def operation(_context: JobContext) -> Settings:
        declared = declaration(key)
        checked = declared.check(value)
        _require_no_key(declared.key, checked)
        if declared.key == "embedder" and (server := checked_server(checked)) is not None:
            checked = server.text
        if declared.key == "offline_mode" and checked != OfflineModeChoice.ON:
            await library.on_store(settle, library.database)
        await library.on_store(library.setting_values.put, declared.key, checked)
        return await _apply_change(library, declared.key)

    return operation


def reset_setting(library: Library, key: str) -> Operation[Settings]:
    """Reset a setting to its default and return all of them."""

    async def operation(_context: JobContext) -> Settings:
        declared = declaration(key)
        await library.on_store(library.setting_values.reset, declared.key)
        return await _apply_change(library, declared.key)

    return operation


def _require_no_key(key: str, value: Any) -> None:
    """Refuse a value that contains a key or password, as the library stores it and the window shows it.

    Raises:
        SettingError: It contains a key or password, or text that looks like one.
    """
    if key.endswith("_key_env"):
        require_variable(value)
    elif isinstance(value, str) and masked(value) != value:
        raise SettingError(
            f"“{declaration(key).title}” contains something that looks like a key or a password.",
            "Enter the key in its own field.",
        )


async def _apply_change(library: Library, key: str) -> Settings:
    # Not on the event loop, which would wait for the lock while a thread loads a model or opens an index: up to 10 s.
    if key in OF_RERANKING:
        await library.on_search(library.models.forget_retriever)
    if key in _OF_MODELS and library.embedders.current is None:
        # Nothing was embedded yet. Otherwise change_embedder changes to the embedder of the settings.
        await library.on_search(library.models.forget_models)
    if key == "offline_mode":
        await library.on_store(library.gate.enforce)
    settings = await library.on_store(library.setting_values.load)
    if key == "token_codes":
        if settings.token_codes == "no":
            await library.on_store(library.models.tokens.delete_all)
        library.upkeep.request()
    set_detail(more=settings.log_detail == "more")
    return settings
