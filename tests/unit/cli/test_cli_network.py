"""The command network: offline mode, and the ledger."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gates import nowhere_is_here
from web_site import Site, body, page

from workbench.egress.gate import EgressGate
from workbench.operations.library.trust import offline_mode_in
from workbench.store.database import Database
from workbench.store.egress_ledger import EgressLedger

Typed = Callable[..., tuple[int, list[Any], str]]


@pytest.mark.usefixtures("empty_library")
def test_offline_mode_is_shown_and_switched(typed: Typed) -> None:
    status, (gap,), _said = typed("network")
    assert (status, gap["offline_mode"], gap["choice"]) == (0, True, "auto")
    assert typed("network", "open")[1][0]["offline_mode"] is False
    assert typed("network", "close")[1][0] == {
        "offline_mode": True,
        "choice": "on",
        "at_home": True,
        "needs": [],
        "exceptions": [],
    }
    # The key that earlier versions used for the setting still works in scripts.
    assert [one["key"] for one in typed("settings", "air_gap", "off")[1]] == ["offline_mode"]
    assert typed("network")[1][0]["choice"] == "off"


def test_refused_requests_are_listed_exported_and_cleared(typed: Typed, tmp_path: Path) -> None:
    status, (page,), _said = typed("add", "https://pages.example/a?key=1")
    assert status == 1
    assert "Offline mode is on: “pages.example” was not asked." in page["reason"]
    (listed,) = typed("network", "list", "--refused")[1]
    assert (listed["host"], listed["address"], listed["outcome"]) == (
        "pages.example",
        "https://pages.example/a",
        "refused",
    )
    assert typed("network", "list", "--outside")[1] == []
    assert typed("network", "list", "--purpose", "answer")[1] == []
    gap, host = typed("network", "state")[1]
    assert (gap["offline_mode"], host["host"], host["refused"]) == (True, "pages.example", 1)
    assert typed("network", "export", str(tmp_path / "a.jsonl"))[1][0]["requests"] == 1
    assert json.loads((tmp_path / "a.jsonl").read_text("utf-8"))["host"] == "pages.example"
    assert typed("network", "clear")[1] == [{"cleared": 1}]
    assert typed("network", "list")[1] == []


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Yield a site on loopback that counts as outside."""

    def gate_of(database: Database, ledger: EgressLedger) -> EgressGate:
        return EgressGate(ledger, partial(offline_mode_in, database), here=nowhere_is_here)

    monkeypatch.setattr("workbench.operations.library.library.gate_of", gate_of)
    with Site({"/ice": body(page("Ice", "The harbour of Lindhamn froze in 1987, and nobody was harmed."))}) as made:
        yield made


def test_a_page_is_added_once_its_host_is_allowed_by_the_option_that_the_refusal_names(
    typed: Typed, site: Site
) -> None:
    typed("settings", "allow_private_addresses", "yes")
    host = f"127.0.0.1:{site.port}"
    status, (page,), said = typed("add", site.url("/ice"))
    assert (status, page["closed_hosts"]) == (1, [host])
    assert f"To allow this once, add: --allow-host {host}" in said
    status, (page,), _said = typed("add", site.url("/ice"), "--allow-host", host)
    assert (status, page["status"]) == (0, "ready")
    assert typed("network", "list")[1][0]["note"] == "You allowed this host once."
    status, (page,), said = typed("refetch")
    assert (status, page["closed_hosts"]) == (1, [host])
    assert f"--allow-host {host}" in said
    assert typed("refetch", "--allow-host", host)[1][0]["status"] == "unchanged"


def test_a_refused_model_download_shows_the_host_it_would_come_from(typed: Typed, site: Site) -> None:
    typed("settings", "model_hub", site.url(""))
    typed("note", "Milk and bread")
    status, (record,), _said = typed("embedder", "change", "org/tiny")
    assert (status, record["hint"]) == (1, f"To allow this once, add: --allow-host 127.0.0.1:{site.port}")
    assert site.paths == []
    status, (record,), _said = typed("embedder", "change", "org/tiny", "--allow-host", f"127.0.0.1:{site.port}")
    assert "no such model" in record["error"]
    assert len(site.paths) == 1


def test_setting_up_a_network_feature_reports_the_exception_to_offline_mode(typed: Typed) -> None:
    model = ("--base-url", "https://models.example/v1", "--model", "m")
    said = typed("profiles", "add", "far", *model)[2]
    assert "Offline mode is on, with one exception: the model profile “far”." in said
    assert "Offline mode" not in typed("profiles", "list")[2]
    assert typed("network")[1][0]["exceptions"] == [
        {"use": "profile", "name": "far", "host": "models.example", "port": 443}
    ]
    assert "Offline mode is on: nothing leaves this computer" in typed("profiles", "remove", "far")[2]
