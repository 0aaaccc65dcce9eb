"""Sentence ranker: its quotes, true offsets, and nothing below the floor."""

from workbench.model.chunk import embedding_text
from workbench.retrieval.answer_sentences import AnswerLevel, SentenceRanker

PUMP = (
    "# Warranty\n\nHow long is the guarantee?\n\nThe pump has a warranty of two years. "
    "It starts on the day of purchase. Shipping to Norway takes nine days."
)
BIRDS = "In winter the birds fly south. They rest on the coast of Africa."


def test_the_sentence_that_answers_comes_first_with_true_offsets(counts, toy_embedder):
    ranker = SentenceRanker(toy_embedder, counts())
    best = ranker.best("How long is the warranty of the pump?", [(3, BIRDS), (7, PUMP)], limit=2)
    assert best[0].number == 7
    assert best[0].text == "The pump has a warranty of two years."
    assert PUMP[best[0].start : best[0].end] == best[0].text


def test_e32_where_no_word_and_no_meaning_overlaps_there_is_nothing(counts):
    ranker = SentenceRanker(None, counts())
    question = "Which violin concerto did Sibelius write?"
    assert ranker.best(question, [(1, PUMP), (2, BIRDS)], limit=4) == []
    assert ranker.rank(question, [(1, PUMP)]).level is AnswerLevel.NOT_FOUND


def test_words_alone_are_enough_without_an_embedder(counts):
    ranker = SentenceRanker(None, counts())
    assert ranker.best("warranty of the pump", [(1, PUMP)], limit=1)[0].text.startswith("The pump has a warranty")


def test_headings_and_questions_are_never_quoted(counts, toy_embedder):
    ranking = SentenceRanker(toy_embedder, counts()).rank("How long is the guarantee?", [(1, PUMP)])
    assert ranking.sentences
    assert not any(one.text.endswith("?") or one.text.startswith("#") for one in ranking.sentences)


def test_the_sentence_after_a_matching_question_gains_from_it(counts):
    text = "What does shipping cost?\n\nNine euros are charged for it. The office is closed on Sundays."
    ranking = SentenceRanker(None, counts()).rank("What does shipping cost?", [(1, text)])
    assert ranking.sentences[0].text == "Nine euros are charged for it."


def test_a_heading_above_the_passage_counts_as_preceding_text(counts):
    ranker = SentenceRanker(None, counts())
    with_heading = ranker.rank("pump warranty", [(1, "It lasts for two full years.")], headings={1: "Pump > Warranty"})
    without = ranker.rank("pump warranty", [(1, "It lasts for two full years.")])
    assert with_heading.certainty > without.certainty


def test_a_question_for_a_time_prefers_a_sentence_that_holds_one(counts):
    text = "The bridge was opened by the mayor. The bridge was opened in 1932."
    ranking = SentenceRanker(None, counts()).rank("When was the bridge opened?", [(1, text)])
    assert ranking.sentences[0].text.endswith("1932.")


def test_chinese_is_ranked_by_its_words(counts, toy_embedder):
    text = "屋顶由铜制成。水泵的保修期为两年。办公室周日不开门。"
    best = SentenceRanker(toy_embedder, counts()).best("水泵的保修期有多长？", [(4, text)], limit=1)
    assert best[0].text == "水泵的保修期为两年。"


def test_a_table_is_quoted_by_its_lines(counts):
    table = "\n".join(f"| part {number} | {number * 10} euros for each piece |" for number in range(40))
    best = SentenceRanker(None, counts({"17": 1})).best("What costs part 17?", [(1, table)], limit=1)
    assert best[0].text == "part 17 | 170 euros for each piece"


def test_no_passages_and_no_words_give_no_sentences(counts):
    ranker = SentenceRanker(None, counts())
    assert ranker.rank("pump", []).sentences == ()
    assert ranker.rank("", [(1, PUMP)]).certainty == 0.0


def test_sentences_that_cannot_be_among_the_best_are_not_embedded(counts, toy_embedder, monkeypatch):
    embedded: list[str] = []
    embed = toy_embedder.embed_documents
    monkeypatch.setattr(toy_embedder, "embed_documents", lambda texts: embedded.extend(texts) or embed(texts))
    far = " ".join(f"The birds of valley {number} fly to the south." for number in range(30))
    near = "The pump has a warranty of two years. A warranty of the pump of two years. The warranty of the pump ends."
    ranking = SentenceRanker(toy_embedder, counts()).rank("warranty of the pump", [(1, near), (2, far)])
    assert ranking.sentences[0].number == 1
    asked = [text for text in embedded if "valley" in text or "pump" in text]
    assert embedding_text((), "The pump has a warranty of two years.") in asked
    assert len(asked) < 24


def test_sentences_are_embedded_like_chunks_without_amounts_and_function_words(counts, toy_embedder, monkeypatch):
    embedded = []
    embed = toy_embedder.embed_documents
    monkeypatch.setattr(toy_embedder, "embed_documents", lambda texts: embedded.extend(texts) or embed(texts))
    sentence = "The bridge (a road bridge) cost $1,200 and opened in 1987."
    ranker = SentenceRanker(toy_embedder, counts({"bridge": 1}))
    ranked = ranker.rank("How much did the bridge cost?", [(1, sentence)]).sentences
    assert ranked[0].text == sentence
    assert [text.split() for text in embedded if "1987" in text] == [
        ["bridge", "road", "bridge", "cost", "opened", "in", "1987."]
    ]
