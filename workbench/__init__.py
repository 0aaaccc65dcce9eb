r"""Knowledge Workbench: ask your documents, and check every claim of the answer in one click.

The way of the data, one room a step:

    document -> parsing -> chunking -> embedding -> indexing -> retrieval -> agent -> export
       ^            \__________________ store (SQLite, the truth) __________________/
    fetching: web page, database query

Pages without usable text go through parsing and chunking a second time, by OCR, when the rest can be found already.

    __main__ cli       the command line
    tour app           the tour of the sample documents; the window's composition root
    api                import workbench: the same for scripts, under names that stay
    ui                 the only room that imports PySide6; ui/bridge.py is the one thread crossing
    operations         the verbs: add, follow, look after, search, ask, export; free of Qt, each runs as a job
    agent              question + tools -> run events -> answer with checked citations
    export             session -> file
    evaluation         golden questions + hits -> how well a search finds what it should
    retrieval          question -> hits: dense, keyword, fused; every score kept
    preparation        file -> text, chunks and their words: what a reader process does
    parsing            file -> text with offsets, pages, headings, tables
    fetching           web address or database query -> file for parsing; the network only where the user asked
    chunking           text -> chunks, which are slices of it
    embedding          chunks -> vectors
    indexing           vectors -> searchable index, a cache of the store
    store              documents, chunks, keyword index, vectors, sessions; the only room that imports sqlite3,
                       but for fetching/sqlite_query.py, where an SQLite file is a source
    egress             the one way out: air gap, ledger of each request, every connection
    worker             one thread with an asyncio loop, job handles, child processes
    plugins            typed registries that entry points can add to
    settings           each setting declared once
    model              the nouns: frozen dataclasses
    language           the texts that people read, in their language
    errors resources   the whole exception tree; where the files beside the code are
    logs               what the program writes of itself, and what never stands in it
    files              deletes and moves files, each only where it lies in a folder of ours

Rooms import downwards only (pyproject.toml, [tool.importlinter]; run by make test).
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.api.arguments import AskEvent, ImportEvent, ReadingEvent
    from workbench.api.async_library import AsyncLibrary
    from workbench.api.knowledge import AsyncKnowledge, Knowledge
    from workbench.api.library import Library
    from workbench.api.opening import open_library, open_library_async
    from workbench.errors import (
        ChunkError,
        DocumentError,
        EmbeddingError,
        ExportError,
        FileIsThere,
        LibraryError,
        LibraryLocked,
        LibraryOutdated,
        MetadataError,
        ModelError,
        NetworkClosed,
        NotFound,
        RetrievalError,
        SettingError,
        WorkbenchError,
    )
    from workbench.model.agent import Agent, ReferencesFormat, ReferencesPlace, SystemRole
    from workbench.model.approval import Approval, AskBefore, Decision
    from workbench.model.bin import BinnedDocument
    from workbench.model.chunk import Chunk
    from workbench.model.chunk_edit import ChunkEdit
    from workbench.model.curation import CurationAsked, CurationGiven
    from workbench.model.document import Document, DocumentStatus
    from workbench.model.embedder import EmbedderChanged, EmbedderChangeProgress, EmbedderState
    from workbench.model.exhaustive import DocumentRead, Reading, ReadingBegan, ReadingProgress
    from workbench.model.export import ExportProgress, ImportedSession, Part
    from workbench.model.hit import Citation, Hit, Reference, SearchMode, SearchResult
    from workbench.model.knowledge_base import KnowledgeBase, KnowledgeBasesChanged, RemovedBase, Transfer
    from workbench.model.memory import Memory, MemoryKind
    from workbench.model.message import ToolReach
    from workbench.model.outside import OutsidePassage
    from workbench.model.plan import PlanWhen
    from workbench.model.profile import ModelProfile, ToolCalling, WireApi
    from workbench.model.progress import (
        DocumentChanged,
        DocumentsRemoved,
        FileDivided,
        FileFinished,
        FileOutcome,
        ImportProgress,
        IndexRepaired,
        PageRead,
        PagesRead,
    )
    from workbench.model.prompt import PromptSection
    from workbench.model.retrieval import RetrieverQuestion, RunContext
    from workbench.model.run import (
        AnswerDelta,
        AnswerDiscarded,
        ApprovalAsked,
        ApprovalGiven,
        Certainty,
        ClaimsChecked,
        LibrarySeen,
        ModelReasoning,
        Notice,
        PlanDelta,
        PlanMade,
        PlanStepEnded,
        PlanStepStarted,
        PromptAssembled,
        ReasoningCompleted,
        ReasoningStarted,
        ReasoningStep,
        ReferencesFound,
        Run,
        RunBegan,
        RunCancelled,
        RunCompleted,
        RunFailed,
        RunStarted,
        RunStatus,
        ToolCompleted,
        ToolFailed,
        ToolStarted,
        TurnCompleted,
    )
    from workbench.model.session import Session, SessionInfo, SessionMatch
    from workbench.model.setting import Setting
    from workbench.model.workspace import ImportedWorkspace, WorkspaceProblem
    from workbench.settings import Settings

# onnxruntime's official builds report their use to Microsoft, and keep a number for the machine, unless this is set
# before it is first loaded (see its Privacy.md): by whichever room, in whichever process, in a script, too.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# numpy's BLAS shares even small products out between threads, which wait for one another where other programs run: a
# search of 9,000 chunks beside two of them took 60 ms, 24 so. Read when numpy is first loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AnswerDelta",
    "AnswerDiscarded",
    "Approval",
    "ApprovalAsked",
    "ApprovalGiven",
    "AskBefore",
    "AskEvent",
    "AsyncKnowledge",
    "AsyncLibrary",
    "BinnedDocument",
    "Certainty",
    "Chunk",
    "ChunkEdit",
    "ChunkError",
    "Citation",
    "ClaimsChecked",
    "CurationAsked",
    "CurationGiven",
    "Decision",
    "Document",
    "DocumentChanged",
    "DocumentError",
    "DocumentRead",
    "DocumentStatus",
    "DocumentsRemoved",
    "EmbedderChangeProgress",
    "EmbedderChanged",
    "EmbedderState",
    "EmbeddingError",
    "ExportError",
    "ExportProgress",
    "FileDivided",
    "FileFinished",
    "FileIsThere",
    "FileOutcome",
    "Hit",
    "ImportEvent",
    "ImportProgress",
    "ImportedSession",
    "ImportedWorkspace",
    "IndexRepaired",
    "Knowledge",
    "KnowledgeBase",
    "KnowledgeBasesChanged",
    "Library",
    "LibraryError",
    "LibraryLocked",
    "LibraryOutdated",
    "LibrarySeen",
    "Memory",
    "MemoryKind",
    "MetadataError",
    "ModelError",
    "ModelProfile",
    "ModelReasoning",
    "NetworkClosed",
    "NotFound",
    "Notice",
    "OutsidePassage",
    "PageRead",
    "PagesRead",
    "Part",
    "PlanDelta",
    "PlanMade",
    "PlanStepEnded",
    "PlanStepStarted",
    "PlanWhen",
    "PromptAssembled",
    "PromptSection",
    "Reading",
    "ReadingBegan",
    "ReadingEvent",
    "ReadingProgress",
    "ReasoningCompleted",
    "ReasoningStarted",
    "ReasoningStep",
    "Reference",
    "ReferencesFormat",
    "ReferencesFound",
    "ReferencesPlace",
    "RemovedBase",
    "RetrievalError",
    "RetrieverQuestion",
    "Run",
    "RunBegan",
    "RunCancelled",
    "RunCompleted",
    "RunContext",
    "RunFailed",
    "RunStarted",
    "RunStatus",
    "SearchMode",
    "SearchResult",
    "Session",
    "SessionInfo",
    "SessionMatch",
    "Setting",
    "SettingError",
    "Settings",
    "SystemRole",
    "ToolCalling",
    "ToolCompleted",
    "ToolFailed",
    "ToolReach",
    "ToolStarted",
    "Transfer",
    "TurnCompleted",
    "WireApi",
    "WorkbenchError",
    "WorkspaceProblem",
    "open_library",
    "open_library_async",
]

_PLACES = {
    "api.arguments": (
        "AskEvent",
        "ImportEvent",
        "ReadingEvent",
    ),
    "api.async_library": ("AsyncLibrary",),
    "api.knowledge": (
        "AsyncKnowledge",
        "Knowledge",
    ),
    "api.library": ("Library",),
    "api.opening": (
        "open_library",
        "open_library_async",
    ),
    "errors": (
        "ChunkError",
        "DocumentError",
        "EmbeddingError",
        "ExportError",
        "FileIsThere",
        "LibraryError",
        "LibraryLocked",
        "LibraryOutdated",
        "MetadataError",
        "ModelError",
        "NetworkClosed",
        "NotFound",
        "RetrievalError",
        "SettingError",
        "WorkbenchError",
    ),
    "model.agent": (
        "Agent",
        "ReferencesFormat",
        "ReferencesPlace",
        "SystemRole",
    ),
    "model.approval": (
        "Approval",
        "AskBefore",
        "Decision",
    ),
    "model.bin": ("BinnedDocument",),
    "model.chunk": ("Chunk",),
    "model.chunk_edit": ("ChunkEdit",),
    "model.curation": (
        "CurationAsked",
        "CurationGiven",
    ),
    "model.document": (
        "Document",
        "DocumentStatus",
    ),
    "model.embedder": (
        "EmbedderChanged",
        "EmbedderChangeProgress",
        "EmbedderState",
    ),
    "model.exhaustive": (
        "DocumentRead",
        "Reading",
        "ReadingBegan",
        "ReadingProgress",
    ),
    "model.export": (
        "ExportProgress",
        "ImportedSession",
        "Part",
    ),
    "model.hit": (
        "Citation",
        "Hit",
        "Reference",
        "SearchMode",
        "SearchResult",
    ),
    "model.knowledge_base": (
        "KnowledgeBase",
        "KnowledgeBasesChanged",
        "RemovedBase",
        "Transfer",
    ),
    "model.memory": (
        "Memory",
        "MemoryKind",
    ),
    "model.message": ("ToolReach",),
    "model.outside": ("OutsidePassage",),
    "model.plan": ("PlanWhen",),
    "model.profile": (
        "ModelProfile",
        "ToolCalling",
        "WireApi",
    ),
    "model.progress": (
        "DocumentChanged",
        "DocumentsRemoved",
        "FileDivided",
        "FileFinished",
        "FileOutcome",
        "ImportProgress",
        "IndexRepaired",
        "PageRead",
        "PagesRead",
    ),
    "model.prompt": ("PromptSection",),
    "model.retrieval": (
        "RetrieverQuestion",
        "RunContext",
    ),
    "model.run": (
        "AnswerDelta",
        "AnswerDiscarded",
        "ApprovalAsked",
        "ApprovalGiven",
        "Certainty",
        "ClaimsChecked",
        "LibrarySeen",
        "ModelReasoning",
        "Notice",
        "PlanDelta",
        "PlanMade",
        "PlanStepEnded",
        "PlanStepStarted",
        "PromptAssembled",
        "ReasoningCompleted",
        "ReasoningStarted",
        "ReasoningStep",
        "ReferencesFound",
        "Run",
        "RunBegan",
        "RunCancelled",
        "RunCompleted",
        "RunFailed",
        "RunStarted",
        "RunStatus",
        "ToolCompleted",
        "ToolFailed",
        "ToolStarted",
        "TurnCompleted",
    ),
    "model.session": (
        "Session",
        "SessionInfo",
        "SessionMatch",
    ),
    "model.setting": ("Setting",),
    "model.workspace": (
        "ImportedWorkspace",
        "WorkspaceProblem",
    ),
    "settings": ("Settings",),
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: every room imports this package, and the window has to come up."""
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"workbench.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names that stay, and the version."""
    return [*__all__, "__version__"]
