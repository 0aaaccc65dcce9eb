"""Model profiles: list, add, remove, test, find servers of this machine; and the provider of a profile."""

import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.agent.base import ModelProvider
from workbench.errors import ModelError, SettingError
from workbench.language import mark
from workbench.model.message import ModelEvent, ModelRequest
from workbench.model.profile import (
    LOCAL_SERVERS,
    OFFLINE,
    ConnectionReport,
    FoundServer,
    KeyNotStored,
    ModelProfile,
    WireApi,
)
from workbench.operations.library.credentials import key_entry, load_key, require_variable, store_secret
from workbench.operations.library.library import Library
from workbench.operations.library.models import turn_of
from workbench.worker.job import JobContext, Operation

if TYPE_CHECKING:
    from workbench.retrieval.answer_sentences import SentenceRanker

_SENTENCE_SIMILARITY = "workbench.retrieval.sentence_similarity"
"""The last module that a sentence ranker imports; it imports faiss."""


def list_profiles(library: Library) -> Operation[list[ModelProfile]]:
    """Return the profiles, the offline one first."""

    async def operation(_context: JobContext) -> list[ModelProfile]:
        return await library.on_store(library.profiles.list)

    return operation


def put_profile(library: Library, profile: ModelProfile, *, key: str | None = None) -> Operation[list[ModelProfile]]:
    """Add or replace a profile and return all of them; a key of None keeps the stored key.

    A key is stored for the profile's server: with another address it must be entered again. Emits KeyNotStored if the
    system has no keyring.

    Raises:
        SettingError: The name is that of the built-in profile, or the name, model or address is invalid.
    """

    async def operation(context: JobContext) -> list[ModelProfile]:
        # This imports openai, which takes 0.4 s: only when a model is used.
        from workbench.agent.providers.base_url import normalise

        if not profile.name.strip() or profile.name == OFFLINE.name:
            raise SettingError(f"A profile cannot be named “{profile.name}”.", "Give it another name.")
        if not profile.model.strip():
            raise SettingError("A profile needs the name of a model.", "For example “llama3.2” or “gpt-5.4-mini”.")
        normalise(profile.base_url)
        require_variable(profile.key_env)
        if key is not None and not await library.on_store(store_secret, key_entry(profile), key):
            context.emit(KeyNotStored(profile.name))
        await library.on_store(library.profiles.put, profile)
        return await library.on_store(library.profiles.list)

    return operation


def remove_profile(library: Library, name: str) -> Operation[list[ModelProfile]]:
    """Remove a profile and its key and return the remaining ones.

    Raises:
        NotFound: There is no profile of that name.
    """

    async def operation(_context: JobContext) -> list[ModelProfile]:
        profile = await library.on_store(library.profiles.get, name)
        await library.on_store(store_secret, key_entry(profile), "")
        await library.on_store(library.profiles.remove, name)
        return await library.on_store(library.profiles.list)

    return operation


def examine_profile(library: Library, profile: ModelProfile, *, key: str | None = None) -> Operation[ConnectionReport]:
    """Test the abilities of a profile's server and model; emits each ModelAbility, and returns all in the report.

    Args:
        library: The open library.
        profile: The profile, stored or not; without a model only its server is tested.
        key: The key to test; None takes the stored one.

    Raises:
        SettingError: The address is invalid.
        ModelKeyRefused: The key is invalid or not available.
    """

    async def operation(context: JobContext) -> ConnectionReport:
        from workbench.agent.providers.provider_factory import examine

        return await examine(profile, await library.on_store(_secret, profile, key), context.emit, gate=library.gate)

    return operation


def list_server_models(
    library: Library, profile: ModelProfile, *, key: str | None = None
) -> Operation[tuple[str, ...]]:
    """Return the models that a profile's server lists, by name; key as in examine_profile.

    Raises:
        ModelError: The server cannot be reached, refuses the key, or has no list.
        SettingError: The address is invalid.
    """

    async def operation(_context: JobContext) -> tuple[str, ...]:
        from workbench.agent.providers.model_server import list_models

        secret = await library.on_store(_secret, profile, key)
        return await list_models(profile.base_url, secret, gate=library.gate)

    return operation


def find_model_servers(
    library: Library, addresses: Sequence[str] = tuple(LOCAL_SERVERS.values())
) -> Operation[tuple[FoundServer, ...]]:
    """Return the model servers that respond at these addresses of this machine; no key is sent to them.

    Raises:
        SettingError: One of the addresses is invalid, or belongs to another machine.
    """

    async def operation(_context: JobContext) -> tuple[FoundServer, ...]:
        from workbench.agent.providers.base_url import is_loopback, normalise
        from workbench.agent.providers.model_server import find_servers

        elsewhere = [address for address in addresses if not is_loopback(normalise(address))]
        if elsewhere:
            raise SettingError(f"{elsewhere[0]} is not on this computer.", "Enter other servers by their address.")
        profiles = {one.base_url.rstrip("/"): one.name for one in await library.on_store(library.profiles.list)}
        found = await find_servers(addresses, gate=library.gate)
        return tuple(replace(one, profile=profiles.get(one.base_url, "")) for one in found)

    return operation


def _secret(profile: ModelProfile, key: str | None) -> str:
    """Return the key for the test of a profile: the given one, else the one stored for its server.

    Raises:
        ModelKeyRefused: The profile names an environment variable that is not set.
    """
    return load_key(profile) if key is None else key


async def provider_of(library: Library, profile: ModelProfile) -> ModelProvider:
    """Return the provider of a profile; close it after the run. Configuration errors are raised at the first call."""
    # openai takes 0.4 s to import, and the sentence ranker loads the embedder: only when a question is asked.
    from workbench.agent.providers.provider_factory import provider_for

    def build() -> ModelProvider:
        ranker = sentence_ranker(library)

        def remember(api: WireApi) -> None:
            library.store_soon(library.profiles.remember_api, profile.name, api)

        try:
            key = load_key(profile) if not profile.is_offline else ""
            return provider_for(profile, key=key, remember_api=remember, ranker=ranker, gate=library.gate)
        except (ModelError, SettingError) as error:
            return _FailingProvider(profile, error)

    # Without a thread, whose start and end take 1 % of an offline answer, if nothing is left to load or to import.
    is_loaded = library.models.embedder_if_loaded is not None and _SENTENCE_SIMILARITY in sys.modules
    if profile.is_offline and is_loaded:
        return build()
    return await library.on_search(build)


def sentence_ranker(library: Library) -> "SentenceRanker":
    """Return the ranker of sentences; blocks until the embedder is loaded."""
    # It loads the embedder: only when a question is asked.
    from workbench.retrieval.answer_sentences import SentenceRanker

    models = library.models
    embedder, similarity = models.embedder_or_none(), models.sentence_similarity()
    return SentenceRanker(embedder, library.keywords, library.names, similarity, turn_of(models, embedder))


class _FailingProvider:
    """Provider for a model that cannot be used: it fails when called, so that the run is stored with the reason."""

    def __init__(self, profile: ModelProfile, error: ModelError | SettingError) -> None:
        self.mode = mark(f"Model: {profile.model}; it could not be asked.")
        self.counts = None
        self._error = error

    def stream(self, _request: ModelRequest) -> AsyncIterator[ModelEvent]:
        raise self._error

    async def close(self) -> None:
        pass
