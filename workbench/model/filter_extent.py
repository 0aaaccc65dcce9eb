"""How much of the library a filter lets through."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FilterExtent:
    """What a search with a filter can see; of passages none while a document is still read."""

    documents: int
    passages: int

    @property
    def sentence(self) -> str:
        """The same in words."""
        if not self.documents:
            return "No document passes this filter."
        documents = "1 document" if self.documents == 1 else f"{self.documents:,} documents"
        passages = "1 passage" if self.passages == 1 else f"{self.passages:,} passages"
        return f"Searches {documents} with {passages}."
