"""Any text can be a question: its words, its names, and no syntax errors."""

import pytest

from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.retrieval.question_words import LONGEST_QUESTION, question_words, shorten_question, words_of
from workbench.store.bm25 import shares
from workbench.store.segmentation import compounds_in, names_in

TEXTS = (
    "The fix for CVE-2021-44228 is in release 2.17.1 of the logger.",
    "Set max_tokens in ChunkStore before the first call.",
    "The parser is written in C++ and the window in C#.",
    "Section § 4.3 limits the current to 15 mA at 3.3 V.",
    "水泵的保修期为两年，型号是 PX-200。",
    "A party popper 🎉 marks the release day.",
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("CVE-2021-44228", 0),
        ("cve 2021 44228", 0),
        ("max_tokens", 1),
        ("maxTokens", 1),
        ("chunk store", 1),
        ("ChunkStore", 1),
        ("C++", 2),
        ("§ 4.3", 3),
        ("15 mA", 3),
        ("１５ ｍＡ", 3),
        ("PX-200的保修期有多长？", 4),
        ("px200", 4),
        ("泵", 4),
        ("party", 5),
    ],
)
def test_a_question_of_any_kind_finds_its_text_first(library, question, expected):
    ids = [library.add(text) for text in TEXTS]
    hits = library.retriever.search(question, configuration=SearchConfiguration(SearchMode.KEYWORD)).hits
    assert hits[0].chunk.id == ids[expected]


HARMLESS = """
?
...!!!
🎉🎉
"
'; DROP TABLE chunks; --
NEAR(a b)
a*
body:pump AND -title:(
的
""".splitlines()


@pytest.mark.parametrize(
    "question", [*HARMLESS, " ", "\x00", "\ud800", "x" * 5000, "def f(x):\n    return x[0]", "\u202egnp"]
)
def test_no_question_breaks_the_search(library, question):
    for text in TEXTS:
        library.add(text)
    result = library.retriever.search(question, k=3)
    assert len(result.hits) <= 3
    assert result.question == question


def test_the_beginning_and_the_end_of_a_very_long_question_are_searched(library):
    id = library.add("The roof is made of copper.")
    library.add("Fish swim in the sea.")
    question = "copper roof " + "lorem ipsum " * 10_000 + " what is it made of"
    result = library.retriever.search(question)
    assert result.hits[0].chunk.id == id
    assert any("very long" in note for note in result.notes)
    assert len(shorten_question(question)) <= LONGEST_QUESTION + 1
    assert shorten_question(question).endswith("what is it made of")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is the warranty of the Zorblax?", (("zorblax",),)),
        ("What did it cost in 2019?", (("2019",),)),
        ("Where do birds winter?", ()),
        ("WHAT IS THE WARRANTY OF THE PUMP?", ()),
        ("Is CVE-2021-44228 fixed?", (("cve", "2021", "44228", "cve202144228"),)),
        ("zorblax的保修期有多长？", (("zorblax",),)),
        ("保修期有多长？", ()),
        ("How do the FCF and the PP&E of Zorblax compare in FY2022, FY21 and Q2?", (("zorblax",), ("2022",))),
    ],
)
def test_names_are_words_with_a_capital_or_a_digit_and_latin_words_among_chinese(question, names):
    assert names_in(question) == names


@pytest.mark.parametrize(
    ("question", "is_strange"),
    [
        ("What is the warranty of the Zorblax?", True),
        ("What is the warranty of the Pump?", False),
        ("Does the e-Mail pump work?", False),
        ("Which pump is PX-300?", True),
    ],
)
def test_a_name_that_does_not_occur_in_the_library_is_detected(counts, question, is_strange):
    absent = {"zorblax": 0, "email": 0, "300": 0, "px300": 0}
    assert question_words(question, counts(absent)).asks_for_stranger is is_strange


def test_a_code_that_occurs_only_at_the_beginning_of_longer_ones_is_known(library):
    library.add("The M320TF-XX weighs 11 kilograms; the pump is another thing.")
    words = question_words("What is the weight of the M320TF?", library.keywords)
    assert not words.asks_for_stranger
    assert words.share(words_of("M320TF-XX")) > words.share(words_of("M270TF-XX")) == 0
    assert question_words("What is the weight of the M320TK?", library.keywords).asks_for_stranger


def test_a_long_question_is_cut_between_words():
    kept = shorten_question("harbour depth " * 200)
    assert len(kept) <= LONGEST_QUESTION
    assert set(kept.split()) == {"harbour", "depth"}


def test_a_long_question_without_spaces_keeps_its_ends():
    assert shorten_question("港" * 600 + "深" * 600) == "港" * 600 + " " + "深" * 200


@pytest.mark.parametrize(
    ("question", "compounds"),
    [
        ("How is β-catenin degraded?", (("β", "catenin", "βcatenin"),)),
        ("What is V(D)J recombination (in mice)?", (("v", "d", "j"),)),
        ("Where is max_tokens of the ChunkStore?", (("max", "token", "maxtoken"), ("chunk", "stor", "chunkstor"))),
        ("PX-200的e-mail地址", (("px", "200", "px200"), ("e", "mail", "email"))),
        ("How deep is the harbour?", ()),
    ],
)
def test_compounds_in_a_question_are_recognised(question, compounds):
    assert compounds_in(question) == compounds


def test_a_compound_weighs_one_and_a_half_times_as_much_as_its_rarest_word():
    kept = shares([("e", "mail", "email")], {"e": 2.0, "mail": 3.0, "email": 5.0}.__getitem__)
    assert kept == dict.fromkeys(("e", "mail", "email"), 0.75)
    assert shares([("a", "b")], {"a": 0.0, "b": 4.0}.__getitem__) == {"a": 1.0, "b": 1.0}
    assert shares([("a", "b")], {"a": 0.0, "b": 0.0}.__getitem__) == {"a": 0.0, "b": 0.0}


def test_the_parts_of_a_name_do_not_outweigh_the_rest_of_the_question(library):
    """If px, 200 and px200 were each counted, the passage that only names the pump would be first."""
    named = library.add("The PX-200 is blue. Every PX-200 is blue.")
    answering = library.add("The warranty period of this pump is two years.")
    for number in range(30):
        library.add(f"Page {number} is about pumps of another kind.")
    found = library.retriever.search(
        "warranty period of the PX-200", configuration=SearchConfiguration(SearchMode.KEYWORD, "none")
    )
    assert [hit.chunk.id for hit in found.hits[:2]] == [answering, named]
