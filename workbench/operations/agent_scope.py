"""What a run may search: what its agent allows, and within that what the user asks for."""

from typing import Any

from workbench.errors import NotFound, RetrievalError
from workbench.model.agent import Agent
from workbench.model.filter import ChunkFilter, Condition, Operator
from workbench.operations.library import Library
from workbench.retrieval.filters.json_forms import form_of
from workbench.retrieval.filters.text_syntax import filter_of_text


def allowed_filter(library: Library, agent: Agent, knowledge_base: str | None, filter: ChunkFilter) -> ChunkFilter:
    """Return what must hold for everything that a run finds; blocks on the store.

    Args:
        library: The open library.
        agent: Who is asked.
        knowledge_base: The only one that the user wants searched.
        filter: What else the user asks for.

    Raises:
        NotFound: A knowledge base of the agent is not there (any more).
        RetrievalError: The agent does not search the knowledge base that the user wants; or its filter is wrong.
    """
    wanted = knowledge_base or filter.knowledge_base
    own = filter_of_text(agent.filter).where
    if not agent.knowledge_bases:
        return ChunkFilter(wanted, (*own, *filter.where))
    there = library.documents.knowledge_bases()
    for name in agent.knowledge_bases:
        if name not in there:
            raise NotFound(
                f"The agent “{agent.name}” searches “{name}”, and there is no such knowledge base.",
                "Choose others for it, or ask another agent.",
            )
    if wanted is not None and wanted not in agent.knowledge_bases:
        listed = ", ".join(f"“{name}”" for name in agent.knowledge_bases)
        raise RetrievalError(
            f"The agent “{agent.name}” does not search “{wanted}”.", f"It searches {listed}. Choose one, or all."
        )
    if wanted is not None or len(agent.knowledge_bases) == 1:
        return ChunkFilter(wanted or agent.knowledge_bases[0], (*own, *filter.where))
    among = Condition("knowledge_base", Operator.IN, agent.knowledge_bases)
    return ChunkFilter(None, (among, *own, *filter.where))


def for_retrievers(allowed: ChunkFilter) -> dict[str, Any] | list[Any] | None:
    """Return a filter as custom retrievers are given it: a dict where all of it are values by key, else a list."""
    base = {"knowledge_base": allowed.knowledge_base} if allowed.knowledge_base else {}
    equal = {
        one.key: one.values[0] for one in allowed.where if isinstance(one, Condition) and one.operator is Operator.EQ
    }
    if len(equal) == len(allowed.where):
        return {**base, **equal} or None
    return [*({"op": "EQ", "key": key, "value": value} for key, value in base.items()), *form_of(allowed)]
