"""What an agent may name, and the agents themselves: what a person chooses from who edits or asks one."""

from dataclasses import dataclass

from workbench.model.agent import Agent


@dataclass(frozen=True, slots=True)
class Choice:
    """One of them; title and help are for people."""

    name: str
    title: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class AgentChoices:
    """All of them, by the field of the agent that names them; ask_before: single tools, the search among them."""

    profile: tuple[Choice, ...] = ()
    knowledge_bases: tuple[Choice, ...] = ()
    tools: tuple[Choice, ...] = ()
    retrievers: tuple[Choice, ...] = ()
    ask_before: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentShelf:
    """The agents of a library, the built-in one first, and the name of the one that is asked."""

    agents: tuple[Agent, ...]
    asked: str
