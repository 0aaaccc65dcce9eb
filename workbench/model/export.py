"""What an export holds, how far it is, and what came of reading one back."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.model.session import SessionInfo

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
