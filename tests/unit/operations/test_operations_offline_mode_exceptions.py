"""Exceptions of offline mode: each applies only to one configured server, and only until it is revoked."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gates import requests_of
from moles import plugin, said_by, said_by_plugin, said_by_server, tool_program
from web_site import Site, body

from workbench import operations
from workbench.agent.mcp_servers import ServerConnection, ServerEnded
from workbench.model.egress import Destination, NetworkUse, OfflineModeChoice, Purpose
from workbench.model.extensions import ToolServer
from workbench.model.profile import ModelProfile
from workbench.operations import Library
from workbench.operations.questions.tool_servers import is_allowed
from workbench.worker import confinement
from workbench.worker.job import JobContext, Operation

Run = Callable[[Operation[Any]], Any]

shuts_in = pytest.mark.skipif(not confinement.is_filtered(), reason="this system takes the network from no program")


@pytest.fixture(autouse=True)
def _of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def site() -> Iterator[Site]:
    """Yield a server on this machine, reachable by a program with network access."""
    with Site({"/": body("<p>reached")}) as site:
        yield site


@pytest.fixture
def mole(library: Library, site: Site, run: Run, tmp_path: Path) -> ToolServer:
    """Allow a tool server whose only tool tries to connect."""
    server = ToolServer("mole", (sys.executable, str(tool_program(tmp_path, site.port))))
    run(operations.put_tool_server(library, server, allow=True))
    return server


def test_an_allowed_program_runs_outside_offline_mode_and_the_ledger_records_it(
    library: Library, mole: ToolServer
) -> None:
    assert operations.offline_mode(library).is_on
    assert said_by_server(mole, library.gate) == "reached"
    (request,) = requests_of(library)
    assert (request.is_here, request.sent) == (False, None)
    assert request.note == ("It runs outside offline mode: its own requests can neither be seen nor blocked.")


def test_no_other_program_has_the_network_for_that(library: Library, mole: ToolServer) -> None:
    with_argument = ToolServer("mole", (*mole.command, "--more"))
    with_variable = ToolServer("mole", mole.command, variables=("TOKEN",))
    state = operations.offline_mode(library)
    asked = [Destination(Purpose.TOOL_SERVER, program=one.sha256) for one in (mole, with_argument, with_variable)]
    assert [state.allows(one) for one in asked] == [True, False, False]
    assert not state.allows(Destination(Purpose.TOOL_SERVER))


@shuts_in
@pytest.mark.usefixtures("mole")
def test_no_plugin_has_the_network_for_that(library: Library, site: Site, run: Run) -> None:
    plugin(library, site.port)
    assert said_by_plugin(library, run) == ["PermissionError"]


@shuts_in
def test_without_exceptions_a_program_that_is_allowed_has_no_network(
    library: Library, mole: ToolServer, run: Run
) -> None:
    run(operations.put_offline_mode(library, OfflineModeChoice.ON))
    assert said_by_server(mole, library.gate) == "PermissionError"


@pytest.mark.parametrize("take_back", [operations.forbid_tool_server, operations.remove_tool_server])
def test_a_consent_that_is_taken_back_ends_the_program_at_once_and_it_is_asked_no_more(
    library: Library, mole: ToolServer, take_back: Callable[[Library, str], Operation[Any]]
) -> None:
    async def main() -> None:
        connection = ServerConnection(mole, gate=library.gate, may_be_asked=partial(is_allowed, library, mole))
        assert await said_by(connection) == "reached"
        holder = connection._holder
        assert holder is not None
        await take_back(library, "mole")(JobContext())
        await asyncio.wait_for(holder, 10)
        with pytest.raises(ServerEnded, match="no longer allowed"):
            await said_by(connection)

    asyncio.run(main())
    assert operations.offline_mode(library).is_shut


def test_switching_offline_mode_on_without_exceptions_ends_the_program(library: Library, mole: ToolServer) -> None:
    async def main() -> None:
        connection = ServerConnection(mole, gate=library.gate, may_be_asked=partial(is_allowed, library, mole))
        assert await said_by(connection) == "reached"
        holder = connection._holder
        assert holder is not None
        await operations.put_offline_mode(library, OfflineModeChoice.ON)(JobContext())
        await asyncio.wait_for(holder, 10)

    asyncio.run(main())


def test_a_plugin_that_had_the_network_is_ended_when_offline_mode_is_switched_on(
    library: Library, site: Site, run: Run
) -> None:
    plugin(library, site.port)
    run(operations.put_offline_mode(library, OfflineModeChoice.OFF))
    run(operations.allow_plugin(library, "mole.py"))
    (file,) = library.retrievers.plugin_files()
    pool = file._pool
    assert pool is not None
    run(operations.put_offline_mode(library, OfflineModeChoice.AUTO))
    assert pool.is_closed
    library.retrievers.close()
    assert "no longer allowed to use the network" in requests_of(library)[0].note


@pytest.mark.parametrize(
    ("host", "port", "allowed"),
    [
        ("models.example", 8443, {Purpose.ANSWER, Purpose.CONNECTION_TEST}),
        ("Models.Example.", 8443, {Purpose.ANSWER, Purpose.CONNECTION_TEST}),
        ("models.example", 443, set()),
        ("www.models.example", 8443, set()),
        ("", 0, set()),
    ],
)
def test_a_model_is_an_exception_at_its_host_and_port_for_what_is_asked_of_models(
    library: Library, host: str, port: int, allowed: set[Purpose]
) -> None:
    library.profiles.put(ModelProfile("far", "https://models.example:8443/v1", "m"))
    state = operations.offline_mode(library)
    assert {purpose for purpose in Purpose if state.allows(Destination(purpose, host, port))} == allowed


def test_a_removed_configuration_is_no_longer_an_offline_mode_exception(library: Library) -> None:
    library.profiles.put(ModelProfile("far", "https://models.example/v1", "m"))
    asked = Destination(Purpose.ANSWER, "models.example", 443)
    assert operations.offline_mode(library).allows(asked)
    library.profiles.remove("far")
    assert not operations.offline_mode(library).allows(asked)


def test_an_international_name_is_one_host_however_it_is_spelt(library: Library) -> None:
    library.profiles.put(ModelProfile("far", "https://bücher.example/v1", "m"))
    assert operations.offline_mode(library).allows(Destination(Purpose.ANSWER, "xn--bcher-kva.example", 443))


def test_tools_of_the_network_may_look_things_up_and_nothing_else_may(library: Library) -> None:
    library.setting_values.put("network_tools", "yes")
    state = operations.offline_mode(library)
    assert [one.use for one in state.exceptions] == [NetworkUse.TOOLS]
    let_through = {purpose for purpose in Purpose if state.allows(Destination(purpose, "example.org", 443))}
    assert let_through == {Purpose.WEB_TOOL, Purpose.WEATHER}
