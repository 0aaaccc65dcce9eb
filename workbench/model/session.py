"""A session: its runs, the branches of its answers, and what an export of it holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

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


def branches(runs: Sequence[Run]) -> dict[int, tuple[Run, ...]]:
    """Return by the number of each run those that it can be compared with, itself among them, oldest first.

    These are answers to the same question, and what was asked or answered in the place of another: with another result
    of a tool, another question, by another agent. A run without any is not in it.
    """
    family: dict[int, list[Run]] = {}
    asked: dict[str, int] = {}
    for run in runs:
        known = (_replaced(run), asked.get(_plain(run.question)))
        found = {id(family[number]): family[number] for number in known if number in family}
        joined = sorted((one for members in found.values() for one in members), key=lambda one: one.id)
        joined.append(run)
        for member in joined:
            family[member.id] = joined
        asked[_plain(run.question)] = run.id
    return {number: tuple(members) for number, members in family.items() if len(members) > 1}


def line(runs: Sequence[Run], last: int | None = None) -> Sequence[Run]:
    """Return the answers that the next question goes on from, oldest first: of several branches only the chosen one.

    Args:
        runs: All of a session, oldest first.
        last: The answer that is gone on from; None goes on as the newest one did, which mostly means from all of them.
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
    """Tell whether a run was asked after another one that was chosen, not in its place."""
    return run.parent is not None and run.parent_event is None


def _replaced(run: Run) -> int | None:
    return None if is_following(run) else run.parent


def _plain(question: str) -> str:
    return " ".join(question.split()).casefold()


BUNDLE_SUFFIX = ".kwbundle"
"""Of the files that another library can take in."""


class Part(StrEnum):
    """What can be left out of an export; questions, answers and cited passages never are."""

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
    """How much there is of a part: how many pieces, and about how many bytes they take."""

    count: int = 0
    bytes: int = 0

    def __add__(self, other: "PartSize") -> "PartSize":
        return PartSize(self.count + other.count, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True)
class Inventory:
    """What sessions hold, before anything of it is exported.

    Attributes:
        sessions: How many sessions.
        questions: The questions with their answers and cited passages.
        passages: How many passages the answers cite.
        documents: The names of the cited documents, each once.
        parts: What can be left out, by part.
    """

    sessions: int
    questions: PartSize
    passages: int
    documents: tuple[str, ...]
    parts: dict[Part, PartSize]


@dataclass(frozen=True, slots=True)
class ExportProgress:
    """How far an export is; doing says in words what is under way."""

    done: int
    total: int
    doing: str


@dataclass(frozen=True, slots=True)
class CitedDocument:
    """A document to which a session refers.

    Attributes:
        number: Its id in the library from which the session comes.
        sha256: Of its bytes; empty where it is not known any more.
        is_cited: An answer cites it; else a search only found it.
        parser_version: Of the parser that read it; 0 when not known.
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
    """A session that was read from a file.

    Attributes:
        info: The new session.
        here: How many of the documents to which it refers are in the library.
        missing: The names of the others; of them the cited passages and pages are kept.
        originals: Of those, the numbers of the ones whose files are kept, too, and can be added.
    """

    info: SessionInfo
    here: int
    missing: tuple[str, ...]
    originals: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptOriginal:
    """The file of a document that is not in the library, as it came with an imported session.

    Attributes:
        document: Its number in the session, below zero.
    """

    document: int
    name: str
    bytes: int
