"""Conversion of a workspace to agents of the program, with the texts of a prompt in the same order."""

from workbench.language import mark
from workbench.model.agent import Agent, ReferencesPlace, Workspace, WorkspaceAgent
from workbench.model.message import PromptSection

JOINT = "\n\n---\n\n"
"""Separator of the sections of a prompt, and of the files in a section."""

WORKSPACE = "workspace"
"""Metadata key for the folder from which an agent was read; the limits have keys with their own names."""


def agents_of_workspace(workspace: Workspace) -> tuple[Agent, ...]:
    """Return the agents of a workspace; agents with the same label get their id added to the name.

    The prompt begins with the text shared by all agents, followed by that of the agent, and by separate sections with
    its context files and the results of its retrievers. An agent without retrievers searches the library's documents.
    """
    labels = [agent.label for agent in workspace.agents]
    return tuple(
        _agent(workspace, one, one.label if labels.count(one.label) == 1 else f"{one.label} ({one.id})")
        for one in workspace.agents
    )


def _agent(workspace: Workspace, agent: WorkspaceAgent, name: str) -> Agent:
    texts = (workspace.shared_prompt, workspace.shared_behavior, agent.body, agent.behavior)
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
        system_message=JOINT.join(text for text in texts if text),
        sections=_reference_material(agent),
        knowledge=not has_retrievers,
        retrievers=agent.retrievers,
        search_knowledge=not has_retrievers,
        add_knowledge_to_context=has_retrievers,
        references_in=ReferencesPlace.SYSTEM,
        add_datetime=True,
        timezone="UTC",
        # Braces in these prompts are not placeholders of this program.
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
