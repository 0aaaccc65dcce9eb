"""Loading and calling of a plug-in file in its own process, and its environment variables.

Retrievers of a file, by the first of these rules that applies:

1. `RETRIEVERS`, a dict from names to functions, classes or objects;
2. the function `retrieve` or `knowledge_retriever`, under the file's own name;
3. the only class with initialize, retrieve and close, under the file's own name.
"""

import ast
import asyncio
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from types import ModuleType
from typing import Any

from workbench.language import mark
from workbench.model.extensions import RetrieverQuestion
from workbench.plugins.custom_retriever import CallableRetriever, NotARetriever, shape_of
from workbench.plugins.retriever_results import PluginFault, RetrieverPassages, fault_of, passages_of
from workbench.plugins.threads import awaited

_FUNCTIONS = ("retrieve", "knowledge_retriever")
_LIFECYCLE = ("initialize", "retrieve", "close")


@dataclass(frozen=True, slots=True)
class PluginSource:
    """Path, hash and code of a plug-in file as the user consented to it; the file may have changed since."""

    file: str
    sha256: str
    code: bytes


@dataclass(frozen=True, slots=True)
class PluginOffer:
    """Retrievers of a plug-in file.

    Attributes:
        names: Names of the usable retrievers.
        problems: Reasons why other retrievers are unusable, by name; a problem of the whole file has the file's name.
        notes: Hints about usable retrievers, by name.
        fault: Exception raised by loading the file.
    """

    names: tuple[str, ...] = ()
    problems: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    fault: PluginFault | None = None


@dataclass(frozen=True, slots=True)
class PluginAnswer:
    """Passages from a retriever of a plug-in file, or the exception that it raised."""

    given: RetrieverPassages = field(default_factory=RetrieverPassages)
    fault: PluginFault | None = None


class _Loaded:
    """Executed plug-in file with the retrievers found in it."""

    def __init__(self, source: PluginSource) -> None:
        # Output that a plug-in prints must not mix with the output of a workbench command.
        sys.stdout = sys.stderr
        self.loop = asyncio.new_event_loop()
        self.shapes: dict[str, CallableRetriever] = {}
        self.problems: dict[str, str] = {}
        self.ready: set[str] = set()
        stem = PurePath(source.file).stem
        things = _find_retrievers(_run(source), stem)
        if not things:
            self.problems[stem] = mark(
                "It offers nothing: define a function “retrieve(query, num_documents=None)”, a class with initialize,"
                " retrieve and close, or a dict RETRIEVERS of them."
            )
        for name, thing in things.items():
            try:
                self.shapes[name] = shape_of(thing)
            except NotARetriever as error:
                self.problems[name] = str(error)

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return the result of a call, awaited if necessary on the event loop that all of the file's calls share."""
        value = function(*args)
        is_later = inspect.isawaitable(value) or hasattr(value, "__aiter__")
        return self.loop.run_until_complete(awaited(value)) if is_later else value

    def get_ready(self, name: str) -> None:
        """Initialize a retriever, once."""
        initialize = self.shapes[name].initialize
        if name not in self.ready and initialize is not None:
            self.call(initialize)
        self.ready.add(name)


_loaded: dict[str, _Loaded] = {}


def offered(source: PluginSource) -> PluginOffer:
    """Load a file and return its retrievers."""
    try:
        loaded = _get(source)
    except Exception as error:  # noqa: BLE001 - the file is executed here and may raise anything
        return PluginOffer(fault=_fault(error, source))
    notes = {name: shape.note for name, shape in loaded.shapes.items() if shape.note}
    return PluginOffer(tuple(loaded.shapes), loaded.problems, notes)


def start(source: PluginSource, name: str) -> PluginAnswer:
    """Initialize a retriever of a file."""
    try:
        _get(source).get_ready(name)
    except Exception as error:  # noqa: BLE001 - as above
        return PluginAnswer(fault=_fault(error, source))
    return PluginAnswer()


def ask(source: PluginSource, name: str, question: RetrieverQuestion, characters: int) -> PluginAnswer:
    """Return a retriever's passages for a question."""
    try:
        loaded = _get(source)
        loaded.get_ready(name)
        shape = loaded.shapes[name]
        value = loaded.call(shape.ask, question)
        most = None if shape.cuts_itself else question.num_documents
        return PluginAnswer(passages_of(value, characters=characters, most=most))
    except Exception as error:  # noqa: BLE001 - as above
        return PluginAnswer(fault=_fault(error, source))


def close(source: PluginSource) -> PluginAnswer:
    """Close every retriever of a file that was loaded."""
    fault = None
    loaded = _loaded.get(source.sha256)
    for shape in loaded.shapes.values() if loaded is not None else ():
        try:
            if loaded is not None and shape.close is not None:
                loaded.call(shape.close)
        except Exception as error:  # noqa: BLE001 - as above; the others are closed nevertheless
            fault = _fault(error, source)
    return PluginAnswer(fault=fault)


def _get(source: PluginSource) -> _Loaded:
    if source.sha256 not in _loaded:
        _loaded[source.sha256] = _Loaded(source)
    return _loaded[source.sha256]


def _run(source: PluginSource) -> ModuleType:
    # Registered in sys.modules under its own name, because dataclasses and pickle look it up there.
    module = ModuleType(f"workbench_plugin_{PurePath(source.file).stem}")
    module.__file__ = source.file
    sys.modules[module.__name__] = module
    exec(compile(source.code, source.file, "exec", dont_inherit=True), module.__dict__)
    return module


def _find_retrievers(module: ModuleType, stem: str) -> dict[str, Any]:
    named = getattr(module, "RETRIEVERS", None)
    if isinstance(named, dict):
        return {str(name): thing for name, thing in named.items()}
    for name in _FUNCTIONS:
        if callable(getattr(module, name, None)):
            return {stem: getattr(module, name)}
    classes = [
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and all(callable(getattr(value, name, None)) for name in _LIFECYCLE)
    ]
    return {stem: classes[0]} if len(classes) == 1 else {}


def _fault(error: Exception, source: PluginSource) -> PluginFault:
    if isinstance(error, MemoryError):
        raise error  # the state of this process is unknown, so the parent ends it
    return fault_of(error, source.file)


def named_variables(code: bytes) -> tuple[str, ...]:
    """Return the names in the file's ENVIRONMENT list without running it; empty if there is none or a syntax error."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(_is_environment_name(target) for target in node.targets):
            try:
                value = ast.literal_eval(node.value)
            except ValueError:
                return ()
            return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ()
    return ()


def _is_environment_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "ENVIRONMENT"
