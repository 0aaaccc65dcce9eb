from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import RetrievalError
from workbench.model.filter import AllOf, AnyOf, ChunkFilter, Condition, Expression, Not, Operator
from workbench.retrieval.filters.json_forms import filter_of, form_of
from workbench.retrieval.filters.text_syntax import filter_of_text, text_of


def is_(key: str, *values: str, operator: Operator = Operator.EQ) -> Condition:
    return Condition(key, operator, values)


def has(key: str, value: str) -> Condition:
    return Condition(key, Operator.CONTAINS, (value,))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", ()),
        ("draft", (has("called", "draft"),)),
        ("format:pdf", (is_("format", "pdf"),)),
        ("format:md", (is_("format", "markdown"),)),
        ('title:"annual report"', (has("title", "annual report"),)),
        ("tag:law tag:tax", (is_("tag", "law"), is_("tag", "tax"))),
        ("tag:law,tax", (is_("tag", "law", "tax", operator=Operator.IN),)),
        ("year>=2020", (is_("created", "2020", operator=Operator.GTE),)),
        ("year >= 2020", (is_("created", "2020", operator=Operator.GTE),)),
        ("created:2024-5", (is_("created", "2024-05"),)),
        ("page:3..5", (is_("page", "3", operator=Operator.GTE), is_("page", "5", operator=Operator.LTE))),
        ("year:..2020", (is_("created", "2020", operator=Operator.LTE),)),
        ("name:report*", (is_("name", "report", operator=Operator.STARTSWITH),)),
        ("name:*.pdf", (has("name", ".pdf"),)),
        ("title=Report", (is_("title", "Report"),)),
        ("tag!=law", (is_("tag", "law", operator=Operator.NEQ),)),
        ('author:""', (is_("author", ""),)),
        ("-draft", (Not(has("called", "draft")),)),
        ("NOT tag:law", (Not(is_("tag", "law")),)),
        ("e-mail", (has("called", "e-mail"),)),
        ("a OR b c", (AnyOf((has("called", "a"), AllOf((has("called", "b"), has("called", "c"))))),)),
        ("(a OR b) AND c", (AnyOf((has("called", "a"), has("called", "b"))), has("called", "c"))),
        ("标签 tag：“法律”", (has("called", "标签"), is_("tag", "法律"))),
        ("kb:Law", (is_("knowledge_base", "Law"),)),
        ("Dept:hr", (is_("dept", "hr"),)),
        ("dept:hr,it", (Condition("dept", Operator.IN, ("hr", "it")),)),
        ("dept:h* dept:*r*", (Condition("dept", Operator.STARTSWITH, ("h",)), has("dept", "r"))),
        (
            "budget>=100 due<2025-06",
            (Condition("budget", Operator.GTE, ("100",)), Condition("due", Operator.LT, ("2025-06",))),
        ),
        ("budget:1..2", (Condition("budget", Operator.GTE, ("1",)), Condition("budget", Operator.LTE, ("2",)))),
        ("dept:a..b", (is_("dept", "a..b"),)),
    ],
)
def test_b22_a_text_is_read_as_people_mean_it(text: str, where: tuple[Expression, ...]) -> None:
    assert filter_of_text(text).where == where


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("tag:law colour:red", "no filter “colour” (character 9)", "The filters are"),
        ("titel:x", "no filter “titel” (character 1)", "Did you mean “title”?"),
        ("Depth:hr", "no filter “Depth” (character 1)", "Did you mean “dept”? The filters are"),
        ("tag:law page:soon", "cannot be “soon” (character 9)", "Give a number"),
        ("created:2024-13", "cannot be “2024-13”", "Give a date"),
        ("created:2023-02-29", "cannot be", "Give a date"),
        ("format:", "“format:” has no value (character 8)", "format:pdf"),
        ("(tag:a OR tag:b", "A bracket is not closed (character 1)", "“)”"),
        ("tag:a)", "closed that was not opened (character 6)", "Take it out"),
        ('x "two words', "quotation mark is not closed (character 3)", "second one"),
        ("tag:a OR", "Something is missing (character 9)", "format:pdf"),
        ("OR", "Something is missing (character 1)", "format:pdf"),
        ("page:*3*", "“page” must be a number", "page:3"),
        ("page:..", "has no end", "page:2..5"),
        ("year>2020,2021", "takes one value", "without a comma"),
        ("origin:heaven", "no origin “heaven”", "file"),
        ("http://x", "no filter “http”", "quotation marks"),
        ("-" * 11 + "x", "deeper than 10", "fewer brackets"),
        ("(" * 5000 + "x", "deeper than 10", "fewer brackets"),
        ("x" * 20_000, "too long", "at most"),
    ],
)
def test_b26_an_invalid_filter_reports_the_position_and_what_to_write(text: str, what: str, hint: str) -> None:
    with pytest.raises(RetrievalError) as caught:
        filter_of_text(text, custom=("dept",))
    assert what in caught.value.message
    assert hint in caught.value.hint


values = st.text(max_size=8).filter(bool)
conditions = (
    st.builds(has, st.sampled_from(["called", "title", "tag", "path", "dept"]), values)
    | st.builds(is_, st.sampled_from(["title", "tag", "author", "called", "dept"]), st.text(max_size=8))
    | st.builds(
        is_,
        st.sampled_from(["page", "created"]),
        st.sampled_from(["2024", "1000"]),
        operator=st.sampled_from([Operator.EQ, Operator.NEQ, Operator.GT, Operator.LTE]),
    )
    | st.builds(lambda v: Condition("tag", Operator.IN, tuple(v)), st.lists(values, min_size=2, max_size=3))
    | st.builds(lambda v: Condition("name", Operator.STARTSWITH, (v,)), values)
)
trees = st.recursive(
    conditions,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(AllOf, st.lists(inner, min_size=2, max_size=3).map(tuple))
        | st.builds(AnyOf, st.lists(inner, min_size=2, max_size=3).map(tuple))
    ),
    max_leaves=6,
)


@given(st.lists(trees, min_size=2, max_size=3))
def test_a_filter_reads_back_from_its_text_and_from_its_form(where: list[Expression]) -> None:
    chosen = ChunkFilter(where=tuple(where))
    assert filter_of_text(text_of(chosen)) == chosen
    assert filter_of(form_of(chosen)) == chosen


@given(st.text(alphabet='ab:=<>!()"* -,.OR*\\tag：（“', max_size=30))
def test_any_text_is_a_filter_or_an_error_for_people(text: str) -> None:
    with suppress(RetrievalError):
        filter_of_text(text)
