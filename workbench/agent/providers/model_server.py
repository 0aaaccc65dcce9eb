"""HTTP client for model servers, the models that a server lists, and its token counts and context length.

Imported only when a provider is built: openai takes 0.4 s to import.

llama.cpp and vLLM count the tokens of a text at /tokenize. The context length is reported by vLLM in the same response,
by llama.cpp at /props, by Ollama at /api/ps once the model is loaded, by LM Studio at /api/v0/models, and by some other
servers in the list of models.
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
# Read timeout: processing a long prompt takes minutes on a slow machine, and the server sends nothing meanwhile.
READ_SECONDS = 120.0

# Other headers would reveal details of this machine that the server does not need (versions, organisation, project), or
# come from OPENAI_CUSTOM_HEADERS, which is meant for another server.
_HEADERS = frozenset(
    ("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "transfer-encoding")
)
_PLACEHOLDER_KEY = "none"


def checked_key(key: str) -> str:
    """Return the key without surrounding white space.

    Raises:
        ModelKeyRefused: It contains characters that cannot be sent.
    """
    key = key.strip()
    if not all("!" <= character <= "~" for character in key):
        raise ModelKeyRefused("The key contains invalid characters.", "Copy the key and enter it again.")
    return key


def open_client(
    base_url: str,
    key: str,
    *,
    read_seconds: float = READ_SECONDS,
    gate: EgressGate = LOOPBACK_ONLY,
    purpose: Purpose = Purpose.ANSWER,
) -> openai.AsyncOpenAI:
    """Return a client that connects only to base_url, through a gate.

    Each argument is passed explicitly, so that none is read from the environment: the user's own OPENAI_API_KEY would
    otherwise be sent to the profile's server. Redirects are not followed, since they would send the key to another
    host. Retries are made by openai_provider.py, so that the user sees them. No proxy is used for this machine itself.
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
"""Timeout of the search for servers: a local server answers at once, unless it is busy."""


class _NoListError(Exception):
    """The response is not a list of models."""


async def model_names(client: openai.AsyncOpenAI, target: ServerTarget) -> tuple[str, ...]:
    """Return the names of the models that the server lists, sorted; empty if it has no list.

    Raises:
        ModelUnreachable: The server does not answer.
        ModelKeyRefused: The key is wrong.
    """
    try:
        return tuple(name for name, _owner in await _list_models(client, _LIST_SECONDS))
    # The list is optional: after any other error, the model itself is tested next.
    except Exception as error:
        mapped = model_error(error, target)
        if isinstance(mapped, (ModelUnreachable, ModelKeyRefused)):
            raise mapped from error
        return ()


async def list_models(base_url: str, key: str, *, gate: EgressGate = LOOPBACK_ONLY) -> tuple[str, ...]:
    """Return the names of the models that the server at an address lists, sorted; requests go through a gate.

    Raises:
        ModelError: The server cannot be reached, refuses the key, or lists no models.
        SettingError: The address is invalid.
    """
    target = ServerTarget(normalise(base_url), "", checked_key(key))
    client = open_client(target.base_url, target.key, gate=gate, purpose=Purpose.CONNECTION_TEST)
    try:
        names = tuple(name for name, _owner in await _list_models(client, _LIST_SECONDS))
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
    """Return the servers at these addresses that list models. Requests are concurrent and contain no key."""
    found = await asyncio.gather(*(_server(normalise(address), gate) for address in addresses))
    return tuple(one for one in found if one is not None)


async def _server(base_url: str, gate: EgressGate) -> FoundServer | None:
    client = open_client(base_url, "", read_seconds=_LOOK_SECONDS, gate=gate, purpose=Purpose.CONNECTION_TEST)
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            listed = await _list_models(client, _LOOK_SECONDS)
    # Any program may listen on such a port and send any response.
    except Exception:  # noqa: BLE001
        return None
    finally:
        await client.close()
    owners = {owner for _name, owner in listed if owner}
    return FoundServer(base_url, tuple(name for name, _owner in listed), owners.pop() if len(owners) == 1 else "")


async def _list_models(client: openai.AsyncOpenAI, seconds: float) -> list[tuple[str, str]]:
    """Return the names of the listed models with their owners, sorted by name."""
    page: Any = await client.with_options(timeout=seconds).models.list()
    if not isinstance(getattr(page, "data", None), list):
        raise _NoListError
    models = [model for model in page.data if getattr(model, "id", None)]
    return sorted((str(model.id), str(getattr(model, "owned_by", None) or "")) for model in models)


logger = logging.getLogger(__name__)

# Short timeout, because a token count is optional.
_SECONDS = 3.0
_PROBE = "How many tokens?"

# Pages other than the list of models that may contain the context length. Requested on this machine and over http only:
# a public service has none of them.
_OWN_PAGES = ("/props", "/api/ps", "/api/v0/models")
_LENGTHS = ("loaded_context_length", "max_model_len", "n_ctx", "context_length", "context_window")


class ServerCounts:
    """Token counts and context length of one model, as reported by its server; None if the server does not report them.

    Support for token counts is tested once, and so is that for the context length.
    """

    def __init__(self, client: openai.AsyncOpenAI, target: ServerTarget) -> None:
        self._client = client.with_options(timeout=_SECONDS)
        self._target = target
        self._counts: bool | None = None
        self._context: int | None = None
        self._asked_context = False

    async def count(self, text: str) -> int | None:
        """Return the number of tokens of a text for the model; None if the server does not count."""
        return await self._tokens(text) if await self._can_count() else None

    async def context(self) -> int | None:
        """Return the context length of the model in tokens; None if the server does not report it."""
        await self._can_count()
        if self._context is None and not self._asked_context:
            self._asked_context = True
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
            # Probes with a fixed sentence: search results are sent only to a server that counts tokens.
            self._counts = await self._tokens(_PROBE) is not None
        return self._counts

    async def _tokens(self, text: str) -> int | None:
        # llama.cpp reads "content", vLLM "prompt"; each ignores the other.
        body = {"model": self._target.model, "prompt": text, "content": text, "add_special_tokens": False}
        response = await self._ask("POST", f"{self._root}/tokenize", body)
        if not isinstance(response, Mapping):
            return None
        if isinstance(response.get("max_model_len"), int):
            self._context = response["max_model_len"]
        count, tokens = response.get("count"), response.get("tokens")
        if isinstance(count, int):
            return count
        return len(tokens) if isinstance(tokens, list) else None

    async def _ask(self, method: str, address: str, body: dict[str, Any] | None = None) -> Any:
        try:
            if method == "POST":
                return await self._client.post(address, cast_to=object, body=body)
            return await self._client.get(address, cast_to=object)
        # These values are optional, and servers respond in many ways to an unknown path.
        except Exception as error:  # noqa: BLE001
            logger.debug("%s says nothing at %s: %s", self._target.host, address, type(error).__name__)
            return None


def context_length(said: Any, model: str) -> int | None:
    """Return the context length from a server's description of its models or settings; None if it is not there."""
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
