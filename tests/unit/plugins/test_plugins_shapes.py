"""Registration of retrievers: checked at once, and called as their authors expect."""

import functools
from typing import Any

import pytest

from workbench.model.agent import Agent
from workbench.model.extensions import RetrieverQuestion, RunContext
from workbench.plugins.custom_retriever import NotARetriever, shape_of

AGENT = Agent("reader", id="reader-1")
CONTEXT = RunContext(
    run_id="7", user_id="ann", agent=AGENT, dependencies={"city": "Oslo"}, knowledge_filters={"year": 2020}
)
QUESTION = RetrieverQuestion("frozen harbour", 3, "reader-1", CONTEXT)


class Gateway:
    """Retriever as in the guide of Agent Gateway."""

    async def initialize(self) -> None: ...

    async def retrieve(self, query: str, agent_id: str) -> list[str]:
        return [query, agent_id]

    async def close(self) -> None: ...


def told(function: Any) -> Any:
    return shape_of(function).ask(QUESTION)


def test_a1_any_callable_may_be_a_retriever() -> None:
    class Callable:
        def __call__(self, query: str, num_documents: int | None = None) -> str:
            return query

    assert told(Callable()) == "frozen harbour"
    assert told(functools.partial(Callable.__call__, None)) == "frozen harbour"


def test_a4_query_and_num_documents_are_always_passed_by_keyword() -> None:
    def retrieve(*, num_documents: int | None, query: str) -> tuple[str, int | None]:
        return query, num_documents

    assert told(retrieve) == ("frozen harbour", 3)


def test_a5_the_others_are_passed_by_their_exact_names_only() -> None:
    def retrieve(query: str, num_documents: int, agent: Any, filters: Any, run_context: Any) -> tuple[Any, ...]:
        return agent, filters, run_context

    assert told(retrieve) == (AGENT, {"year": 2020}, CONTEXT)


def test_a5_dependencies_are_passed_where_they_are_named() -> None:
    def retrieve(query: str, num_documents: int, dependencies: dict[str, str]) -> dict[str, str]:
        return dependencies

    assert told(retrieve) == {"city": "Oslo"}


def test_a5_a_bare_kwargs_receives_none_of_the_four() -> None:
    def retrieve(**kwargs: Any) -> dict[str, Any]:
        return kwargs

    assert told(retrieve) == {"query": "frozen harbour", "num_documents": 3, "user_id": "ann"}


def test_a6_run_context_and_dependencies_are_both_injected_where_both_are_named() -> None:
    def retrieve(query: str, num_documents: int, run_context: RunContext, dependencies: dict[str, str]) -> bool:
        return run_context.dependencies is dependencies

    assert told(retrieve) is True


def test_a7_a_retriever_without_num_documents_is_called_and_its_author_is_notified() -> None:
    shape = shape_of(lambda query: [query])
    assert shape.ask(QUESTION) == ["frozen harbour"]
    assert not shape.cuts_itself
    assert "num_documents" in shape.note


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda text: text, "no parameter named “query”"),
        (lambda query, top_k: [query, top_k], "needs the argument “top_k”"),
        (lambda query, /, num_documents=None: [query, num_documents], "no parameter named “query”"),
    ],
)
def test_a7_a_signature_that_cannot_be_called_is_reported_at_registration(function: Any, said: str) -> None:
    with pytest.raises(NotARetriever, match=said):
        shape_of(function)


def test_d1_an_object_that_lacks_one_of_the_three_is_no_retriever() -> None:
    class NoClose:
        def initialize(self) -> None: ...

        def retrieve(self, query: str, agent_id: str) -> None: ...

    with pytest.raises(NotARetriever, match="lacks “close”"):
        shape_of(NoClose())


def test_d1_a_value_that_is_neither_a_function_nor_a_retriever_object_is_rejected() -> None:
    with pytest.raises(NotARetriever, match="It is a str"):
        shape_of("notes")


def test_d2_a_class_is_called_by_keyword_whichever_way_its_parameters_are_written() -> None:
    class KeywordOnly(Gateway):
        async def retrieve(self, *, query: str, agent_id: str) -> list[str]:
            return [query, agent_id]

    for thing in (Gateway(), KeywordOnly(), Gateway):
        coroutine = told(thing)
        with pytest.raises(StopIteration) as end:
            coroutine.send(None)
        assert end.value.value == ["frozen harbour", "reader-1"]


def test_a_class_that_needs_arguments_is_rejected_with_advice_to_register_an_object() -> None:
    class Needs(Gateway):
        def __init__(self, address: str) -> None: ...

    with pytest.raises(NotARetriever, match="Register an object"):
        shape_of(Needs)


def test_an_object_of_our_own_protocol_is_given_everything_in_one_value() -> None:
    class Own:
        def passages(self, question: RetrieverQuestion) -> str:
            return f"{question.query} {question.num_documents} {question.agent_id}"

    assert told(Own()) == "frozen harbour 3 reader-1"
