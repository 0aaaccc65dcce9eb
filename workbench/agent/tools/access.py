"""Access of tools to documents, notes and the network, and the lookup of a document by name."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from workbench.errors import NotFound, RetrievalError, ToolError
from workbench.model.document import Document, Page
from workbench.model.egress import Purpose
from workbench.model.hit import Coverage, Hit


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its text up to the next one of the same or a higher level: text[start:end] of the document."""

    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReadableDocument:
    """A document and the chunks that the run may access.

    Attributes:
        document: The document.
        text: The complete text, including text that the run may not access; tools show only text within passages.
        passages: Accessible chunks in order, as hits.
        pages: Pages, without the positions of words.
        sections: Sections in the order of their headings; a section includes those of lower levels.
    """

    document: Document
    text: str
    passages: tuple[Hit, ...]
    pages: tuple[Page, ...] = ()
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class Mentions:
    """Occurrences of words in a document.

    Attributes:
        document: The document.
        times: Number of occurrences in the accessible chunks.
        passages: Number of chunks with an occurrence.
        hits: The first of these chunks, in order.
    """

    document: Document
    times: int
    passages: int
    hits: tuple[Hit, ...]


class DocumentAccess(Protocol):
    """Access to the documents within a run's knowledge base and filter, which no method can widen."""

    async def documents(self, filter: str = "") -> Sequence[Document]:
        """Return the documents with accessible chunks, in the order in which they were added.

        Args:
            filter: Text of an additional filter.

        Raises:
            WorkbenchError: The filter is invalid.
        """
        ...

    async def read(self, document: Document) -> ReadableDocument:
        """Return a document with its accessible chunks.

        Raises:
            NotFound: It is no longer in the library, or has no accessible chunks.
        """
        ...

    async def mentions(self, words: str, documents: Sequence[Document], *, places: int = 3) -> Sequence[Mentions]:
        """Find the documents that contain words in this order, in any inflection; those with most occurrences first.

        Args:
            words: The words.
            documents: Documents to search, among those that the run may access.
            places: Maximum number of passages per document.
        """
        ...

    async def coverage(self) -> Coverage:
        """Return how much of the text of the documents of the run can be read; vectors do not matter."""
        ...


class NoteTaking(Protocol):
    """The only write access of tools to the library: adds separate notes to one knowledge base."""

    @property
    def knowledge_base(self) -> str:
        """Name of the knowledge base to which notes are added."""
        ...

    async def add(self, title: str, text: str) -> str:
        """Add a note and return its name in the library.

        Raises:
            WorkbenchError: The note could not be added; the message can be shown to the user.
        """
        ...


@dataclass(frozen=True, slots=True)
class WebRequest:
    """HTTP request of a tool.

    Attributes:
        address: Complete URL.
        headers: Headers, sent to this server only and not to the target of a redirect.
        body: JSON body of a POST request; None sends a GET request.
        seconds: Total timeout.
        is_chosen: True if the user chose the server in the settings; then it may be on this machine or its network.
        purpose: Purpose of the request.
    """

    address: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    seconds: float = 10.0
    is_chosen: bool = False
    purpose: Purpose = Purpose.WEB_SEARCH


@dataclass(frozen=True, slots=True)
class WebText:
    """Main text of a web page, with its title and its final address after redirects."""

    address: str
    title: str
    text: str


class WebAccess(Protocol):
    """The only network access of tools, with the limits of workbench/fetching."""

    async def json(self, request: WebRequest) -> Any:
        """Return the parsed JSON response of a server.

        Raises:
            DocumentError: There is no valid response; the message can be shown to the user.
        """
        ...

    async def page(self, address: str, seconds: float) -> WebText:
        """Return the main text of a page or document on the web.

        Raises:
            DocumentError: It cannot be fetched or parsed; the message can be shown to the user.
        """
        ...

    async def search_key(self) -> str:
        """Return the key of the web search server; empty if it has none.

        Raises:
            ModelKeyRefused: The key is not at the place named in the settings.
        """
        ...


_MOST_NAMED = 8

DOCUMENT_ARGUMENT = {"type": "string", "description": "The document's file name, title or number."}


async def read_by_name(documents: DocumentAccess, said: str) -> ReadableDocument:
    """Return the document that a model names, with its accessible chunks.

    Raises:
        ToolError: No document or several match, or the document has no accessible chunks.
    """
    try:
        return await documents.read(which_document(await documents.documents(), said))
    except (NotFound, RetrievalError) as error:
        raise ToolError(error.message) from error


def which_document(documents: Sequence[Document], said: str) -> Document:
    """Return the document with a name, a title or a number, or with a part of its name or title.

    Raises:
        ToolError: No document or several match; the message names the candidates.
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
            listed = _list_names(found) + (f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else "")
            raise ToolError(f"“{said}” can mean {len(found)} documents: {listed}. Give the number of one.")
    if not documents:
        raise ToolError("There is no document that may be read here.")
    names = {one.name: one for one in documents}
    close = [names[name] for name in difflib.get_close_matches(said, list(names), n=_MOST_NAMED, cutoff=0.5)]
    raise ToolError(
        f"There is no document “{said}”. Similar ones: {_list_names(close)}."
        if close
        else f"There is no document “{said}”. list_documents shows those that there are."
    )


def _list_names(documents: Sequence[Document]) -> str:
    return ", ".join(f"{one.name} (number {one.id})" for one in documents[:_MOST_NAMED])
