"""Explanations of results: each step that can drop a passage, and ranks equal to those of the search."""

import random
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.errors import NotFound, RetrievalError
from workbench.model.explanation import Account, AdviceKind, ListKind, Stage, WordStanding
from workbench.model.filter import ChunkFilter, Condition, Operator
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.retrieval.answer_sentences import SentenceRanker
from workbench.retrieval.explanation_summary import advice, sentence
from workbench.retrieval.retriever import Retriever
from workbench.retrieval.search_explanation import Explainer, ExplanationRequest, Findings

PAGE_2 = Condition("page", Operator.EQ, ("2",))


class HashEmbedder:
    """Embedder with a different vector for each text, like a real model: words hashed into a few dimensions."""

    id = "hash"
    dim = 32

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self.dim, np.float32)
        for word in text.lower().split():
            vector += np.random.default_rng(zlib.crc32(word.encode())).standard_normal(self.dim).astype(np.float32)
        return vector / np.linalg.norm(vector)


def explainer(library: Any, embedder: Any = None) -> Explainer:
    retriever = Retriever(library.documents, library.keywords, library.index, embedder or library.embedder)
    ranker = SentenceRanker(embedder or library.embedder, library.keywords)
    return Explainer(retriever, library.documents, library.keywords, ranker)


def explained(library: Any, question: str, *chunks: int, **how: Any) -> Findings:
    return explainer(library).explain(ExplanationRequest(question, **how), chunks)


def account(library: Any, question: str, chunk: int, **how: Any) -> Account:
    (only,) = explained(library, question, chunk, **how).accounts
    return only


def crowd(library: Any, number: int = 90) -> None:
    for one in range(number):
        library.add(f"The warranty of pump {one} covers the copper roof and the pump.", title=f"Warranty {one}")


def test_a_returned_passage_is_explained_with_its_place_its_ranks_and_its_words(library: Any) -> None:
    id = library.add("The school has six hundred students. They attend it daily.", title="School report")
    library.add("The roof is made of copper.")
    found = explained(library, "Which students attend the school?", id)
    (only,) = found.accounts
    assert (only.stage, only.rank, only.in_list(ListKind.MEANING).rank, only.in_list(ListKind.WORDS).rank) == (
        Stage.FOUND, 1, 1, 1,
    )  # fmt: skip
    assert [(word.text, word.standing) for word in only.words] == [
        ("students", WordStanding.IN_TEXT), ("attend", WordStanding.IN_TEXT), ("school", WordStanding.IN_TEXT),
    ]  # fmt: skip
    assert sentence(only, found.result).startswith("It came 1st of the 2 given: “")
    assert "its meaning is the nearest of 2" in sentence(only, found.result)


def test_a_passage_outside_the_knowledge_base_was_left_out(library: Any) -> None:
    id = library.add("The school has six hundred students.", kb="theirs")
    library.add("The school of ours has students.", kb="ours")
    found = explained(library, "students", id, filter=ChunkFilter("ours"))
    (only,) = found.accounts
    assert (only.stage, only.lists, only.left_out_by) == (Stage.FILTERED, (), ("the knowledge base “ours”",))
    assert "limited to the knowledge base “ours”" in sentence(only, found.result)
    assert [one.kind for one in advice(only)] == [AdviceKind.WIDEN]


def test_only_the_conditions_that_it_does_not_meet_are_named(library: Any) -> None:
    id = library.add("The school has six hundred students.", page_starts=(0,))
    text = Condition("format", Operator.EQ, ("text",))
    only = account(library, "students", id, filter=ChunkFilter("default", (text, PAGE_2)))
    assert (only.stage, only.left_out_by) == (Stage.FILTERED, ("“page:2”",))


def test_a_passage_without_a_vector_is_explained_by_the_missing_vector(library: Any) -> None:
    id = library.add("The cellar has a pump.", embed=False)
    crowd(library)
    found = explained(library, "Which warranty covers the pump and the copper roof?", id)
    (only,) = found.accounts
    assert only.stage is Stage.NO_VECTOR
    assert only.in_list(ListKind.MEANING).rank is None
    assert sentence(only, found.result).startswith("It is still being prepared, so only its words could be compared.")
    assert [one.kind for one in advice(only)] == [AdviceKind.WAIT]


def test_without_any_vectors_in_use_a_missing_one_is_no_reason(library: Any) -> None:
    id = library.add("The gasket.", embed=False)
    crowd(library)
    by_words = SearchConfiguration(SearchMode.KEYWORD)
    only = account(library, "warranty pump copper roof gasket", id, configuration=by_words, wanted=5)
    assert only.stage in (Stage.BEYOND, Stage.FOUND, Stage.BELOW_FLOOR)
    assert only.in_list(ListKind.MEANING) is None


def test_a_passage_ranked_too_low_is_explained_with_its_missing_words_and_its_rank(library: Any) -> None:
    crowd(library)
    id = library.add("A pump stands in the cellar.")
    found = explained(library, "Which warranty covers the pump?", id)
    (only,) = found.accounts
    assert only.stage is Stage.BEYOND
    assert only.rank > 10
    missing = [word.text for word in only.words if not word.is_held]
    assert missing == ["warranty", "covers"]
    said = sentence(only, found.result)
    assert "and 10 were given" in said
    assert "of your question are not in it" in said


def test_a_passage_too_deep_in_both_lists_is_explained_with_its_true_rank(library: Any) -> None:
    crowd(library)
    id = library.add("Cheese is made of milk.")
    found = explained(library, "Which warranty covers the pump?", id)
    (only,) = found.accounts
    assert (only.in_list(ListKind.MEANING).rank, only.in_list(ListKind.WORDS).rank) == (91, None)
    assert sentence(only, found.result).startswith("It is too far down in the lists to be compared (the first 50")
    assert "none of the words of your question is in it" in sentence(only, found.result)


def test_a_passage_with_the_same_text_as_another_is_explained_with_a_reference_to_it(library: Any) -> None:
    first = library.add("The roof is made of copper.", kb="one")
    second = library.add("The roof is  made of copper.", kb="two")
    found = explained(library, "copper roof", second)
    (only,) = found.accounts
    assert (only.stage, only.same_as.chunk, only.same_as.rank) == (Stage.FOLDED, first, 1)
    assert "says the same as “1.txt”, which came 1st" in sentence(only, found.result)


def test_e32_a_passage_that_does_not_reach_the_floor_of_the_user_is_below_the_floor(library: Any) -> None:
    crowd(library, 40)
    id = library.add("Cheese is made of milk in winter.")
    strict = SearchConfiguration(floor=0.9)
    found = explained(library, "Who wrote the virus cheese?", id, wanted=50, configuration=strict)
    (only,) = found.accounts
    assert only.stage is Stage.BELOW_FLOOR
    assert only.relevance < only.floor == found.result.floor
    said = sentence(only, found.result)
    assert said.endswith("found, but none of them fits the question well enough to be used for an answer.")
    assert "0." not in said


def test_e32_a_passage_that_is_given_but_answers_nothing_is_below_the_floor(library: Any) -> None:
    crowd(library, 40)
    id = library.add("Cheese is made of milk in winter.")
    found = explained(library, "Who wrote the password settings of the Virus Zorblax of cheese?", id, wanted=50)
    (only,) = found.accounts
    assert only.stage is Stage.BELOW_FLOOR
    assert only.certainty < only.floor
    assert sentence(only, found.result).endswith("no sentence in it answers the question clearly enough to be quoted.")


def test_the_passage_that_came_furthest_in_the_search_is_explained_first(library: Any) -> None:
    crowd(library)
    far = library.add("Cheese is made of milk.")
    near = library.add("Which warranty covers the pump? The warranty of the pump covers the pump.")
    outside = library.add("The warranty covers it.", kb="other")
    found = explained(library, "Which warranty covers the pump?", far, outside, near, filter=ChunkFilter("default"))
    assert [one.chunk.id for one in found.accounts] == [near, far, outside]


def test_words_of_the_passage_that_would_find_it_are_tried_out(library: Any) -> None:
    crowd(library)
    id = library.add("A centrifugal pump with a ceramic gasket stands in the cellar.")
    asked = ExplanationRequest("Which warranty covers the pump?")
    (only,) = explainer(library).explain(asked, [id]).accounts
    better = explainer(library).better_question(asked, only)
    assert better is not None
    assert better.question.startswith(asked.question)
    again = library.retriever.search(better.question)
    assert id in [hit.chunk.id for hit in again.hits]


def test_as_many_passages_are_advised_as_are_enough(library: Any) -> None:
    crowd(library, 30)
    id = library.add("A pump stands in the cellar.")
    asked = ExplanationRequest("Which warranty covers the pump?")
    (only,) = explainer(library).explain(asked, [id]).accounts
    told = explainer(library).enough_passages(asked, only)
    assert told is not None
    enough = int(told.text.split(" to ")[1].split(":")[0])
    assert id in [hit.chunk.id for hit in library.retriever.search(asked.question, k=enough).hits]
    crowd(library, 60)
    assert explainer(library).enough_passages(asked, only) is None


def test_an_empty_question_and_a_missing_knowledge_base_are_errors(library: Any) -> None:
    id = library.add("The roof is made of copper.")
    with pytest.raises(RetrievalError):
        explained(library, "  ", id)
    with pytest.raises(NotFound):
        explained(library, "copper", id, filter=ChunkFilter("nowhere"))


def test_a_word_in_the_title_only_is_distinguished_from_a_word_in_the_text(library: Any) -> None:
    id = library.add("It covers all parts.", title="Warranty of the pump")
    standings = {word.text: word.standing for word in account(library, "pump warranty covers", id).words}
    assert standings == {"pump": WordStanding.ABOVE, "warranty": WordStanding.ABOVE, "covers": WordStanding.IN_TEXT}


def test_chinese_words_are_reported_in_runs_as_found_or_missing(library: Any) -> None:
    id = library.add("水泵的保修期为两年。")
    words = account(library, "水泵的保修费用", id).words
    assert [(word.text, word.is_held) for word in words] == [("水泵的保修", True), ("费用", False)]
    assert sum(word.share for word in words) == pytest.approx(1.0)


class Backwards:
    """Reranker that reverses the order of the first twenty."""

    id = "backwards"
    most = 20

    def rerank(self, question: str, candidates: Sequence[Any]) -> list[float]:
        return [-candidate.score for candidate in candidates]


def test_the_explanation_shows_the_reranker_with_the_rank_it_gave(library: Any) -> None:
    for number in range(30):
        library.add(f"The warranty of pump {'pump ' * number}.")
    retriever = Retriever(library.documents, library.keywords, library.index, library.embedder, reranker=Backwards())
    plain = library.retriever.search("warranty pump", k=30).hits
    ranker = SentenceRanker(library.embedder, library.keywords)
    explains = Explainer(retriever, library.documents, library.keywords, ranker)
    found = explains.explain(
        ExplanationRequest("warranty pump"), [plain[0].chunk.id, plain[19].chunk.id, plain[25].chunk.id]
    )
    accounts = {one.chunk.id: one for one in found.accounts}
    first, last, unread = (accounts[plain[place].chunk.id] for place in (0, 19, 25))
    assert (first.stage, first.rank, first.rerank_rank) == (Stage.BEYOND, 20, 20)
    assert (last.rank, last.rerank_rank) == (1, 1)
    assert (unread.stage, unread.rank, unread.rerank_rank) == (Stage.BEYOND, 26, None)
    assert "the reranker ranked it 20th" in sentence(first, found.result)


def test_a_filter_that_there_is_not_left_everything_out(library: Any) -> None:
    id = library.add("The school has six hundred students.")
    unknown = Condition("colour", Operator.EQ, ("red",))
    found = explained(library, "students", id, filter=ChunkFilter(where=(unknown,)))
    assert (found.accounts[0].stage, found.result.hits) == (Stage.FILTERED, ())
    assert "“colour" in sentence(found.accounts[0], found.result)
    assert "There is no filter" in found.result.notes[0]


@pytest.mark.parametrize("mode", SearchMode)
@pytest.mark.parametrize("seed", range(3))
def test_ranks_are_those_of_the_search_for_any_question(library: Any, seed: int, mode: SearchMode) -> None:
    luck = random.Random(seed)
    vocabulary = [f"word{number}" for number in range(60)]
    library.embedder = HashEmbedder()
    library.index = type(library.index)(HashEmbedder.dim)
    texts = {}
    for _ in range(120):
        text = " ".join(luck.choices(vocabulary, k=luck.randint(4, 20)))
        texts[library.add(text)] = text
    question = " ".join(luck.sample(vocabulary, 4))
    result = library.retriever.search(question, k=10, configuration=SearchConfiguration(mode))
    hits = {hit.chunk.id: hit for hit in result.hits}
    cosines = {
        id: float(HashEmbedder().embed_query(text) @ HashEmbedder().embed_query(question)) for id, text in texts.items()
    }
    by_meaning = sorted(cosines, key=lambda id: -cosines[id])
    for id in (*luck.sample([*texts], 30), *hits):
        only = account(library, question, id, configuration=SearchConfiguration(mode))
        meaning, words = only.in_list(ListKind.MEANING), only.in_list(ListKind.WORDS)
        assert meaning is None if mode is SearchMode.KEYWORD else meaning.rank == by_meaning.index(id) + 1
        assert (words is None) == (mode is SearchMode.DENSE)
        if id in hits:
            scores = hits[id].scores
            assert (only.rank, only.fused, only.relevance) == (hits[id].rank, scores.fused, scores.relevance)
            assert scores.dense_rank is None or scores.dense_rank == meaning.rank
            assert scores.keyword_rank is None or scores.keyword_rank == words.rank
            assert only.stage in (Stage.FOUND, Stage.BELOW_FLOOR)
        else:
            assert only.stage is Stage.BEYOND
            assert only.rank > len(hits)
            assert not hits or only.fused <= only.fused_last
