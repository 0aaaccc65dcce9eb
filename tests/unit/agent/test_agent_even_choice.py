"""Order in which passages of long documents are selected: every prefix of it is spread evenly over the documents."""

from dataclasses import replace

import pytest
from fakes import make_hit

from workbench.agent.map_reduce import evenly, interleaved_sections, spread
from workbench.model.hit import Hit


def passages(*sections: int) -> list[Hit]:
    """Return passages of sections of these sizes."""
    headings = [(f"Section {number}",) for number, count in enumerate(sections) for _ in range(count)]
    plain = make_hit("Words.")
    return [replace(plain, chunk=replace(plain.chunk, headings=one)) for one in headings]


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
def test_each_number_is_in_a_spread_once(count: int) -> None:
    assert sorted(spread(count)) == list(range(count))


def test_the_beginning_of_a_spread_has_no_wide_gaps() -> None:
    assert spread(8)[:4] == [0, 4, 2, 6]


def test_the_first_passages_of_all_sections_come_before_any_second() -> None:
    assert sorted(interleaved_sections(passages(3, 1, 2))[:3]) == [0, 3, 4]


def test_a_short_document_is_through_before_a_long_one_takes_more() -> None:
    order = list(evenly([passages(*[1] * 20), passages(2)]))
    assert {place for number, place in order[:4] if number == 1} == {0, 1}
    assert len(order) == 22


def test_of_many_sections_the_beginning_is_from_all_over_the_document() -> None:
    assert interleaved_sections(passages(*[1] * 8))[:4] == [0, 4, 2, 6]
