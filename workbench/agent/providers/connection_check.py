"""The connection test of a model profile: one sentence that says what works, or an error that says what does not."""

from contextlib import aclosing
from typing import Any, cast

import openai

from workbench.agent.providers.errors_map import Target, model_error
from workbench.agent.providers.openai_provider import OpenAIProvider
from workbench.errors import ModelKeyRefused, ModelNotFound, ModelUnreachable
from workbench.model.message import Message, ModelRequest, Role
from workbench.model.profile import ModelProfile, WireApi

_MOST_NAMES = 8
_LIST_SECONDS = 15.0
_QUESTION = ModelRequest((Message(Role.USER, "Answer with the one word: ready"),))
_TITLES = {WireApi.RESPONSES: "Responses", WireApi.CHAT: "Chat Completions"}


async def check_openai(profile: ModelProfile, key: str) -> str:
    """Ask the server for its models and the model for a word; return a sentence that says what works.

    Raises:
        ModelError: The server, the key or the model does not work; the hint says what to change.
        SettingError: The address cannot be one.
    """
    provider = OpenAIProvider(profile, key=key, retry_seconds=0.2)
    try:
        names = await _model_names(provider.client, provider.target)
        if not profile.model:
            raise ModelNotFound("No model is chosen.", _offer(names) or "Enter the model's name.")
        try:
            await _first_word(provider)
        except ModelNotFound as error:
            raise ModelNotFound(error.message, _offer(names) or error.hint) from error
        api = _TITLES.get(provider.detected_api or profile.api, "")
    finally:
        await provider.close()
    unencrypted = provider.target.base_url.startswith("http://") and key and "on this machine" not in provider.mode
    warning = " The key travels unencrypted: prefer https." if unencrypted else ""
    return f"“{profile.model}” answers at {provider.target.host} ({api}).{warning}"


async def _model_names(client: openai.AsyncOpenAI, target: Target) -> list[str]:
    """Return the models that the server lists; empty where it has no list.

    Raises:
        ModelUnreachable: Nothing answers there.
        ModelKeyRefused: The key is wrong.
    """
    try:
        page: Any = await client.with_options(timeout=_LIST_SECONDS).models.list()
        listed = getattr(page, "data", None) or ()
        return sorted(str(model.id) for model in listed if getattr(model, "id", None))
    # The list is only a help: whatever else goes wrong with it, the model itself is asked next.
    except Exception as error:
        mapped = model_error(error, target)
        if isinstance(mapped, (ModelUnreachable, ModelKeyRefused)):
            raise mapped from error
        return []


async def _first_word(provider: OpenAIProvider) -> None:
    stream = cast(Any, provider.stream(_QUESTION))
    async with aclosing(stream) as events:
        async for _event in events:
            if provider.detected_api is not None:
                return


def _offer(names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"The server offers {', '.join(names[:_MOST_NAMES])}{more}."
