"""The models that a server lists; and the servers of this machine that list any."""

import asyncio
from collections.abc import Iterable
from typing import Any

import openai

from workbench.agent.providers.base_url import normalise
from workbench.agent.providers.connection import checked_key, open_client
from workbench.agent.providers.errors_map import Target, model_error
from workbench.egress.gate import LOOPBACK_ONLY, Gate
from workbench.errors import ModelFailed, ModelKeyRefused, ModelNotFound, ModelUnreachable
from workbench.model.egress import Purpose
from workbench.model.profile import FoundServer

_LIST_SECONDS = 15.0
_LOOK_SECONDS = 2.0
"""On this machine a server that runs says so at once; a busy one may take a moment."""


class _NoListError(Exception):
    """Something answered, but not with a list of models."""


async def model_names(client: openai.AsyncOpenAI, target: Target) -> tuple[str, ...]:
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


async def list_models(base_url: str, key: str, *, gate: Gate = LOOPBACK_ONLY) -> tuple[str, ...]:
    """Return the models that the server at an address lists, by name; it is asked through a gate.

    Raises:
        ModelError: It cannot be reached, refuses the key, or has no list.
        SettingError: The address cannot be one.
    """
    target = Target(normalise(base_url), "", checked_key(key))
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


async def find_servers(addresses: Iterable[str], *, gate: Gate = LOOPBACK_ONLY) -> tuple[FoundServer, ...]:
    """Return the servers among these addresses that list models; all are asked side by side, and none is sent a key."""
    found = await asyncio.gather(*(_server(normalise(address), gate) for address in addresses))
    return tuple(one for one in found if one is not None)


async def _server(base_url: str, gate: Gate) -> FoundServer | None:
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
