"""What a model's server tells of its tokens: how many a text is, and how many the model sees at once.

llama.cpp and vLLM count a text at /tokenize. How long the context is vLLM says beside it, llama.cpp at /props, Ollama
at /api/ps once the model is loaded, LM Studio at /api/v0/models, and some more in the list of models.
"""

import logging
from collections.abc import Mapping
from typing import Any

import openai

from workbench.agent.providers.base_url import is_loopback
from workbench.agent.providers.errors_map import Target

logger = logging.getLogger(__name__)

# A count is only a help: a server that does not answer soon is not waited for.
_SECONDS = 3.0
_PROBE = "How many tokens?"

# Beside the list of models, where the context's length may stand; asked for on this machine and in plain networks only:
# a public service has none of them.
_OWN_PAGES = ("/props", "/api/ps", "/api/v0/models")
_LENGTHS = ("loaded_context_length", "max_model_len", "n_ctx", "context_length", "context_window")


class ServerCounts:
    """Asks the server of one model; what it cannot tell is None, and is not asked for again."""

    def __init__(self, client: openai.AsyncOpenAI, target: Target) -> None:
        self._client = client.with_options(timeout=_SECONDS)
        self._target = target
        self._counts: bool | None = None
        self._context: int | None = None

    async def count(self, text: str) -> int | None:
        """Return how many tokens a text is for the model; None where the server does not count."""
        return await self._tokens(text) if await self._can_count() else None

    async def context(self) -> int | None:
        """Return how many tokens the model sees at once; None where the server does not say."""
        await self._can_count()
        if self._context is None:
            base = self._target.base_url
            is_near = is_loopback(base) or base.startswith("http://")
            for address in (f"{base}/models", *(self._root + page for page in _OWN_PAGES if is_near)):
                if (found := context_length(await self._ask("GET", address), self._target.model)) is not None:
                    self._context = found
                    break
        return self._context

    @property
    def _root(self) -> str:
        return self._target.base_url.removesuffix("/v1")

    async def _can_count(self) -> bool:
        if self._counts is None:
            # A sentence of ours first: what was found is sent only where it is counted.
            self._counts = await self._tokens(_PROBE) is not None
        return self._counts

    async def _tokens(self, text: str) -> int | None:
        # llama.cpp reads "content", vLLM "prompt"; each leaves the other's.
        body = {"model": self._target.model, "prompt": text, "content": text, "add_special_tokens": False}
        said = await self._ask("POST", f"{self._root}/tokenize", body)
        if not isinstance(said, Mapping):
            return None
        if isinstance(said.get("max_model_len"), int):
            self._context = said["max_model_len"]
        count, tokens = said.get("count"), said.get("tokens")
        if isinstance(count, int):
            return count
        return len(tokens) if isinstance(tokens, list) else None

    async def _ask(self, method: str, address: str, body: dict[str, Any] | None = None) -> Any:
        try:
            if method == "POST":
                return await self._client.post(address, cast_to=object, body=body)
            return await self._client.get(address, cast_to=object)
        # Only a help, and servers answer anything at all to an address that they do not know.
        except Exception as error:  # noqa: BLE001
            logger.debug("%s says nothing at %s: %s", self._target.host, address, type(error).__name__)
            return None


def context_length(said: Any, model: str) -> int | None:
    """Return the context's length from whatever a server says of its models; None where it is not in there."""
    if not isinstance(said, Mapping):
        return None
    listed = said.get("data") or said.get("models")
    entries = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
    # Ollama adds ":latest" to a name without a tag.
    names = (model, f"{model}:latest")
    named = [entry for entry in entries if any(entry.get(key) in names for key in ("id", "name", "model"))]
    settings = said.get("default_generation_settings")
    for entry in (*named, settings if isinstance(settings, Mapping) else {}):
        for key in _LENGTHS:
            if isinstance(entry.get(key), int) and entry[key] > 0:
                return int(entry[key])
    return None
