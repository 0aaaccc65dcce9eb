"""Protocols of custom retrievers, and adapters from objects to callables.

1. A function, plain or `async`, like agno's `knowledge_retriever`: it is called by keyword with `query` and
   `num_documents` (None if no number is given), and with those of `agent`, `filters`, `run_context`, `dependencies`,
   `user_id` and `agent_id` that are among its parameters.
2. An object with `initialize`, `retrieve` and `close`, as in Agent Gateway (GatewayRetriever).
3. An object with `passages`, which receives everything in one argument (PassageRetriever).

All of them may return None, a text, a dict with a text under "content", an object with such an attribute, or an
iterable of these.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.language import mark
from workbench.model.extensions import RetrieverInfo, RetrieverQuestion
from workbench.plugins.retriever_results import RetrieverPassages


class GatewayRetriever(Protocol):
    """Protocol of Agent Gateway; each of the three methods may also be a plain function."""

    async def initialize(self) -> None:
        """Initialize the retriever; called once, before the first question."""
        ...

    async def retrieve(self, *, query: str, agent_id: str) -> list[str]:
        """Return texts for a question."""
        ...

    async def close(self) -> None:
        """Release resources; called even if the initialization failed."""
        ...


class PassageRetriever(Protocol):
    """Protocol with one argument that contains everything; plain or `async`. `initialize` and `close` are optional."""

    def passages(self, question: RetrieverQuestion) -> Any:
        """Return passages for a question."""
        ...


class NamedRetriever(Protocol):
    """Protocol by which the program calls a retriever, in this or another process."""

    @property
    def name(self) -> str: ...

    @property
    def info(self) -> RetrieverInfo:
        """State, problem and last duration of the retriever."""
        ...

    async def start(self, seconds: float) -> None:
        """Initialize the retriever; a failure is recorded in its state."""
        ...

    async def ask(self, question: RetrieverQuestion, *, seconds: float, characters: int) -> RetrieverPassages:
        """Return the retriever's passages for a question.

        Raises:
            RetrieverFailed: The retriever is not available, raised an exception, or exceeded its time limit.
        """
        ...

    async def close(self, seconds: float) -> None:
        """Release all resources; never raises."""
        ...


_LIFECYCLE = ("initialize", "retrieve", "close")
_INJECTED = ("agent", "filters", "run_context", "dependencies", "agent_id", "user_id")
_FUNCTION_ARGUMENTS = ("query", "num_documents")
_CLASS_ARGUMENTS = ("query", "agent_id")


@dataclass(frozen=True, slots=True)
class CallableRetriever:
    """Uniform adapter of a custom retriever.

    Attributes:
        ask: Function of a question; its result may be an awaitable or an iterable.
        initialize: Function to call once before the first question; None if there is none.
        close: Function to call once at the end; None if there is none.
        note: Hint for the author of the retriever.
        cuts_itself: True if it receives the requested number of passages.
    """

    ask: Callable[[RetrieverQuestion], Any]
    initialize: Callable[[], Any] | None = None
    close: Callable[[], Any] | None = None
    note: str = ""
    cuts_itself: bool = True


class NotARetriever(ValueError):
    """An object cannot be used as a retriever; the message is a sentence with the reason."""


def shape_of(thing: Any) -> CallableRetriever:
    """Return the adapter of a function, of a class or object with initialize, retrieve and close, or with passages.

    Raises:
        NotARetriever: The thing is none of these, or needs an argument that is not passed.
    """
    if inspect.isclass(thing):
        thing = _instantiate(thing)
    if callable(passages := getattr(thing, "passages", None)):
        return CallableRetriever(passages, *_lifecycle_of(thing))
    has = [name for name in _LIFECYCLE if callable(getattr(thing, name, None))]
    if "retrieve" in has:
        if lacking := [name for name in _LIFECYCLE if name not in has]:
            raise NotARetriever(mark(f"It has “retrieve” but lacks {_join_names(lacking)}; all three are needed."))
        return _adapt_function(thing.retrieve, _CLASS_ARGUMENTS, _lifecycle_of(thing))
    if callable(thing):
        return _adapt_function(thing, _FUNCTION_ARGUMENTS, (None, None))
    raise NotARetriever(
        mark(f"It is a {type(thing).__name__}: neither a function nor an object with initialize, retrieve and close.")
    )


def _instantiate(kind: type) -> Any:
    try:
        return kind()
    except TypeError as error:
        raise NotARetriever(
            mark(f"The class {kind.__name__} cannot be made without arguments. Register an object instead.")
        ) from error


def _lifecycle_of(thing: Any) -> tuple[Callable[[], Any] | None, Callable[[], Any] | None]:
    initialize, close = getattr(thing, "initialize", None), getattr(thing, "close", None)
    return initialize if callable(initialize) else None, close if callable(close) else None


def _adapt_function(
    function: Callable[..., Any],
    given: tuple[str, ...],
    life: tuple[Callable[[], Any] | None, Callable[[], Any] | None],
) -> CallableRetriever:
    parameters = _parameters(function)
    by_name = {name for name, one in parameters.items() if one.kind in _BY_KEYWORD}
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    _check(parameters, by_name, takes_any=takes_any)
    # A bare **kwargs receives the arguments that are always passed and the user id, as with agno.
    passed = by_name | ({*given, "user_id"} if takes_any else set())
    cuts_itself = "num_documents" in passed
    needs_no_note = cuts_itself or given is _CLASS_ARGUMENTS
    note = (
        ""
        if needs_no_note
        else mark("It does not take “num_documents”: what it gives beyond that number is left out here.")
    )

    def ask(question: RetrieverQuestion) -> Any:
        return function(**{name: value for name, value in _values(question).items() if name in passed})

    return CallableRetriever(ask, *life, note=note, cuts_itself=cuts_itself)


_BY_KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise NotARetriever(mark("Its parameters cannot be seen, so that nobody knows how to call it.")) from error


def _check(parameters: Mapping[str, inspect.Parameter], by_name: set[str], *, takes_any: bool) -> None:
    known = {*_FUNCTION_ARGUMENTS, *_INJECTED}
    if "query" not in by_name and not takes_any:
        raise NotARetriever(mark("It has no parameter named “query” that can be given by its name."))
    foreign = [
        name
        for name, one in parameters.items()
        if one.default is one.empty
        and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        and (name not in known or one.kind is one.POSITIONAL_ONLY)
    ]
    if foreign:
        needed, given = _join_names(foreign), _join_names(list(known - set(foreign)))
        raise NotARetriever(
            mark(
                f"It needs {needed}, which nobody gives: give it a default. What is given, by name, is {given}."
                if len(foreign) == 1
                else f"It needs {needed}, which nobody gives: give them a default. What is given, by name, is {given}."
            )
        )


def _values(question: RetrieverQuestion) -> dict[str, Any]:
    context = question.context
    return {
        "query": question.query,
        "num_documents": question.num_documents,
        "agent": context.agent,
        "filters": context.knowledge_filters,
        "run_context": context,
        "dependencies": context.dependencies,
        "agent_id": question.agent_id,
        "user_id": context.user_id or None,
    }


def _join_names(names: list[str]) -> str:
    return ", ".join(f"“{name}”" for name in sorted(names))
