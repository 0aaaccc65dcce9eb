"""What a model calls a document -> the document, among those that it may see."""

import difflib
from collections.abc import Callable, Sequence

from workbench.agent.tools.access import DocumentAccess, ReadableDocument
from workbench.errors import NotFound, RetrievalError, ToolError
from workbench.model.document import Document

_NAMED = 8

DOCUMENT_ARGUMENT = {"type": "string", "description": "The document's file name, title or number."}


async def read_named(documents: DocumentAccess, said: str) -> ReadableDocument:
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
