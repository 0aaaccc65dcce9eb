"""Numbered behaviours keep their tests, and tests name only existing numbers."""

from behaviours import GROUPS, REASONS, TABLE, held_behaviours, numbers_of, table


def test_no_numbered_behaviour_has_lost_its_test() -> None:
    assert numbers_of(TABLE.read_text("utf-8")) - set(held_behaviours()) == set()


def test_tests_name_only_behaviours_that_there_are() -> None:
    assert [number for number in held_behaviours() if int(number[2:]) > GROUPS[number[0]][1]] == []


def test_the_table_lists_every_number_once_with_its_tests() -> None:
    held = held_behaviours()
    made = table(held)
    assert numbers_of(made) == set(held)
    assert "the golden value (`unit/agent/test_agent_prompt.py`)" in made


def test_every_number_has_a_test_or_a_reason_and_none_has_both() -> None:
    numbers = {f"{letter}-{number}" for letter, (_, count) in GROUPS.items() for number in range(1, count + 1)}
    assert numbers - set(held_behaviours()) == set(REASONS)
