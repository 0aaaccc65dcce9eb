"""Access of tools to documents, notes and the network, and the lookup of a document by what a model calls it."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from workbench.errors import NotFound, RetrievalError, ToolError
from workbench.model.document import Document, Page
from workbench.model.egress import Purpose
from workbench.model.hit import Hit


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, up to the next one of its level: text[start:end] of its document."""

    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReadableDocument:
    """A document as far as the run may see it.

    Attributes:
        document: The document.
        text: All of it, also what the run may not see: only what passages cover is given away.
        passages: Its chunks that the run may see, in order, as hits.
        pages: Its pages, without the places of words.
        sections: In the order of their headings; a section holds those of lower levels.
    """

    document: Document
    text: str
    passages: tuple[Hit, ...]
    pages: tuple[Page, ...] = ()
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class Mentions:
    """Where words stand in a document.

    Attributes:
        document: The document.
        times: How often they stand in what the run may see of it.
        passages: In how many passages.
        hits: The first of these, in order.
    """

    document: Document
    times: int
    passages: int
    hits: tuple[Hit, ...]


class DocumentAccess(Protocol):
    """The documents within a run's knowledge base and filter; nothing here can widen them."""

    async def documents(self, filter: str = "") -> Sequence[Document]:
        """Return the documents of which something may be seen, in the order they were added.

        Args:
            filter: Text of a filter that must hold besides.

        Raises:
            WorkbenchError: The filter is not one.
        """
        ...

    async def read(self, document: Document) -> ReadableDocument:
        """Return what may be seen of a document.

        Raises:
            NotFound: It is no longer in the library, or nothing of it may be seen.
        """
        ...

    async def mentions(self, words: str, documents: Sequence[Document], *, places: int = 3) -> Sequence[Mentions]:
        """Return in which documents words stand one behind another, in any inflection; the most mentions first.

        Args:
            words: What is looked for.
            documents: Where, among those that the run may see.
            places: How many passages of each are given at most.
        """
        ...


class NoteTaking(Protocol):
    """The one way into the library for tools: a note of its own in one knowledge base."""

    @property
    def knowledge_base(self) -> str:
        """The one that notes are added to."""
        ...

    async def add(self, title: str, text: str) -> str:
        """Add a note and return under which name it can be found.

        Raises:
            WorkbenchError: It could not be added; with a sentence fit to be shown.
        """
        ...


@dataclass(frozen=True, slots=True)
class WebRequest:
    """One request to an address.

    Attributes:
        address: In full.
        headers: Sent to that server only, never where it sends us on.
        body: JSON to send with POST; None asks with GET.
        seconds: For everything.
        is_chosen: The user put the server into the settings, so it may be one of this machine or its network.
        purpose: What is asked for.
    """

    address: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    seconds: float = 10.0
    is_chosen: bool = False
    purpose: Purpose = Purpose.WEB_SEARCH


@dataclass(frozen=True, slots=True)
class WebText:
    """The main text of a page of the web: where it was in the end, what it is called, and what it says."""

    address: str
    title: str
    text: str


class WebAccess(Protocol):
    """The one way out of this machine for tools, with the limits of the fetching room."""

    async def json(self, request: WebRequest) -> Any:
        """Return what a server answers, as JSON.

        Raises:
            DocumentError: There is no answer, or none that can be read; with a sentence fit to be shown.
        """
        ...

    async def page(self, address: str, seconds: float) -> WebText:
        """Return the main text of a page or document of the web.

        Raises:
            DocumentError: It cannot be had or read; with a sentence fit to be shown.
        """
        ...

    async def search_key(self) -> str:
        """Return the key of the server that searches the web; empty where it has none.

        Raises:
            ModelKeyRefused: It is nowhere to be found, although the settings say where.
        """
        ...


_NAMED = 8

DOCUMENT_ARGUMENT = {"type": "string", "description": "The document's file name, title or number."}


async def read_by_name(documents: DocumentAccess, said: str) -> ReadableDocument:
    """Return what may be seen of the document that is meant.

    Raises:
        ToolError: None is meant, or several, or nothing of it may be seen.
    """
    try:
        return await documents.read(which_document(await documents.documents(), said))
    except (NotFound, RetrievalError) as error:
        raise ToolError(error.message) from error


def which_document(documents: Sequence[Document], said: str) -> Document:
    """Return the one document that is meant by a name, a title, a number, or a part of a name.

    Raises:
        ToolError: None is meant, or several; with the names that could be.
    """
    wanted = said.strip().casefold()
    tests: tuple[Callable[[Document], bool], ...] = (
        lambda one: one.name.casefold() == wanted,
        lambda one: one.metadata.title.casefold() == wanted,
        lambda one: str(one.id) == wanted.removeprefix("#"),
        lambda one: wanted in one.name.casefold() or wanted in one.metadata.title.casefold(),
    )
    for test in tests if wanted else ():
        found = [one for one in documents if test(one)]
        if len(found) == 1:
            return found[0]
        if found:
            listed = _listed(found) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")
            raise ToolError(f"“{said}” can mean {len(found)} documents: {listed}. Give the number of one.")
    if not documents:
        raise ToolError("There is no document that may be read here.")
    names = {one.name: one for one in documents}
    close = [names[name] for name in difflib.get_close_matches(said, list(names), n=_NAMED, cutoff=0.5)]
    raise ToolError(
        f"There is no document “{said}”. Similar ones: {_listed(close)}."
        if close
        else f"There is no document “{said}”. list_documents shows those that there are."
    )


def _listed(documents: Sequence[Document]) -> str:
    return ", ".join(f"{one.name} (number {one.id})" for one in documents[:_NAMED])
