"""Reranking by a server: wire formats, refusals, and requests only to the configured server."""

import asyncio
from functools import partial

import pytest
from model_servers import RawServer, raw, silence, status

from workbench.errors import ModelKeyRefused, RerankingError
from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.rerank_server import WIRES, RerankFormat, RerankServer, ServerReranker

PASSAGES = [Candidate("The pump.", "Manual", ("Parts",)), Candidate("The roof.")]
RESULTS = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]
COHERE = {"id": "x", "results": RESULTS, "meta": {"api_version": {"version": "2"}}}
JINA = {"model": "m", "object": "list", "usage": {"total_tokens": 9}, "results": RESULTS}
TEI = [{"index": 1, "score": 0.9}, {"index": 0, "score": 0.2}]


def ask(*replies, format=RerankFormat.JINA, passages=PASSAGES, model="m", seconds=5.0, pause=None, **more):
    """Rerank against a server with these replies; return the result and the requests."""

    async def scenario():
        async with RawServer(*replies) as server:
            url = f"http://127.0.0.1:{server.port}{WIRES[format].path}"
            server_of = partial(RerankServer, url, format, model, **more)
            reranker = ServerReranker(server_of, read_seconds=seconds, pause=pause)
            try:
                return await asyncio.to_thread(reranker.rerank, "Which roof?", passages), server.requests
            except RerankingError as error:
                return error, server.requests

    return asyncio.run(scenario())


@pytest.mark.parametrize(
    ("format", "answer", "path", "field"),
    [
        (RerankFormat.COHERE, COHERE, "/v2/rerank", "documents"),
        (RerankFormat.JINA, JINA, "/v1/rerank", "documents"),
        (RerankFormat.TEI, TEI, "/rerank", "texts"),
    ],
)
def test_e31_each_wire_format_is_spoken(format, answer, path, field):
    scores, (request,) = ask(status(200, answer), format=format, key="secret")
    assert scores == [0.2, 0.9]
    assert (request.method, request.path) == ("POST", path)
    assert request.json["query"] == "Which roof?"
    assert request.json[field] == ["Manual\nParts\nThe pump.", "The roof."]
    assert request.json["model"] == "m"
    assert request.headers["authorization"] == "Bearer secret"


def test_without_a_key_none_is_sent_and_an_empty_model_is_left_out():
    _, (request,) = ask(status(200, JINA), model="")
    assert "authorization" not in request.headers
    assert "model" not in request.json


def test_tei_is_asked_for_32_passages_at_a_time():
    first = [{"index": index, "score": index / 100} for index in range(32)]
    scores, requests = ask(
        status(200, first), status(200, TEI), format=RerankFormat.TEI, passages=[Candidate("a")] * 34
    )
    assert [len(request.json["texts"]) for request in requests] == [32, 2]
    assert scores == [*(index / 100 for index in range(32)), 0.2, 0.9]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"results": RESULTS[:1]}, "leaves out a passage"),
        ({"results": [{"index": 7, "relevance_score": 1}]}, "no index"),
        ({"results": [{"index": 0, "relevance_score": "high"}]}, "no score"),
        ({"error": "x"}, "no list"),
        ("<html>hello</html>", "not a reranking result"),
        ("[" * 100_000, "not a reranking result"),
        (f'{{"results": [{{"index": 0, "relevance_score": 1{"0" * 400}}}]}}', "not a reranking result"),
    ],
)
def test_an_answer_that_makes_no_sense_is_an_error(answer, said):
    error, _ = ask(status(200, answer))
    assert said in str(error)


@pytest.mark.parametrize(
    ("code", "said"), [(401, "refused the key"), (404, "offers no reranking"), (422, "error 422"), (500, "error 500")]
)
def test_a_refusal_is_reported_with_a_hint_and_not_retried(code, said):
    error, requests = ask(status(code, {"message": "secret detail"}), key="secret")
    assert said in str(error)
    assert error.hint
    assert "secret" not in str(error)
    assert len(requests) == 1


class Pauses:
    """Recorder of waits that closes the library after a number of them."""

    def __init__(self, most=99):
        self.seconds, self._most = [], most

    def __call__(self, seconds):
        self.seconds.append(seconds)
        return len(self.seconds) > self._most


@pytest.mark.parametrize(
    ("limited", "waits", "asked"), [(1, [], 2), (3, [15, 30], 4), (9, [15, 30, 60], 5)], ids=["soon", "later", "never"]
)
def test_c18_where_the_user_would_rather_wait_a_limited_server_is_asked_again(limited, waits, asked):
    pauses = Pauses()
    replies = [status(429, "busy", retry_after="0")] * limited
    end, requests = ask(*replies, status(200, JINA), is_awaited=True, pause=pauses)
    assert pauses.seconds == waits
    assert len(requests) == asked
    assert end == [0.2, 0.9] if limited < 9 else "limiting requests" in str(end)


def test_c18_a_limited_server_is_not_retried_by_default_and_a_closing_library_stops_waiting():
    pauses = Pauses()
    error, _ = ask(status(429, "busy"), pause=pauses)
    assert (pauses.seconds, "limiting requests" in str(error)) == ([], True)
    last = Pauses(most=0)
    error, _ = ask(status(429, "busy"), is_awaited=True, pause=last)
    assert (last.seconds, "limiting requests" in str(error)) == ([15], True)


def test_a_redirect_is_not_followed():
    error, requests = ask(status(307, "", location="http://127.0.0.1:9/rerank"), key="secret")
    assert "not followed" in str(error)
    assert len(requests) == 1


def test_a_busy_server_is_asked_once_more():
    scores, requests = ask(status(503, "busy", retry_after="0.01"), status(200, JINA))
    assert scores == [0.2, 0.9]
    assert len(requests) == 2


@pytest.mark.parametrize("wait", ["60", "tomorrow", "-1", "nan"])
def test_a_server_that_is_busy_for_long_is_left(wait):
    error, requests = ask(status(429, "busy", retry_after=wait))
    assert "limiting requests" in str(error)
    assert len(requests) == 1


@pytest.mark.parametrize("reply", [silence, raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", then=silence)])
def test_a_silent_server_is_given_up(reply):
    error, _ = ask(reply, seconds=0.2)
    assert "did not answer in time" in str(error)


@pytest.mark.parametrize("reply", [raw(b""), raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")])
def test_a_connection_that_breaks_is_an_error(reply):
    error, _ = ask(reply)
    assert "cannot be reached" in str(error)


def test_no_server_at_all_is_an_error():
    reranker = ServerReranker(lambda: RerankServer("http://127.0.0.1:9/rerank", RerankFormat.TEI))
    with pytest.raises(RerankingError, match=r"127\.0\.0\.1:9 cannot be reached"):
        reranker.rerank("q", PASSAGES)


def test_an_unavailable_key_is_reported_before_any_request_is_sent():
    def refuse() -> RerankServer:
        raise ModelKeyRefused("The variable is not set.", "Set it.")

    with pytest.raises(RerankingError, match=r"The variable is not set\. Set it\."):
        ServerReranker(refuse).rerank("q", PASSAGES)


def test_a_key_with_a_line_end_is_never_sent():
    error, requests = ask(status(200, JINA), key="a\r\nX-Evil: 1")
    assert "invalid characters" in str(error)
    assert requests == []


def test_the_key_is_in_no_representation():
    assert "secret" not in repr(RerankServer("http://x/rerank", RerankFormat.TEI, key="secret"))
