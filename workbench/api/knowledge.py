"""One knowledge base of an open library, as a thing of its own."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.api.arguments import Filter, OnEvent, Paths
from workbench.model.document import Document
from workbench.model.hit import Hit
from workbench.model.progress import FileFinished

if TYPE_CHECKING:
    from workbench.api.library import Library


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Documents that are kept apart from all others; library.knowledge(name) gives it.

    Attributes:
        library: The open library.
        name: What it is called there.
        max_results: How many passages a search gives where it is not told.
    """

    library: "Library"
    name: str = "default"
    max_results: int = 10

    def add(self, paths: Paths, *, on_event: OnEvent = None) -> list[FileFinished]:
        """Add files and folders; returns how each file ended."""
        return self.library.add(paths, knowledge_base=self.name, on_event=on_event)

    def search(self, query: str, max_results: int | None = None, filters: Filter = None) -> list[Hit]:
        """Return the passages that answer a question best.

        Raises:
            RetrievalError: The search failed, or the filter cannot be understood; never "nothing found" instead.
        """
        k = self.max_results if max_results is None else max_results
        return list(self.library.search(query, k, filters, knowledge_base=self.name).hits)

    def documents(self) -> list[Document]:
        """Return its documents, in the order they were added."""
        return self.library.documents(self.name)
