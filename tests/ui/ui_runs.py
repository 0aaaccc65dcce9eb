"""Hand-made runs, hits and documents."""

import re
from dataclasses import replace

from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind, Document, DocumentStatus, Metadata
from workbench.model.hit import Citation, Hit, NumberedHit, Reference, Scores
from workbench.model.message import Usage
from workbench.model.run import (
    AnswerDelta,
    Notice,
    ReasoningStep,
    ReferencesFound,
    Run,
    RunCompleted,
    RunEvent,
    RunStarted,
    RunStatus,
    TimedEvent,
    ToolCompleted,
    ToolStarted,
)
from workbench.model.session import Session, SessionInfo

TEXT = "Préface.\n\nNet sales rose 12 % 😀 in 2023. Margins held.\n\nRésumé of risks."
QUOTE = "Net sales rose 12 % 😀 in 2023."


def chunk(number: int, *, document: int = 1, page: int | None = 3, kind: BlockKind = BlockKind.PARAGRAPH) -> Chunk:
    start = TEXT.index(QUOTE)
    end = start + len(QUOTE) + len(" Margins held.")
    return Chunk(
        number,
        start,
        end,
        TEXT[start:end],
        page,
        page,
        ("Results", "Sales"),
        kind,
        12,
        id=100 + number,
        document=document,
    )


def hit(number: int, *, document: int = 1, page: int | None = 3, dense: float | None = 0.6) -> Hit:
    scores = Scores(dense=dense, keyword=8.0, fused=0.03, dense_rank=1, keyword_rank=2, relevance=0.8)
    name = f"report_{document}.pdf"
    made = chunk(number, document=document, page=page)
    return Hit(number, made, name, "Report", f"/docs/{name}", "default", scores, ("sales",))


def reference(*hits: Hit, query: str = "sales 2023") -> Reference:
    return Reference(query, tuple(NumberedHit(found.rank, found) for found in hits), 0.01)


def citations(answer: str, *hits: Hit) -> tuple[Citation, ...]:
    """Return a citation for each [n]: valid if a hit has that rank, with its first sentence as the quote."""
    by_number = {found.rank: found for found in hits}
    made = []
    for match in re.finditer(r"\[(\d+)\]", answer):
        number = int(match[1])
        found = by_number.get(number)
        place = {"answer_start": match.start(), "answer_end": match.end()}
        if found is None:
            made.append(Citation(number, False, **place))
            continue
        made.append(
            Citation(
                number,
                True,
                document=found.chunk.document,
                document_name=found.document_name,
                path=found.path,
                page=found.chunk.page,
                chunk=found.chunk.id,
                start=found.chunk.start,
                end=found.chunk.start + len(QUOTE),
                quote=QUOTE,
                headings=found.chunk.headings,
                **place,
            )
        )
    return tuple(made)


def timed(*events: RunEvent) -> tuple[TimedEvent, ...]:
    return tuple(TimedEvent(number, number / 10, event) for number, event in enumerate(events))


def run_events(answer: str = "Sales rose [1].", *hits: Hit) -> tuple[TimedEvent, ...]:
    """Return the events of a run that thinks, searches and answers."""
    hits = hits or (hit(1), hit(2))
    return timed(
        RunStarted("How did sales do?", "offline", "Offline: quotes only"),
        ToolStarted("a", "think", '{"title": "Plan"}'),
        ReasoningStep("think", "Plan", "Look for sales."),
        ToolCompleted("a", "think", "ok", 1.0),
        ToolStarted("b", "search_knowledge_base", '{"query": "sales 2023"}'),
        ToolCompleted("b", "search_knowledge_base", "2 passages", 9.4),
        ReferencesFound(reference(*hits)),
        Notice("Three documents have no vectors yet."),
        AnswerDelta(answer),
        RunCompleted(answer, citations(answer, *hits), False, Usage(), 1.5),
    )


def run(answer: str = "Sales rose [1].", *hits: Hit, number: int = 1, **changes: object) -> Run:
    hits = hits or (hit(1), hit(2))
    made = Run(
        number,
        7,
        "How did sales do?",
        "offline",
        "Offline: quotes only",
        RunStatus.COMPLETED,
        answer,
        False,
        "2026-11-21T09:00:00+00:00",
        1.5,
        citations(answer, *hits),
        (reference(*hits),),
        run_events(answer, *hits),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def session(*runs: Run) -> Session:
    return Session(SessionInfo(7, "Sales", "", "", len(runs)), runs)


def document(number: int = 1, *, pages: int = 9, name: str = "") -> Document:
    name = name or f"report_{number}.pdf"
    return Document(
        number,
        "default",
        f"/docs/{name}",
        name,
        "ab" * 32,
        10,
        "pdf",
        DocumentStatus.READY,
        Metadata(name),
        pages,
        2,
        2,
    )
