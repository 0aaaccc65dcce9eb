"""Retrievers, plug-in files and workspaces in words: a title and what is to be said of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from workbench.model.plugin import PluginInfo, PluginState
from workbench.model.retrieval import RetrieverInfo, RetrieverKind, RetrieverState
from workbench.model.workspace import ContextFile, ProblemGravity, Workspace

_KINDS = {RetrieverKind.CODE: "from a program", RetrieverKind.PACKAGE: "from an installed package"}
_RETRIEVER_STATES = {
    RetrieverState.NOT_STARTED: "not asked yet",
    RetrieverState.READY: "ready",
    RetrieverState.FAILED: "cannot be asked",
    RetrieverState.NEEDS_CONSENT: "waits for your consent",
}
_PLUGIN_STATES = {
    PluginState.NEW: "not allowed yet",
    PluginState.CHANGED: "changed since you allowed it",
    PluginState.ALLOWED: "allowed",
    PluginState.BROKEN: "does not work",
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
    origin = _KINDS.get(retriever.kind, f"from {retriever.file}")
    took = f"last answer {retriever.milliseconds:,.0f} ms" if retriever.milliseconds is not None else ""
    about = [origin, _RETRIEVER_STATES[retriever.state], took, retriever.problem, retriever.note]
    bad = retriever.state in (RetrieverState.FAILED, RetrieverState.NEEDS_CONSENT)
    return Row(retriever.name, _joined(about), is_bad=bad)


def plugin_row(plugin: PluginInfo) -> Row:
    """Return how a plug-in file stands."""
    offers = f"offers {', '.join(plugin.offers)}" if plugin.offers else ""
    about = [_PLUGIN_STATES[plugin.state], offers, plugin.problem]
    return Row(plugin.name, _joined(about), plugin.name, is_bad=plugin.state is not PluginState.ALLOWED)


def workspace_rows(workspaces: Sequence[Workspace]) -> list[Row]:
    """Return the agents of workspaces with their context files, and below them what is wrong."""
    rows: list[Row] = []
    for workspace in workspaces:
        name = PurePath(workspace.folder).name
        for agent in workspace.agents:
            asks = f"asks {', '.join(agent.retrievers)}" if agent.retrievers else ""
            files = ", ".join(_file_words(file) for file in agent.context)
            rows.append(Row(f"{agent.label}  ({name}/{agent.id})", _joined([asks, files]), workspace.folder))
        for problem in workspace.problems:
            where = ": ".join(part for part in (problem.agent, problem.path) if part)
            is_error = problem.gravity is ProblemGravity.ERROR
            rows.append(Row(where or name, problem.message, workspace.folder, is_bad=is_error))
    return rows


def _file_words(file: ContextFile) -> str:
    size = f"{file.characters:,} characters"
    taken = f", the first {len(file.text):,} taken" if file.is_cut else ""
    return f"{PurePath(file.path).name} ({size}{taken})"


def _joined(parts: Sequence[str]) -> str:
    return " · ".join(part.rstrip(".") for part in parts if part)
