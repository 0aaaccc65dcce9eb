"""The reranker of the settings: effective at once, with the key of its own server, and tested."""

import asyncio
import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_servers import RawRequest, RawServer, status

from workbench import operations
from workbench.errors import RerankingError, SettingError
from workbench.model.reranker import RERANKERS
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.questions.reranking import COHERE_MODEL, RerankerResources, _server_of, reranker_of
from workbench.settings import Settings
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
SILENT = JobContext(lambda _event: None)


@pytest.fixture
def roofs(library: Library, run: Run, tmp_path: Path) -> Library:
    for name, text in {"a": "The copper roof.", "b": "A copper pump stands below the roof.", "c": "Slate."}.items():
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    run(operations.add_documents(library, [tmp_path / f"{name}.txt" for name in "abc"]))
    return library


async def by_length(request: RawRequest, writer: asyncio.StreamWriter) -> None:
    """Score the longest passage best."""
    results = [{"index": n, "relevance_score": len(text)} for n, text in enumerate(request.json["documents"])]
    await status(200, {"results": results})(request, writer)


def test_the_built_in_reranker_is_on_and_none_turns_it_off(roofs: Library, run: Run) -> None:
    assert run(operations.search(roofs, "copper roof")).hits[0].scores.rerank_rank == 1
    run(operations.put_setting(roofs, "reranking", "none"))
    assert run(operations.search(roofs, "copper roof")).hits[0].scores.rerank is None


def test_one_search_can_go_without(roofs: Library, run: Run) -> None:
    plain = SearchConfiguration(reranking="none")
    assert run(operations.search(roofs, "copper roof", configuration=plain)).hits[0].scores.rerank is None


def test_a_single_search_can_use_another_reranker_than_the_one_in_the_settings(roofs: Library, run: Run) -> None:
    letters = SearchConfiguration(reranking="letters")
    built_in = run(operations.search(roofs, "copper roof")).hits[0].scores.rerank
    by_letters = run(operations.search(roofs, "copper roof", configuration=letters)).hits[0].scores.rerank
    assert None not in (built_in, by_letters)
    assert built_in != by_letters
    assert run(operations.search(roofs, "copper roof")).hits[0].scores.rerank == built_in


def test_a_reranker_that_there_is_not_is_named_with_those_there_are(roofs: Library, run: Run) -> None:
    with pytest.raises(SettingError, match="cannot be 'magic'") as caught:
        run(operations.search(roofs, "copper roof", configuration=SearchConfiguration(reranking="magic")))
    assert "letters" in caught.value.hint


@pytest.mark.parametrize("typed", ["http://127.0.0.1:{}", "127.0.0.1:{}/v1", "http://127.0.0.1:{}/v1/rerank/"])
def test_e31_a_server_is_asked_with_the_key_that_was_kept_for_it(roofs: Library, ring: Any, typed: str) -> None:
    async def scenario() -> tuple[Any, list[RawRequest]]:
        async with RawServer(by_length) as server:
            await operations.put_setting(roofs, "rerank_url", typed.format(server.port))(SILENT)
            await operations.put_rerank_key(roofs, "secret")(SILENT)
            await operations.put_setting(roofs, "reranking", "server")(SILENT)
            return await operations.search(roofs, "copper roof")(SILENT), server.requests

    result, (request,) = asyncio.run(scenario())
    assert result.hits[0].chunk.text == "A copper pump stands below the roof."
    assert request.path == "/v1/rerank"
    assert request.headers["authorization"] == "Bearer secret"


def test_another_server_is_never_sent_the_key_of_the_first(roofs: Library, run: Run, ring: Any) -> None:
    run(operations.put_setting(roofs, "rerank_url", "https://api.example.com"))
    run(operations.put_rerank_key(roofs, "secret"))

    async def scenario() -> list[RawRequest]:
        async with RawServer(by_length) as server:
            await operations.put_setting(roofs, "rerank_url", server.base_url)(SILENT)
            await operations.put_setting(roofs, "reranking", "server")(SILENT)
            await operations.search(roofs, "copper roof")(SILENT)
            return server.requests

    (request,) = asyncio.run(scenario())
    assert "authorization" not in request.headers


def test_c18_coheres_own_service_has_a_default_model_and_others_have_none() -> None:
    usual = Settings(rerank_format="cohere", rerank_key_env="")
    named = {
        url: _server_of(dataclasses.replace(usual, rerank_url=url)).model
        for url in ("https://api.cohere.com", "https://api.cohere.com.example.org", "http://127.0.0.1:8080")
    }
    assert list(named.values()) == [COHERE_MODEL, "", ""] == ["rerank-multilingual-v3.0", "", ""]
    own = dataclasses.replace(usual, rerank_url="https://api.cohere.com", rerank_name="rerank-v3.5")
    assert _server_of(own).model == "rerank-v3.5"


@pytest.mark.logs_warnings
@pytest.mark.parametrize(
    ("key", "value"), [("rerank_url", ""), ("rerank_url", "ftp://x"), ("rerank_key_env", "NONE_SET")]
)
def test_b19_a_misconfigured_reranking_server_keeps_the_search_order_and_reports_why(
    roofs: Library, run: Run, key: str, value: str
) -> None:
    run(operations.put_setting(roofs, "rerank_url", "http://127.0.0.1:9"))
    run(operations.put_setting(roofs, key, value))
    run(operations.put_setting(roofs, "reranking", "server"))
    result = run(operations.search(roofs, "copper roof"))
    assert len(result.hits) == 3
    assert [bool(re.match(r"The passages keep the order of the search", note)) for note in result.notes] == [True]


def test_a_trial_of_the_reranker_reports_that_it_works(roofs: Library, run: Run) -> None:
    assert re.fullmatch(
        r"In the test, it ranked the right one of three sentences first, in \d+ ms\.",
        run(operations.check_reranker(roofs)),
    )
    run(operations.put_setting(roofs, "reranking", "none"))
    assert "Nothing is reranked" in run(operations.check_reranker(roofs))


def test_a_trial_of_the_reranker_that_fails_reports_the_reason(roofs: Library, run: Run) -> None:
    run(operations.put_setting(roofs, "rerank_url", "http://127.0.0.1:9"))
    run(operations.put_setting(roofs, "reranking", "server"))
    with pytest.raises(RerankingError, match="cannot be reached"):
        run(operations.check_reranker(roofs))


def test_a_trial_notices_a_reranker_that_knows_nothing(roofs: Library) -> None:
    async def scenario() -> None:
        async with RawServer(by_length) as server:
            await operations.put_setting(roofs, "rerank_url", server.base_url)(SILENT)
            await operations.put_setting(roofs, "reranking", "server")(SILENT)
            await operations.check_reranker(roofs)(SILENT)

    with pytest.raises(RerankingError, match="an unrelated sentence"):
        asyncio.run(scenario())


def test_a_key_for_no_server_is_refused(roofs: Library, run: Run, ring: Any) -> None:
    with pytest.raises(SettingError, match="address is empty"):
        run(operations.put_rerank_key(roofs, "secret"))


@pytest.mark.parametrize("kind", RERANKERS)
def test_every_kind_of_reranker_that_is_offered_can_be_built(roofs: Library, kind: str) -> None:
    resources = RerankerResources(roofs.models.embedder_or_none(), roofs.keywords)
    built = reranker_of(dataclasses.replace(Settings(), reranking=kind, rerank_model="any"), resources)
    assert (built is None) is (kind == "none")


def test_without_an_embedder_the_built_in_one_is_left_out(roofs: Library) -> None:
    resources = RerankerResources(None, roofs.keywords)
    assert reranker_of(Settings(), resources) is None
    assert reranker_of(dataclasses.replace(Settings(), reranking="letters"), resources) is not None
