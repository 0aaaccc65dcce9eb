"""Model profiles: list, add, remove, try what their servers can do, find servers of this machine."""

import re
from collections.abc import Sequence
from dataclasses import replace

from workbench.errors import SettingError
from workbench.model.model_report import ConnectionReport, FoundServer
from workbench.model.profile import LOCAL_SERVERS, OFFLINE, ModelProfile
from workbench.operations.keys import load_key, store_key
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def list_profiles(library: Library) -> Operation[list[ModelProfile]]:
    """Return the profiles, the offline one first."""

    async def operation(_context: JobContext) -> list[ModelProfile]:
        return await library.on_store(library.profiles.list)

    return operation


def put_profile(library: Library, profile: ModelProfile, *, key: str | None = None) -> Operation[list[ModelProfile]]:
    """Add or replace a profile and return them all; key None leaves a stored key as it is.

    Raises:
        SettingError: The name is taken by the built-in profile, the address is not one, or there is no keyring.
    """

    async def operation(_context: JobContext) -> list[ModelProfile]:
        # openai takes 0.4 s to import: only where a model is meant.
        from workbench.agent.providers.base_url import normalise

        if not profile.name.strip() or profile.name == OFFLINE.name:
            raise SettingError(f"A profile cannot be named “{profile.name}”.", "Give it another name.")
        if not profile.model.strip():
            raise SettingError("A profile needs the name of a model.", "For example “llama3.2” or “gpt-5.4-mini”.")
        normalise(profile.base_url)
        if profile.key_env and not _VARIABLE.fullmatch(profile.key_env):
            # Mostly the key itself, which must not come into any file; so it is not repeated either.
            raise SettingError(
                "What was given for the key is not the name of an environment variable.",
                "Give the name of the variable that holds the key, for example OPENAI_API_KEY, not the key itself.",
            )
        if key is not None:
            await library.on_store(store_key, profile.name, key)
        await library.on_store(library.profiles.put, profile)
        return await library.on_store(library.profiles.list)

    return operation


def remove_profile(library: Library, name: str) -> Operation[list[ModelProfile]]:
    """Remove a profile and its key and return those that are left.

    Raises:
        NotFound: There is none of that name.
    """

    async def operation(_context: JobContext) -> list[ModelProfile]:
        await library.on_store(library.profiles.get, name)
        await library.on_store(store_key, name, "")
        await library.on_store(library.profiles.remove, name)
        return await library.on_store(library.profiles.list)

    return operation


def examine_profile(library: Library, profile: ModelProfile, *, key: str | None = None) -> Operation[ConnectionReport]:
    """Try what a profile's server and model can do; each ModelAbility is an event, and all are in the report.

    Args:
        library: The open library.
        profile: As it is or as it is to be; without a model only its server is tried.
        key: To be tried; None takes the stored one.

    Raises:
        SettingError: The address cannot be one.
        ModelKeyRefused: The key cannot be one, or cannot be had.
    """

    async def operation(context: JobContext) -> ConnectionReport:
        from workbench.agent.providers.factory import examine

        return await examine(profile, await library.on_store(_secret, library, profile, key), context.emit)

    return operation


def list_server_models(
    library: Library, profile: ModelProfile, *, key: str | None = None
) -> Operation[tuple[str, ...]]:
    """Return the models that a profile's server lists, by name; key as in examine_profile.

    Raises:
        ModelError: It cannot be reached, refuses the key, or has no list.
        SettingError: The address cannot be one.
    """

    async def operation(_context: JobContext) -> tuple[str, ...]:
        from workbench.agent.providers.model_listing import list_models

        return await list_models(profile.base_url, await library.on_store(_secret, library, profile, key))

    return operation


def find_model_servers(
    library: Library, addresses: Sequence[str] = tuple(LOCAL_SERVERS.values())
) -> Operation[tuple[FoundServer, ...]]:
    """Return the model servers that answer at these addresses of this machine; none is sent a key.

    Raises:
        SettingError: One of the addresses is none, or of another machine.
    """

    async def operation(_context: JobContext) -> tuple[FoundServer, ...]:
        from workbench.agent.providers.base_url import is_loopback, normalise
        from workbench.agent.providers.model_listing import find_servers

        elsewhere = [address for address in addresses if not is_loopback(normalise(address))]
        if elsewhere:
            raise SettingError(f"{elsewhere[0]} is not on this machine.", "Enter other servers by their address.")
        profiles = {one.base_url.rstrip("/"): one.name for one in await library.on_store(library.profiles.list)}
        found = await find_servers(addresses)
        return tuple(replace(one, profile=profiles.get(one.base_url, "")) for one in found)

    return operation


def _secret(library: Library, profile: ModelProfile, key: str | None) -> str:
    """Return the key to try a profile with; the stored one only for the address that it was stored for.

    Raises:
        ModelKeyRefused: The profile names an environment variable that is not set.
    """
    if key is not None:
        return key
    kept = next((one for one in library.profiles.list() if one.name == profile.name), None)
    is_elsewhere = kept is not None and kept.base_url.rstrip("/") != profile.base_url.rstrip("/")
    return "" if is_elsewhere and not profile.key_env else load_key(profile)
