"""Contract of every reranker."""

import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from fakes import NoWords
from model_servers import RawRequest, RawServer, status

from workbench.embedding.base import Embedder
from workbench.retrieval.reranking.base import Candidate, Reranker
from workbench.retrieval.reranking.late_interaction import LateInteraction
from workbench.retrieval.reranking.lexical_overlap import LexicalReranker
from workbench.retrieval.reranking.rerank_server import WIRES, RerankFormat, RerankServer, ServerReranker

QUESTION = "When was the bridge over the river opened?"
CANDIDATES = [
    Candidate("In winter the birds fly south to the coast of Africa.", score=0.5),
    Candidate("The bridge over the river was opened to traffic in 1932.", "Bridges", ("History",), score=0.5),
    Candidate("To reset the password, choose a new one.", score=0.5),
]
KINDS = ["letters", "tokens", *RerankFormat]


def by_common_words(request: RawRequest) -> object:
    """Score like a server: words in common with the question, results sorted by score."""
    body = request.json
    texts = body.get("texts") or body["documents"]
    wanted = set(body["query"].lower().split())
    field = "score" if "texts" in body else "relevance_score"
    results = [{"index": i, field: len(wanted & set(text.lower().split())) / 10} for i, text in enumerate(texts)]
    results.sort(key=lambda result: -result[field])
    return results if "texts" in body else {"id": "x", "results": results}


async def _reply(request: RawRequest, writer: asyncio.StreamWriter) -> None:
    await status(200, json.dumps(by_common_words(request)))(request, writer)


@asynccontextmanager
async def opened(kind: str, embedder: Embedder) -> AsyncIterator[Reranker]:
    if kind == "letters":
        yield LexicalReranker(NoWords())
    elif kind == "tokens":
        yield LateInteraction(embedder, NoWords())
    else:
        wire = RerankFormat(kind)
        async with RawServer(_reply) as server:
            url = f"http://127.0.0.1:{server.port}{WIRES[wire].path}"
            yield ServerReranker(lambda: RerankServer(url, wire, "m"))


def scores_of(kind: str, embedder: Embedder, question: str, candidates: list[Candidate]) -> list[float]:
    async def scenario() -> list[float]:
        async with opened(kind, embedder) as reranker:
            return await asyncio.to_thread(reranker.rerank, question, candidates)

    return asyncio.run(scenario())


@pytest.mark.parametrize("kind", KINDS)
def test_e31_the_answer_scores_highest(kind: str, embedder: Embedder) -> None:
    scores = scores_of(kind, embedder, QUESTION, CANDIDATES)
    assert len(scores) == len(CANDIDATES)
    assert scores.index(max(scores)) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_scores_come_in_the_order_of_the_candidates(kind: str, embedder: Embedder) -> None:
    forward = scores_of(kind, embedder, QUESTION, CANDIDATES)
    backward = scores_of(kind, embedder, QUESTION, CANDIDATES[::-1])
    # int8 scales its activations by batch, so that equal texts differ slightly.
    assert forward == pytest.approx(backward[::-1], abs=0.05)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("question", ["", "?!", "大桥什么时候通车？", "a\ud800b", "x" * 100_000])
def test_any_question_gets_a_score_a_candidate(kind: str, question: str, embedder: Embedder) -> None:
    odd = [*CANDIDATES, Candidate(""), Candidate("\ud800 \x00"), replace(CANDIDATES[1], text="long text " * 3000)]
    assert len(scores_of(kind, embedder, question, odd)) == len(odd)


@pytest.mark.parametrize("kind", KINDS)
def test_it_serves_several_threads_at_once(kind: str, embedder: Embedder) -> None:
    async def scenario() -> list[list[float]]:
        async with opened(kind, embedder) as reranker:
            with ThreadPoolExecutor(4) as pool:
                loop = asyncio.get_running_loop()
                calls = [loop.run_in_executor(pool, reranker.rerank, QUESTION, CANDIDATES) for _ in range(8)]
                return list(await asyncio.gather(*calls))

    first, *others = asyncio.run(scenario())
    assert all(other == pytest.approx(first, abs=1e-4) for other in others)
    assert first.index(max(first)) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_it_has_a_name_and_a_limit(kind: str, embedder: Embedder) -> None:
    async def scenario() -> tuple[str, int]:
        async with opened(kind, embedder) as reranker:
            return reranker.id, reranker.most

    name, most = asyncio.run(scenario())
    assert name
    assert most >= 2
