"""Words by which a document is called."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Called:
    """The words of a document's name, title and author, as store/name_words.py makes them.

    Attributes:
        document: Its id.
        name: Of its file's name; initials begin with "#".
        title: Of its title.
        author: Of its author.
    """

    document: int
    name: frozenset[str]
    title: frozenset[str]
    author: frozenset[str]

    @property
    def names(self) -> tuple[frozenset[str], ...]:
        """The words of the file's name, and its initials with the numbers of the name; either means the document."""
        told_apart = frozenset(word for word in self.name if any(character.isdigit() for character in word))
        initials = (told_apart | {word} for word in self.name if word[0] == "#")
        return _kept(frozenset(word for word in self.name if word[0] != "#"), *initials)

    @property
    def titles(self) -> tuple[frozenset[str], ...]:
        """The words of the title, and those of the author."""
        return _kept(*(frozenset(word for word in alias if word[0] != "#") for alias in (self.title, self.author)))

    @property
    def aliases(self) -> tuple[frozenset[str], ...]:
        """All sets of words of which one is enough to mean the document."""
        return self.names + self.titles


def _kept(*aliases: frozenset[str]) -> tuple[frozenset[str], ...]:
    return tuple(alias for alias in aliases if alias)
