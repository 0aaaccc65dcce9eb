"""Passages located in a text that was parsed differently."""

import pytest

from workbench.evaluation.judgement_places import find, holds, letters_of, same_letters, shingles

TEXT = (
    "# Harbour\n\nThe har-\nbour of Lindhamn   froze in **1987**. The ferry stayed.\n\nIt froze in 1987. 港口的水深。\n"
)
LONG = "The winter of that year was harder than any that the keepers of the lighthouse could remember, and the ferry "
LONG += "that brought the mail stayed in port for nine days, until the ice in the sound broke with the first storm."


@pytest.mark.parametrize(
    ("passage", "found"),
    [
        ("harbour of Lindhamn froze", "har-\nbour of Lindhamn   froze"),
        ("FROZE IN 1987! The", "froze in **1987**. The"),
        ("港口 的水深", "港口的水深"),
    ],
)
def test_spaces_hyphens_case_and_markup_do_not_matter(passage: str, found: str) -> None:
    span = find(passage, letters_of(TEXT))
    assert span is not None
    assert TEXT[slice(*span)] == found


def test_of_several_matches_the_one_nearest_to_the_old_position_is_returned() -> None:
    spans = [find("froze in 1987", letters_of(TEXT), near=near) for near in (0, len(TEXT))]
    assert [TEXT[slice(*span)] for span in spans if span] == ["froze in **1987", "froze in 1987"]


def test_a_passage_with_a_new_line_in_its_middle_is_found_by_its_ends() -> None:
    changed = LONG.replace("and the ferry", "and, as the Lindhamn Courier tells, the ferry")
    text = f"Before. {changed} After."
    span = find(LONG, letters_of(text))
    assert span is not None
    assert text[slice(*span)] == changed.rstrip(".")


def test_a_passage_whose_beginning_was_rewritten_is_found_by_its_end() -> None:
    text = "Another beginning altogether, of much the same length as the one that was there " + LONG[60:]
    span = find(LONG, letters_of(text))
    assert span is not None
    assert text[slice(*span)].endswith("with the first storm")


@pytest.mark.parametrize("passage", ["", "?!", "nowhere in there", LONG])
def test_a_passage_that_is_not_in_the_text_is_not_found(passage: str) -> None:
    assert find(passage, letters_of(TEXT)) is None


def test_texts_that_mostly_overlap_count_as_the_same_but_a_shared_heading_is_not_enough() -> None:
    assert same_letters(shingles(LONG), shingles(f"{LONG[20:]} And so on."))
    assert not same_letters(shingles(LONG), shingles("The winter of 1987"))
    assert not same_letters(shingles(LONG), shingles(""))
    assert same_letters(shingles("Frozen."), shingles("frozen"))


@pytest.mark.parametrize(
    ("words", "is_held"),
    [
        ("1987", True),
        ("198", False),
        ("lindhamn froze", True),
        ("Lindham", False),
        ("水深", True),
        ("", False),
        ("**1987**", True),
    ],
)
def test_an_answer_is_held_as_whole_words(words: str, is_held: bool) -> None:
    assert holds(TEXT, words) is is_held
