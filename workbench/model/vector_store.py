"""Vector store of a library, and the progress of moving to another one."""

from dataclasses import dataclass
from enum import Enum

BUILT_IN_STORE = "faiss"
"""Name of the store that needs no database."""
LIBRARY_STORE = "library"
"""Name that moves a knowledge base from a store of its own back into the store of the library."""


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """Vector store chosen by the user.

    Attributes:
        name: Name in the registry of stores.
        url: Address of its server; empty for an embedded database.
    """

    name: str = BUILT_IN_STORE
    url: str = ""


@dataclass(frozen=True, slots=True)
class StoreOfBase:
    """Knowledge base whose vectors are in a store of its own.

    Attributes:
        knowledge_base: Its name.
        choice: The store.
        vectors: Number of its vectors in the store; None if it cannot be opened.
        problem: Reason why it cannot be opened; empty if it can.
    """

    knowledge_base: str
    choice: StoreChoice
    vectors: int | None = None
    problem: str = ""


class AddressUse(Enum):
    """Use of a server address by a vector store; the address is in the settings."""

    NEVER = "never"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class StoreOffer:
    """Vector store that can be chosen.

    Attributes:
        name: Name in the registry of stores.
        title: Name for people.
        address_use: Whether it runs on a server.
        extra: The optional extra of this program that installs it; empty if it is installed.
        url: Address of its server when this library used it last; empty for none.
    """

    name: str
    title: str
    address_use: AddressUse = AddressUse.NEVER
    extra: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class StoreState:
    """The vector stores of a library.

    Attributes:
        current: The store in use.
        wanted: Store requested by the settings, if it is another one: a move is in progress, or waits to be started.
        vectors: Number of vectors in the current store; None if it cannot be opened.
        problem: Reason why it cannot be opened; empty if it can.
        others: Stores kept after a move; until they are deleted, moving back to one is fast.
        names: All stores that can be chosen.
        offers: The same stores with what a person needs to know to choose one.
        knowledge_bases: Names of all knowledge bases.
        of_bases: The knowledge bases that have a store of their own.
    """

    current: StoreChoice
    wanted: StoreChoice | None = None
    vectors: int | None = None
    problem: str = ""
    others: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    offers: tuple[StoreOffer, ...] = ()
    knowledge_bases: tuple[str, ...] = ()
    of_bases: tuple[StoreOfBase, ...] = ()

    def store_of(self, knowledge_base: str) -> StoreChoice:
        """Return the store in use for a knowledge base; an empty name means all that have none of their own."""
        own = (one.choice for one in self.of_bases if one.knowledge_base == knowledge_base)
        return next(own, self.current)


@dataclass(frozen=True, slots=True)
class StoreMoveProgress:
    """Event: number of vectors in the new store.

    Attributes:
        name: The new store.
        done: Number of vectors in it.
        total: Number of vectors that it will contain.
        seconds_left: None until it can be estimated.
        knowledge_base: Name of the knowledge base that moves; empty for the library.
    """

    name: str
    done: int
    total: int
    seconds_left: float | None
    knowledge_base: str = ""


@dataclass(frozen=True, slots=True)
class StoreMoved:
    """Event: the library uses another store from now on."""

    state: StoreState
