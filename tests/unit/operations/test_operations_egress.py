"""Network as shown to the user: state of offline mode and its reason; the ledger listed, exported, cleared."""

import asyncio
import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gates import requests_of

from workbench import operations
from workbench.egress.gate import PendingRequest, carrying
from workbench.errors import ExportError, NetworkClosed, NotFound
from workbench.model.egress import NetworkFilter, NetworkOutcome, NetworkUse, OfflineModeChoice, Purpose
from workbench.model.extensions import ToolServer
from workbench.model.profile import ModelProfile
from workbench.operations import Library
from workbench.operations.questions.tool_servers import put_tool_server
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
ASKED = PendingRequest(Purpose.ANSWER, "models.example", 443, "https://models.example/v1/responses")


@pytest.fixture(autouse=True)
def _consents_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def needs(library: Library) -> list[NetworkUse]:
    """Return the exceptions of offline mode, after checking that it is on."""
    gap = operations.offline_mode(library)
    assert gap.is_on
    assert gap.exceptions == gap.needs
    return [need.use for need in gap.exceptions]


def test_of_a_new_library_offline_mode_is_on(library: Library) -> None:
    gap = operations.offline_mode(library)
    assert (gap.is_on, gap.choice, gap.needs) == (True, OfflineModeChoice.AUTO, ())
    assert gap.sentence.startswith("Offline mode is on: nothing leaves this computer")


@pytest.mark.parametrize(
    ("settings", "use"),
    [
        ({"web_search_url": "https://search.example"}, NetworkUse.WEB_SEARCH),
        ({"reranking": "server", "rerank_url": "https://rerank.example/v1"}, NetworkUse.RERANKING),
        ({"network_tools": "yes"}, NetworkUse.TOOLS),
    ],
)
def test_by_itself_it_makes_an_exception_of_what_needs_the_network(
    library: Library, settings: dict[str, str], use: NetworkUse
) -> None:
    for key, value in settings.items():
        library.setting_values.put(key, value)
    assert needs(library) == [use]


@pytest.mark.parametrize(
    "settings",
    [
        {"web_search_url": "http://localhost:8888"},
        {"reranking": "server", "rerank_url": "http://127.0.0.1:8080"},
        {"reranking": "letters", "rerank_url": "https://rerank.example/v1"},
    ],
)
def test_services_on_this_machine_or_not_in_use_are_not_offline_mode_exceptions(
    library: Library, settings: dict[str, str]
) -> None:
    for key, value in settings.items():
        library.setting_values.put(key, value)
    assert needs(library) == []


def test_a_profile_on_another_machine_is_an_offline_mode_exception_and_is_named(library: Library, run: Run) -> None:
    run(operations.put_profile(library, ModelProfile("near", "http://localhost:11434/v1", "llama")))
    assert needs(library) == []
    run(operations.put_profile(library, ModelProfile("far", "https://models.example/v1", "gpt")))
    (need,) = operations.offline_mode(library).needs
    assert (need.name, need.host, need.port) == ("far", "models.example", 443)
    assert (
        operations.offline_mode(library).sentence == "Offline mode is on, with one exception: the model profile “far”."
    )


def test_a_tool_server_counts_only_once_the_user_allows_it(library: Library, run: Run) -> None:
    server = ToolServer("files", ("serve", "files"))
    run(put_tool_server(library, server))
    assert needs(library) == []
    run(put_tool_server(library, server, allow=True))
    assert needs(library) == [NetworkUse.TOOL_SERVER]


def test_offline_mode_choice_of_the_user_applies_regardless_of_the_configured_profiles(
    library: Library, run: Run
) -> None:
    run(operations.put_profile(library, ModelProfile("far", "https://models.example/v1", "gpt")))
    assert run(operations.put_offline_mode(library, OfflineModeChoice.ON)).is_on
    with pytest.raises(NetworkClosed):
        library.gate.enter(ASKED)
    assert not run(operations.put_offline_mode(library, OfflineModeChoice.OFF)).is_on
    library.profiles.remove("far")
    assert not run(operations.offline_mode_state(library)).is_on


def test_the_ledger_lists_what_was_asked_with_its_totals(library: Library, run: Run) -> None:
    run(operations.put_offline_mode(library, OfflineModeChoice.OFF))
    passage = library.gate.enter(ASKED)
    passage.sent = 40
    passage.done()
    page = run(operations.list_network_requests(library))
    assert [(one.host, one.outcome, one.sent) for one in page.requests] == [("models.example", NetworkOutcome.DONE, 40)]
    assert (page.totals.outside, page.totals.sent) == (1, 40)
    assert [one.host for one in run(operations.network_hosts(library))] == ["models.example"]


def test_the_ledger_survives_the_program_and_an_end_that_never_came(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "kept")
    library.setting_values.put("offline_mode", "off")
    library.gate.enter(ASKED)
    library.close()
    again = Library.open(tmp_path / "kept")
    (request,) = requests_of(again)
    assert (request.outcome, request.note) == (NetworkOutcome.FAILED, "The program ended before the request did.")
    again.close()


def test_a_watcher_of_the_network_is_notified_of_each_request(library: Library) -> None:
    async def watched() -> list[NetworkOutcome]:
        told: list[Any] = []
        watching = asyncio.create_task(operations.watch_network(library)(JobContext(told.append)))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        with pytest.raises(NetworkClosed):
            await library.gate.enter_soon(ASKED)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        with pytest.raises(NetworkClosed):
            await library.gate.enter_soon(ASKED)
        return [one.outcome for one in told]

    assert asyncio.run(watched()) == [NetworkOutcome.REFUSED]


def test_chunks_sent_with_a_request_are_shown_and_missing_chunks_are_listed_by_id(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_documents(library, [papers / "harbour.md"]))
    (document,) = library.documents.list()
    chunk = library.documents.chunks(document.id)[0]
    run(operations.put_offline_mode(library, OfflineModeChoice.OFF))
    with carrying(chunks=(chunk.id, 999_999)):
        library.gate.enter(ASKED).done()
    (request,) = requests_of(library)
    there, gone = run(operations.chunks_sent(library, request.id))
    assert (there.name, there.text, there.is_there) == ("harbour.md", chunk.text, True)
    assert (gone.chunk, gone.text, gone.is_there) == (999_999, "", False)
    with pytest.raises(NotFound):
        run(operations.chunks_sent(library, 77))


def test_the_ledger_is_exported_as_lines_of_json_and_as_a_table(library: Library, run: Run, tmp_path: Path) -> None:
    run(operations.put_offline_mode(library, OfflineModeChoice.OFF))
    for asked in (ASKED, replace(ASKED, host="=cmd.example", address="=1+1")):
        library.gate.enter(asked).done()
    assert run(operations.export_network_requests(library, tmp_path / "a.jsonl")) == 2
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    assert [line["host"] for line in lines] == ["models.example", "=cmd.example"]
    assert run(operations.export_network_requests(library, tmp_path / "a.csv")) == 2
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text("utf-8-sig").splitlines()))
    assert rows[1]["address"].startswith("'=")
    wanted = NetworkFilter(host="models.example")
    assert run(operations.export_network_requests(library, tmp_path / "b", format="csv", wanted=wanted)) == 1
    with pytest.raises(ExportError, match="docx"):
        run(operations.export_network_requests(library, tmp_path / "a.docx"))


def test_clearing_forgets_every_request(library: Library, run: Run) -> None:
    with pytest.raises(NetworkClosed):
        library.gate.enter(ASKED)
    assert run(operations.clear_network_requests(library)) == 1
    assert run(operations.list_network_requests(library)).requests == ()
