"""Failures of embedding servers: retries, refused answers and time limits."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest
from embedding_site import Answer, Asked, EmbeddingSite, Reply, always, reply, right, vector_of

from workbench.egress.gate import LOOPBACK_ONLY
from workbench.embedding.servers.client import SEARCHING, EmbeddingClient, Patience, _seconds, requests_of
from workbench.embedding.servers.server_embedder import ModelReference, ServerEmbedder
from workbench.errors import EmbedderUnreachable, EmbeddingError

QUICK = Patience(10.0, 4, 5.0, 0.01)
Made = Callable[..., ServerEmbedder]


@pytest.fixture
def client() -> Iterator[EmbeddingClient]:
    made = EmbeddingClient(LOOPBACK_ONLY)
    yield made
    made.close()


@pytest.fixture
def site() -> Iterator[EmbeddingSite]:
    with EmbeddingSite() as made:
        yield made


@pytest.fixture
def embedder(site: EmbeddingSite, client: EmbeddingClient) -> ServerEmbedder:
    """An embedder that has already spoken with its server."""
    made = ServerEmbedder(site.server(), client, patience=QUICK)
    site.requests.clear()
    return made


def data_of(*vectors: object, **more: object) -> Answer:
    return always(reply({"data": [{"index": n, "embedding": one, **more} for n, one in enumerate(vectors)]}))


ONE, TWO = vector_of("one"), vector_of("two")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (data_of(ONE), "it contains 1 vectors for 2 texts"),
        (data_of(ONE, TWO, TWO), "it contains 3 vectors for 2 texts"),
        (data_of(ONE, TWO, index=0), "two vectors have the same index"),
        (data_of(ONE, TWO, index="first"), "a vector has no index"),
        (data_of(ONE, TWO[:-1]), "its vectors differ in length"),
        (data_of(ONE, []), "a vector is not a list of numbers"),
        (data_of(ONE, "AAAA"), "a vector is not a list of numbers"),
        (data_of(ONE, [None, *TWO[1:]]), "a vector is not a list of numbers"),
        (data_of(ONE, [float("nan"), *TWO[1:]]), "a number in a vector is not finite"),
        (data_of(ONE, [float("inf"), *TWO[1:]]), "a number in a vector is not finite"),
        (data_of(ONE, [10**400, *TWO[1:]]), "a number in a vector is not finite"),
        (data_of(ONE, [0.0] * len(TWO)), "a vector holds only zeros"),
        (always(reply({"error": "no"})), "it lacks “data”"),
        (always(reply({"data": {}})), "it contains no list of vectors"),
        (data_of(ONE[:5], TWO[:5]), "now returns vectors of 5 dimensions, not 192 as before"),
        (always(reply("<html>")), "is not JSON"),
    ],
)
def test_an_answer_that_cannot_be_right_is_refused(
    embedder: ServerEmbedder, site: EmbeddingSite, answer: Answer, message: str
) -> None:
    site.answers.append(answer)
    with pytest.raises(EmbeddingError, match=message):
        embedder.embed_for_import(["one", "two"])
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "refused the texts .error 400.: too long"),
        (401, "refused the key"),
        (403, "refused the key"),
        (404, "has no embedding model “m” at /v1/embeddings"),
        (413, "refused the texts"),
        (422, "refused the texts"),
        (307, "redirects requests to another address"),
    ],
)
def test_a_request_refused_by_the_server_is_not_retried(
    embedder: ServerEmbedder, site: EmbeddingSite, status: int, message: str
) -> None:
    elsewhere = f"http://127.0.0.1:{site.port}/elsewhere"
    site.answers.append(always(reply({"error": {"message": "too long"}}, status, Location=elsewhere)))
    with pytest.raises(EmbeddingError, match=message) as caught:
        embedder.embed_for_import(["one"])
    assert len(site.requests) == 1
    assert not isinstance(caught.value, EmbedderUnreachable)


@pytest.mark.parametrize(
    "fault", [Reply(429), Reply(500), Reply(503), Reply(529), Reply(None)], ids=["429", "500", "503", "529", "cut"]
)
def test_a_request_that_may_succeed_later_is_retried(
    embedder: ServerEmbedder, site: EmbeddingSite, fault: Reply
) -> None:
    site.answers += [always(fault), always(fault)]
    assert embedder.embed_for_import(["one"]).shape == (1, 192)
    assert [asked.texts for asked in site.requests] == [["one"]] * 3


def test_a_server_that_stays_busy_is_left_alone_after_some_attempts(
    embedder: ServerEmbedder, site: EmbeddingSite
) -> None:
    site.answers += [always(reply({"message": "overloaded"}, 503))] * 9
    with pytest.raises(EmbedderUnreachable, match=r"failed \(error 503\): overloaded"):
        embedder.embed_for_import(["one"])
    assert len(site.requests) == QUICK.attempts


def test_a_server_that_is_down_is_reported_as_unreachable(embedder: ServerEmbedder, site: EmbeddingSite) -> None:
    site.stop()
    with pytest.raises(EmbedderUnreachable, match=f"127.0.0.1:{site.port} cannot be reached"):
        embedder.embed_for_import(["one"])
    site.start()
    assert embedder.embed_for_import(["one"]).shape == (1, 192)


def test_the_wait_that_the_server_asks_for_is_kept(embedder: ServerEmbedder, site: EmbeddingSite) -> None:
    moments: list[float] = []

    def busy(_site: EmbeddingSite, _asked: Asked) -> Reply:
        moments.append(time.monotonic())
        return reply({}, 429, Retry_After="0.4")

    site.answers += [busy]
    embedder.embed_for_import(["one"])
    assert time.monotonic() - moments[0] >= 0.4


def test_a_wait_longer_than_the_patience_is_an_error_that_names_it(
    embedder: ServerEmbedder, site: EmbeddingSite
) -> None:
    site.answers.append(always(reply({}, 429, Retry_After="3600")))
    with pytest.raises(EmbedderUnreachable, match="is limiting requests") as caught:
        embedder.embed_for_import(["one"])
    assert (caught.value.seconds, caught.value.hint, len(site.requests)) == (3600, "It asks to wait 3600 s.", 1)


def test_a_retry_after_may_be_a_date_or_nonsense() -> None:
    later = _seconds(format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True))
    assert later is not None
    assert 50 < later <= 60
    assert [_seconds(text) for text in ("7", "-3", "soon", "", "inf")] == [7, 0, None, None, None]


def test_s23_a_question_waits_a_few_seconds_for_a_silent_server_and_the_next_one_not_at_all(
    embedder: ServerEmbedder, site: EmbeddingSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SEARCHING.total <= 5
    hasty = Patience(0.2, 9, 0.1, 0.1, total=0.2)
    monkeypatch.setattr("workbench.embedding.servers.server_embedder.SEARCHING", hasty)
    site.answering.clear()
    with pytest.raises(EmbedderUnreachable, match="did not answer in time"):
        embedder.embed_query("Which pump?")
    asked = len(site.requests)
    with pytest.raises(EmbedderUnreachable, match="did not answer in time"):
        embedder.embed_query("Which roof?")
    assert len(site.requests) == asked


def test_an_answer_that_trickles_does_not_hold_longer_than_the_deadline(client: EmbeddingClient) -> None:
    with EmbeddingSite() as site:
        embedder = ServerEmbedder(site.server(), client, patience=Patience(0.3, 1, 0.0))
        site.answers.append(always(Reply(200, b" " * 10_000, drips=True)))
        with pytest.raises(EmbedderUnreachable, match="did not answer in time"):
            embedder.embed_for_import(["one"])


def test_a_running_request_is_given_up_at_once_when_its_owner_is_cancelled(
    embedder: ServerEmbedder, site: EmbeddingSite, client: EmbeddingClient
) -> None:
    mine, other = object(), object()

    def embed(owner: object) -> object:
        with requests_of(owner):
            return embedder.embed_for_import(["one"])

    site.answering.clear()
    site.asked.clear()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(embed, mine)
        site.asked.wait()
        client.abort(other)
        assert not running.done()
        client.abort(mine)
        with pytest.raises(EmbeddingError, match="Embedding was stopped"):
            running.result(5)


def test_a_wait_for_a_busy_server_is_given_up_at_once(
    site: EmbeddingSite, client: EmbeddingClient, embedder: ServerEmbedder
) -> None:
    patient = ServerEmbedder(site.server(), client, dim=embedder.dim, patience=Patience(5.0, 3, 60.0))
    told = threading.Event()

    def busy(_site: EmbeddingSite, _asked: Asked) -> Reply:
        told.set()
        return reply({}, 429, Retry_After="50")

    site.answers += [right, busy]
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(patient.embed_for_import, ["one"])
        assert told.wait(5)
        client.abort()
        with pytest.raises(EmbeddingError, match="Embedding was stopped"):
            running.result(5)


def test_another_model_under_the_same_name_is_noticed(site: EmbeddingSite, client: EmbeddingClient) -> None:
    kept: dict[str, np.ndarray] = {}
    reference = ModelReference(kept.get, kept.__setitem__)
    first = ServerEmbedder(site.server(), client, reference=reference)
    turned = vector_of("quite another model")
    again = ServerEmbedder(site.server(), client, reference=reference, dim=first.dim)
    site.answers.append(data_of(turned))
    with pytest.raises(EmbeddingError, match="has another model under the name “m” now"):
        again.embed_for_import(["one"])
    assert list(kept) == [first.id]


def test_a_vector_width_that_the_model_does_not_support_is_reported_at_once(
    site: EmbeddingSite, client: EmbeddingClient
) -> None:
    with pytest.raises(EmbeddingError, match="was asked for 64 dimensions but returned 192"):
        ServerEmbedder(site.server(options="?dimensions=64"), client)


def test_texts_go_out_in_batches_by_number_and_tokens(site: EmbeddingSite, client: EmbeddingClient) -> None:
    embedder = ServerEmbedder(site.server(options="?batch=3"), client)
    site.requests.clear()
    embedder.embed_documents([f"text {number}" for number in range(7)])
    assert [len(asked.texts) for asked in site.requests] == [3, 3, 1]
    whole = ServerEmbedder(site.server(), client)
    site.requests.clear()
    whole.embed_documents(["word " * 380] * 40)
    assert all(len(asked.texts) * 380 <= 16_000 / 1.3 for asked in site.requests)


def test_a_key_with_a_line_break_is_refused_before_anything_is_sent(
    site: EmbeddingSite, client: EmbeddingClient
) -> None:
    with pytest.raises(EmbeddingError, match="invalid characters"):
        ServerEmbedder(site.server(), client, key=lambda: "sk-1\nHost: x")
    assert site.requests == []


def test_another_machine_is_not_asked_in_offline_mode(client: EmbeddingClient) -> None:
    from workbench.model.embedding_server import embedding_server_of

    server = embedding_server_of("openai:https://api.openai.com/v1#text-embedding-3-small")
    assert server is not None
    with pytest.raises(EmbeddingError, match=r"Offline mode is on: “api\.openai\.com” was not asked"):
        ServerEmbedder(server, client)


def test_a_question_that_was_embedded_is_not_sent_again(embedder: ServerEmbedder, site: EmbeddingSite) -> None:
    first = embedder.embed_query("Which pump?")
    again = embedder.embed_queries(["Which pump?", "Which roof?"])
    assert np.array_equal(first, again[0])
    assert [text for asked in site.requests for text in asked.texts] == ["Which pump?", "Which roof?"]
