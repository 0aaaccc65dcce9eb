"""A session with every kind of event for the export tests; tests can make it hostile."""

import base64

from workbench.model.approval import CurationAsked, CurationGiven, Decision
from workbench.model.chunk import Chunk
from workbench.model.claim import Claim, Support, Verdict
from workbench.model.document import BlockKind
from workbench.model.exhaustive import Price
from workbench.model.hit import Citation, Coverage, Hit, NumberedHit, Reference, Scores
from workbench.model.message import PromptSection, ToolCall, Usage
from workbench.model.run import (
    AnswerDelta,
    AnswerDiscarded,
    ApprovalAsked,
    ApprovalGiven,
    ClaimsChecked,
    LibrarySeen,
    Limits,
    ModelReasoning,
    Notice,
    Plan,
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
    RunCompleted,
    RunStarted,
    RunStatus,
    StepState,
    TimedEvent,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
    TurnCompleted,
)
from workbench.model.search_configuration import SearchConfiguration, SearchInForce
from workbench.model.session import Session, SessionInfo

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
THOUGHT = "The user wants the depth, so the dredging table is the place to look."


def cited(answer: str, marker: int, **fields: object) -> Citation:
    """Return the citation of the first [marker] in the answer."""
    start = answer.index(f"[{marker}]")
    known: dict[str, object] = {
        "document": 1,
        "document_name": "survey.pdf",
        "page": 7,
        "quote": "The channel is deep.",
    }
    end = start + len(f"[{marker}]")
    return Citation(marker=marker, valid=True, answer_start=start, answer_end=end, **{**known, **fields})  # type: ignore[arg-type]


def invalid(answer: str, marker: int) -> Citation:
    """Return a citation of the answer that is not valid."""
    start = answer.index(f"[{marker}]")
    return Citation(marker=marker, valid=False, answer_start=start, answer_end=start + len(f"[{marker}]"))


def _hit(name: str, text: str) -> NumberedHit:
    chunk = Chunk(
        3, 10, 10 + len(text), text, 7, 7, ("4 Dredging", "4.2 Channel"), BlockKind.PARAGRAPH, 9, id=5, document=1
    )
    scores = Scores(
        dense=0.71, keyword=8.25, fused=0.031, dense_rank=1, keyword_rank=2, dense_weight=0.5, relevance=0.8
    )
    return NumberedHit(1, Hit(1, chunk, name, "Survey", f"/data/{name}", "default", scores, ("channel",)))


def _claim(answer: str, quote: str) -> Claim:
    """Return the whole answer as one supported claim."""
    support = Support(1, 1, 5, 10, 10 + len(quote), quote)
    return Claim(0, len(answer), answer, Verdict.SUPPORTED, certainty=0.9, support=support, numbers=(1,))


def _events(answer: str, name: str, quote: str, reference: Reference, citations: tuple[Citation, ...]) -> list[object]:
    return [
        RunStarted(
            "How deep?",
            "offline",
            "quotes from your documents",
            limits=Limits(20, 10, 300.0, price=Price(1.0, 4.0)),
            search=SearchInForce(10, "", SearchConfiguration(reranking="tokens", floor=0.2)),
        ),
        PromptAssembled((PromptSection("Role", "Clerk."),), (PromptSection("Question", "How deep?"),), "[]"),
        TurnCompleted(1, Usage(90, 8), "tool_calls", 40.5, (ToolCall("c1", "think", "{}"),), ({"type": "x"},)),
        ToolStarted("c1", "think", '{"title": "Plan"}'),
        ToolCompleted("c1", "think", "Step 1", 1.5),
        ReasoningStarted(),
        ReasoningStep("think", "Plan", THOUGHT, action="search"),
        ApprovalAsked("c2", "search_knowledge_base", "{}", "You asked to be asked."),
        ApprovalGiven("c2", Decision.EDIT, '{"query": "channel depth"}'),
        ToolStarted("c2", "search_knowledge_base", '{"query": "channel depth"}'),
        CurationAsked(1, "channel depth", tuple(numbered.hit for numbered in reference.hits), room=2000),
        CurationGiven(1, tuple(numbered.hit.chunk.id for numbered in reference.hits)),
        ReferencesFound(reference),
        ToolCompleted("c2", "search_knowledge_base", quote * 20, 12.25),
        ToolStarted("c3", "search_knowledge_base", '{"query": ""}'),
        ToolFailed("c3", "search_knowledge_base", f"No query for {name}", 0.5),
        ReasoningStep("analyze", "Judge", "Enough.", result=quote, next_action="final_answer", confidence=0.9),
        PlanDelta(0, "STEP1: Find the depth"),
        PlanMade(Plan("How deep?", ("Find the depth", f"Compare it with {name}"), "Say both")),
        PlanStepStarted(1),
        PlanStepEnded(1, StepState.DONE, quote, 40.5),
        PlanStepEnded(2, StepState.SKIPPED, "No round was left."),
        ModelReasoning("Let me "),
        ModelReasoning("see."),
        AnswerDiscarded("I will search first."),
        Notice("Vectors of 2 documents are not there yet."),
        LibrarySeen(Coverage(3, locked=1)),
        AnswerDelta(answer),
        ClaimsChecked((_claim(answer, quote),), milliseconds=24.5),
        ReasoningCompleted((ReasoningStep("think", "Plan", THOUGHT, action="search"),)),
        RunCompleted(answer, citations, False, Usage(120, None), 1.25),
    ]


def made_run(
    answer: str = "The channel is 14.2 m deep [1].",
    citations: tuple[Citation, ...] | None = None,
    *,
    question: str = "How deep is the channel?",
    name: str = "survey.pdf",
    quote: str = "The channel is dredged to 14.2 m.",
    number: int = 1,
    **fields: object,
) -> Run:
    """Return a run with one valid citation, or with the given ones."""
    if citations is None:
        headings = ("4 Dredging", "4.2 Channel")
        digest = "ab" * 32
        citations = (cited(answer, 1, quote=quote, document_name=name, headings=headings, sha256=digest),)
    reference = Reference("channel depth", (_hit(name, quote),), 0.0123)
    events = _events(answer, name, quote, reference, citations)
    timed = tuple(TimedEvent(n, n / 10, event) for n, event in enumerate(events))  # type: ignore[arg-type]
    run: dict[str, object] = {"id": number, "session": 4, "question": question, "profile": "offline"}
    run |= {"mode": "quotes from your documents", "status": RunStatus.COMPLETED, "answer": answer, "refused": False}
    run |= {"started": "2026-11-20T10:00:00+00:00", "seconds": 1.25, "citations": citations}
    return Run(**{**run, "references": (reference,), "events": timed, **fields})  # type: ignore[arg-type]


def made_session(*runs: Run, title: str = "Harbour depths") -> Session:
    """Return a session of these runs."""
    times = ("2026-11-20T10:00:00+00:00", "2026-11-20T10:05:00+00:00")
    return Session(SessionInfo(4, title, *times, len(runs)), runs)
