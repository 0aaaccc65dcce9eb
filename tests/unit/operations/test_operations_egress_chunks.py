"""Passages recorded with a request: to a model, to its token counter, to a reranking server."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gates import requests_of
from model_servers import RawServer, Reply, chat_answer, chat_call, chat_delta, sse, status

from workbench import operations
from workbench.model.egress import NetworkRequest, Purpose
from workbench.model.profile import ModelProfile, WireApi
from workbench.model.run import Run, RunStatus
from workbench.operations import Library
from workbench.worker.job import JobContext

QUESTION = "When did the harbour of Lindhamn freeze?"
SEARCH = sse(
    chat_call(0, "call_1", "search_knowledge_base", '{"query": "harbour freeze"}'),
    chat_delta("tool_calls"),
)


def asked_of(library: Library, *replies: Reply, **settings: str) -> Run:
    """Ask a question of a model server on loopback with these replies."""

    async def scenario() -> Run:
        async with RawServer(*replies) as server:
            for key, value in settings.items():
                library.setting_values.put(key, value.replace("SERVER", f"http://127.0.0.1:{server.port}"))
            library.profiles.put(ModelProfile("near", server.base_url, "m", WireApi.CHAT))
            return await operations.ask(library, QUESTION, profile="near")(JobContext())

    return asyncio.run(scenario())


def sent(library: Library, purpose: Purpose) -> list[NetworkRequest]:
    return [one for one in requests_of(library) if one.purpose is purpose and one.outcome.value == "done"]


def test_a_models_request_names_the_answer_and_what_it_was_handed(
    library: Library, run: Callable[[Any], Any], papers: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    library.setting_values.put("context_tokens", 8000)
    answer = asked_of(library, SEARCH, chat_answer("It froze in 1987 [1]."))
    assert answer.status is RunStatus.COMPLETED
    first, *_others, last = [one for one in sent(library, Purpose.ANSWER) if one.address.endswith("completions")]
    harbour = next(one for one in library.documents.list() if one.name == "harbour.md")
    (chunk,) = (one.id for one in library.documents.chunks(harbour.id))
    assert {first.run, last.run} == {answer.id}
    assert chunk in last.chunks
    assert set(first.chunks) < set(last.chunks)
    assert last.session == run(operations.list_sessions(library))[0].id


def test_the_ledger_records_the_passages_sent_to_a_reranking_server(
    library: Library, run: Callable[[Any], Any], papers: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    results = [{"index": 0, "relevance_score": 0.9}, {"index": 1, "relevance_score": 0.2}]

    async def scenario() -> None:
        async with RawServer(status(200, {"results": results})) as server:
            library.setting_values.put("rerank_url", f"http://127.0.0.1:{server.port}")
            await operations.put_setting(library, "reranking", "server")(JobContext())
            await operations.search(library, QUESTION)(JobContext())

    asyncio.run(scenario())
    (request,) = sent(library, Purpose.RERANKING)
    everything = {chunk.id for one in library.documents.list() for chunk in library.documents.chunks(one.id)}
    assert set(request.chunks) == everything
    assert (request.run, request.is_here) == (None, True)
