"""Instructions of a manual, quoted for questions of the kind "How do I …?"."""

from collections.abc import Callable

import pytest

from workbench.agent.offline.conversation import FoundPassage
from workbench.agent.offline.instructions import asks_how, quote_instructions
from workbench.retrieval.question_words import words_of

PAIRING = "Headset > Pairing the headset with a computer"
PASSAGES = [
    FoundPassage(1, "Headset manual", "Headset > Notes", "Pairing the headset with a computer. Charge it before."),
    FoundPassage(
        2, "Headset manual", PAIRING, "Pairing the headset with a computer\n\nThe computer is near the headset."
    ),
    FoundPassage(
        4,
        "Headset manual",
        f"{PAIRING} > On the desk",
        "1 Turn on the headset and wait for the light.\n\n2 Select it on the screen of the computer.",
    ),
    FoundPassage(5, "Radio manual", "Pairing the radio", "Press the red button of the radio for a second."),
]


def share_of(question: str) -> Callable[[str], float]:
    asked = words_of(question)
    return lambda text: len(asked & words_of(text)) / len(asked)


def lines(question: str, passages: list[FoundPassage] = PASSAGES) -> list[tuple[int, str]]:
    return [
        (one.number, line) for one in quote_instructions(question, passages, share_of(question)) for line in one.lines
    ]


@pytest.mark.parametrize(
    ("question", "is_how"),
    [
        ("How do I pair the headset?", True),
        ("How to pair the headset", True),
        ("What are the steps to pair it?", True),
        ("耳机如何配对？", True),
        ("How many headsets were sold?", False),
        ("How is the weather?", False),
        ("What is pairing?", False),
    ],
)
def test_questions_for_instructions_are_recognised(question: str, is_how: bool) -> None:
    assert asks_how(question) is is_how


def test_the_section_with_the_heading_that_is_asked_for_is_quoted_from_its_first_step() -> None:
    assert lines("pair headset computer") == [
        (4, "1 Turn on the headset and wait for the light."),
        (4, "2 Select it on the screen of the computer."),
    ]


def test_a_section_without_steps_is_quoted_from_its_beginning_without_its_heading() -> None:
    text = "Pairing the headset with a computer\n\nIt is near the computer.\n\nIts light has to flash in blue."
    assert lines("pair headset computer", [FoundPassage(2, "Headset manual", PAIRING, text)]) == [
        (2, "It is near the computer."),
        (2, "Its light has to flash in blue."),
    ]


def test_a_section_about_another_thing_of_the_same_kind_is_not_quoted() -> None:
    assert lines("pair headset television") == []
    assert lines("clean headset") == []


@pytest.mark.parametrize(("question", "is_quoted"), [("turn on headset", False), ("turn off headset", True)])
def test_a_section_about_the_opposite_is_not_quoted(question: str, is_quoted: bool) -> None:
    text = "1 Press the button to turn it off.\n\n2 Wait until the headset is off."
    passage = FoundPassage(1, "Headset manual", "Turning off the headset", f"It is not on.\n\n{text}")
    assert bool(lines(question, [passage])) is is_quoted


def test_a_long_section_is_cut() -> None:
    text = "\n\n".join(f"{step} Press the button of the headset again." for step in range(1, 30))
    passage = FoundPassage(1, "Headset manual", "Pressing the headset", text)
    assert len(lines("press headset", [passage])) == 10
