"""Shared libraries: their state, their members, and events of their imports."""

from dataclasses import dataclass

SLOT_BITS = 40
"""Bits of an id of a document or chunk below its slot: see operations/shared/federated_ids.py."""


def is_in_shared_library(number: int) -> bool:
    """Return whether the id of a document or chunk belongs to a shared library."""
    return number >> SLOT_BITS > 0


@dataclass(frozen=True, slots=True)
class SharedBase:
    """Knowledge base of a shared library.

    Attributes:
        name: Full name: "team/contracts".
        access: The user's access: "read", "write" or "manage".
    """

    name: str
    access: str


@dataclass(frozen=True, slots=True)
class SharedLibraryState:
    """State of a connected shared library.

    Attributes:
        name: Name chosen by the user.
        url: Its address, without a password.
        user: The user's name at the server; empty if it cannot be reached.
        bases: The knowledge bases that the user may read.
        documents: Number of documents.
        waiting: Number of documents that wait for a worker or are being read.
        workers: Number of workers that read documents now.
        problem: Why it cannot be used, with what to do; empty if it can.
    """

    name: str
    url: str
    user: str = ""
    bases: tuple[SharedBase, ...] = ()
    documents: int = 0
    waiting: int = 0
    workers: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SharedMember:
    """Member of a shared knowledge base.

    Attributes:
        name: Name of the user at the server.
        access: "read", "write" or "manage".
    """

    name: str
    access: str


@dataclass(frozen=True, slots=True)
class SharedReadingStarted:
    """Event: a worker of this program has connected to a shared library, whose documents it reads from now on.

    Attributes:
        name: Name of the shared library.
    """

    name: str


@dataclass(frozen=True, slots=True)
class SharedImportProgress:
    """Event: a worker of this program has read one more document of a shared library.

    Attributes:
        name: Name of the shared library.
        done: Number of documents read since the worker was started.
        failed: Number of documents that could not be read.
    """

    name: str
    done: int
    failed: int


@dataclass(frozen=True, slots=True)
class SharedLibraryChanged:
    """Event: a shared library was changed, by this program or another one; or it cannot be reached any more.

    Attributes:
        name: Its name.
        is_reachable: Whether it can be reached.
    """

    name: str
    is_reachable: bool = True
