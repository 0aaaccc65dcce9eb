"""Abbreviations in questions also find the long form, and vice versa."""

from collections.abc import Collection

import pytest

from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.retrieval.query_expansion import defined_forms
from workbench.store.abbreviation_table import Definition, phrase_of


class Glossary:
    """Stand-in for the documents that define these abbreviations."""

    known = (
        Definition("FCFC", "free cash flow conversion"),
        Definition("ETS", "emissions trading scheme"),
        Definition("发改委", "发展和改革委员会"),
    )

    def defined(self, forms: Collection[str], _filter: ChunkFilter) -> list[Definition]:
        return [one for one in self.known if one.short in forms or phrase_of(one.long) in forms]


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("What does the FCFC say?", ("free cash flow conversion",)),
        ("Do emissions trading schemes work?", ("ETS",)),
        ("Do Emissions-Trading Schemes (ETS) work?", ()),
        ("发改委的职能是什么", ("发展和改革委员会",)),
        ("What about fcfc?", ()),
        ("", ()),
    ],
)
def test_the_other_form_is_given_unless_the_question_has_both(question: str, other: tuple[str, ...]) -> None:
    assert defined_forms(question, Glossary(), EVERYTHING) == other


def test_without_definitions_there_is_no_other_form() -> None:
    assert defined_forms("What does the FCFC say?", None, EVERYTHING) == ()


def test_a_pasted_text_asks_for_a_bounded_number_of_forms() -> None:
    asked: list[int] = []

    class Counting(Glossary):
        def defined(self, forms: Collection[str], filter: ChunkFilter) -> list[Definition]:
            asked.append(len(forms))
            return super().defined(forms, filter)

    defined_forms("many words of a pasted text " * 2_000 + "碳排放交易" * 2_000, Counting(), EVERYTHING)
    assert asked[0] < 5_000
