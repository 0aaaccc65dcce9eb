"""Similarity of sentences by stored token vectors: right without embedding them, unknown rather than wrong."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.embedding.base import Embedder
from workbench.embedding.onnx_embedder import OnnxEmbedder
from workbench.model.chunk import Chunk, embedding_text
from workbench.model.document import BlockKind
from workbench.operations.library.derived_vectors import codec_of, embed_with_codes
from workbench.operations.library.models import model_cache
from workbench.retrieval.answer_sentences import SentenceRanker
from workbench.retrieval.quotable_spans import quotables
from workbench.retrieval.recent_chunks import RecentChunks
from workbench.retrieval.reranking.late_interaction import StoredTokens
from workbench.retrieval.sentence_similarity import SentenceSimilarity

BRIDGE = "The valley is popular with hikers. Traffic crosses the river since 1932. Tickets cost four euros."
TABLE = "| Region | Sales |\n|---|---|\n| North | 4,651 |\n| South | 5,140 |\n| North | 6,043 |"
ROWS = ("| North | 4,651 |", "| South | 5,140 |", "| North | 6,043 |")


def chunk(number: int, text: str) -> Chunk:
    return Chunk(0, 0, len(text), text, None, None, ("Guide",), BlockKind.PARAGRAPH, tokens=30, id=number)


class Store:
    """Chunks with their stored vectors and codes."""

    def __init__(self, embedder: Embedder, chunks: Sequence[Chunk]) -> None:
        self._codec = codec_of(embedder, model_cache())
        texts = [embedding_text(one.headings, one.text) for one in chunks]
        self._vectors, codes = embed_with_codes(embedder, self._codec, texts)
        assert codes is not None
        self._codes = dict(zip((one.id for one in chunks), codes.codes, strict=True))
        self._places = {one.id: place for place, one in enumerate(chunks)}

    def tokens(self) -> StoredTokens:
        return StoredTokens(lambda: self._codec, self._get)

    def _get(self, wanted: Sequence[int]) -> tuple[tuple[NDArray[np.int64], NDArray[np.float32]], list[bytes]]:
        held = [number for number in wanted if number in self._codes]
        vectors = self._vectors[[self._places[number] for number in held]]
        return (np.array(held, np.int64), vectors), [self._codes[number] for number in held]


@pytest.fixture
def chunks() -> list[Chunk]:
    return [chunk(1, BRIDGE), chunk(2, TABLE)]


@pytest.fixture
def recent(chunks: list[Chunk]) -> RecentChunks:
    made = RecentChunks()
    made.add(chunks)
    return made


@pytest.fixture
def similarity(embedder: Embedder, chunks: list[Chunk], recent: RecentChunks) -> SentenceSimilarity:
    return SentenceSimilarity(embedder, Store(embedder, chunks).tokens(), recent)


def compare(similarity: SentenceSimilarity, question: str, sentences: Sequence[tuple[str, str]]) -> list[float | None]:
    """Return the similarity of each (passage, sentence); the n-th of equal sentences is the n-th in the passage."""
    comparison = similarity.comparison(question, {passage for passage, _ in sentences})
    found: list[float | None] = []
    begins: dict[tuple[str, str], int] = {}
    for passage, sentence in sentences:
        start = begins[passage, sentence] = passage.find(sentence, begins.get((passage, sentence), -1) + 1)
        found.append(comparison.similarity(passage, start, start + len(sentence)) if comparison else None)
    return found


def test_the_sentence_that_answers_is_the_most_similar(similarity: SentenceSimilarity) -> None:
    sentences = [f"{sentence}." for sentence in BRIDGE.rstrip(".").split(". ")]
    found = compare(similarity, "When was the bridge opened?", [(BRIDGE, sentence) for sentence in sentences])
    hikers, traffic, tickets = (value or 0.0 for value in found)
    assert traffic > max(hikers, tickets) + 0.1
    assert 0.3 < traffic < 1.5  # 1 is an answer


def test_sentences_are_ranked_without_embedding_them(
    embedder: Embedder, similarity: SentenceSimilarity, counts: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(similarity, "Is it warm?", [(BRIDGE, "Tickets cost four euros.")])  # the measurement of the model
    ranker = SentenceRanker(embedder, counts(), similarity=similarity)
    ranker.best("Is it warm?", [(1, BRIDGE)], limit=1)
    monkeypatch.setattr(OnnxEmbedder, "embed_documents", None)
    best = ranker.best("When did traffic begin to cross the river?", [(1, BRIDGE)], limit=1)
    assert [one.text for one in best] == ["Traffic crosses the river since 1932."]


def test_a_sentence_without_stored_vectors_is_embedded_and_can_be_the_best(
    embedder: Embedder, counts: Callable[[], Any]
) -> None:
    crowd = chunk(3, " ".join(f"The river of town {number} is wide." for number in range(30)))
    recent = RecentChunks()
    recent.add([crowd])
    similarity = SentenceSimilarity(embedder, Store(embedder, [crowd]).tokens(), recent)
    ranker = SentenceRanker(embedder, counts(), similarity=similarity)
    best = ranker.best("When did traffic begin to cross the river?", [(1, crowd.text), (2, BRIDGE)], limit=1)
    assert [one.text for one in best] == ["Traffic crosses the river since 1932."]


def test_a_passage_of_no_recent_search_is_unknown(similarity: SentenceSimilarity) -> None:
    assert compare(similarity, "When?", [("A new text. It is short.", "It is short.")]) == [None]


def test_codes_of_another_text_of_the_chunk_are_not_used(
    embedder: Embedder, chunks: list[Chunk], recent: RecentChunks
) -> None:
    edited = dataclasses.replace(chunks[0], text=BRIDGE.replace("Tickets cost", "Children's tickets cost only"))
    stored = Store(embedder, [edited, chunks[1]]).tokens()
    compared = compare(SentenceSimilarity(embedder, stored, recent), "When?", [(BRIDGE, "Tickets cost four euros.")])
    assert compared == [None]


def test_each_of_two_equal_rows_has_its_own_similarity(similarity: SentenceSimilarity) -> None:
    found = compare(similarity, "What are the sales of the north?", [(TABLE, row) for row in ROWS])
    first, south, second = (value or 0.0 for value in found)
    assert first != second
    assert min(first, second) > south > 0


TUNNEL = (
    "The tunnel is cold and long. Workers carried a lamp. It cost US$5 million and opened on March 20, 2018."
    " The infor-\nmation desk sells maps (at −5 °C, too) and m² of posters. /tᵻˈnɒf/ means a cave."
    " Guides wear a helmet."
)


def test_each_sentence_has_the_similarity_of_its_own_tokens(embedder: Embedder) -> None:
    passage = chunk(5, TUNNEL)
    recent = RecentChunks()
    recent.add([passage])
    similarity = SentenceSimilarity(embedder, Store(embedder, [passage]).tokens(), recent)
    sentences = [one.text for one in quotables(TUNNEL)]
    assert len(sentences) == 6
    for question, answer in (
        ("Who carries light?", 1),
        ("How expensive was it?", 2),
        ("Where can I buy a map?", 3),
        ("What protects the head of a guide?", 5),
    ):
        found = compare(similarity, question, [(TUNNEL, sentence) for sentence in sentences])
        assert None not in found
        assert max(range(6), key=lambda place: found[place] or 0.0) == answer, question


def test_an_embedder_without_token_vectors_compares_nothing(toy_embedder: Embedder, recent: RecentChunks) -> None:
    stored = StoredTokens(lambda: None, lambda _: ((np.empty(0, np.int64), np.empty((0, 4), np.float32)), []))
    assert SentenceSimilarity(toy_embedder, stored, recent).comparison("When?", [BRIDGE]) is None


def test_the_oldest_chunks_are_forgotten() -> None:
    recent = RecentChunks()
    recent.add(chunk(number, f"Text {number}.") for number in range(600))
    assert recent.get("Text 599.") is not None
    assert recent.get("Text 0.") is None


def test_similarities_of_all_tokens_contain_the_nearest(embedder: Embedder, chunks: list[Chunk]) -> None:
    stored = Store(embedder, chunks).tokens()
    asked = embedder.question_tokens("When was the bridge opened?").vectors  # type: ignore[attr-defined]
    nearest, every = stored.nearest(asked, [1, 2]), stored.similarities(asked, [1, 2])
    assert set(nearest) == set(every) == {1, 2}
    for number in (1, 2):
        np.testing.assert_allclose(every[number].max(axis=0), nearest[number], rtol=1e-5)
