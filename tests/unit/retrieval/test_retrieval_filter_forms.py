import datetime
import json

import pytest

from workbench.errors import RetrievalError
from workbench.model.filter import AllOf, AnyOf, ChunkFilter, Condition, Not, Operator
from workbench.retrieval.filters.json_forms import filter_of, filter_of_json, merged, with_model_filter

PDF = Condition("format", Operator.EQ, ("pdf",))
LAW = Condition("tag", Operator.EQ, ("law",))


def test_b22_a_dict_is_equality_and_all_of_it_must_hold() -> None:
    assert filter_of({"format": "pdf", "tag": "law"}).where == (PDF, LAW)
    assert filter_of({"tag": ["law", "tax"]}).where == (Condition("tag", Operator.IN, ("law", "tax")),)
    assert filter_of(None) == filter_of({}) == filter_of([]) == ChunkFilter()


def test_b22_a_list_holds_every_operator() -> None:
    simple = [{"op": str(operator), "key": "title", "value": "x"} for operator in Operator if operator != "IN"]
    simple.append({"op": "IN", "key": "title", "values": ["x", "y"]})
    assert [part.operator for part in filter_of(simple).where if isinstance(part, Condition)] == [
        *(operator for operator in Operator if operator != "IN"),
        Operator.IN,
    ]
    one, other = {"format": "pdf"}, {"op": "EQ", "key": "tag", "value": "law"}
    nested = [{"op": "OR", "conditions": [one, {"op": "NOT", "condition": other}]}, {"op": "AND", "conditions": [one]}]
    assert filter_of(nested).where == (AnyOf((PDF, Not(LAW))), AllOf((PDF,)))


def test_expressions_of_other_libraries_are_taken_by_their_dicts() -> None:
    class Foreign:
        def to_dict(self) -> dict[str, str]:
            return {"op": "EQ", "key": "tag", "value": "law"}

    assert filter_of([Foreign(), PDF]).where == (LAW, PDF)


def test_numbers_and_dates_are_taken_as_what_they_are() -> None:
    given = {
        "page": 3,
        "pages": 2.5,
        "created": datetime.date(2024, 5, 6),
        "modified": datetime.datetime(2024, 5, 6, 1, 2, 3, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
        "author": None,
    }
    found = [part.values[0] for part in filter_of(given).where if isinstance(part, Condition)]
    assert found == ["3", "2.5", "2024-05-06", "2024-05-05T23:02:03", ""]


@pytest.mark.parametrize(
    "form",
    [
        "format=pdf",
        7,
        ["format"],
        [["format", "pdf"]],
        {"op": "XOR", "key": "a", "value": "b"},
        {"op": "EQ", "key": "tag"},
        {"op": "OR", "conditions": {"tag": "law"}},
        {"op": "NOT"},
        {"page": "soon"},
        {"page": True},
        {"page": float("nan")},
        {"tag": {"$ne": ""}},
        {"op": "GT", "key": "page", "value": ""},
        {"op": "CONTAINS", "key": "page", "value": "1"},
    ],
)
def test_b26_an_invalid_filter_form_raises_an_error_and_never_matches_everything(form: object) -> None:
    with pytest.raises(RetrievalError):
        filter_of(form)


def test_b22_forms_nested_without_end_are_refused() -> None:
    form: dict[str, object] = {"op": "EQ", "key": "tag", "value": "law"}
    for _ in range(10):
        form = {"op": "NOT", "condition": form}
    assert filter_of(form).where
    with pytest.raises(RetrievalError, match="deeper than 10"):
        filter_of({"op": "NOT", "condition": form})
    with pytest.raises(RetrievalError, match=r"not JSON|deeper"):
        filter_of_json('{"op": "NOT", "condition": ' * 50_000)


@pytest.mark.parametrize(
    ("agent", "run", "result"),
    [
        ({"tag": "a", "format": "pdf"}, {"tag": "b"}, {"tag": "b", "format": "pdf"}),
        ([{"tag": "a"}], {"tag": "b"}, {"tag": "b"}),
        ([{"tag": "a"}], [{"tag": "b"}], [{"tag": "a"}, {"tag": "b"}]),
        ({"tag": "a"}, [{"tag": "b"}], [{"tag": "a"}, {"tag": "b"}]),
        ({"tag": "a"}, None, {"tag": "a"}),
        (None, [{"tag": "b"}], [{"tag": "b"}]),
        (None, None, None),
    ],
)
def test_b23_the_filter_of_a_run_and_that_of_its_agent(agent: object, run: object, result: object) -> None:
    assert filter_of(merged(agent, run)) == filter_of(result)


@pytest.mark.parametrize(
    "given",
    [
        [{"key": "tag", "value": "law"}],
        {"key": "tag", "value": "law"},
        {"tag": "law"},
        [{"tag": "law"}],
        json.dumps({"tag": "law"}),
        [{"op": "EQ", "key": "tag", "value": "law"}],
    ],
)
def test_b24_a_model_may_write_its_filter_in_any_shape(given: object) -> None:
    assert with_model_filter(ChunkFilter(), given).where == (LAW,)


@pytest.mark.parametrize("given", [None, "", [], {}, "null", "[]"])
def test_b24_a_model_may_write_no_filter(given: object) -> None:
    assert with_model_filter(ChunkFilter("Law", (PDF,)), given) == ChunkFilter("Law", (PDF,))


def test_b25_a_model_never_widens_what_the_user_allows() -> None:
    user = ChunkFilter("Law", (PDF,))
    for given in ({"format": "docx"}, {"op": "OR", "conditions": [{"format": "docx"}]}, {"knowledge_base": "Other"}):
        found = with_model_filter(user, given)
        assert found.knowledge_base == "Law"
        assert found.where[0] == PDF
        assert len(found.where) == 2


def test_b26_a_filter_key_invented_by_a_model_finds_nothing_and_is_reported() -> None:
    found = with_model_filter(ChunkFilter(where=(PDF,)), {"document_type": "contract"})
    assert found.custom_keys == ("document_type",)
    assert "“document_type”" in found.problem(["dept"])
