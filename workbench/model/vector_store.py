"""Which vector store a library is searched with, and a move to another one."""

from dataclasses import dataclass

BUILT_IN_STORE = "faiss"
"""The store that needs no database."""


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """A vector store as the user chooses it.

    Attributes:
        name: As in the registry of stores.
        url: Address of its server; empty for an embedded database.
    """

    name: str = BUILT_IN_STORE
    url: str = ""


@dataclass(frozen=True, slots=True)
class StoreState:
    """The vector stores of a library.

    Attributes:
        current: What it is searched with.
        wanted: What the settings ask for, where that is another; a move is under way, or waits to be started.
        vectors: How many vectors the current one holds; None where it cannot be opened.
        problem: Why it cannot be opened; empty where it can.
        others: Stores that a move has left behind: the way back is short until they are deleted.
        names: Every store that can be chosen.
    """

    current: StoreChoice
    wanted: StoreChoice | None = None
    vectors: int | None = None
    problem: str = ""
    others: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreMoveProgress:
    """How many vectors the new store holds; an event. seconds_left is None until it can be estimated."""

    name: str
    done: int
    total: int
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class StoreMoved:
    """The library is searched with another store from now on; an event."""

    state: StoreState
