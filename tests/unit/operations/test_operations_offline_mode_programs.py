"""Programs that are started in offline mode: they have no network by any means, and the ledger names them."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gates import requests_of, shut_in
from moles import REACHING, plugin, said_by_plugin, said_by_server, tool_program
from web_site import Site, body

from workbench.fetching.base import FetchLimits
from workbench.fetching.chromium import render
from workbench.model.egress import NetworkOutcome, Purpose
from workbench.model.extensions import ToolServer
from workbench.operations import Library
from workbench.worker import confinement

pytestmark = pytest.mark.skipif(not confinement.is_filtered(), reason="this system takes the network from no program")

BROWSER = "#!{python}\n" + REACHING + "print('<p>' + reached())\n"


@pytest.fixture
def site() -> Iterator[Site]:
    """Yield a server on this machine that counts as outside."""
    with Site({"/": body("<p>reached")}) as site:
        yield site


@pytest.fixture(autouse=True)
def _of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def started(library: Library, purpose: Purpose) -> None:
    """Check that the ledger contains the start of a program without network."""
    (request,) = requests_of(library)
    assert (request.purpose, request.outcome, request.is_here) == (purpose, NetworkOutcome.DONE, True)
    assert (request.is_program, request.sent, request.note) == (True, None, "It has no network.")


def test_a_tool_server_cannot_reach_the_network_in_offline_mode(library: Library, site: Site, tmp_path: Path) -> None:
    shut_in(library)
    server = ToolServer("mole", (sys.executable, str(tool_program(tmp_path, site.port))))
    assert said_by_server(server, library.gate) == "PermissionError"
    assert site.requests == []
    started(library, Purpose.TOOL_SERVER)


def test_a_plugin_cannot_reach_the_network_in_offline_mode(
    library: Library, site: Site, run: Callable[[Any], Any]
) -> None:
    shut_in(library)
    plugin(library, site.port)
    assert said_by_plugin(library, run) == ["PermissionError"]
    started(library, Purpose.PLUGIN)


def test_a_browser_reaches_nothing_but_our_gateway(library: Library, site: Site, tmp_path: Path) -> None:
    if confinement.without_network(["x"], port=1) is None:
        pytest.skip("this system lets a program keep no single port")
    shut_in(library)
    browser = tmp_path / "chromium"
    browser.write_text(BROWSER.format(python=sys.executable, port=site.port), "utf-8")
    browser.chmod(0o755)
    page = tmp_path / "page.html"
    asyncio.run(render(site.url("/"), page, str(browser), FetchLimits(allow_private=True), gate=library.gate))
    assert page.read_text("utf-8").strip() == "<p>PermissionError"
    started(library, Purpose.BROWSER)
