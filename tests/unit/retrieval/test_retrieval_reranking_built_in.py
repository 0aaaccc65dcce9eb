"""Rerankers that need no download: by letters, and by token vectors."""

import numpy as np
import pytest

from workbench.embedding.base import QuestionTokens
from workbench.errors import EmbeddingError, RerankingError
from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.late_interaction import LateInteraction, PassageVectors, similarity
from workbench.retrieval.reranking.lexical_overlap import LexicalReranker, raise_scores

WORDS = ("bridge", "viaduct", "opened", "pump", "when")


class TokenToy:
    """Token vectors of known words; "viaduct" is close to "bridge". Vectors of texts are their sums."""

    id = "token-toy"
    has_token_vectors = True
    tokenizer = None

    def __init__(self, *, understands=True):
        self._understands = understands
        self.asked = 0

    def embed_query(self, text):
        return self.embed_documents([text])[0]

    def embed_documents(self, texts):
        if not self._understands:
            return np.ones((len(texts), 4), np.float32) / 2
        # Each pair of the probe's sentences has equal places in the list, so that right ones differ from wrong ones.
        return np.stack([np.eye(64, dtype=np.float32)[self._place(text)] for text in texts])

    def _place(self, text):
        from workbench.retrieval.embedder_calibration import PROBES

        return next((n for n, pair in enumerate(PROBES["latin"]) if text in pair), 63)

    def question_tokens(self, question):
        words = question.lower().rstrip("?").split()
        vectors = np.stack([self._vector(word) for word in words])
        starts = [question.lower().index(word) for word in words]
        return QuestionTokens(vectors, tuple((s, s + len(w)) for s, w in zip(starts, words, strict=True)))

    def embed_with_tokens(self, texts, keep):
        vectors, tokens = self.embed_documents(texts), self.token_vectors(texts)
        return vectors, [keep(own, words) for own, words in zip(vectors, tokens, strict=True)]

    def token_vectors(self, texts):
        self.asked += 1
        self.texts = list(texts)
        return [np.stack([self._vector(word.strip(".")) for word in text.lower().split()]) for text in texts]

    def _vector(self, word):
        vector = np.zeros(len(WORDS) + 1, np.float32)
        vector[WORDS.index(word) if word in WORDS else -1] = 1
        if word == "viaduct":
            vector[[0, 1]] = (0.8, 0.6)
        return vector


class StoredToy:
    """Exact similarities of the texts of some chunks, as if their tokens were stored."""

    def __init__(self, texts):
        self._texts = texts

    def nearest(self, asked, chunks):
        held = [chunk for chunk in chunks if chunk in self._texts]
        vectors = TokenToy().token_vectors([self._texts[chunk] for chunk in held])
        return {chunk: (asked @ one.T).max(axis=1) for chunk, one in zip(held, vectors, strict=True)}


class BrokenTokens(TokenToy):
    def token_vectors(self, texts):
        raise EmbeddingError("The model ran out of memory.", "Close something.")


def test_a_word_of_the_same_meaning_counts_nearly_as_the_word_itself(counts):
    passages = [Candidate("the pump opened"), Candidate("the viaduct opened"), Candidate("the bridge opened")]
    pump, viaduct, bridge = LateInteraction(TokenToy(), counts()).rerank("bridge opened?", passages)
    assert pump < viaduct < bridge


def test_a_rare_word_of_the_question_counts_more_than_a_common_one(counts):
    passages = [Candidate("a bridge"), Candidate("a pump")]
    reranker = LateInteraction(TokenToy(), counts({"bridg": 900, "pump": 2}))
    bridge, pump = reranker.rerank("bridge pump", passages)
    assert pump > bridge


def test_the_search_s_own_score_counts_too(counts):
    low, high = LateInteraction(TokenToy(), counts()).rerank("bridge", [Candidate("a"), Candidate("a", score=0.2)])
    assert high - low >= 0.2


def test_passages_far_behind_are_not_embedded_and_stay_behind(counts):
    embedder = TokenToy()
    reranker = LateInteraction(embedder, counts())
    passages = [Candidate("viaduct", score=1.0), Candidate("opened", score=0.9), Candidate("the viaduct", score=0.5)]
    first, second, far = reranker.rerank("bridge", passages)
    assert first > second > far
    assert embedder.texts == ["viaduct", "opened"]
    assert reranker.rerank("bridge", [passages[0], passages[2]]) == raise_scores([1.0, 0.5], [passages[0], passages[2]])
    assert embedder.asked == 1


def test_where_the_embedder_knows_nothing_of_the_script_no_passage_is_embedded(counts):
    embedder = TokenToy(understands=False)
    passages = [Candidate("roof", score=0.2), Candidate("pump", score=0.1)]
    assert LateInteraction(embedder, counts()).rerank("bridge", passages) == raise_scores([0.2, 0.1], passages)
    assert embedder.asked == 0


def test_stored_tokens_are_compared_for_all_candidates_and_nothing_is_embedded(counts):
    embedder, texts = TokenToy(), ["the pump"] * 60 + ["the bridge"]
    passages = [Candidate(text, score=1 - place / 1000, chunk=place) for place, text in enumerate(texts)]
    scores = LateInteraction(embedder, counts(), StoredToy(dict(enumerate(texts)))).rerank("bridge", passages)
    assert max(scores) == scores[60]
    assert embedder.asked == 0


def test_a_passage_far_behind_is_not_compared_and_stays_behind(counts):
    stored = StoredToy({1: "the pump", 2: "the bridge"})
    near, far = (Candidate("", score=score, chunk=chunk) for chunk, score in ((1, 1.0), (2, 0.5)))
    first, second = LateInteraction(TokenToy(), counts(), stored).rerank("bridge", [near, far])
    assert first - second >= 0.5


def test_a_passage_without_stored_tokens_is_neither_raised_nor_lowered_against_the_others(counts):
    stored = StoredToy({1: "the bridge", 2: "the pump"})
    passages = [Candidate("", chunk=chunk) for chunk in (1, 2, 3)]
    held, other, unknown = LateInteraction(TokenToy(), counts(), stored).rerank("bridge", passages)
    assert held > unknown > other


def test_the_best_passages_are_embedded_when_no_tokens_are_stored_yet(counts):
    passages = [Candidate("the pump", chunk=1), Candidate("the bridge", chunk=2)]
    pump, bridge = LateInteraction(TokenToy(), counts(), StoredToy({})).rerank("bridge", passages)
    assert bridge > pump


def test_with_an_embedder_without_token_vectors_the_letters_decide(toy_embedder, counts):
    passages = [Candidate("a pump", score=0.1), Candidate("the roof", score=0.1)]
    scores = LateInteraction(toy_embedder, counts()).rerank("roof", passages)
    assert scores == LexicalReranker(counts()).rerank("roof", passages)
    assert scores[1] > scores[0]


def test_a_failing_model_is_a_reranking_error(counts):
    with pytest.raises(RerankingError, match=r"ran out of memory\. Close something"):
        LateInteraction(BrokenTokens(), counts()).rerank("bridge", [Candidate("a"), Candidate("b")])


def test_similarity_is_the_weighted_mean_of_the_nearest():
    asked = np.eye(2, dtype=np.float32)
    passage = np.array([[1, 0], [0.6, 0.8]], np.float32)
    assert similarity(asked, np.array([3, 1], np.float32), passage) == pytest.approx((3 * 1 + 0.8) / 4)
    assert similarity(asked, np.zeros(2, np.float32), passage) == 0.0


def test_passages_seen_before_are_not_embedded_again():
    embedder = TokenToy()
    vectors = PassageVectors(embedder)
    first = vectors.of(["bridge", "pump", "bridge"])
    again = vectors.of(["pump", "bridge"])
    assert embedder.asked == 1
    assert [one.tolist() for one in again] == [first[1].tolist(), first[0].tolist()]


def test_only_so_many_passages_are_kept_and_the_oldest_go_first():
    embedder = TokenToy()
    vectors = PassageVectors(embedder, most_bytes=2 * 2 * (len(WORDS) + 1))
    for text in ("bridge", "pump", "bridge", "opened", "bridge", "pump"):
        vectors.of([text])
    assert embedder.asked == 4


def test_letters_see_through_word_endings(counts):
    plain, ending = LexicalReranker(counts()).rerank("Who elected?", [Candidate("a pump"), Candidate("the election")])
    assert ending > plain


def test_letters_want_the_words_in_one_sentence(counts):
    together = Candidate("The copper roof leaks. It rains.")
    apart = Candidate("The copper shines. It rains. Her roof leaks.")
    first, second = LexicalReranker(counts()).rerank("copper roof", [apart, together])
    assert second > first


def test_letters_find_a_lone_chinese_character_that_no_pair_holds(counts):
    passages = [Candidate("这座城市位于海边。"), Candidate("这座城市位于一条大河旁。")]
    sea, river = LexicalReranker(counts()).rerank("城市旁边是哪条河", passages)
    assert river > sea


def test_letters_count_a_rare_chinese_character_more(counts):
    passages = [Candidate("磁带"), Candidate("大学")]
    tape, university = LexicalReranker(counts({"大*": 90, "学*": 90})).rerank("大学磁带", passages)
    assert tape > university


def test_letters_leave_a_question_of_nothing_but_particles_as_it_is(counts):
    passages = [Candidate("NBA总决赛", score=0.3), Candidate("是什么", score=0.2)]
    assert LexicalReranker(counts()).rerank("是什么", passages) == raise_scores([0.3, 0.2], passages)
