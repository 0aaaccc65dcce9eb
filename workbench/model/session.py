"""A session: a conversation over the library, kept with all its runs."""

from dataclasses import dataclass

from workbench.model.run import Run, RunStatus


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as it stands in a list; started and changed are ISO 8601, UTC."""

    id: int
    title: str
    started: str
    changed: str
    runs: int


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
