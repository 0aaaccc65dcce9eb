"""A library that a server embeds: import, search, a server that fails and comes back, consent, and what it costs."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from embedding_site import Asked, EmbeddingSite, Reply, always, reply, right

from workbench import operations
from workbench.embedding.servers import server_embedder
from workbench.embedding.servers.client import Patience
from workbench.errors import EmbeddingError, SettingError
from workbench.model.document import DocumentStatus
from workbench.model.egress import NetworkFilter, NetworkUse, OfflineModeChoice, Purpose
from workbench.model.embedder import EmbedderChangeProgress
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.library import embedding_servers
from workbench.operations.library.trust import is_server_allowed
from workbench.ui.library.document_wording import BY_KEYWORD
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
AWAY = "openai:https://api.openai.com/v1#text-embedding-3-small"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Failures are final after two attempts, and consents go into a folder of the test."""
    monkeypatch.setattr("workbench.embedding.servers.client.IMPORTING", Patience(10.0, 2, 0.1, 0.01))
    monkeypatch.setattr(embedding_servers, "_RETRY_SECONDS", 0.0)
    monkeypatch.setattr(server_embedder, "_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(embedding_servers, "_FIRST_WAIT", 0.02)
    monkeypatch.setattr("workbench.operations.library.trust.config_folder", lambda: tmp_path / "config")


@pytest.fixture
def site() -> Iterator[EmbeddingSite]:
    with EmbeddingSite() as made:
        yield made


@pytest.fixture
def library(tmp_path: Path, site: EmbeddingSite, run: Run) -> Iterator[Library]:
    """An empty library that the server is to embed."""
    library = Library.open(tmp_path / "library")
    run(operations.put_setting(library, "embedder", site.server().text))
    yield library
    library.close()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(3):
        (folder / f"note-{number}.md").write_text(f"The harbour number {number} froze in {1900 + number}.\n", "utf-8")
    return folder


def _search(run: Run, library: Library, mode: SearchMode = SearchMode.HYBRID) -> Any:
    return run(operations.search(library, "harbour froze in 1901", configuration=SearchConfiguration(mode), k=3))


def _statuses(library: Library) -> set[tuple[DocumentStatus, bool]]:
    return {(one.status, one.embedded == one.chunks > 0) for one in library.documents.list()}


def test_e47_documents_are_embedded_by_the_server_and_found_by_meaning(
    library: Library, site: EmbeddingSite, run: Run, notes: Path
) -> None:
    run(operations.add_documents(library, [notes]))
    assert _statuses(library) == {(DocumentStatus.READY, True)}
    assert library.embedders.current is not None
    assert library.embedders.current.name == f"m at 127.0.0.1:{site.port}"
    found = _search(run, library, SearchMode.DENSE)
    assert found.hits[0].document_name == "note-1.md"


@pytest.mark.logs_warnings
def test_s23_files_added_while_the_server_is_down_are_found_by_keyword_and_show_the_reason(
    library: Library, site: EmbeddingSite, run: Run, notes: Path
) -> None:
    site.stop()
    files = run(operations.add_documents(library, [notes]))
    assert all(file.by_keyword for file in files)
    assert all(file.reason.endswith(BY_KEYWORD) for file in files)
    documents = library.documents.list()
    assert {one.status for one in documents} == {DocumentStatus.INDEXED}
    assert {one.reason for one in documents} == {
        f"127.0.0.1:{site.port} cannot be reached. It is found by keyword only."
    }
    found = _search(run, library)
    assert found.hits[0].document_name == "note-1.md"
    assert any("Only keywords were searched" in note for note in found.notes)


def test_embedding_resumes_when_the_server_is_back(
    library: Library, site: EmbeddingSite, run: Run, notes: Path
) -> None:
    site.stop()
    run(operations.add_documents(library, [notes]))
    site.start()
    assert run(operations.wait_for_embedding_server(library)) is True
    run(operations.resume_import(library))
    assert _statuses(library) == {(DocumentStatus.READY, True)}
    assert run(operations.wait_for_embedding_server(library)) is False


def test_a_server_that_refuses_the_key_is_not_waited_for(
    library: Library, site: EmbeddingSite, run: Run, notes: Path
) -> None:
    site.answers += [always(reply({}, 401))] * 8
    run(operations.add_documents(library, [notes]))
    assert run(operations.wait_for_embedding_server(library)) is False


@pytest.mark.logs_warnings
def test_s23_a_search_without_the_server_uses_keywords_and_shows_the_reason(
    library: Library, site: EmbeddingSite, run: Run, notes: Path, tmp_path: Path
) -> None:
    run(operations.add_documents(library, [notes]))
    library.close()
    site.stop()
    asked = len(site.requests)
    again = Library.open(tmp_path / "library")
    try:
        found = _search(run, again)
        assert found.hits[0].document_name == "note-1.md"
        assert found.notes == (
            f"Only keywords were searched, not the meaning. 127.0.0.1:{site.port} cannot be reached.",
        )
        site.start()
        assert _search(run, again).notes == ()
        assert len(site.requests) > asked
    finally:
        again.close()


def test_a_change_to_a_server_is_a_shadow_embedding_with_a_way_back(
    tmp_path: Path, embedder: Any, site: EmbeddingSite, run: Run, notes: Path, events: list[Any]
) -> None:
    library = Library.open(tmp_path / "own", embedder=embedder)
    try:
        run(operations.add_documents(library, [notes]))
        run(operations.put_setting(library, "embedder", site.server().text))
        state = run(operations.change_embedder(library))
        assert (state.current.name, state.previous.name) == (f"m at 127.0.0.1:{site.port}", "all-MiniLM-L6-v2")
        names = {event.name for event in events if isinstance(event, EmbedderChangeProgress)}
        assert names == {f"m at 127.0.0.1:{site.port}"}
        assert _search(run, library, SearchMode.DENSE).hits[0].document_name == "note-1.md"
    finally:
        library.close()


def test_the_ledger_has_every_request_with_its_passages(
    library: Library, site: EmbeddingSite, run: Run, notes: Path
) -> None:
    run(operations.add_documents(library, [notes]))
    page = run(operations.list_network_requests(library, NetworkFilter(purpose=Purpose.EMBEDDING)))
    assert len(page.requests) == len(site.requests)
    chunks = {chunk for one in page.requests for chunk in one.chunks}
    assert chunks == {int(id) for id in library.vectors.ids(library.models.embedder().id)}
    assert all(one.is_here for one in page.requests)


def test_the_ledger_names_for_each_batch_only_its_own_passages(
    tmp_path: Path, site: EmbeddingSite, run: Run, notes: Path
) -> None:
    library = Library.open(tmp_path / "small batches")
    try:
        run(operations.put_setting(library, "embedder", site.server(options="?batch=1").text))
        run(operations.add_documents(library, [notes]))
        page = run(operations.list_network_requests(library, NetworkFilter(purpose=Purpose.EMBEDDING)))
        assert sorted(len(one.chunks) for one in page.requests if one.chunks) == [1, 1, 1]
    finally:
        library.close()


def test_an_import_is_cancelled_at_once_while_the_server_is_silent(
    library: Library, site: EmbeddingSite, run: Run, notes: Path
) -> None:
    run(operations.add_documents(library, [notes / "note-0.md"]))
    held = threading.Event()

    def silent(site: EmbeddingSite, asked: Asked) -> Reply:
        held.set()
        site.answering.clear()
        return right(site, asked)

    site.answers.append(silent)

    async def cancel() -> None:
        job = asyncio.ensure_future(operations.add_documents(library, [notes])(JobContext()))
        await asyncio.to_thread(held.wait, 20)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        # The embedding thread is free again although the server has not answered.
        await asyncio.wait_for(library.on_embedding(lambda: None), 5)

    asyncio.run(cancel())


def test_nothing_is_sent_to_another_machine_before_the_user_confirms_it(tmp_path: Path, run: Run, notes: Path) -> None:
    library = Library.open(tmp_path / "away")
    try:
        run(operations.put_setting(library, "embedder", AWAY))
        run(operations.add_documents(library, [notes]))
        assert {one.reason for one in library.documents.list()} == {
            "Passages may not be sent to api.openai.com yet. It is found by keyword only."
        }
        assert library.network.page(NetworkFilter(), before=None, limit=9).requests == ()
        assert NetworkUse.EMBEDDING not in {need.use for need in run(operations.offline_mode_state(library)).needs}
    finally:
        library.close()


def test_the_embedding_plan_shows_what_would_be_sent_and_what_it_costs(
    tmp_path: Path, embedder: Any, run: Run, notes: Path
) -> None:
    library = Library.open(tmp_path / "own", embedder=embedder)
    try:
        run(operations.add_documents(library, [notes]))
        plan = run(operations.plan_embedding_server(library, AWAY))
        assert (plan.host, plan.passages, plan.leaves, plan.is_allowed) == ("api.openai.com", 3, True, False)
        assert plan.tokens > sum(
            chunk.tokens for one in library.documents.list() for chunk in library.documents.chunks(one.id)
        )
        assert plan.cost == pytest.approx(0.02 * plan.tokens / 1e6)
        assert "3 passages, about" in plan.sentences[0]
        own = run(operations.plan_embedding_server(library, AWAY, price=5.0))
        assert own.price == 5.0
        assert run(operations.plan_embedding_server(library, "BAAI/bge-m3")) is None
    finally:
        library.close()


def test_a_confirmed_server_is_an_exception_of_offline_mode_that_the_user_can_close(tmp_path: Path, run: Run) -> None:
    library = Library.open(tmp_path / "away")
    try:
        assert run(operations.allow_embedding_server(library, AWAY)) == AWAY
        run(operations.put_setting(library, "embedder", AWAY))
        (need,) = run(operations.offline_mode_state(library)).exceptions
        assert (need.use, need.host, need.port) == (NetworkUse.EMBEDDING, "api.openai.com", 443)
        run(operations.put_offline_mode(library, OfflineModeChoice.ON))
        with pytest.raises(EmbeddingError, match="Offline mode is on"):
            library.models.embedder()
    finally:
        library.close()


def test_the_consent_is_for_one_library_and_one_model(tmp_path: Path, run: Run, library: Library) -> None:
    run(operations.allow_embedding_server(library, AWAY))
    server = embedding_servers.checked_server(AWAY)
    larger = embedding_servers.checked_server(AWAY.replace("small", "large"))
    assert server is not None
    assert larger is not None
    assert is_server_allowed(library.folder, server)
    assert not is_server_allowed(library.folder, larger)
    assert not is_server_allowed(tmp_path / "other", server)


def test_a_server_is_tried_with_its_key_and_the_dimensions_and_time_are_reported(
    library: Library, site: EmbeddingSite, run: Run, ring: Any
) -> None:
    assert run(operations.put_embedding_server_key(library, site.server().text, "sk-secret-1"))
    trial = run(operations.try_embedding_server(library, site.server().text))
    assert (trial.dimensions, trial.notice) == (192, "")
    assert trial.milliseconds > 0
    assert {asked.headers["authorization"] for asked in site.requests} == {"Bearer sk-secret-1"}


def test_a_trial_of_another_machine_is_refused_without_exceptions_of_offline_mode(library: Library, run: Run) -> None:
    run(operations.put_offline_mode(library, OfflineModeChoice.ON))
    with pytest.raises(EmbeddingError, match="Offline mode is on"):
        run(operations.try_embedding_server(library, AWAY))
    with pytest.raises(SettingError, match="is not an embedding server"):
        run(operations.try_embedding_server(library, "BAAI/bge-m3"))


def test_a_model_that_hardly_understands_the_language_of_the_library_is_named(
    tmp_path: Path, embedder: Any, run: Run
) -> None:
    library = Library.open(tmp_path / "chinese", embedder=embedder)
    try:
        (tmp_path / "渡轮.md").write_text("渡轮在码头等候乘客，码头在冬天结冰。" * 3, "utf-8")
        run(operations.add_documents(library, [tmp_path / "渡轮.md"]))
        (warning, *_) = run(operations.embedder_state(library)).warnings
        assert warning.startswith("Most passages are Chinese, which this model hardly understands")
    finally:
        library.close()


def test_the_address_is_stored_as_it_is_understood(library: Library, run: Run) -> None:
    settings = run(operations.put_setting(library, "embedder", "OPENAI:http://LOCALHOST:11434#bge-m3"))
    assert settings.embedder == "openai:http://localhost:11434/v1#bge-m3"
    with pytest.raises(SettingError, match="the name of its model"):
        run(operations.put_setting(library, "embedder", "openai:http://localhost:11434"))


def test_a_key_that_is_entered_is_used_with_the_next_request(
    library: Library, site: EmbeddingSite, run: Run, ring: Any
) -> None:
    library.models.embedder().embed_query("Which pump?")
    assert "authorization" not in site.requests[-1].headers
    run(operations.put_embedding_server_key(library, site.server().text, "sk-new"))
    library.models.embedder().embed_query("Which roof?")
    assert site.requests[-1].headers["authorization"] == "Bearer sk-new"
