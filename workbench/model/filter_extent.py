"""How much of the library a filter lets through."""

from dataclasses import dataclass

from workbench.language import mark


@dataclass(frozen=True, slots=True)
class FilterExtent:
    """What a search with a filter can see; of passages none while a document is still read."""

    documents: int
    passages: int

    @property
    def sentence(self) -> str:
        """The same in words."""
        if not self.documents:
            return mark("No document passes this filter.")
        documents, passages = f"{self.documents:,}", f"{self.passages:,}"
        if passages == "1":
            one = mark("Searches 1 document with 1 passage.")
            return one if documents == "1" else mark(f"Searches {documents} documents with 1 passage.")
        one = mark(f"Searches 1 document with {passages} passages.")
        return one if documents == "1" else mark(f"Searches {documents} documents with {passages} passages.")
