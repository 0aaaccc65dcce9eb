"""Retriever: both lists, filters before the limit, folding, notes, and errors that are never "nothing found"."""

import threading
from typing import Any

import numpy as np
import pytest

from workbench.errors import EmbeddingError, IndexUnavailable, NotFound, RerankingError, RetrievalError
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.retrieval.filters.json_forms import filter_of
from workbench.retrieval.retriever import Retriever


class BrokenIndex:
    dim = 15
    count = 1
    generation = 0

    def search(self, *_: Any, **__: Any) -> Any:
        raise IndexUnavailable("The index file is gone.", "Start the program again.")


class BrokenEmbedder:
    id = "broken"
    dim = 15

    def embed_query(self, text: str) -> Any:
        raise EmbeddingError("The model ran out of memory.")


class LastFirst:
    """Reranker that reverses the order, or fails."""

    id = "last-first"
    most = 30

    def __init__(self, *, fails: bool = False) -> None:
        self.asked: list[str] = []
        self._fails = fails

    def rerank(self, question: str, candidates: Any) -> list[float]:
        self.asked = [candidate.text for candidate in candidates]
        if self._fails:
            raise RerankingError("The server is gone.", "Start it.")
        return [float(number) for number in range(len(candidates))]


class Turn:
    """Lock that counts how often it was acquired."""

    taken = 0

    def __enter__(self) -> None:
        self.taken += 1

    def __exit__(self, *_error: object) -> None:
        pass


def reranking(library, reranker):
    return Retriever(library.documents, library.keywords, library.index, library.embedder, reranker)


def test_searches_take_turns_unless_their_reranker_may_wait_for_a_server(library):
    library.add("The roof is made of copper.")
    turn, server = Turn(), LastFirst()
    server.judges = True
    for reranker, taken in ((None, 1), (LastFirst(), 2), (server, 2)):
        retriever = Retriever(library.documents, library.keywords, library.index, library.embedder, reranker, turn=turn)
        assert len(retriever.search("copper").hits) == 1
        assert turn.taken == taken


def test_a_hit_carries_every_score(library):
    id = library.add("The school has six hundred students.", title="School report")
    library.add("The roof is made of copper.")
    hit = library.retriever.search("How many students attend the school?").hits[0]
    assert (hit.rank, hit.chunk.id, hit.document_title) == (1, id, "School report")
    assert hit.scores.dense == pytest.approx(1.0)
    assert (hit.scores.dense_rank, hit.scores.keyword_rank) == (1, 1)
    assert hit.scores.keyword is not None
    assert hit.scores.keyword > 0
    assert 0 < hit.scores.dense_weight < 1
    assert hit.matched_terms == ("students", "school")


def test_meaning_finds_what_no_word_of_the_question_names(library):
    library.add("The roof is made of copper.")
    automobile = library.add("An automobile needs oil.")
    result = library.retriever.search("vehicle")
    assert result.hits[0].chunk.id == automobile
    assert result.hits[0].scores.keyword is None


def test_b20_the_mode_holds_for_one_call_only(library):
    library.add("An automobile needs oil.")
    retriever = library.retriever
    assert retriever.search("vehicle", configuration=SearchConfiguration(SearchMode.KEYWORD)).hits == ()
    by_meaning = retriever.search("vehicle", configuration=SearchConfiguration(SearchMode.DENSE))
    assert by_meaning.hits[0].scores.dense_weight == 1.0
    assert len(retriever.search("vehicle").hits) == 1


def test_keyword_mode_needs_no_embedder(library):
    id = library.add("An automobile needs oil.")
    retriever = Retriever(library.documents, library.keywords, library.index, BrokenEmbedder())
    result = retriever.search("oil", configuration=SearchConfiguration(SearchMode.KEYWORD))
    assert [hit.chunk.id for hit in result.hits] == [id]
    assert result.notes == ()


def test_b17_the_filter_acts_before_the_limit(library):
    for number in range(80):
        library.add(f"Students of the school, class {number}.", kb="crowd")
    wanted = library.add("A school with many students and a pool.", kb="small")
    for mode in SearchMode:
        result = library.retriever.search(
            "school students", k=5, configuration=SearchConfiguration(mode), filter=ChunkFilter("small")
        )
        assert [hit.chunk.id for hit in result.hits] == [wanted]
        assert result.searched_chunks == 1


def test_a_knowledge_base_that_is_not_there_is_an_error(library):
    library.add("The roof is made of copper.")
    with pytest.raises(NotFound):
        library.retriever.search("copper", filter=ChunkFilter("nowhere"))


def test_b21_chunks_of_equal_text_are_shown_once(library):
    first = library.add("The roof is made of copper.", kb="one")
    library.add("The roof is  made of copper.", kb="two")
    library.add("The pump has a roof.")
    hits = library.retriever.search("copper roof").hits
    assert [hit.rank for hit in hits] == [1, 2]
    assert hits[0].chunk.id == first
    assert "pump" in hits[1].chunk.text


@pytest.mark.logs_warnings
def test_s23_a_failing_index_leaves_the_keyword_hits_and_a_note(library, caplog):
    id = library.add("The roof is made of copper.")
    retriever = Retriever(library.documents, library.keywords, BrokenIndex(), library.embedder)
    result = retriever.search("copper")
    assert [hit.chunk.id for hit in result.hits] == [id]
    assert result.notes == ("Only keywords were searched, not the meaning. The index file is gone.",)
    assert "cannot be searched" in caplog.text


@pytest.mark.logs_warnings
def test_s23_a_failing_index_is_an_error_where_only_vectors_were_asked_for(library):
    library.add("The roof is made of copper.")
    retriever = Retriever(library.documents, library.keywords, BrokenIndex(), library.embedder)
    with pytest.raises(RetrievalError, match=r"The index file is gone\. Start the program again\."):
        retriever.search("copper", configuration=SearchConfiguration(SearchMode.DENSE))


@pytest.mark.logs_warnings
def test_without_an_embedder_the_search_reports_that_only_keywords_were_searched(library):
    id = library.add("The roof is made of copper.")
    result = Retriever(library.documents, library.keywords, None, None).search("copper")
    assert [hit.chunk.id for hit in result.hits] == [id]
    assert result.notes[0].startswith("Only keywords were searched")


def test_the_vectors_are_searched_while_the_words_are_looked_up(library, monkeypatch):
    library.add("The roof is made of copper.")
    began, seen = threading.Event(), []
    nearest, look_up = library.index.search, library.keywords.search
    monkeypatch.setattr(library.index, "search", lambda *given, **options: began.set() or nearest(*given, **options))
    monkeypatch.setattr(
        library.keywords, "search", lambda *given, **options: seen.append(began.wait(10)) or look_up(*given, **options)
    )
    assert library.retriever.search("copper roof").hits[0].scores.dense is not None
    assert seen == [True]


def test_passages_without_a_vector_are_found_by_keyword_and_counted(library):
    library.add("The roof of the school is made of slate.")
    waiting = library.add("The roof is made of copper.", embed=False)
    result = library.retriever.search("copper roof", filter=filter_of({"format": "text"}))
    assert result.hits[0].chunk.id == waiting
    assert result.hits[0].scores.dense is None
    assert result.notes == ("2 passages are still being prepared and can be found by their words only.",)


def test_a_removed_document_is_not_found(library):
    id = library.add("The roof is made of copper.")
    library.add("The whale swims in the ocean.")
    library.documents.mark_removed([library.documents.chunks_by_id([id])[id][0].document])
    assert id not in [hit.chunk.id for hit in library.retriever.search("copper roof").hits]


@pytest.mark.parametrize("k", [0, -1, 1001])
def test_k_out_of_bounds_is_refused(library, k):
    with pytest.raises(RetrievalError):
        library.retriever.search("copper", k=k)


@pytest.mark.parametrize("question", ["", "   ", "?!", '"(', "NEAR(", "的"])
def test_any_question_is_harmless_in_an_empty_library(library, question):
    assert library.retriever.search(question).hits == ()


def test_k_larger_than_the_library_gives_all(library):
    for text in ("The roof is made of copper.", "The whale swims in the ocean."):
        library.add(text)
    assert len(library.retriever.search("copper whale", k=1000).hits) == 2


def test_relevance_distinguishes_a_passage_about_the_question_from_a_chance_word(library):
    library.add("The school has six hundred students.")
    retriever = library.retriever
    about = retriever.search("How many students attend the school?").hits[0]
    chance = retriever.search("Which violin did the six composers of Vienna prefer?").hits[0]
    assert about.scores.relevance > 0.5 > 0.2 > chance.scores.relevance >= 0


def test_the_index_holds_only_what_was_put_in(library):
    id = library.add("The roof is made of copper.")
    ids, _ = library.index.search(library.embedder.embed_query("copper"), 5, allowed=np.array([id, 999]))
    assert ids.tolist() == [id]


def test_a_hit_on_two_pages_names_the_one_that_meets_the_question(library):
    text = "Fish swim in the sea.\nThe roof is made of copper."
    library.add(text, page_starts=(0, 22))
    first = library.retriever.search("Where do fish swim?").hits[0]
    second = library.retriever.search("Which metal is the copper roof?").hits[0]
    assert (first.page, second.page) == (1, 2)
    assert second.page_breaks == (22,)
    assert [second.page_at(offset) for offset in (0, 21, 22, 40)] == [1, 1, 2, 2]


def test_a_hit_without_pages_has_none(library):
    library.add("The roof is made of copper.")
    hit = library.retriever.search("copper roof").hits[0]
    assert hit.page is None
    assert hit.page_at(3) is None


def test_b19_the_reranker_sees_more_than_is_given_and_both_scores_are_kept(library):
    for number in range(20):
        library.add("The roof is made of copper. " + "More words. " * number)
    reranker = LastFirst()
    hits = reranking(library, reranker).search("copper roof", k=3).hits
    assert len(reranker.asked) == 20
    assert [hit.chunk.text for hit in hits] == reranker.asked[:-4:-1]
    assert [(hit.rank, hit.scores.rerank, hit.scores.rerank_rank) for hit in hits] == [
        (1, 19, 1),
        (2, 18, 2),
        (3, 17, 3),
    ]
    assert all(hit.scores.fused > 0 for hit in hits)


def test_passages_that_the_reranker_does_not_score_follow_without_a_reranker_score(library):
    for number in range(35):
        library.add("The roof is made of copper. " + "More words. " * number)
    hits = reranking(library, LastFirst()).search("copper roof", k=35).hits
    assert [hit.scores.rerank is None for hit in hits] == [False] * 30 + [True] * 5


@pytest.mark.logs_warnings
def test_b19_a_failing_reranker_leaves_the_order_unchanged_and_is_reported(library):
    for text in ("The roof is made of copper.", "A copper pump."):
        library.add(text)
    usual = library.retriever.search("copper roof")
    result = reranking(library, LastFirst(fails=True)).search("copper roof")
    assert [hit.chunk.id for hit in result.hits] == [hit.chunk.id for hit in usual.hits]
    assert result.hits[0].scores.rerank is None
    assert result.notes == (
        "The passages keep the order of the search: reranking failed. The server is gone. Start it.",
    )


def test_b20_reranking_can_be_left_out_of_one_search(library):
    for text in ("The roof is made of copper.", "A copper pump."):
        library.add(text)
    retriever = reranking(library, LastFirst())
    without = SearchConfiguration(reranking="none")
    plain = [hit.chunk.id for hit in retriever.search("copper roof", configuration=without).hits]
    assert plain == [hit.chunk.id for hit in library.retriever.search("copper roof").hits]
    assert [hit.chunk.id for hit in retriever.search("copper roof").hits] == plain[::-1]


def test_a_retriever_that_was_prepared_embeds_nothing_but_the_first_question(library, monkeypatch):
    library.add("The school has six hundred students.")
    phrases = {"accounts payable": library.embedder.embed_query("accounts payable")}
    retriever = Retriever(
        library.documents, library.keywords, library.index, library.embedder, phrase_vectors=lambda: phrases
    )
    retriever.prepare()
    embedded = []
    embed = library.embedder.embed_query
    monkeypatch.setattr(library.embedder, "embed_query", lambda text: (embedded.append(text), embed(text))[1])
    retriever.search("How many students?")
    assert set(embedded) == {"How many students?"}


def test_preparing_with_a_broken_model_leaves_the_error_message_to_the_search(library):
    Retriever(library.documents, library.keywords, library.index, BrokenEmbedder()).prepare()
