"""The wire formats of embedding servers, byte for byte as their documentation has them, and the form of a choice."""

import json
from collections.abc import Iterator

import numpy as np
import pytest
from embedding_site import EmbeddingSite, always, reply

from workbench.egress.gate import LOOPBACK_ONLY
from workbench.embedding.servers.client import EmbeddingClient
from workbench.embedding.servers.known_models import limits_of
from workbench.embedding.servers.server_embedder import ServerEmbedder
from workbench.embedding.servers.wire_formats import WIRES, TextRole, packed
from workbench.errors import SettingError
from workbench.model.embedding_server import EmbeddingServer, embedding_server_of
from workbench.operations.library.embedding_servers import checked_server


@pytest.fixture
def client() -> Iterator[EmbeddingClient]:
    made = EmbeddingClient(LOOPBACK_ONLY)
    yield made
    made.close()


_OPENAI = "openai:https://api.openai.com/v1?dimensions=256#text-embedding-3-small"
_DASHSCOPE = "openai:https://dashscope.aliyuncs.com/compatible-mode/v1?dimensions=1024#text-embedding-v4"
_OLLAMA = "openai:http://localhost:11434/v1#all-minilm"
_COHERE = "cohere:https://api.cohere.com?dimensions=1024#embed-v4.0"
_QIANFAN = "qianfan:https://qianfan.baidubce.com/v2#embedding-v1"


def server(text: str) -> EmbeddingServer:
    found = checked_server(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "url", "body"),
    [
        (
            _OPENAI,
            "https://api.openai.com/v1/embeddings",
            '{"model":"text-embedding-3-small","input":["Größe"],"dimensions":256,"encoding_format":"float"}',
        ),
        (
            _DASHSCOPE,
            "https://dashscope.aliyuncs.com/compatible-mode/v1/embeddings",
            '{"model":"text-embedding-v4","input":["Größe"],"dimensions":1024,"encoding_format":"float"}',
        ),
        (
            _OLLAMA,
            "http://localhost:11434/v1/embeddings",
            '{"model":"all-minilm","input":["Größe"],"encoding_format":"float"}',
        ),
        (
            _COHERE,
            "https://api.cohere.com/v2/embed",
            '{"model":"embed-v4.0","input_type":"search_document","texts":["Größe"],"embedding_types":["float"],'
            '"output_dimension":1024}',
        ),
        (
            _QIANFAN,
            "https://qianfan.baidubce.com/v2/embeddings",
            '{"model":"embedding-v1","input":["Größe"],"encoding_format":"float"}',
        ),
    ],
)
def test_e47_each_service_is_called_as_its_documentation_specifies(text: str, url: str, body: str) -> None:
    wire = WIRES[server(text).format]
    assert wire.url(server(text)) == url
    assert packed(wire.body(server(text), ["Größe"], TextRole.DOCUMENT)) == body.encode()


def test_c17_requests_to_cohere_distinguish_passages_from_questions(client: EmbeddingClient) -> None:
    with EmbeddingSite() as site:
        embedder = ServerEmbedder(site.server("cohere"), client, key=lambda: "secret")
        embedder.embed_documents(["The pump."])
        embedder.embed_query("Which pump?")
    kinds = {(asked.json["input_type"], *asked.texts) for asked in site.requests[1:]}
    assert kinds == {("search_document", "The pump."), ("search_query", "Which pump?")}
    assert {asked.headers["authorization"] for asked in site.requests} == {"Bearer secret"}


@pytest.mark.parametrize(
    ("format", "answer"),
    [
        (
            "openai",
            {
                "object": "list",
                "data": [
                    {"object": "embedding", "index": 1, "embedding": [0, 2]},
                    {"object": "embedding", "index": 0, "embedding": [3.0, 4.0]},
                ],
                "model": "text-embedding-3-small",
                "usage": {"prompt_tokens": 5, "total_tokens": 5},
            },
        ),
        (
            "cohere",
            {
                "id": "da6e531f-54c5-4a73-bf92-f60566d8d753",
                "embeddings": {"float": [[3.0, 4.0], [0, 2]]},
                "texts": ["hello", "goodbye"],
                "meta": {"api_version": {"version": "2"}, "billed_units": {"input_tokens": 2}},
            },
        ),
        (
            "qianfan",
            {
                "id": "as-gjs275mj6s",
                "object": "embedding_list",
                "created": 1732518345,
                "model": "embedding-v1",
                "data": [
                    {"object": "embedding", "embedding": [3.0, 4.0], "index": 0},
                    {"object": "embedding", "embedding": [0, 2], "index": 1},
                ],
                "usage": {"prompt_tokens": 4, "total_tokens": 4},
            },
        ),
    ],
)
def test_e47_the_vectors_are_read_in_the_order_of_the_texts(format: str, answer: dict[str, object]) -> None:
    rows = WIRES[server(f"{format}:http://localhost#m").format].rows(json.loads(json.dumps(answer)), 2)
    assert rows.tolist() == [[3.0, 4.0], [0.0, 2.0]]


def test_reordered_vectors_go_back_to_their_texts(client: EmbeddingClient) -> None:
    with EmbeddingSite() as site:
        embedder = ServerEmbedder(site.server(), client)
        plain = embedder.embed_documents(["one", "two", "three"])
        answer = json.loads(site.requests[-1].body)
        data = [{"index": n, "embedding": plain[n].tolist()} for n in (2, 0, 1)]
        site.answers.append(always(reply({"data": data})))
        assert np.allclose(embedder.embed_documents(answer["input"]), plain, atol=1e-6)


def test_known_models_get_the_prefixes_that_they_were_trained_with(client: EmbeddingClient) -> None:
    with EmbeddingSite() as site:
        embedder = ServerEmbedder(site.server(model="nomic-embed-text:latest"), client)
        embedder.embed_documents(["The pump."])
        embedder.embed_query("Which pump?")
    texts = [text for asked in site.requests for text in asked.texts]
    assert texts[1:] == ["search_document: The pump.", "search_query: Which pump?"]


@pytest.mark.parametrize(
    ("text", "tokens", "batch", "price"),
    [
        (_OPENAI, 8192, 256, 0.02),
        (_DASHSCOPE, 8192, 10, None),
        (_QIANFAN, 384, 16, None),
        ("openai:http://localhost:8080#mine", 512, 32, None),
        ("openai:http://localhost:8080?tokens=2048&batch=4#mine", 2048, 4, None),
    ],
)
def test_the_limits_are_those_of_the_service_or_as_given(
    text: str, tokens: int, batch: int, price: float | None
) -> None:
    limits = limits_of(server(text))
    assert (limits.tokens, limits.batch, limits.price) == (tokens, batch, price)


@pytest.mark.parametrize("text", [_OPENAI, _OLLAMA, _COHERE, "openai:http://localhost/v1#BAAI/bge-m3"])
def test_a_choice_is_written_as_it_is_read(text: str) -> None:
    assert server(text).text == text


@pytest.mark.parametrize("text", ["", "BAAI/bge-m3", "/models/mine", "openai", "openai/clip-vit", "C:\\models"])
def test_a_folder_or_a_hub_name_is_no_server(text: str) -> None:
    assert embedding_server_of(text) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("openai:http://localhost:1", "the name of its model"),
        ("openai:http://#m", "contains no server name"),
        ("openai:http://localhost:99999#m", "not a valid URL"),
        ("openai:http://me:pass@localhost#m", "contains a name or password"),
        ("openai:http://localhost?key=1#m", "“key” is not an option"),
        ("openai:http://localhost?batch=no#m", "is not a number"),
    ],
)
def test_an_invalid_server_choice_raises_an_error_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        embedding_server_of(text)
