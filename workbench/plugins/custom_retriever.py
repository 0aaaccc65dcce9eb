"""The protocols of a custom retriever, and how a registered object is recognised as one of them.

1. A function, plain or `async`, as agno calls its `knowledge_retriever`: it is called by keyword with `query` and
   `num_documents` (None where nobody says how many), and with those of `agent`, `filters`, `run_context`,
   `dependencies`, `user_id` and `agent_id` that it names.
2. An object with `initialize`, `retrieve` and `close`, as Agent Gateway has them (GatewayRetriever).
3. An object with `passages`, which is given everything in one value (PassageRetriever).

All of them may give None, a text, a dict with a text under "content", an object with such an attribute, or any number
of these in whatever can be iterated over.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.language import mark
from workbench.model.extensions import RetrieverInfo, RetrieverQuestion
from workbench.plugins.retriever_results import RetrieverPassages


class GatewayRetriever(Protocol):
    """Agent Gateway's own shape; each of the three may also be a plain function."""

    async def initialize(self) -> None:
        """Get ready, once, before the first question."""
        ...

    async def retrieve(self, *, query: str, agent_id: str) -> list[str]:
        """Return what is known about a question."""
        ...

    async def close(self) -> None:
        """Release what was held; called also when it never got ready."""
        ...


class PassageRetriever(Protocol):
    """Our own shape, given everything in one value; plain or `async`. It may have `initialize` and `close` as well."""

    def passages(self, question: RetrieverQuestion) -> Any:
        """Return what is known about a question."""
        ...


class NamedRetriever(Protocol):
    """A retriever as the program asks it, wherever its code runs."""

    @property
    def name(self) -> str: ...

    @property
    def info(self) -> RetrieverInfo:
        """How it stands."""
        ...

    async def start(self, seconds: float) -> None:
        """Get ready; what goes wrong is its state afterwards."""
        ...

    async def ask(self, question: RetrieverQuestion, *, seconds: float, characters: int) -> RetrieverPassages:
        """Return its passages.

        Raises:
            RetrieverFailed: It cannot be asked, raised something, or was late.
        """
        ...

    async def close(self, seconds: float) -> None:
        """Release everything; never raises."""
        ...


_LIFE = ("initialize", "retrieve", "close")
_INJECTED = ("agent", "filters", "run_context", "dependencies", "agent_id", "user_id")
_GIVEN_TO_A_FUNCTION = ("query", "num_documents")
_GIVEN_TO_A_CLASS = ("query", "agent_id")


@dataclass(frozen=True, slots=True)
class CallableRetriever:
    """A retriever that can be called.

    Attributes:
        ask: Question -> whatever it gives; may be awaitable, or still to be iterated.
        initialize: To be called once before the first question; None where it has no such thing.
        close: To be called once at the end.
        note: What its author should know.
        cuts_itself: It is told how many passages are wanted.
    """

    ask: Callable[[RetrieverQuestion], Any]
    initialize: Callable[[], Any] | None = None
    close: Callable[[], Any] | None = None
    note: str = ""
    cuts_itself: bool = True


class NotARetriever(ValueError):
    """A thing cannot be used as a retriever; its text is a sentence that says why."""


def shape_of(thing: Any) -> CallableRetriever:
    """Return how to call a function, a class or object with initialize, retrieve and close, or one with passages.

    Raises:
        NotARetriever: It is none of these, or needs an argument that nobody gives.
    """
    if inspect.isclass(thing):
        thing = _made(thing)
    if callable(passages := getattr(thing, "passages", None)):
        return CallableRetriever(passages, *_life_of(thing))
    has = [name for name in _LIFE if callable(getattr(thing, name, None))]
    if "retrieve" in has:
        if lacking := [name for name in _LIFE if name not in has]:
            raise NotARetriever(mark(f"It has “retrieve” but lacks {_listed(lacking)}; all three are needed."))
        return _of_function(thing.retrieve, _GIVEN_TO_A_CLASS, _life_of(thing))
    if callable(thing):
        return _of_function(thing, _GIVEN_TO_A_FUNCTION, (None, None))
    raise NotARetriever(
        mark(f"It is a {type(thing).__name__}: neither a function nor an object with initialize, retrieve and close.")
    )


def _made(kind: type) -> Any:
    try:
        return kind()
    except TypeError as error:
        raise NotARetriever(
            mark(f"The class {kind.__name__} cannot be made without arguments. Register an object instead.")
        ) from error


def _life_of(thing: Any) -> tuple[Callable[[], Any] | None, Callable[[], Any] | None]:
    initialize, close = getattr(thing, "initialize", None), getattr(thing, "close", None)
    return initialize if callable(initialize) else None, close if callable(close) else None


def _of_function(
    function: Callable[..., Any],
    given: tuple[str, ...],
    life: tuple[Callable[[], Any] | None, Callable[[], Any] | None],
) -> CallableRetriever:
    parameters = _parameters(function)
    by_name = {name for name, one in parameters.items() if one.kind in _BY_KEYWORD}
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    _check(parameters, by_name, takes_any=takes_any)
    # A bare **kwargs is given what is always given, and the user; agno passes it nothing else either.
    passed = by_name | ({*given, "user_id"} if takes_any else set())
    cuts_itself = "num_documents" in passed
    is_told = cuts_itself or given is _GIVEN_TO_A_CLASS
    note = (
        "" if is_told else mark("It does not take “num_documents”: what it gives beyond that number is left out here.")
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
    known = {*_GIVEN_TO_A_FUNCTION, *_INJECTED}
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
        needed, given = _listed(foreign), _listed(list(known - set(foreign)))
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


def _listed(names: list[str]) -> str:
    return ", ".join(f"“{name}”" for name in sorted(names))
