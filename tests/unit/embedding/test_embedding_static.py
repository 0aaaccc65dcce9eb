"""Static embeddings: a table of token vectors in place of the model."""

from collections.abc import Sequence

import numpy as np
import pytest

from workbench.embedding.static_embedding import StaticEmbedding

VOCABULARY = ("[CLS]", "the", "bridge", "viaduct", "pump", "valve", "river", "oil", ".")
IS_WORD = np.array([token.isalpha() for token in VOCABULARY])


def windows(texts: Sequence[str]) -> list[list[list[int]]]:
    return [[[0, *(VOCABULARY.index(word) for word in text.split())]] for text in texts]


@pytest.fixture
def vectors() -> np.ndarray:
    """Return vectors of a model with bridge close to viaduct, pump close to valve, and a large common component."""
    found = np.random.default_rng(0).normal(0, 0.2, (len(VOCABULARY), 16)).astype(np.float32)
    found[:, 0] += 1
    found[[2, 3], 1] += 2
    found[[4, 5], 2] += 2
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_texts_of_alike_tokens_are_near_to_the_question_s_own_vector(vectors: np.ndarray) -> None:
    static = StaticEmbedding.train(vectors, IS_WORD, width=8)
    rows = static.embed_documents(["the bridge . river", "the valve . oil"], windows)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    viaduct, pump = static.project(vectors[3]), static.project(vectors[4])
    assert rows[0] @ viaduct > rows[1] @ viaduct
    assert rows[1] @ pump > rows[0] @ pump


def test_a_text_without_a_word_is_near_to_nothing(vectors: np.ndarray) -> None:
    static = StaticEmbedding.train(vectors, IS_WORD, width=8)
    assert not static.embed_documents([". .", ""], windows).any()


def test_a_stored_table_gives_the_same_vectors_and_a_damaged_one_is_refused(vectors: np.ndarray) -> None:
    static = StaticEmbedding.train(vectors, IS_WORD, width=8)
    again = StaticEmbedding.unpacked(static.packed())
    assert again is not None
    texts = ["the bridge", "pump oil ."]
    assert np.array_equal(again.embed_documents(texts, windows), static.embed_documents(texts, windows))
    assert np.array_equal(again.project(vectors[2]), static.project(vectors[2]))
    for damaged in (b"", static.packed()[:-1], b"XXXX" + static.packed()[4:]):
        assert StaticEmbedding.unpacked(damaged) is None
