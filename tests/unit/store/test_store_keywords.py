"""Keyword index and its terms."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_content import Add

from workbench.model.filter import ChunkFilter
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex, matched_terms, segment, terms
from workbench.store.segmentation import stem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", "hello world"),
        ("Café NAÏVE Ångström straße", "caf naiv angstrom stras"),
        ("ＦＵＬＬ　ｗｉｄｔｈ１２", "ful width12"),
        ("保修期", "保修 修期 期"),
        ("2016年的", "2016 年的 的"),
        ("iPhone手机", "i phon iphon 手机 机"),
        ("東京タワー", "東京 京タ タワ ワー ー"),
        ("서울특별시", "서울 울특 특별 별시 시"),
        ("3.14 and 1,000,000.5 or v1.2.3", "3.14 and 1000000.5 or v1 2 3"),
        ("max_tokens ChunkStore e-mail", "max token maxtoken chunk stor chunkstor e mail email"),
        ("C++ and C# users' don’t", "c++ and c# user don t dont"),
        ("infor-\nmation, well-\nknown", "infor mation information wel known wellknown"),
        ("soft\u00adly, 3-\n4", "soft 3 4"),
        ("", ""),
        ("!!! ... ---", ""),
    ],
)
def test_text_becomes_words(text: str, words: str) -> None:
    assert segment(text) == words


@pytest.mark.parametrize(
    "forms",
    [
        ("make", "makes", "making"),
        ("city", "cities"),
        ("stop", "stops", "stopped", "stopping"),
        ("fall", "falls", "falling"),
        ("box", "boxes"),
        ("carry", "carries", "carried", "carrying"),
        ("class", "classes"),
        ("quick", "quickly"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


def test_stop_words_are_dropped_unless_nothing_is_left() -> None:
    assert terms("What is the warranty of the printer?") == ["warranti", "printer"]
    assert terms("Who is it?") == ["who", "is", "it"]
    assert terms("保修期是多少？") == ["保修", "修期", "期是"]
    assert terms("猫") == ["猫*"]


def test_matched_terms_are_returned_as_written_in_the_question() -> None:
    found = matched_terms("Where do Cats sleep in 北京大学 and 猫?", "My cat went to 北京大学 with another 猫咪.")
    assert found == ("Cats", "北京大学", "猫")


@pytest.fixture
def index(keywords: KeywordIndex, add: Add) -> KeywordIndex:
    add("the cat sat on the mat\nthe dog sat on the log\n保修期为两年\n2016年的报告\n", path="a", knowledge_base="A")
    add("cats and dogs\na cat, a cat, a cat\n", path="b", knowledge_base="B")
    return keywords


@pytest.mark.parametrize(
    ("question", "count"),
    [("cats", 3), ("CAT", 3), ("保修期", 1), ("年", 2), ("期", 1), ("2016", 1), ("报告", 1), ("zebra", 0), ("", 0)],
)
def test_b18_words_of_every_script_are_found(index: KeywordIndex, question: str, count: int) -> None:
    assert len(index.search(question, 10)) == count


def test_the_better_match_comes_first_and_scores_higher(index: KeywordIndex, documents: DocumentStore) -> None:
    found = index.search("cat", 10)
    chunks = documents.chunks_by_id([id for id, _ in found])
    assert chunks[found[0][0]][0].text.startswith("a cat, a cat")
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert all(score > 0.1 for _, score in found)


def test_a_code_that_occurs_nowhere_finds_longer_ones(keywords: KeywordIndex, add: Add) -> None:
    add("The M320TF-XX weighs 11 kilograms.\nThe pump weighs more.\n", path="a")
    assert len(keywords.search("M320TF", 9)) == 1
    assert keywords.search("M320TK", 9) == []


def test_scores_are_bm25(keywords: KeywordIndex, documents: DocumentStore, add: Add) -> None:
    add("apple pie\nbanana bread with nuts\ncherry\n", title="")
    # Title and heading count as words of the row: "Heading" adds one to each length.
    lengths, k1, b = [3, 5, 2], 0.9, 0.75
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    norm = 1 - b + b * lengths[0] / (sum(lengths) / 3)
    ((_, score),) = keywords.search("apple", 5)
    assert score == pytest.approx(idf * (1.2 + 1) * 1 / (1 + k1 * norm), rel=0.01)


def test_a_word_in_every_chunk_still_counts(keywords: KeywordIndex, add: Add) -> None:
    # FTS5's own bm25() gives 0.000001 here, so that a small library would have no order.
    add("printer manual\nprinter warranty\n")
    found = keywords.search("printer", 5)
    assert len(found) == 2
    assert all(score > 0.05 for _, score in found)


def test_the_other_side_of_a_cut_counts_for_a_chunk_and_another_paragraph_does_not(
    keywords: KeywordIndex, documents: DocumentStore, add: Add
) -> None:
    add("the printer\n\n\nlasts two years\n", path="apart.txt")
    add("the printer\nlasts two years\n", path="cut.txt")
    best, *others = (chunk for chunk, _ in keywords.search("years of the printer", 4))
    ((_, document),) = documents.chunks_by_id([best]).values()
    assert document.name == "cut.txt"
    assert len(others) == 3


def test_b17_the_filter_acts_before_the_limit(index: KeywordIndex, add: Add) -> None:
    add("cat cat cat\n" * 500, path="many", knowledge_base="C")
    found = index.search("cat", 3, filter=ChunkFilter("A"))
    assert len(found) == 1


@given(st.text())
def test_any_punctuation_is_harmless(question: str) -> None:
    # FTS5 receives words in quotes: they must not contain a quote, or anything that its tokenizer splits.
    for word in [*segment(question).split(" "), *terms(question)]:
        assert not set(word) & set("\"'*()^:{}[]-~,; \t\n") or word.endswith("*")


@pytest.mark.parametrize(
    "question",
    ['"', "cat AND", "NEAR(", "cat*", "body:cat", "-cat", "'; DROP TABLE chunks; --", "\x00cat", "cat\ud800"],
)
def test_query_syntax_is_only_text(index: KeywordIndex, question: str) -> None:
    assert (len(index.search(question, 10)) == 3) == ("cat" in question)


def test_words_left_out_for_speed_are_asked_when_the_rest_is_not_enough(
    index: KeywordIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.keywords._ROWS", 2)
    assert len(index.search("log cat", 1)) == 1
    assert len(index.search("log cat", 4)) == 4
    assert len(index.search("log cat", 1, filter=ChunkFilter("B"))) == 1


def test_document_frequency_counts_chunks(index: KeywordIndex) -> None:
    assert index.document_frequency(["cat", "保修", "zebra", "年*"]) == {"cat": 3, "保修": 1, "zebra": 0, "年*": 2}
    assert index.count == 6


def test_headings_and_title_are_found(keywords: KeywordIndex, add: Add) -> None:
    add("nothing\n", title="Quarterly report")
    assert len(keywords.search("quarterly", 5)) == 1
    assert len(keywords.search("heading", 5)) == 1


def test_words_segmented_by_an_older_version_are_indexed_again(database: Database, add: Add) -> None:
    add("apples\n")
    KeywordIndex(database)
    with database.write() as connection:
        connection.execute("UPDATE remembered SET value = '0/old' WHERE key = 'segmentation'")
        connection.execute("INSERT INTO keyword_index (keyword_index) VALUES ('delete-all')")
    assert len(KeywordIndex(database).search("apples", 5)) == 1


def test_measured_quality_on_real_questions(peer_data: Path, keywords: KeywordIndex, add: Add) -> None:
    import json

    articles = json.loads((peer_data / "xquad" / "xquad.zh.json").read_text("utf-8"))["data"][:6]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    right = asked = 0
    for number, paragraph in enumerate(paragraphs):
        add(paragraph["context"].replace("\n", " "), path=str(number), title="")
    for number, paragraph in enumerate(paragraphs):
        for question in paragraph["qas"]:
            asked += 1
            right += [id for id, _ in keywords.search(question["question"], 1)] == [number + 1]
    assert asked > 100
    assert right / asked > 0.93


def test_a_word_in_the_next_chunk_decides_between_equals(
    documents: DocumentStore, keywords: KeywordIndex, add: Add
) -> None:
    add("The bridge was opened in 1901.\nIts toll was a penny.\n", path="other")
    add("The bridge was opened in 1932.\nSydney had waited for it.\n", path="sydney")
    best = [chunk for chunk, _score in keywords.search("opened bridge Sydney", 4)]
    found = documents.chunks_by_id(best)
    assert [found[chunk][0].text.strip() for chunk in best][:2] == [
        "The bridge was opened in 1932.",
        "Sydney had waited for it.",
    ]


def test_very_many_index_segments_are_merged_while_documents_are_added(
    keywords: KeywordIndex, add: Add, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.keywords._MOST_PIECES", 20)
    monkeypatch.setattr("workbench.store.keywords._CHECKED_EVERY", 1)
    for number in range(60):
        add(f"# Heron\n\nThe heron number {number} flew.\n\n# Stork\n\nThe stork {number} too.\n", path=f"{number}.md")
    with database.read() as connection:
        assert connection.execute("SELECT COUNT(DISTINCT segid) FROM keyword_index_idx").fetchone()[0] <= 21
    found = keywords.search("heron 59", 500)
    assert database.integrity_problem() == ""
    keywords.rebuild()
    assert keywords.search("heron 59", 500) == found


def test_tidying_merges_what_many_writes_left_and_changes_no_answer(
    keywords: KeywordIndex, add: Add, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.keywords._PIECES", 2)
    for number in range(30):
        add(f"The heron number {number} flew.\n", path=f"note-{number}.md")
    before = keywords.search("heron 7", 40)
    while keywords.tidy():
        pass
    with database.read() as connection:
        assert connection.execute("SELECT COUNT(DISTINCT segid) FROM keyword_index_idx").fetchone()[0] == 1
    assert keywords.search("heron 7", 40) == before
    assert database.integrity_problem() == ""
