r"""Knowledge Workbench: ask your documents, and check every claim of the answer in one click.

Flow of the data, one package per step:

    document -> parsing -> chunking -> embedding -> indexing -> retrieval -> agent -> export
       ^            \__________________ store (SQLite, the truth) __________________/
    fetching: web page, database query

Pages without usable text are parsed and chunked a second time, by OCR, after everything else can be searched.

    __main__ cli       command line
    tour app           tour of the sample documents; composition root of the window
    api                Python API: import workbench; the same operations for scripts, under stable names
    ui                 the only package that imports PySide6; ui/bridge.py is the only crossing between threads
    operations         operations: add, link, repair, search, ask, export; free of Qt, each runs as a job
    agent              question + tools -> run events -> answer with checked citations
    export             session -> file
    evaluation         golden questions + hits -> metrics of a search configuration
    retrieval          question -> hits: dense, keyword, fused; every score kept
    preparation        file -> text, chunks and their words: the work of a parser process
    parsing            file -> text with offsets, pages, headings, tables
    fetching           web address or database query -> file for parsing; network access only at the user's request
    chunking           text -> chunks, which are slices of it
    embedding          chunks -> vectors
    indexing           vectors -> searchable index, a cache of the store
    store              documents, chunks, keyword index, vectors, sessions; the only package that imports sqlite3,
                       except fetching/database_query.py, which reads an SQLite file as a source
    egress             all network access: offline mode, ledger of each request, every connection
    worker             one thread with an asyncio loop, job handles, child processes
    plugins            typed registries that entry points can extend
    settings           each setting declared once
    model              data classes: frozen, shared by all packages
    language           texts for people and their translations
    errors resources   exception hierarchy; location of the data files
    logs               log of the program, and removal of private data from it
    files              deletion and moves of files, only within folders of the program
    system             what differs between Linux, macOS and Windows

Packages import downwards only (pyproject.toml, [tool.importlinter]; run by make test).

GLOSSARY

    library            the user's collection: a folder with a database, copies of files, indexes and settings
    knowledge base     named part of a library; each document belongs to one
    passage            what people see of a chunk; "chunk" in code, a slice of a document's text
    hit                chunk that a search found, with its scores
    linked folder      folder whose files are read in place, and whose changes the library follows
    bin                removed documents that can be restored
    run                one question with everything that led to its answer, stored as events
    session            conversation: a series of runs
    memory             fact remembered from a user's conversations; given to models only while the setting is on
    profile            how a chat model is reached: address, model name, key; "offline" quotes without a model
    agent              named set of instructions, tools and limits with which questions are answered
    workspace          folder of agents (agents/NAME/AGENT.md) that can be imported
    certainty          how sure an answer is that the documents support it: found, closest, unknown, not found
    claim              sentence of an answer, checked against the passages that it cites
    exhaustive reading question asked of every passage that a filter admits; one verdict per document
    golden question    question with passages marked right or wrong, by which searches are measured
    offline mode       blocks requests that would leave this machine, except to what the user set up
    ledger             record of each network request: purpose, host, bytes, and the passages sent
    home mark          proof of trust: this user made or accepted the library; without it nothing leaves the machine
    quarantine         folder to which a repair moves what it cannot use; nothing is deleted
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.api.arguments import AskEvent, FolderEvent, ImportEvent, ReadingEvent
    from workbench.api.async_library import AsyncLibrary
    from workbench.api.integrity import (
        check_library,
        check_library_async,
        list_backups,
        list_backups_async,
        repair_library,
        repair_library_async,
        restore_backup,
        restore_backup_async,
    )
    from workbench.api.knowledge import AsyncKnowledge, Knowledge
    from workbench.api.library import Library, open_library, open_library_async
    from workbench.errors import (
        ChunkError,
        DocumentError,
        EmbeddingError,
        EvaluationError,
        ExportError,
        FileIsThere,
        IndexUnavailable,
        LibraryError,
        LibraryLocked,
        LibraryMissing,
        LibraryOutdated,
        MetadataError,
        ModelError,
        NetworkClosed,
        NotFound,
        PluginError,
        RetrievalError,
        SettingError,
        SharedAccessDenied,
        SharedLibraryUnreachable,
        StoreUnreachable,
        ToolError,
        WorkbenchError,
    )
    from workbench.model.agent import (
        Agent,
        ImportedWorkspace,
        ReferencesFormat,
        ReferencesPlace,
        SystemRole,
        WorkspaceProblem,
    )
    from workbench.model.approval import Approval, AskBefore, CurationAsked, CurationGiven, Decision
    from workbench.model.chunk import Chunk, ChunkEdit, Stretch
    from workbench.model.diagnosis import Diagnosis, Patient, Symptom
    from workbench.model.document import Document, DocumentStatus
    from workbench.model.egress import (
        HostTotal,
        NetworkNeed,
        NetworkOutcome,
        NetworkPage,
        NetworkRequest,
        NetworkTotals,
        OfflineMode,
        OfflineModeChoice,
        Purpose,
        SentChunk,
    )
    from workbench.model.embedder import EmbedderChanged, EmbedderChangeProgress, EmbedderState
    from workbench.model.embedding_server import EmbeddingPlan, EmbeddingTrial
    from workbench.model.evaluation import (
        BadLine,
        Comparison,
        Evaluation,
        EvaluationProgress,
        EvaluationSummary,
        GoldenQuestion,
        GoldenSet,
        Judgement,
        Mark,
        Metrics,
        Movement,
        NamedConfiguration,
        Promotion,
        QuestionOutcome,
        QuestionsRead,
        SearchSettings,
    )
    from workbench.model.exhaustive import (
        DocumentRead,
        DocumentReading,
        DocumentVerdict,
        Price,
        Reading,
        ReadingBegan,
        ReadingEstimate,
        ReadingInfo,
        ReadingMeter,
        ReadingOffer,
        ReadingProgress,
    )
    from workbench.model.explanation import Account, Advice, Explanation, Stage
    from workbench.model.extensions import (
        PluginInfo,
        PluginState,
        PluginText,
        RetrieverInfo,
        RetrieverQuestion,
        RetrieverState,
        RunContext,
        ToolInfo,
        ToolServer,
        ToolServerState,
    )
    from workbench.model.hit import Citation, Hit, OutsidePassage, Reference, SearchMode, SearchResult
    from workbench.model.import_progress import (
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
    from workbench.model.integrity_report import (
        Backup,
        BackupProgress,
        CheckProgress,
        CheckResult,
        Fault,
        Repair,
        Restored,
        Soundness,
    )
    from workbench.model.knowledge_base import (
        BinnedDocument,
        FolderCheck,
        FoldersChecked,
        FolderState,
        KnowledgeBase,
        KnowledgeBasesChanged,
        LinkedFolder,
        RemovedBase,
        Transfer,
    )
    from workbench.model.map import LibraryMap, MapDocument, MapOutlook, MapPassage, MapProgress, MapRegion, MapState
    from workbench.model.memory import Memory, MemoryKind
    from workbench.model.message import PromptSection, ToolReach
    from workbench.model.metadata import MetadataImport
    from workbench.model.profile import ConnectionReport, FoundServer, ModelAbility, ModelProfile, ToolCalling, WireApi
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
        PlanWhen,
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
    from workbench.model.search_configuration import SearchConfiguration
    from workbench.model.session import (
        ExportProgress,
        ImportedSession,
        Part,
        RunDifference,
        RunInfo,
        Session,
        SessionInfo,
        SessionMatch,
    )
    from workbench.model.setting import Setting
    from workbench.model.shared_library import (
        SharedBase,
        SharedImportProgress,
        SharedLibraryState,
        SharedMember,
        SharedReadingStarted,
    )
    from workbench.model.vector_store import StoreChoice, StoreMoved, StoreMoveProgress, StoreState
    from workbench.settings import Settings

# onnxruntime's official builds report their use to Microsoft, and store a machine identifier, unless this is set before
# it is first loaded (see its Privacy.md). Every package, process and script imports this module first.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# numpy's BLAS distributes even small products over threads, which wait for one another while other programs run: with
# two of them running, a search of 9,000 chunks took 60 ms, and 24 ms with one thread. Read when numpy is first loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"

__all__ = [
    "Account",
    "Advice",
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
    "Backup",
    "BackupProgress",
    "BadLine",
    "BinnedDocument",
    "Certainty",
    "CheckProgress",
    "CheckResult",
    "Chunk",
    "ChunkEdit",
    "ChunkError",
    "Citation",
    "ClaimsChecked",
    "Comparison",
    "ConnectionReport",
    "CurationAsked",
    "CurationGiven",
    "Decision",
    "Diagnosis",
    "Document",
    "DocumentChanged",
    "DocumentError",
    "DocumentRead",
    "DocumentReading",
    "DocumentStatus",
    "DocumentVerdict",
    "DocumentsRemoved",
    "EmbedderChangeProgress",
    "EmbedderChanged",
    "EmbedderState",
    "EmbeddingError",
    "EmbeddingPlan",
    "EmbeddingTrial",
    "Evaluation",
    "EvaluationError",
    "EvaluationProgress",
    "EvaluationSummary",
    "Explanation",
    "ExportError",
    "ExportProgress",
    "Fault",
    "FileDivided",
    "FileFinished",
    "FileIsThere",
    "FileOutcome",
    "FolderCheck",
    "FolderEvent",
    "FolderState",
    "FoldersChecked",
    "FoundServer",
    "GoldenQuestion",
    "GoldenSet",
    "Hit",
    "HostTotal",
    "ImportEvent",
    "ImportProgress",
    "ImportedSession",
    "ImportedWorkspace",
    "IndexRepaired",
    "IndexUnavailable",
    "Judgement",
    "Knowledge",
    "KnowledgeBase",
    "KnowledgeBasesChanged",
    "Library",
    "LibraryError",
    "LibraryLocked",
    "LibraryMap",
    "LibraryMissing",
    "LibraryOutdated",
    "LibrarySeen",
    "LinkedFolder",
    "MapDocument",
    "MapOutlook",
    "MapPassage",
    "MapProgress",
    "MapRegion",
    "MapState",
    "Mark",
    "Memory",
    "MemoryKind",
    "MetadataError",
    "MetadataImport",
    "Metrics",
    "ModelAbility",
    "ModelError",
    "ModelProfile",
    "ModelReasoning",
    "Movement",
    "NamedConfiguration",
    "NetworkClosed",
    "NetworkNeed",
    "NetworkOutcome",
    "NetworkPage",
    "NetworkRequest",
    "NetworkTotals",
    "NotFound",
    "Notice",
    "OfflineMode",
    "OfflineModeChoice",
    "OutsidePassage",
    "PageRead",
    "PagesRead",
    "Part",
    "Patient",
    "PlanDelta",
    "PlanMade",
    "PlanStepEnded",
    "PlanStepStarted",
    "PlanWhen",
    "PluginError",
    "PluginInfo",
    "PluginState",
    "PluginText",
    "Price",
    "Promotion",
    "PromptAssembled",
    "PromptSection",
    "Purpose",
    "QuestionOutcome",
    "QuestionsRead",
    "Reading",
    "ReadingBegan",
    "ReadingEstimate",
    "ReadingEvent",
    "ReadingInfo",
    "ReadingMeter",
    "ReadingOffer",
    "ReadingProgress",
    "ReasoningCompleted",
    "ReasoningStarted",
    "ReasoningStep",
    "Reference",
    "ReferencesFormat",
    "ReferencesFound",
    "ReferencesPlace",
    "RemovedBase",
    "Repair",
    "Restored",
    "RetrievalError",
    "RetrieverInfo",
    "RetrieverQuestion",
    "RetrieverState",
    "Run",
    "RunBegan",
    "RunCancelled",
    "RunCompleted",
    "RunContext",
    "RunDifference",
    "RunFailed",
    "RunInfo",
    "RunStarted",
    "RunStatus",
    "SearchConfiguration",
    "SearchMode",
    "SearchResult",
    "SearchSettings",
    "SentChunk",
    "Session",
    "SessionInfo",
    "SessionMatch",
    "Setting",
    "SettingError",
    "Settings",
    "SharedAccessDenied",
    "SharedBase",
    "SharedImportProgress",
    "SharedLibraryState",
    "SharedLibraryUnreachable",
    "SharedMember",
    "SharedReadingStarted",
    "Soundness",
    "Stage",
    "StoreChoice",
    "StoreMoveProgress",
    "StoreMoved",
    "StoreState",
    "StoreUnreachable",
    "Stretch",
    "Symptom",
    "SystemRole",
    "ToolCalling",
    "ToolCompleted",
    "ToolError",
    "ToolFailed",
    "ToolInfo",
    "ToolReach",
    "ToolServer",
    "ToolServerState",
    "ToolStarted",
    "Transfer",
    "TurnCompleted",
    "WireApi",
    "WorkbenchError",
    "WorkspaceProblem",
    "check_library",
    "check_library_async",
    "list_backups",
    "list_backups_async",
    "open_library",
    "open_library_async",
    "repair_library",
    "repair_library_async",
    "restore_backup",
    "restore_backup_async",
]

_NAMES_BY_MODULE = {
    "api.arguments": "AskEvent FolderEvent ImportEvent ReadingEvent",
    "api.async_library": "AsyncLibrary",
    "api.integrity": (
        "check_library check_library_async list_backups list_backups_async repair_library repair_library_async "
        "restore_backup restore_backup_async"
    ),
    "api.knowledge": "AsyncKnowledge Knowledge",
    "api.library": "Library open_library open_library_async",
    "errors": (
        "ChunkError DocumentError EmbeddingError EvaluationError ExportError FileIsThere IndexUnavailable "
        "LibraryError LibraryLocked LibraryMissing LibraryOutdated MetadataError ModelError NetworkClosed NotFound "
        "PluginError RetrievalError SettingError SharedAccessDenied SharedLibraryUnreachable StoreUnreachable "
        "ToolError WorkbenchError"
    ),
    "model.agent": "Agent ImportedWorkspace ReferencesFormat ReferencesPlace SystemRole WorkspaceProblem",
    "model.approval": "Approval AskBefore CurationAsked CurationGiven Decision",
    "model.chunk": "Chunk ChunkEdit Stretch",
    "model.diagnosis": "Diagnosis Patient Symptom",
    "model.document": "Document DocumentStatus",
    "model.egress": (
        "OfflineMode OfflineModeChoice HostTotal NetworkNeed NetworkOutcome NetworkPage NetworkRequest NetworkTotals "
        "Purpose SentChunk"
    ),
    "model.embedder": "EmbedderChangeProgress EmbedderChanged EmbedderState",
    "model.embedding_server": "EmbeddingPlan EmbeddingTrial",
    "model.shared_library": "SharedBase SharedImportProgress SharedLibraryState SharedMember SharedReadingStarted",
    "model.vector_store": "StoreChoice StoreMoveProgress StoreMoved StoreState",
    "model.evaluation": (
        "BadLine Comparison Evaluation EvaluationProgress EvaluationSummary GoldenQuestion GoldenSet Judgement Mark "
        "Metrics Movement NamedConfiguration Promotion QuestionOutcome QuestionsRead SearchSettings"
    ),
    "model.exhaustive": (
        "DocumentRead DocumentReading DocumentVerdict Price Reading ReadingBegan ReadingEstimate ReadingInfo "
        "ReadingMeter ReadingOffer ReadingProgress"
    ),
    "model.explanation": "Account Advice Explanation Stage",
    "model.extensions": (
        "PluginInfo PluginState PluginText RetrieverInfo RetrieverQuestion RetrieverState RunContext ToolInfo "
        "ToolServer ToolServerState"
    ),
    "model.hit": "Citation Hit OutsidePassage Reference SearchMode SearchResult",
    "model.import_progress": (
        "DocumentChanged DocumentsRemoved FileDivided FileFinished FileOutcome ImportProgress IndexRepaired PageRead "
        "PagesRead"
    ),
    "model.integrity_report": "Backup BackupProgress CheckProgress CheckResult Fault Repair Restored Soundness",
    "model.knowledge_base": (
        "BinnedDocument FolderCheck FolderState FoldersChecked KnowledgeBase KnowledgeBasesChanged LinkedFolder "
        "RemovedBase Transfer"
    ),
    "model.map": "LibraryMap MapDocument MapOutlook MapPassage MapProgress MapRegion MapState",
    "model.memory": "Memory MemoryKind",
    "model.message": "PromptSection ToolReach",
    "model.metadata": "MetadataImport",
    "model.profile": "ConnectionReport FoundServer ModelAbility ModelProfile ToolCalling WireApi",
    "model.run": (
        "AnswerDelta AnswerDiscarded ApprovalAsked ApprovalGiven Certainty ClaimsChecked LibrarySeen ModelReasoning "
        "Notice PlanDelta PlanMade PlanStepEnded PlanStepStarted PlanWhen PromptAssembled ReasoningCompleted "
        "ReasoningStarted ReasoningStep ReferencesFound Run RunBegan RunCancelled RunCompleted RunFailed RunStarted "
        "RunStatus ToolCompleted ToolFailed ToolStarted TurnCompleted"
    ),
    "model.search_configuration": "SearchConfiguration",
    "model.session": "ExportProgress ImportedSession Part RunDifference RunInfo Session SessionInfo SessionMatch",
    "model.setting": "Setting",
    "settings": "Settings",
}
"""Public names by the module that defines them."""


def __getattr__(name: str) -> Any:
    """Import a public name on first access: every package imports this one, and the window has to start quickly."""
    for module, names in _NAMES_BY_MODULE.items():
        if name in names.split():
            return getattr(import_module(f"workbench.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, and the version."""
    return [*__all__, "__version__"]
