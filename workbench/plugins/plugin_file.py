"""A plug-in file: the environment variables it asks for, and how its own process loads, inspects and asks it.

What a file offers, in this order:

1. `RETRIEVERS`, a dict from names to functions, classes or objects;
2. else its functions `retrieve` or `knowledge_retriever`, under the file's own name;
3. else its only class with initialize, retrieve and close, likewise.
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
_LIFE = ("initialize", "retrieve", "close")


@dataclass(frozen=True, slots=True)
class PluginSource:
    """The very bytes that were consented to; the file may have changed since."""

    file: str
    sha256: str
    code: bytes


@dataclass(frozen=True, slots=True)
class PluginOffer:
    """What a plug-in file offers.

    Attributes:
        names: The retrievers that can be asked.
        problems: By name, the sentences that say why others cannot; under the file's name what concerns all of it.
        notes: By name, what to know of those that can be asked.
        fault: What loading the file raised.
    """

    names: tuple[str, ...] = ()
    problems: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    fault: PluginFault | None = None


@dataclass(frozen=True, slots=True)
class PluginAnswer:
    """What a retriever of a plug-in file gave, or what it raised."""

    given: RetrieverPassages = field(default_factory=RetrieverPassages)
    fault: PluginFault | None = None


class _Loaded:
    """A file that was run, with the retrievers found in it."""

    def __init__(self, source: PluginSource) -> None:
        # What a plug-in prints must not stand among the results of a command of ours.
        sys.stdout = sys.stderr
        self.loop = asyncio.new_event_loop()
        self.shapes: dict[str, CallableRetriever] = {}
        self.problems: dict[str, str] = {}
        self.ready: set[str] = set()
        stem = PurePath(source.file).stem
        things = _things(_run(source), stem)
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
        """Return what a call comes to, awaited if need be on the loop that all of the file's calls share."""
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
    """Load a file and return what it offers."""
    try:
        loaded = _get(source)
    except Exception as error:  # noqa: BLE001 - it runs here and may raise anything
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
    """Return a retriever's passages."""
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
    # Under a name of its own in sys.modules: dataclasses and pickle look there.
    module = ModuleType(f"workbench_plugin_{PurePath(source.file).stem}")
    module.__file__ = source.file
    sys.modules[module.__name__] = module
    exec(compile(source.code, source.file, "exec", dont_inherit=True), module.__dict__)
    return module


def _things(module: ModuleType, stem: str) -> dict[str, Any]:
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
        and all(callable(getattr(value, name, None)) for name in _LIFE)
    ]
    return {stem: classes[0]} if len(classes) == 1 else {}


def _fault(error: Exception, source: PluginSource) -> PluginFault:
    if isinstance(error, MemoryError):
        raise error  # what it left behind is unknown: whoever runs this process ends it
    return fault_of(error, source.file)


def named_variables(code: bytes) -> tuple[str, ...]:
    """Return the names, read without running the file; nothing where there is no such list, or no such program."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(_is_the_name(target) for target in node.targets):
            try:
                value = ast.literal_eval(node.value)
            except ValueError:
                return ()
            return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ()
    return ()


def _is_the_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "ENVIRONMENT"
