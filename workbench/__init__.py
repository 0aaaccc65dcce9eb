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
        AirGap,
        AirGapChoice,
        HostTotal,
        NetworkNeed,
        NetworkOutcome,
        NetworkPage,
        NetworkRequest,
        NetworkTotals,
        Purpose,
        SentChunk,
    )
    from workbench.model.embedder import EmbedderChanged, EmbedderChangeProgress, EmbedderState
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
    from workbench.model.vector_store import StoreChoice, StoreMoved, StoreMoveProgress, StoreState
    from workbench.settings import Settings

# onnxruntime's official builds report their use to Microsoft, and keep a number for the machine, unless this is set
# before it is first loaded (see its Privacy.md): by whichever room, in whichever process, in a script, too.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# numpy's BLAS shares even small products out between threads, which wait for one another where other programs run: a
# search of 9,000 chunks beside two of them took 60 ms, 24 so. Read when numpy is first loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"

__all__ = [
    "Account",
    "Advice",
    "Agent",
    "AirGap",
    "AirGapChoice",
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

_PLACES = {
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
        "PluginError RetrievalError SettingError StoreUnreachable ToolError WorkbenchError"
    ),
    "model.agent": "Agent ImportedWorkspace ReferencesFormat ReferencesPlace SystemRole WorkspaceProblem",
    "model.approval": "Approval AskBefore CurationAsked CurationGiven Decision",
    "model.chunk": "Chunk ChunkEdit Stretch",
    "model.diagnosis": "Diagnosis Patient Symptom",
    "model.document": "Document DocumentStatus",
    "model.egress": (
        "AirGap AirGapChoice HostTotal NetworkNeed NetworkOutcome NetworkPage NetworkRequest NetworkTotals Purpose "
        "SentChunk"
    ),
    "model.embedder": "EmbedderChangeProgress EmbedderChanged EmbedderState",
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
"""The names that stay, by the module that has them."""


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: every room imports this package, and the window has to come up."""
    for module, names in _PLACES.items():
        if name in names.split():
            return getattr(import_module(f"workbench.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names that stay, and the version."""
    return [*__all__, "__version__"]
