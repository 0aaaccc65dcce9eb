"""Certainty of answers from two short notes about one place, as a person may try the program for the first time."""

import pytest

import workbench
from workbench import Certainty

HARBOUR = (
    "# Vessmark harbour\n\nThe harbour has three piers. The oldest pier was built in 1911. Ferries leave every hour."
    " The harbour master lives in the white house."
)
MINUTES = (
    "# Minutes\n\nThe council met on 3 May 2025. It decided to paint the lighthouse. The harbour was closed for two"
    " days in March because of a storm."
)


@pytest.fixture
def notes(library: workbench.Library) -> workbench.Library:
    """Return a library of two notes about a harbour."""
    library.add(text=HARBOUR, name="Harbour")
    library.add(text=MINUTES, name="Minutes")
    return library


def test_a_question_that_two_notes_answer_is_answered_with_certainty_found(notes: workbench.Library) -> None:
    for question, answer in (
        ("When was the oldest pier built?", "1911"),
        ("How many piers does the harbour have?", "three piers"),
        ("Who lives in the white house?", "harbour master"),
        ("Why was the harbour closed?", "storm"),  # stands in the other note than the one called "Harbour"
    ):
        run = notes.ask(question)
        assert answer in run.answer, question
        assert run.certainty is Certainty.FOUND, question


@pytest.mark.parametrize("question", ["When did the harbour freeze?", "When did the council paint the town hall?"])
def test_a_question_that_two_notes_only_seem_to_answer_does_not_get_certainty_found(
    notes: workbench.Library, question: str
) -> None:
    assert notes.ask(question).certainty in (Certainty.CLOSEST, Certainty.NOT_FOUND)
