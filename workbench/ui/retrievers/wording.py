"""Retrievers, plug-in files and workspaces in words: a title and what is to be said of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from workbench.language import mark, said, tr
from workbench.model.agent import ContextFile, ProblemGravity, Workspace
from workbench.model.extensions import PluginInfo, PluginState, RetrieverInfo, RetrieverKind, RetrieverState

_KINDS = {RetrieverKind.CODE: mark("from a program"), RetrieverKind.PACKAGE: mark("from an installed package")}
_RETRIEVER_STATES = {
    RetrieverState.NOT_STARTED: mark("not asked yet"),
    RetrieverState.READY: mark("ready"),
    RetrieverState.FAILED: mark("cannot be asked"),
    RetrieverState.NEEDS_CONSENT: mark("waits for your consent"),
}
_PLUGIN_STATES = {
    PluginState.NEW: mark("not allowed yet"),
    PluginState.CHANGED: mark("changed since you allowed it"),
    PluginState.ALLOWED: mark("allowed"),
    PluginState.BROKEN: mark("does not work"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a list.

    Attributes:
        key: What buttons act on; empty where there is nothing to act on.
        is_bad: Something is wrong with it, or waits for a person.
    """

    title: str
    about: str
    key: str = ""
    is_bad: bool = False


def retriever_row(retriever: RetrieverInfo) -> Row:
    """Return how a retriever stands, with how long its last answer took."""
    kind = _KINDS.get(retriever.kind)
    origin = tr(kind) if kind is not None else tr("from {file}", file=retriever.file)
    milliseconds = retriever.milliseconds
    took = tr("last answer {milliseconds:,.0f} ms", milliseconds=milliseconds) if milliseconds is not None else ""
    about = [origin, tr(_RETRIEVER_STATES[retriever.state]), took, said(retriever.problem), said(retriever.note)]
    bad = retriever.state in (RetrieverState.FAILED, RetrieverState.NEEDS_CONSENT)
    return Row(retriever.name, _joined(about), is_bad=bad)


def plugin_row(plugin: PluginInfo) -> Row:
    """Return how a plug-in file stands."""
    offers = tr("offers {retrievers}", retrievers=", ".join(plugin.offers)) if plugin.offers else ""
    about = [tr(_PLUGIN_STATES[plugin.state]), offers, said(plugin.problem)]
    return Row(plugin.name, _joined(about), plugin.name, is_bad=plugin.state is not PluginState.ALLOWED)


def workspace_rows(workspaces: Sequence[Workspace]) -> list[Row]:
    """Return the agents of workspaces with their context files, and below them what is wrong."""
    rows: list[Row] = []
    for workspace in workspaces:
        name = PurePath(workspace.folder).name
        for agent in workspace.agents:
            asks = tr("asks {retrievers}", retrievers=", ".join(agent.retrievers)) if agent.retrievers else ""
            files = ", ".join(_file_words(file) for file in agent.context)
            rows.append(Row(f"{agent.label}  ({name}/{agent.id})", _joined([asks, files]), workspace.folder))
        for problem in workspace.problems:
            where = ": ".join(part for part in (problem.agent, problem.path) if part)
            is_error = problem.gravity is ProblemGravity.ERROR
            rows.append(Row(where or name, said(problem.message), workspace.folder, is_bad=is_error))
    return rows


def _file_words(file: ContextFile) -> str:
    name, all_of_it = PurePath(file.path).name, file.characters
    if file.is_cut:
        text = mark("{name} ({n:,} characters, the first {taken:,} taken)")
        return tr(text, name=name, n=all_of_it, taken=len(file.text))
    return tr("{name} ({n:,} characters)", name=name, n=all_of_it)


def _joined(parts: Sequence[str]) -> str:
    return " · ".join(part.rstrip(".。") for part in parts if part)
