"""Arguments of public classes: values are converted, and invalid ones are rejected with a list of the valid ones.

    @known_options
    @dataclass(frozen=True)
    class Agent:
        system_role: Converted[SystemRole | str, SystemRole] = choice(SystemRole.SYSTEM)

Agent(system_role="developer") stores SystemRole.DEVELOPER. Such a class has no slots: the fields convert as
descriptors, which type checkers know and which slots would replace.
"""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from enum import StrEnum
from functools import lru_cache, wraps
from inspect import Parameter, Signature, iscoroutinefunction, signature
from types import FunctionType, NoneType, UnionType
from typing import Any, Generic, TypeVar, cast, get_args, get_origin

T = TypeVar("T")
Given = TypeVar("Given")
Kept = TypeVar("Kept")
E = TypeVar("E", bound=StrEnum)
F = TypeVar("F", bound=Callable[..., Any])

_KINDS: dict[type, str] = {
    bool: "True or False",
    str: "a text",
    dict: "a dict",
    int: "a whole number",
    float: "a number",
    NoneType: "None",
}

_ELSEWHERE = {
    "limit": ("k", "max_results"),
    "top_k": ("k", "max_results"),
    "num_documents": ("k", "max_results"),
    "max_results": ("k",),
    "n_results": ("k", "max_results"),
    "filters": ("filter",),
    "filter": ("filters",),
    "query": ("question",),
    "input": ("question",),
    "message": ("question",),
    "text_content": ("text",),
    "text_contents": ("texts",),
    "content": ("text",),
    "title": ("name",),
    "topic": ("topics",),
    "url": ("urls",),
    "path": ("paths",),
    "auth": ("password",),
    "model": ("profile",),
    "session_id": ("session",),
    "kb": ("knowledge_base",),
    "confirm": ("approve",),
    "system_prompt": ("system_message",),
    "search_filters": ("filter",),
    "search_type": ("mode",),
    "stream": ("on_event",),
    "stream_events": ("on_event",),
    "api_key": ("key_env",),
    "knowledge_retriever": ("retrievers",),
}
"""Names of options in other libraries -> possible names here."""

_NAMES_ELSEWHERE = {
    "add_texts": ("add(text=…)",),
    "add_documents": ("add(paths)",),
    "insert": ("add(…)", "knowledge(name).insert(…)"),
    "ainsert": ("insert(…)",),
    "asearch": ("search(…)",),
    "similarity_search": ("search(question, k).hits",),
    "as_retriever": ("search(question, k).hits", "ask(question)"),
    "delete": ("remove(documents)",),
    "run": ("ask(question)",),
    "invoke": ("ask(question)",),
    "arun": ("ask(question)",),
    "tools": ("use_tool(function)",),
    "close": ("leave the block of “with open_library(folder)”",),
}
"""Names of methods in other libraries -> their equivalents here."""

_LONGEST_SHOWN = 80
"""Maximum number of characters of a value in an error message; a run or a chunk has thousands."""


class Converted(Generic[Given, Kept]):
    """Field of a frozen dataclass that converts the given value to the type used by the program."""

    def __init__(self, convert: Callable[[str, Given], Kept], default: Kept) -> None:
        self._convert = convert
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name
        self._called = f"{owner.__name__}.{name}"

    def __get__(self, instance: object, owner: type | None = None) -> Kept:
        if instance is None:
            return self._default
        kept: Kept = vars(instance)[self._name]
        return kept

    def __set__(self, instance: object, value: Given) -> None:
        vars(instance)[self._name] = self._convert(self._called, value)


Told = str | Iterable[str] | Callable[..., str | Iterable[str]]
"""Single text, several, or a function that returns them, with no parameter or with one for the object itself."""


class CalledTexts(Converted[Told, tuple[str, ...]]):
    """Field of texts, or of a function that returns them and is called on each access."""

    def __init__(self) -> None:
        super().__init__(_check_function_or_texts, ())

    def __get__(self, instance: object, owner: type | None = None) -> tuple[str, ...]:
        kept: Any = super().__get__(instance, owner)
        if not callable(kept):
            return tuple(kept)
        return texts_of(f"What {self._called}()", kept(instance) if _takes_one(kept) else kept())


def choice(default: E) -> Converted[E | str, E]:
    """Return a field for a member of an enumeration, which can also be given as its text."""
    return Converted(lambda name, value: choice_of(name, value, type(default)), default)


def optional_choice(kind: type[E]) -> Converted[E | str | None, E | None]:
    """Return a field for a member of an enumeration, or None."""
    return Converted(lambda name, value: None if value is None else choice_of(name, value, kind), None)


def texts() -> Converted[str | Iterable[str], tuple[str, ...]]:
    """Return a field for several texts; a single text can be given directly."""
    return Converted(texts_of, ())


def choice_of(name: str, value: object, kind: type[E]) -> E:
    """Return the member of an enumeration with the given value, ignoring case.

    Raises:
        ValueError: No member has that value; the message lists the members.
    """
    found = [one for one in kind if isinstance(value, str) and one.value.casefold() == value.casefold()]
    if not found:
        raise ValueError(f"{name} cannot be {value!r}. Choose one of {_list_names(one.value for one in kind)}.")
    return found[0]


def texts_of(name: str, value: object) -> tuple[str, ...]:
    """Return one text, or several, as a tuple; an empty text gives an empty tuple.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(value, str):
        return (value,) if value else ()
    kept: list[Any] = [value]
    if isinstance(value, Iterable) and not isinstance(value, bytes | Mapping):
        kept = list(value)
    for one in kept:
        if not isinstance(one, str):
            hint = " Give a function to library.use_tool or library.use_retriever, and its name here."
            raise TypeError(f"{name} takes a text or several, not {one!r}.{hint if callable(one) else ''}")
    return tuple(kept)


def require_function(name: str, given: object, *, is_plain: bool = False) -> None:
    """Require a function or None.

    Raises:
        TypeError: It is neither; or it is asynchronous although a plain function is required.
    """
    if given is not None and not callable(given):
        raise TypeError(f"{name!r} must be a function, not {given!r}.")
    if is_plain and iscoroutinefunction(given):
        raise TypeError(f"{name!r} must be a plain function: it is called, not awaited.")


def known_options(kind: type[T]) -> type[T]:
    """Let the constructor and the public methods of a class reject wrong calls with clear messages: see check_call."""
    for name, one in list(vars(kind).items()):
        if isinstance(one, FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(kind, name, checked(one, kind.__name__ if name == "__init__" else name))
    return kind


def hints_at_names(kind: type[T]) -> type[T]:
    """Let a class suggest its own methods if a method of another library is accessed.

    The hook is set here and not written into the class, because type checkers would then accept every name.
    """

    def unknown(self: object, name: str) -> Any:
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        meant = " or ".join(_NAMES_ELSEWHERE.get(name, ()))
        raise AttributeError(f"{message}. Here it is: {meant}" if meant else message, name=name, obj=self)

    setattr(kind, "__getattr__", unknown)  # noqa: B010
    return kind


def checked(function: F, called: str = "") -> F:
    """Return a function that rejects wrong calls with clear messages: see check_call."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        check_call(function, called or function.__name__, args, kwargs)
        return function(*args, **kwargs)

    return cast(F, call)


def check_call(
    function: Callable[..., Any], called: str, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> None:
    """Check that a function can be called with the given arguments.

    Arguments are checked for parameters annotated with a class, a union of classes or a dict; other parameters convert
    their arguments themselves.

    Raises:
        TypeError: There is no such option (the message suggests the nearest, and lists all), an argument is missing, or
            one has the wrong type.
    """
    taken = _signature_of(function)
    parameters = taken.parameters
    known = [name for name in parameters if name != "self"]
    for option in options:
        if option not in parameters:
            near = [name for name in _ELSEWHERE.get(option, ()) if name in known] or get_close_matches(option, known, 1)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{called}() has no option {option!r}.{meant} Its options are {_list_names(known)}.")
    for name, value in taken.bind(*arguments, **options).arguments.items():
        kinds = _kinds(parameters[name].annotation)
        if kinds and not any(_is_of(value, kind) for kind in kinds):
            wanted = " or ".join(_KINDS.get(kind, kind.__name__) for kind in kinds)
            raise TypeError(f"{called}(): {name!r} must be {wanted}, not {shown(value)}.")


def shown(value: object) -> str:
    """Return a value for an error message: its repr if it is short, else its type."""
    written = repr(value)
    return written if len(written) <= _LONGEST_SHOWN else f"a {type(value).__name__}"


@lru_cache(maxsize=256)
def _signature_of(function: Callable[..., Any]) -> Signature:
    # Cached, because reading signatures took 3 % of the processor time of an offline answer.
    return signature(function)


def _kinds(annotation: Any) -> tuple[type, ...]:
    """Return the classes that an annotation permits; empty for other annotations."""
    if annotation in (Parameter.empty, Any):
        return ()
    options = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    kinds = [dict if get_origin(one) is dict else one for one in options]
    return tuple(kinds) if all(isinstance(one, type) and get_origin(one) is None for one in kinds) else ()


def _is_of(value: object, kind: type) -> bool:
    if isinstance(value, bool) and kind is not bool:
        return kind is object
    return isinstance(value, (int, float) if kind is float else Mapping if kind is dict else kind)


def _check_function_or_texts(name: str, value: Any) -> Any:
    if not callable(value):
        return texts_of(name, value)
    if iscoroutinefunction(value):
        raise TypeError(f"{name} cannot be an asynchronous function. Give a plain one, or its result.")
    needed = [one for one in signature(value).parameters.values() if one.default is Parameter.empty]
    if len([one for one in needed if one.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)]) > 1:
        raise TypeError(f"{name} must be a function without parameters, or with one, which is the agent.")
    return value


def _takes_one(function: Callable[..., Any]) -> bool:
    """Return whether a function takes the agent as its argument."""
    return any(
        one.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD) and one.default is Parameter.empty
        for one in signature(function).parameters.values()
    )


def _list_names(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
