"""What a drop of files holds, found out before anything is added."""

from dataclasses import dataclass

BIG_FILES = 50
BIG_BYTES = 200 * 2**20


@dataclass(frozen=True, slots=True)
class FileKind:
    """Files with one ending: ".pdf", or nothing for files without."""

    ending: str
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A file that holds the same as another of the drop, or as a document of the library."""

    path: str
    same_as: str
    in_library: bool


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """How far the looking is: files found, then files compared of those that must be."""

    found: int
    compared: int = 0
    to_compare: int = 0

    @property
    def is_big(self) -> bool:
        """Whether it takes so long that a person should see it."""
        return self.found > BIG_FILES or self.to_compare > 0


@dataclass(frozen=True, slots=True)
class Review:
    """What would be added.

    Attributes:
        files: Files that can be read.
        size: Their bytes.
        kinds: They by ending, the most frequent first.
        unsupported: The other files by ending.
        unreadable: Paths that cannot be read at all.
        duplicates: Readable files whose content is there already; empty for a small drop, which is not compared.
        links: Links to files that may be documents; they are left out unless they are to be followed.
    """

    files: int
    size: int
    kinds: tuple[FileKind, ...]
    unsupported: tuple[FileKind, ...]
    unreadable: tuple[str, ...]
    duplicates: tuple[Duplicate, ...]
    links: int = 0

    @property
    def is_big(self) -> bool:
        """Whether a person should see it before it is added."""
        everything = self.files + sum(kind.files for kind in self.unsupported)
        return everything > BIG_FILES or self.size > BIG_BYTES

    @property
    def asks(self) -> bool:
        """Whether there is something to decide: it is big, or there are links that could be followed."""
        return self.is_big or self.links > 0
