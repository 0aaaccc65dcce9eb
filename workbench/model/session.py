"""Session: its runs, the branches of its answers, and the contents of an export."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.model.run import Run, RunStatus


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """Summary of a session, as shown in a list.

    Attributes:
        started: ISO 8601, UTC; changed likewise.
        runs: Number of answers.
        pinned: It stays at the top of the list.
        archived: It is kept, but not listed among those in use.
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
    """Summary of a run, as shown in a list; parent is the run that it continues."""

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
    """Session that matches a search; run is the newest matching answer, None if only the title matches."""

    session: int
    run: int | None
    excerpt: str


@dataclass(frozen=True, slots=True)
class RunDifference:
    """Difference between two runs in one part; text is a unified diff."""

    part: str
    text: str


def branches(runs: Sequence[Run]) -> dict[int, tuple[Run, ...]]:
    """Return for each run, by number, the runs comparable with it, including itself, oldest first.

    These are answers to the same question, and runs that replaced another: with another result of a tool, another
    question,
    or another agent. A run without any is left out.
    """
    family: dict[int, list[Run]] = {}
    last_by_question: dict[str, int] = {}
    for run in runs:
        known = (_replaced_run(run), last_by_question.get(_plain(run.question)))
        found = {id(family[number]): family[number] for number in known if number in family}
        joined = sorted((one for members in found.values() for one in members), key=lambda one: one.id)
        joined.append(run)
        for member in joined:
            family[member.id] = joined
        last_by_question[_plain(run.question)] = run.id
    return {number: tuple(members) for number, members in family.items() if len(members) > 1}


def line(runs: Sequence[Run], last: int | None = None) -> Sequence[Run]:
    """Return the answers that the next question continues, oldest first: of several branches only the chosen one.

    Args:
        runs: All runs of a session, oldest first.
        last: The answer to continue; None continues like the newest one, which mostly means all of them.
    """
    if last is None and not any(is_following(run) for run in runs):
        return runs
    by_number, family = {run.id: run for run in runs}, branches(runs)
    current = by_number.get(last) if last is not None else runs[-1]
    kept: list[Run] = []
    while current is not None:
        kept.insert(0, current)
        if is_following(current) and current.parent in by_number:
            current = by_number[current.parent]
        else:
            first = family.get(current.id, (current,))[0].id
            current = next((run for run in reversed(runs) if run.id < first), None)
    return kept


def is_following(run: Run) -> bool:
    """Return whether a run was asked after a chosen one, not in its place."""
    return run.parent is not None and run.parent_event is None


def _replaced_run(run: Run) -> int | None:
    return None if is_following(run) else run.parent


def _plain(question: str) -> str:
    return " ".join(question.split()).casefold()


BUNDLE_SUFFIX = ".kwbundle"
"""Suffix of the files that another library can import."""


class Part(StrEnum):
    """Optional part of an export; questions, answers and cited passages are always included."""

    PAGES = "pages"
    STEPS = "steps"
    TOOLS = "tools"
    REASONING = "reasoning"
    SEARCHES = "searches"
    PROMPTS = "prompts"
    ORIGINALS = "originals"


Parts = frozenset[Part]


@dataclass(frozen=True, slots=True)
class PartSize:
    """Size of a part: number of items, and their approximate size in bytes."""

    count: int = 0
    bytes: int = 0

    def __add__(self, other: "PartSize") -> "PartSize":
        return PartSize(self.count + other.count, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True)
class Inventory:
    """Contents of sessions before an export.

    Attributes:
        sessions: Number of sessions.
        questions: The questions with their answers and cited passages.
        passages: Number of passages that the answers cite.
        documents: Distinct names of the cited documents.
        parts: Optional parts.
    """

    sessions: int
    questions: PartSize
    passages: int
    documents: tuple[str, ...]
    parts: dict[Part, PartSize]


@dataclass(frozen=True, slots=True)
class ExportProgress:
    """Progress of an export; doing describes the current step."""

    done: int
    total: int
    doing: str


@dataclass(frozen=True, slots=True)
class CitedDocument:
    """Document to which a session refers.

    Attributes:
        number: Its id in the library from which the session comes.
        sha256: Hash of its bytes; empty if unknown.
        is_cited: An answer cites it; otherwise it was only found by a search.
        parser_version: Version of its parser; 0 if unknown.
    """

    number: int
    name: str
    title: str
    sha256: str
    bytes: int
    pages: int
    format: str
    is_cited: bool
    parser_version: int = 0


@dataclass(frozen=True, slots=True)
class ImportedSession:
    """Session that was imported from a file.

    Attributes:
        info: The new session.
        here: Number of its documents that are in the library.
        missing: Names of the others; their cited passages and pages are kept.
        originals: Numbers of those whose files are kept as well, and can be added.
    """

    info: SessionInfo
    here: int
    missing: tuple[str, ...]
    originals: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptOriginal:
    """File of a document that is not in the library, kept from an imported session.

    Attributes:
        document: Its number in the session, below zero.
    """

    document: int
    name: str
    bytes: int
