"""A session: a conversation over the library, kept with all its runs."""

from dataclasses import dataclass

from workbench.model.run import Run, RunStatus


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as it stands in a list.

    Attributes:
        started: ISO 8601, UTC; changed likewise.
        runs: How many answers it has.
        pinned: It stays at the top of the list.
        archived: It is kept, and not listed among those in use.
    """

    id: int
    title: str
    started: str
    changed: str
    runs: int
    pinned: bool = False
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """A session with its runs, oldest first."""

    info: SessionInfo
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run as it stands in a list; parent is the run that it went on from."""

    id: int
    session: int
    question: str
    profile: str
    status: RunStatus
    started: str
    seconds: float
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class SessionMatch:
    """A session in which something was said; run is the newest answer that says it, None where only the title does."""

    session: int
    run: int | None
    excerpt: str


@dataclass(frozen=True, slots=True)
class RunDifference:
    """One part in which two runs differ; text is a unified diff."""

    part: str
    text: str
