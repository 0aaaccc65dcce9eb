"""A knowledge base: documents that are searched, written and deleted together, apart from all others."""

from dataclasses import dataclass

DEFAULT = "default"
"""The knowledge base that is always there."""


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A knowledge base with what it holds.

    Attributes:
        name: As the user wrote it; no two have the same.
        documents: How many documents.
        chunks: How many chunks can be searched.
        embedded: How many of them have their vector.
        failed: How many documents could not be read.
        size: Bytes of the source files.
    """

    name: str
    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    failed: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class RemovedBase:
    """What it takes to bring a removed knowledge base back.

    Attributes:
        number: Its own in the library.
        name: Its name.
        documents: The documents that went into the bin with it.
        folders: The folders that were linked to it.
    """

    number: int
    name: str
    documents: tuple[int, ...]
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A document that was not moved or copied, and why."""

    document: int
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Transfer:
    """What became of documents that were to go to another knowledge base.

    Attributes:
        target: The knowledge base.
        documents: Ids of those that are there now; of copies, the new ones.
        refused: Those that stayed where they were.
        sources: Where each of the documents was before.
    """

    target: str
    documents: tuple[int, ...]
    refused: tuple[Refusal, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeBasesChanged:
    """There are others now, or they hold something else; names, oldest first."""

    names: tuple[str, ...]
