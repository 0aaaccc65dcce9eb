"""What a document is called, as words."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Called:
    """The words by which a document is called.

    Attributes:
        document: Its id.
        name: Of its file's name.
        title: Of its title.
        author: Of whoever wrote it.
    """

    document: int
    name: frozenset[str]
    title: frozenset[str]
    author: frozenset[str]

    @property
    def aliases(self) -> tuple[frozenset[str], ...]:
        """Each by itself: whoever means a document says the words of one."""
        return tuple(alias for alias in (self.name, self.title, self.author) if alias)
