"""Documents and tags mentioned in a question: found in its text, used as a filter, and removed from the query."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.retrieval.filters.mentions import (
    MentionSign,
    can_be_mentioned,
    mentions_in,
    restriction,
    typed_at,
    without_mentions,
    written,
)
from workbench.retrieval.filters.text_syntax import filter_of_text, text_of

KNOWN = {(MentionSign.DOCUMENT, name) for name in ("report.pdf", "报告.pdf", "annual report.pdf", "report.pdf.bak")}
KNOWN |= {(MentionSign.TAG, "tax")}


def known(mark: MentionSign, name: str) -> bool:
    return (mark, name.casefold()) in KNOWN


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does @report.pdf say?", ["report.pdf"]),
        ("(see @report.pdf), and @report.pdf.bak.", ["report.pdf", "report.pdf.bak"]),
        ("@报告.pdf里说了什么", ["报告.pdf"]),
        ("看@报告.pdf。", ["报告.pdf"]),
        ('Is #tax in @"Annual Report.pdf"?', ["tax", "Annual Report.pdf"]),
        ("Write to someone@report.pdf or @bob about C#tax", []),
        ("What is @ or #?", []),
    ],
)
def test_a_question_names_what_is_there(question: str, named: list[str]) -> None:
    assert [mention.name for mention in mentions_in(question, known)] == named


def test_one_of_the_documents_and_all_of_the_tags_must_hold() -> None:
    found = restriction(mentions_in("#tax in @report.pdf, @报告.pdf or @report.pdf?", known))
    assert text_of(replace(EVERYTHING, where=found)) == "(name=report.pdf OR name=报告.pdf) tag:tax"


@given(st.text(min_size=1, max_size=40).filter(can_be_mentioned), st.sampled_from(MentionSign))
def test_a_mention_written_for_a_name_is_found_again_in_the_question(name: str, mark: MentionSign) -> None:
    question = f"What of {written(mark, name)} then?"
    assert [one.name for one in mentions_in(question, lambda _mark, known: known == name)] == [name]


@given(st.text(max_size=60), st.integers(0, 60))
def test_any_text_can_be_typed(text: str, cursor: int) -> None:
    typed = typed_at(text, min(cursor, len(text)))
    assert typed is None or text[typed.start] == typed.mark
    assert list(mentions_in(text, lambda *_: False)) == []


@pytest.mark.parametrize(
    ("filter", "question", "left"),
    [
        ("name=report.pdf", "What does @Report.pdf say?", "What does say?"),
        ('(name="annual report.pdf" OR name=b.md) tag=tax', '@"Annual report.pdf", @b.md: costs #tax', ", : costs"),
        ("name=report.pdf", "@report.pdf", "@report.pdf"),
        ("format:pdf", "What does @report.pdf say?", "What does @report.pdf say?"),
    ],
)
def test_mentions_covered_by_the_filter_are_removed_from_the_query(filter: str, question: str, left: str) -> None:
    assert without_mentions(question, filter_of_text(filter)) == left


def test_without_a_filter_a_question_is_left_as_it_is() -> None:
    assert without_mentions("Is  it @here\n?", ChunkFilter()) == "Is  it @here\n?"
