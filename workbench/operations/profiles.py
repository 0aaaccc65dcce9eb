"""Model profiles: list, add, remove, test the connection."""

import re

from workbench.errors import SettingError
from workbench.model.profile import OFFLINE, ModelProfile
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


def check_profile(library: Library, profile: ModelProfile, *, key: str | None = None) -> Operation[str]:
    """Ask the profile's server for a word and return a sentence on what it can do.

    Raises:
        ModelError: What is wrong, and what to do about it.
    """

    async def operation(_context: JobContext) -> str:
        from workbench.agent.providers.factory import check

        secret = key if key is not None else await library.on_store(load_key, profile)
        return await check(profile, secret)

    return operation
