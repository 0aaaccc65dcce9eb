"""A workspace -> agents of ours, that a model is told in the same order."""

from workbench.language import mark
from workbench.model.agent import Agent, ReferencesPlace, Workspace, WorkspaceAgent
from workbench.model.message import PromptSection

JOINT = "\n\n---\n\n"
"""Between the sections of a prompt, and between the files in one."""

WORKSPACE = "workspace"
"""The key of an agent's metadata that names the folder it was read from; the limits stand under their own names."""


def agents_of_workspace(workspace: Workspace) -> tuple[Agent, ...]:
    """Return the agents of a workspace; of two with one label both are told apart by their ids.

    What all agents are told comes first, then what this one is; behind it, in sections of their own, its context files
    and what its retrievers found for the question. One without retrievers searches the library's documents.
    """
    labels = [agent.label for agent in workspace.agents]
    return tuple(
        _agent(workspace, one, one.label if labels.count(one.label) == 1 else f"{one.label} ({one.id})")
        for one in workspace.agents
    )


def _agent(workspace: Workspace, agent: WorkspaceAgent, name: str) -> Agent:
    told = (workspace.shared_prompt, workspace.shared_behavior, agent.body, agent.behavior)
    settings = workspace.settings
    limits = {
        "retriever_timeout_seconds": settings.retriever_timeout_seconds,
        "max_retrieved_chars": settings.max_retrieved_chars,
    }
    has_retrievers = bool(agent.retrievers)
    return Agent(
        name,
        id=agent.id,
        description=agent.description,
        system_message=JOINT.join(text for text in told if text),
        sections=_reference_material(agent),
        knowledge=not has_retrievers,
        retrievers=agent.retrievers,
        search_knowledge=not has_retrievers,
        add_knowledge_to_context=has_retrievers,
        references_in=ReferencesPlace.SYSTEM,
        add_datetime=True,
        timezone="UTC",
        # What stands in braces in somebody's prompt was not meant for us.
        resolve_in_context=False,
        metadata={
            WORKSPACE: workspace.folder,
            **{key: str(value) for key, value in limits.items() if value is not None},
        },
    )


def _reference_material(agent: WorkspaceAgent) -> tuple[PromptSection, ...]:
    texts = [file.text.strip() for file in agent.context if file.text.strip()]
    if not texts:
        return ()
    return (PromptSection(mark("Reference material"), f"## Reference Material\n\n{JOINT.join(texts)}"),)
