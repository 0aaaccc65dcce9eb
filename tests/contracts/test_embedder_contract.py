"""Contract of every embedder."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from embedding_site import EmbeddingSite

from workbench.egress.gate import LOOPBACK_ONLY
from workbench.embedding.base import Embedder, TokenEmbedder
from workbench.embedding.servers.client import EmbeddingClient
from workbench.embedding.servers.server_embedder import ServerEmbedder
from workbench.model.embedder import token_starts

TEXTS = [
    "The cat sleeps on the sofa.",
    "",
    "Stock prices fell sharply.",
    "一只猫在沙发上睡觉。",
    "long text " * 700,
    "a\ud800b",
]


@pytest.fixture(params=["built-in", "openai", "cohere", "qianfan"])
def every_embedder(request: pytest.FixtureRequest, embedder: Embedder) -> Iterator[Embedder]:
    """The built-in embedder, and one on a server for each wire format."""
    if request.param == "built-in":
        yield embedder
        return
    client = EmbeddingClient(LOOPBACK_ONLY)
    with EmbeddingSite() as site:
        yield ServerEmbedder(site.server(request.param), client)
        client.close()


def test_vectors_are_float32_rows_of_length_one(every_embedder: Embedder) -> None:
    vectors = every_embedder.embed_documents(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), every_embedder.dim)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_rows_come_in_the_order_of_the_texts(every_embedder: Embedder) -> None:
    together = every_embedder.embed_documents(TEXTS)
    alone = np.vstack([every_embedder.embed_documents([text]) for text in TEXTS])
    # int8 scales its activations by batch, so that equal texts differ slightly.
    assert np.sum(together * alone, axis=1).min() > 0.97
    assert np.argmax(together @ alone.T, axis=1).tolist() == list(range(len(TEXTS)))


def test_no_texts_give_no_rows(every_embedder: Embedder) -> None:
    assert every_embedder.embed_documents([]).shape == (0, every_embedder.dim)


def test_a_question_is_nearest_to_the_text_that_answers_it(every_embedder: Embedder) -> None:
    question = every_embedder.embed_query("What is the cat doing?")
    assert question.shape == (every_embedder.dim,)
    assert int(np.argmax(every_embedder.embed_documents(TEXTS) @ question)) == 0


def test_e20_the_end_of_a_long_text_counts(every_embedder: Embedder) -> None:
    filler = "The weather was fine and the train was late again that day. " * 60
    plain, ending = every_embedder.embed_documents([filler, filler + "Penguins swim under the Antarctic ice. " * 30])
    question = every_embedder.embed_query("Where do penguins swim?")
    assert float(ending @ question) > float(plain @ question) + 0.1


def test_it_serves_several_threads_at_once(every_embedder: Embedder) -> None:
    questions = [f"Question number {number} of this test?" for number in range(24)]
    expected = [every_embedder.embed_query(question) for question in questions]
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(every_embedder.embed_query, questions))
    assert np.sum(np.array(expected) * np.array(got), axis=1).min() > 0.9999


def test_the_id_names_the_width(every_embedder: Embedder) -> None:
    assert str(every_embedder.dim) in every_embedder.id.split("/")


@pytest.mark.parametrize(
    "text", ["", "One.", "Größe: 3.14 µm\n\n中文 テスト 한국어 🙂", "x" * 5000, "word " * 9000, "a\ud800b c"]
)
def test_e20_the_tokenizer_counts_what_it_has_offsets_for(every_embedder: Embedder, text: str) -> None:
    offsets = every_embedder.tokenizer.offsets(text)
    assert every_embedder.tokenizer.count(text) == len(offsets)
    assert all(0 <= start <= end <= len(text) for start, end in offsets)
    assert [start for start, _ in offsets] == sorted(start for start, _ in offsets)


def test_e20_special_tokens_are_not_counted(every_embedder: Embedder) -> None:
    assert every_embedder.tokenizer.count("one two three") == 3
    assert every_embedder.tokenizer.offsets("one two") == [(0, 3), (4, 7)]


def test_token_vectors_are_rows_of_length_one_for_every_token(embedder: Embedder) -> None:
    assert isinstance(embedder, TokenEmbedder)
    for text, vectors in zip(TEXTS, embedder.token_vectors(TEXTS), strict=True):
        assert len(vectors) >= embedder.tokenizer.count(text) + 2
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert embedder.token_vectors([]) == []


@pytest.mark.parametrize("question", ["", "Where do penguins swim?", "a\ud800b", "long question " * 700])
def test_a_question_has_a_vector_for_each_token_seen(embedder: Embedder, question: str) -> None:
    assert isinstance(embedder, TokenEmbedder)
    asked = embedder.question_tokens(question)
    assert len(asked.vectors) == len(asked.spans) == min(embedder.tokenizer.count(question), 254)
    assert all(question[start:end].strip() for start, end in asked.spans)


@pytest.mark.parametrize(
    "text",
    [
        "One two, three. max_tokens=3.5e7 [CLS] x\x01y http://a.b/c?d=e&f\n\tend",
        "Façade “naïve” éa ́b ≮ ﬁn\u00adal 渡轮在码头 한국어 😀 " + "x" * 300,
        "word " * 9000 + "é" * 50,
    ],
)
def test_starts_are_those_of_the_offsets(every_embedder: Embedder, text: str) -> None:
    offsets = every_embedder.tokenizer.offsets(text)
    assert list(token_starts(every_embedder.tokenizer, text)) == [start for start, end in offsets if end > start]
