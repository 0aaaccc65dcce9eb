"""How a plug-in file of the library stands."""

from dataclasses import dataclass
from enum import StrEnum


class PluginState(StrEnum):
    """Whether a plug-in file may run, and does."""

    NEW = "new"
    CHANGED = "changed"
    ALLOWED = "allowed"
    BROKEN = "broken"

    @property
    def needs_consent(self) -> bool:
        """Whether a person has to look at it first."""
        return self in (PluginState.NEW, PluginState.CHANGED)


@dataclass(frozen=True, slots=True)
class PluginText:
    """What stands in a plug-in file, and the hash of exactly that."""

    name: str
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """A plug-in file.

    Attributes:
        name: The file's name in the library's plug-in folder.
        path: All of its path.
        sha256: Of its bytes as they are now; empty where they cannot be read.
        offers: The retrievers in it; known once it was allowed.
        problem: What is wrong with it, in a sentence.
    """

    name: str
    path: str
    sha256: str
    state: PluginState
    offers: tuple[str, ...] = ()
    problem: str = ""
