"""Names of groups of texts, made of the words that distinguish them."""

from workbench.retrieval.topic_words import topic_words

HERONS = ["The heron nests on the pier.", "A heron fishes at dusk.", "Herons nest in colonies.", "The heron waits."]
TAXES = ["Income tax is due in April.", "The tax rate rose.", "Taxes on income fell.", "A tax office answers."]


def test_each_group_gets_the_words_that_others_do_not_have() -> None:
    herons, taxes = topic_words([HERONS, TAXES])
    assert herons[0].casefold().startswith("heron")
    assert taxes[0].casefold() == "tax"
    assert "income" in [word.casefold() for word in taxes]


def test_words_are_written_as_they_mostly_are_and_once_in_all_their_forms() -> None:
    (words,) = topic_words([["Flask apps", "Flask app", "the flask", "Flask"]])
    assert words[0] == "Flask"
    assert len([word for word in words if word.casefold().startswith("app")]) <= 1


def test_stop_words_short_words_and_markup_are_not_topic_words() -> None:
    (words,) = topic_words(
        [["<span class='x'>it is of the</span> {{#include ../a.rs}} https://a.example/span pier"] * 3]
    )
    assert words == ("pier",)


def test_chinese_is_read_in_pairs_that_do_not_overlap() -> None:
    (words, _) = topic_words([["保修期为三年", "保修期自交货起", "保修条款"], ["潮汐每日两次", "潮汐表"]])
    assert words[0] == "保修"
    assert "修期" not in words


def test_a_word_of_one_text_does_not_speak_for_a_large_group() -> None:
    words = ("boat", "gull", "wind", "sand", "rope", "tide", "lamp", "mast", "sail", "crab", "kelp", "buoy", "reef")
    texts = [f"pier {word}" for word in words]
    assert topic_words([texts])[0] == ("pier",)


def test_groups_without_words_have_no_topic_words() -> None:
    assert topic_words([[], ["..."]]) == [(), ()]


def test_words_found_in_every_group_are_not_topic_words() -> None:
    groups = [[f"We use the {word} number {one}." for one in range(4)] for word in ("boat", "gull", "rope", "tide")]
    assert [words[0] for words in topic_words(groups)] == ["boat", "gull", "rope", "tide"]
    assert not any("use" in words or "number" in words for words in topic_words(groups))
