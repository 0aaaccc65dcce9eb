"""Compression: word for word, with true offsets, within the capacity, and nothing unique is dropped."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from workbench.agent.token_budget import estimate
from workbench.retrieval.answer_sentences import SentenceRanker
from workbench.retrieval.compression import (
    ELISION,
    Compressed,
    CompressiblePassage,
    Compression,
    pieces_of,
    repeats,
)

PARTS = (
    "The pump has a warranty of two years. ",
    "It starts on the day of purchase. ",
    "Who pays?\n\n",
    "# Prices\n\n",
    "| Region | Sales |\n|---|---|\n| North | 12 |\n| South | 7 |\n\n",
    "- one item of **many**\n",
    "系统密码是1234。",
    "水泵保修两年！",
    "```\nrun(1)\n```\n\n",
    "\n\n",
    "  ",
    "See https://a.b/c?d=e. ",
    "한국어 문장. ",
    "| a | b |\n",
    "\u3000",
    "🙂 ",
    "x" * 300,
)
TEXTS = st.lists(st.sampled_from(PARTS), min_size=0, max_size=12).map("".join)

TABLE = "Sales of the year by region:\n\n| Region | Sales |\n|---|---|\n" + "".join(
    f"| {region} | {number} |\n" for number, region in enumerate(("North", "South", "East", "West", "Centre"), start=10)
)


class Words:
    """Word counts of a library of a thousand chunks, in which all words are equally rare."""

    count = 1000

    def document_frequency(self, terms):
        return dict.fromkeys(terms, 5)


def compressed(question: str, *texts: str, room: float, documents: tuple[int, ...] = ()) -> Compressed:
    made = [
        CompressiblePassage(number, text, document=documents[number] if documents else number)
        for number, text in enumerate(texts)
    ]
    return Compression(question, made, SentenceRanker(None, Words())).fitted(room, estimate)


def shown(question: str, *texts: str, room: float, documents: tuple[int, ...] = ()) -> str:
    return "\n".join(one.text for one in compressed(question, *texts, room=room, documents=documents).excerpts)


@given(TEXTS)
@limits(max_examples=200, deadline=None)
def test_the_pieces_of_a_passage_hold_all_of_it_in_order(text: str) -> None:
    pieces = pieces_of(text)
    assert all(piece.start <= piece.quoted[0] for piece in pieces)
    assert all(first.end <= second.start for first, second in pairwise(pieces))
    assert "".join("".join(text[piece.start : piece.end].split()) for piece in pieces) == "".join(text.split())


@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 400))
@limits(max_examples=150, deadline=None)
def test_e31_kept_text_is_verbatim_at_its_offsets_and_fits_the_budget(texts: list[str], room: int) -> None:
    made = compressed("How long is the warranty of the pump? 水泵密码", *texts, room=room)
    for one in made.excerpts:
        parts = [part.strip() for part in one.text.split(ELISION) if part.strip()]
        assert parts == [texts[one.number][start:end].strip() for start, end in one.spans]
        assert all(first[1] <= second[0] for first, second in pairwise(one.spans))
    assert sum(estimate(one.text) for one in made.excerpts) <= room + 1e-9  # 0.4 and 0.8 for each letter, summed
    assert [one.number for one in made.excerpts] == sorted(one.number for one in made.excerpts)


def test_e31_nothing_is_omitted_when_there_is_enough_room() -> None:
    text = " ".join(f"Sentence number {number} says something of its own." for number in range(20))
    made = compressed("What does it say?", text, room=10_000)
    assert (made.excerpts[0].text, made.left_out) == (text, 0)


def test_e31_the_sentence_that_answers_is_kept_and_gaps_are_marked() -> None:
    text = (
        "Birds of the north fly south. The pump has a warranty of two years. Old roofs are of copper. Cheese is milk."
    )
    assert shown("How long is the warranty of the pump?", text, room=20) == (
        f"{ELISION} The pump has a warranty of two years. {ELISION}"
    )


def test_e31_chinese_sentences_are_kept_whole() -> None:
    text = "鸟儿在冬天总是飞往南方。水泵的保修期为两年。老房子的屋顶由铜制成。奶酪由牛奶制成。"
    assert shown("水泵的保修期是多久？", text, room=24) == f"{ELISION} 水泵的保修期为两年。 {ELISION}"


def test_e31_a_row_keeps_the_header_of_its_table() -> None:
    kept = shown("What are the sales of the region West?", TABLE, room=47)
    assert "| Region | Sales |\n|---|---|\n" in kept
    assert "| West | 13 |" in kept
    assert "North" not in kept


def test_a_sentence_keeps_the_one_it_reads_on_from_before_any_other() -> None:
    text = (
        "Copper roofs turn green. The warranty of the pump was changed. "
        "It is now two years for the pump under warranty. Cheese is made of milk."
    )
    assert "The warranty of the pump was changed." in shown("How long is the warranty of the pump now?", text, room=45)


def test_e31_sentences_that_repeat_a_better_passage_word_for_word_are_dropped_first() -> None:
    said = "The pump has a warranty of two years. It starts on the day of purchase."
    other = "The pump has a warranty of two years! It starts on the day of the purchase. Seals wear out early."
    made = compressed("How long is the warranty of the pump?", said, other, room=52)
    assert made.repeated == 2
    assert made.excerpts[1].text.endswith("Seals wear out early.")


def test_in_another_document_the_same_sentence_alone_is_not_the_same_statement() -> None:
    texts = (
        "Alpha is old. The company has no debts in this year.",
        "Beta is new. The company has no debts in this year.",
    )
    assert compressed("Who has no debts?", *texts, room=40).repeated == 0
    assert compressed("Who has no debts?", *texts, room=40, documents=(1, 1)).repeated == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The pump costs 1,200 euros a year.", "The pump costs 1,300 euros a year."),
        ("Revenue rose by 4.5 % in the year 2021.", "Revenue rose by 4.5 % in the year 2022."),
        ("Anna Berg signed the contract in Oslo.", "Anna Lund signed the contract in Oslo."),
        ("The guarantee does cover the seals of pumps.", "The guarantee does not cover the seals of pumps."),
        ("Revenue rose sharply in the last quarter.", "Revenue fell sharply in the last quarter."),
        ("Alpha bought shares of Beta in the spring.", "Beta bought shares of Alpha in the spring."),
        ("水泵的保修期包括密封件在内。", "水泵的保修期不包括密封件在内。"),
        ("该公司的收入增长了百分之五。", "该公司的收入增长了百分之六。"),
    ],
)
def test_e31_a_number_a_name_or_a_negation_makes_another_statement(first: str, second: str) -> None:
    assert repeats([(1, first), (2, second)]) == {}


def test_typography_and_a_leading_however_do_not() -> None:
    assert repeats([(1, "The “pump” has a two-year warranty."), (2, 'However, the "pump" has two-year warranty')]) == {
        2: 1
    }


def test_a_question_without_words_keeps_the_best_passages() -> None:
    assert re.match(r"Birds fly south\.", shown("???", "Birds fly south. They rest.", "Roofs are of copper.", room=14))
