"""Model profiles: connection tests, destinations of keys, and servers on this machine."""

import asyncio
from typing import Any

import pytest
from model_servers import RawServer, Reply, chat_answer, status

from workbench import operations
from workbench.errors import SettingError
from workbench.model.profile import Ability, ModelAbility, ModelProfile, WireApi
from workbench.operations import Library
from workbench.worker.job import JobContext

MODELS = status(200, {"data": [{"id": "small"}]})


async def examined(library: Library, profile: ModelProfile) -> list[Ability]:
    told: list[Any] = []
    await operations.examine_profile(library, profile)(JobContext(told.append))
    return [one.ability for one in told if isinstance(one, ModelAbility)]


def keys(server: RawServer) -> set[str]:
    return {request.headers.get("authorization", "") for request in server.requests}


def test_each_ability_of_a_model_is_reported_as_soon_as_it_is_found(library: Library) -> None:
    async def scenario(*replies: Reply) -> None:
        async with RawServer(*replies) as server:
            abilities = await examined(library, ModelProfile("p", server.base_url, "small", WireApi.CHAT))
            assert abilities == list(Ability)

    asyncio.run(scenario(MODELS, chat_answer("one ", "two"), chat_answer("no"), status(404, "no")))


def test_a_stored_key_is_sent_to_the_address_that_it_was_stored_for_and_to_no_other(
    library: Library, ring: Any
) -> None:
    async def scenario() -> None:
        async with RawServer(MODELS) as own, RawServer(MODELS) as other:
            kept = ModelProfile("p", own.base_url, "small")
            await operations.put_profile(library, kept, key="secret")(JobContext())
            assert await operations.list_server_models(library, kept)(JobContext()) == ("small",)
            await operations.list_server_models(library, ModelProfile("p", other.base_url))(JobContext())
            await operations.list_server_models(library, ModelProfile("p", other.base_url), key="typed")(JobContext())
            assert keys(own) == {"Bearer secret"}
            assert keys(other) == {"", "Bearer typed"}

    asyncio.run(scenario())


def test_servers_of_this_machine_are_found_with_the_profile_that_they_have(library: Library) -> None:
    async def scenario() -> None:
        async with RawServer(MODELS) as server:
            await operations.put_profile(library, ModelProfile("mine", server.base_url, "small"))(JobContext())
            (found,) = await operations.find_model_servers(library, [server.base_url])(JobContext())
            assert (found.profile, found.models) == ("mine", ("small",))

    asyncio.run(scenario())


def test_only_this_machine_is_looked_at(library: Library) -> None:
    with pytest.raises(SettingError, match="not on this computer"):
        asyncio.run(_found(library, "http://192.168.1.5:11434/v1"))


async def _found(library: Library, address: str) -> None:
    await operations.find_model_servers(library, [address])(JobContext())
