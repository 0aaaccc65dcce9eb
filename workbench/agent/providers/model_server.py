"""HTTP client for model servers, the models that a server lists, and its token counts and context length.

Imported only when a provider is built: openai takes 0.4 s to import.

llama.cpp and vLLM count a text at /tokenize. How long the context is vLLM says beside it, llama.cpp at /props, Ollama
at /api/ps once the model is loaded, LM Studio at /api/v0/models, and some more in the list of models.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from typing import Any

import httpx2
import openai

from workbench.agent.providers.base_url import is_loopback, normalise
from workbench.agent.providers.error_mapping import ServerTarget, model_error
from workbench.egress.clients import async_client
from workbench.egress.gate import LOOPBACK_ONLY, EgressGate
from workbench.errors import ModelFailed, ModelKeyRefused, ModelNotFound, ModelUnreachable
from workbench.model.egress import Purpose
from workbench.model.profile import FoundServer

CONNECT_SECONDS = 5.0
# How long a server may be silent: reading a long prompt takes minutes on a slow machine, and sends nothing meanwhile.
READ_SECONDS = 120.0

# Whatever else would be sent says more of this machine than the server has to know (versions, organisation, project),
# or comes from OPENAI_CUSTOM_HEADERS, which is meant for another server.
_HEADERS = frozenset(
    ("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "transfer-encoding")
)
_PLACEHOLDER_KEY = "none"


def checked_key(key: str) -> str:
    """Return the key without white space around it.

    Raises:
        ModelKeyRefused: It holds characters that cannot be sent.
    """
    key = key.strip()
    if not all("!" <= character <= "~" for character in key):
        raise ModelKeyRefused("The key holds characters that no key has.", "Copy the key again and enter it anew.")
    return key


def open_client(
    base_url: str,
    key: str,
    *,
    read_seconds: float = READ_SECONDS,
    gate: EgressGate = LOOPBACK_ONLY,
    purpose: Purpose = Purpose.ANSWER,
) -> openai.AsyncOpenAI:
    """Return a client that speaks to base_url and to nobody else, through a gate.

    Each argument is given, so that none is read from the environment: the user's own OPENAI_API_KEY would otherwise go
    to whatever server the profile names. Redirects are not followed, since they would carry the key to another host.
    Retries are ours (openai_provider.py), so that the user sees them. A proxy is not asked for this machine itself.
    """

    async def send_only_what_is_needed(request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name.lower() not in _HEADERS:
                del request.headers[name]
        request.headers["User-Agent"] = "knowledge-workbench"
        if key:
            request.headers["Authorization"] = f"Bearer {key}"

    timeout = httpx2.Timeout(read_seconds, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS)
    transport = async_client(
        gate,
        purpose,
        by_proxy=not is_loopback(base_url),
        timeout=timeout,
        event_hooks={"request": [send_only_what_is_needed]},
    )
    return openai.AsyncOpenAI(
        api_key=key or _PLACEHOLDER_KEY,
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        base_url=base_url,
        timeout=timeout,
        max_retries=0,
        http_client=transport,
    )


_LIST_SECONDS = 15.0
_LOOK_SECONDS = 2.0
"""On this machine a server that runs says so at once; a busy one may take a moment."""


class _NoListError(Exception):
    """Something answered, but not with a list of models."""


async def model_names(client: openai.AsyncOpenAI, target: ServerTarget) -> tuple[str, ...]:
    """Return the models that the server lists, by name; empty where it has no list.

    Raises:
        ModelUnreachable: Nothing answers there.
        ModelKeyRefused: The key is wrong.
    """
    try:
        return tuple(name for name, _owner in await _listed(client, _LIST_SECONDS))
    # The list is only a help: whatever else goes wrong with it, the model itself is asked next.
    except Exception as error:
        mapped = model_error(error, target)
        if isinstance(mapped, (ModelUnreachable, ModelKeyRefused)):
            raise mapped from error
        return ()


async def list_models(base_url: str, key: str, *, gate: EgressGate = LOOPBACK_ONLY) -> tuple[str, ...]:
    """Return the models that the server at an address lists, by name; it is asked through a gate.

    Raises:
        ModelError: It cannot be reached, refuses the key, or has no list.
        SettingError: The address cannot be one.
    """
    target = ServerTarget(normalise(base_url), "", checked_key(key))
    client = open_client(target.base_url, target.key, gate=gate, purpose=Purpose.CONNECTION_TEST)
    try:
        names = tuple(name for name, _owner in await _listed(client, _LIST_SECONDS))
    except Exception as error:
        mapped = model_error(error, target)
        if isinstance(error, _NoListError) or isinstance(mapped, ModelNotFound):
            raise ModelFailed(f"{target.host} has no list of its models.", "Enter the model's name.") from error
        raise mapped from error
    finally:
        await client.close()
    if not names:
        raise ModelFailed(f"{target.host} lists no models.", "Load or download one there, or enter its name.")
    return names


async def find_servers(addresses: Iterable[str], *, gate: EgressGate = LOOPBACK_ONLY) -> tuple[FoundServer, ...]:
    """Return the servers among these addresses that list models; all are asked side by side, and none is sent a key."""
    found = await asyncio.gather(*(_server(normalise(address), gate) for address in addresses))
    return tuple(one for one in found if one is not None)


async def _server(base_url: str, gate: EgressGate) -> FoundServer | None:
    client = open_client(base_url, "", read_seconds=_LOOK_SECONDS, gate=gate, purpose=Purpose.CONNECTION_TEST)
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            listed = await _listed(client, _LOOK_SECONDS)
    # Anything may listen at such a port, and answer whatever it likes.
    except Exception:  # noqa: BLE001
        return None
    finally:
        await client.close()
    owners = {owner for _name, owner in listed if owner}
    return FoundServer(base_url, tuple(name for name, _owner in listed), owners.pop() if len(owners) == 1 else "")


async def _listed(client: openai.AsyncOpenAI, seconds: float) -> list[tuple[str, str]]:
    """Return the listed models with whom they are said to be of, by name."""
    page: Any = await client.with_options(timeout=seconds).models.list()
    if not isinstance(getattr(page, "data", None), list):
        raise _NoListError
    models = [model for model in page.data if getattr(model, "id", None)]
    return sorted((str(model.id), str(getattr(model, "owned_by", None) or "")) for model in models)


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

    def __init__(self, client: openai.AsyncOpenAI, target: ServerTarget) -> None:
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
