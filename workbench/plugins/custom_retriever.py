"""Protocols of custom retrievers, adapters from objects to callables, and the retriever that runs in this process.

1. A function, plain or `async`, like agno's `knowledge_retriever`: it is called by keyword with `query` and
   `num_documents` (None if no number is given), and with those of `agent`, `filters`, `run_context`, `dependencies`,
   `user_id` and `agent_id` that are among its parameters.
2. An object with `initialize`, `retrieve` and `close`, as in Agent Gateway (GatewayRetriever).
3. An object with `passages`, which receives everything in one argument (PassageRetriever).

All of them may return None, a text, a dict with a text under "content", an object with such an attribute, or an
iterable of these.
"""

import inspect
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.errors import RetrieverFailed
from workbench.language import in_seconds, mark
from workbench.model.extensions import RetrieverInfo, RetrieverKind, RetrieverQuestion, RetrieverState
from workbench.model.hit import OutsidePassage
from workbench.plugins.retriever_results import RetrieverPassages, fault_of, passages_of
from workbench.plugins.threads import ExitRequested, RetrieverThreads, StillBusy


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
    note = "" if needs_no_note else mark("It does not accept “num_documents”: results beyond that number are left out.")

    def ask(question: RetrieverQuestion) -> Any:
        return function(**{name: value for name, value in _values(question).items() if name in passed})

    return CallableRetriever(ask, *life, note=note, cuts_itself=cuts_itself)


_BY_KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise NotARetriever(mark("Its parameters cannot be seen, so it cannot be called.")) from error


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
                f"It needs the argument {needed}, which is not passed: give it a default. The arguments passed are"
                f" {given}."
                if len(foreign) == 1
                else (
                    f"It needs the arguments {needed}, which are not passed: give them defaults. The arguments passed"
                    f" are {given}."
                )
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


logger = logging.getLogger(__name__)


class CodeRetriever:
    """Caller of one retriever with a time limit; started once, before its first question."""

    def __init__(self, name: str, thing: Any, kind: RetrieverKind = RetrieverKind.CODE) -> None:
        self.name = name
        self._kind = kind
        self._threads = RetrieverThreads(f"retriever {name}")
        self._shape: CallableRetriever | None = None
        self._state = RetrieverState.NOT_STARTED
        self._problem = ""
        self._milliseconds: float | None = None
        self._is_started = False
        try:
            self._shape = shape_of(thing)
        except NotARetriever as error:
            self._fail(str(error))
        except Exception as error:  # noqa: BLE001 - a foreign class is instantiated here and may raise anything
            self._fail(mark(f"It could not be made: {fault_of(error).sentence}."))

    @property
    def info(self) -> RetrieverInfo:
        """State, problem and last duration of the retriever."""
        note = self._shape.note if self._shape is not None else ""
        return RetrieverInfo(self.name, self._kind, self._state, self._problem, note, self._milliseconds)

    async def start(self, seconds: float) -> None:
        """Initialize the retriever; a failure is recorded in its state."""
        if self._is_started or self._shape is None:
            return
        self._is_started = True
        self._state = RetrieverState.READY
        if self._shape.initialize is None:
            return
        try:
            await self._threads.run(self._shape.initialize, _discard, seconds)
        except TimeoutError:
            self._fail(mark(f"It was not ready within {in_seconds(seconds)}."))
        except Exception as error:
            fault = fault_of(error)
            logger.warning("Retriever %s could not be initialized", self.name, exc_info=error)
            self._fail(mark(f"It could not start: {fault.sentence}."))

    async def ask(self, question: RetrieverQuestion, *, seconds: float, characters: int) -> RetrieverPassages:
        """Return the retriever's passages for a question.

        Raises:
            RetrieverFailed: The retriever is not available, raised an exception, or exceeded its time limit.
        """
        shape = self._shape
        if shape is None or self._state is RetrieverState.FAILED:
            raise RetrieverFailed(
                mark(f"The retriever “{self.name}” cannot be used. {self._problem}"), kind="NotAvailable"
            )
        most = None if shape.cuts_itself else question.num_documents

        def convert(value: Any) -> RetrieverPassages:
            return passages_of(value, characters=characters, most=most)

        began = time.perf_counter()
        try:
            return await self._threads.run(lambda: shape.ask(question), convert, seconds)
        except TimeoutError as error:
            late = mark(f"The retriever “{self.name}” took longer than {in_seconds(seconds)} and was left out.")
            raise RetrieverFailed(late, kind="TimeoutError") from error
        except StillBusy as error:
            busy = mark(f"The retriever “{self.name}” is still busy with earlier questions that were stopped.")
            raise RetrieverFailed(busy, kind="TimeoutError") from error
        except Exception as error:  # foreign code may raise anything; other retrievers continue
            fault = fault_of(error.cause if isinstance(error, ExitRequested) else error)
            raise RetrieverFailed(
                mark(f"The retriever “{self.name}” failed: {fault.sentence}."), kind=fault.kind
            ) from error
        finally:
            self._milliseconds = round((time.perf_counter() - began) * 1000, 1)

    async def close(self, seconds: float) -> None:
        """Close the retriever, even if its initialization failed, and end its threads; errors are logged."""
        try:
            if self._is_started and self._shape is not None and self._shape.close is not None:
                await self._threads.run(self._shape.close, _discard, seconds)
        except Exception as error:
            logger.warning("Retriever %s could not be closed", self.name, exc_info=error)
        finally:
            self._threads.close()

    def _fail(self, problem: str) -> None:
        self._state = RetrieverState.FAILED
        self._problem = problem


def _discard(_value: Any) -> tuple[OutsidePassage, ...]:
    return ()
