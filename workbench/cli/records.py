"""JSON records, whose keys are a contract with scripts, and texts for people at a terminal."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from workbench.model.chunk import Chunk
from workbench.model.claim import summary
from workbench.model.document import Document
from workbench.model.hit import Citation, Coverage, Hit, Reference, SearchResult
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.model.plan_state import PlanState
from workbench.model.run import (
    CERTAINTY_WORDS,
    AnswerDelta,
    ClaimsChecked,
    Notice,
    PlanDelta,
    PromptAssembled,
    Run,
    RunStatus,
    TimedEvent,
)
from workbench.model.session import SessionInfo
from workbench.model.source_lines import LineSpan

Record = dict[str, Any]


def file_record(file: FileFinished) -> Record:
    """Return the record of one added file."""
    return {
        "path": file.path,
        "document": file.document,
        "status": file.outcome.value,
        "reason": file.reason,
        "closed_hosts": list(file.closed_hosts),
        "pages": file.pages,
        "chunks": file.chunks,
        "seconds": file.seconds,
    }


def document_record(document: Document) -> Record:
    """Return the record of one listed document."""
    return {
        "document": document.id,
        "path": document.path,
        "name": document.name,
        "kb": document.knowledge_base,
        "status": document.status.value,
        "reason": document.reason,
        "hint": document.hint,
        "format": document.format,
        "title": document.metadata.title,
        "author": document.metadata.author,
        "created": document.metadata.created,
        "pages": document.pages,
        "page_kind": document.page_kind.value,
        "chunks": document.chunks,
        "embedded": document.embedded,
        "size": document.size,
        "sha256": document.sha256,
        "added": document.added,
        "modified": document.metadata.modified,
        "keywords": list(document.metadata.keywords),
        "language": document.metadata.language,
        "tags": list(document.tags),
        "metadata": document.custom_values,
        "chunk_edits": document.chunk_edits,
        "folder": document.folder,
        "origin": document.origin.value,
        "warnings": list(document.warnings),
    }


def chunk_record(chunk: Chunk) -> Record:
    """Return the record of one chunk."""
    return {
        "chunk": chunk.id,
        "ordinal": chunk.ordinal,
        "document": chunk.document,
        "page": chunk.page,
        "page_end": chunk.page_end,
        "start": chunk.start,
        "end": chunk.end,
        "headings": list(chunk.headings),
        "kind": chunk.kind.value,
        "tokens": chunk.tokens,
        "oversize": chunk.oversize,
        "sha256": chunk.sha256,
        "text": chunk.text,
        "source": chunk.source,
        "by_hand": chunk.by_hand,
        "disabled": chunk.disabled,
        "tags": list(chunk.tags),
    }


def hit_record(hit: Hit) -> Record:
    """Return the record of one hit of a search."""
    return {
        "rank": hit.rank,
        "document": hit.chunk.document,
        "name": hit.document_name,
        "title": hit.document_title,
        "path": hit.path,
        "kb": hit.knowledge_base,
        "page": hit.page,
        "place": hit.place,
        "lines": _lines_record(hit.lines_of(hit.chunk.start, hit.chunk.end)),
        "chunk": hit.chunk.id,
        "ordinal": hit.chunk.ordinal,
        "start": hit.chunk.start,
        "end": hit.chunk.end,
        "headings": list(hit.headings),
        "text": hit.chunk.text,
        "source": hit.chunk.source,
        "tags": list(hit.chunk.tags),
        "scores": asdict(hit.scores),
        "matched_terms": list(hit.matched_terms),
        "origin": hit.origin,
        "meta_data": hit.meta_data,
    }


def _lines_record(lines: LineSpan | None) -> Record | None:
    """Return the lines of a passage in the long file of which its document is a part; null for other documents."""
    return None if lines is None else asdict(lines)


def search_record(result: SearchResult) -> Record:
    """Return the record of one search."""
    return {
        "question": result.question,
        "mode": result.mode.value,
        "ms": round(result.milliseconds, 2),
        "searched": result.searched_chunks,
        "embedded": result.embedded_chunks,
        "notes": list(result.notes),
        "coverage": coverage_record(result.coverage),
        "floor": result.floor,
        "below_floor": not result.is_relevant,
        "certainty": round(result.certainty, 3),
        "sure_from": result.sure_from,
        "sure": result.is_sure,
        "hits": [hit_record(hit) for hit in result.hits],
        "beside": [hit_record(hit) for hit in result.beside],
    }


def coverage_record(coverage: Coverage | None) -> Record | None:
    """Return how much of the library was searched; None if nothing was searched, or only some documents."""
    if coverage is None:
        return None
    return {**asdict(coverage), "searched": coverage.searched, "words": coverage.sentence}


def citation_record(citation: Citation) -> Record:
    """Return the record of one citation of an answer."""
    return {
        "marker": citation.marker,
        "document": citation.document,
        "name": citation.document_name,
        "path": citation.path,
        "page": citation.page,
        "place": citation.place,
        "lines": _lines_record(citation.lines),
        "chunk": citation.chunk,
        "ordinal": citation.chunk_ordinal,
        "start": citation.start,
        "end": citation.end,
        "quote": citation.quote,
        "headings": list(citation.headings),
        "sha256": citation.sha256,
        "answer_start": citation.answer_start,
        "answer_end": citation.answer_end,
        "valid": citation.valid,
        "origin": citation.origin,
        "edited": citation.edited,
    }


def reference_record(reference: Reference) -> Record:
    """Return the record of one search of a run; number is the one that the answer cites."""
    hits = [{"number": numbered.number, **hit_record(numbered.hit)} for numbered in reference.hits]
    return {"query": reference.query, "time": reference.time, "withheld": reference.withheld, "hits": hits}


def event_record(timed: TimedEvent) -> Record:
    """Return the record of one event of a run."""
    return {
        "number": timed.number,
        "seconds": round(timed.seconds, 4),
        "event": type(timed.event).__name__,
        **asdict(timed.event),
    }


def plan_record(run: Run) -> Record | None:
    """Return the plan of an answer with the result of each step; None if it had none."""
    state = PlanState.of(timed.event for timed in run.events)
    if state.plan is None:
        return None
    steps = [
        {"step": one.step, "text": text, "state": one.state.value, "result": one.text}
        for one, text in zip(state.steps, state.plan.steps, strict=True)
    ]
    return {"task": state.plan.task, "steps": steps, "finish": state.plan.finish}


def run_record(run: Run, *, with_prompt: bool = False) -> Record:
    """Return the record of one answered question; the prompt is long, and included only with with_prompt."""
    streamed = AnswerDelta | ClaimsChecked | PlanDelta
    left_out = streamed if with_prompt else streamed | PromptAssembled
    return {
        "question": run.question,
        "answer": run.answer,
        "citations": [citation_record(citation) for citation in run.citations],
        "checked": summary(run.claims) or None,
        "claims": [asdict(claim) for claim in run.claims],
        "steps": [event_record(timed) for timed in run.events if not isinstance(timed.event, left_out)],
        "plan": plan_record(run),
        "references": [reference_record(reference) for reference in run.references],
        "status": run.status.value,
        "refused": run.refused,
        "certainty": run.certainty.value,
        "knowledge_base": run.knowledge_base or None,
        "filter": run.filter or None,
        "agent": run.agent or None,
        "coverage": coverage_record(run.coverage),
        "session": run.session,
        "run": run.id,
        "profile": run.profile,
        "mode": run.mode,
        "seconds": round(run.seconds, 3),
        **({"error": run.error, "hint": run.hint} if run.status is RunStatus.FAILED else {}),
    }


def session_record(session: SessionInfo) -> Record:
    """Return the record of one listed session."""
    return {
        "session": session.id,
        "title": session.title,
        "started": session.started,
        "changed": session.changed,
        "runs": session.runs,
        "pinned": session.pinned,
        "archived": session.archived,
    }


def size_words(document: Document) -> str:
    """Return the size of a document: pages and chunks."""
    kind = document.page_kind
    pages = f"{document.pages} {kind.value if document.pages == 1 else kind.plural}, " if document.pages else ""
    return f"{pages}{_count(document.chunks, 'chunk')}"


def finished_words(file: FileFinished) -> str:
    """Return the outcome of a file in one line."""
    pages = f" from {_count(file.pages, 'page')}" if file.pages else ""
    size = f"{_count(file.chunks, 'chunk')}{pages}"
    if file.outcome is FileOutcome.READY and file.reason:
        return f"{file.outcome.value:<10} {file.path}: {size}. {file.reason}"
    return f"{file.outcome.value:<10} {file.path}: {file.reason or size}"


def hit_words(hit: Hit, beside: Iterable[Hit] = ()) -> str:
    """Return one hit: its place, and below it the beginnings of its text and of the hits on the same page, in order."""
    place = f", {hit.place}" if hit.place else ""
    on_page = sorted([hit, *beside], key=lambda one: one.chunk.start)
    lines = [f"{hit.rank:>3}. {hit.document_name}{place} (relevance {hit.scores.relevance:.2f})"]
    lines += [f"     {' '.join(one.chunk.text.split())[:160]}" for one in on_page]
    return "\n".join(lines)


def doubt_words(result: SearchResult) -> list[str]:
    """Return a warning if no hit reaches the user's floor, or if the search is not sure of its hits."""
    if result.is_relevant:
        return [] if result.is_sure else ["it is uncertain whether these passages answer the question"]
    return [f"below the threshold: no passage has a relevance of at least {result.floor:.2f}, so answers use none"]


def answer_words(run: Run, *, with_claims: bool = False) -> str:
    """Return an answer with its citations listed below, and its checked claims with with_claims."""
    lines = [f"? {run.question}", "", *_plan_words(run), run.answer]
    if run.status is RunStatus.FAILED:
        lines += [f"Failed: {run.error} {run.hint}".rstrip()]
    shown: set[int] = set()
    for citation in run.citations:
        if citation.marker not in shown:
            shown.add(citation.marker)
            lines.append(_citation_words(citation))
    lines += [f"    {claim.sentence}" for claim in run.claims if with_claims]
    noticed = dict.fromkeys(timed.event.text for timed in run.events if isinstance(timed.event, Notice))
    checked = [*noticed, *([summary(run.claims)] if run.claims else [])]
    remarks = [*checked, *([run.coverage.sentence] if run.coverage else [])]
    scope = [f"only in “{run.knowledge_base}”"] if run.knowledge_base else []
    scope += [f"only {run.filter}"] if run.filter else []
    sure = [CERTAINTY_WORDS[run.certainty]] if run.certainty in CERTAINTY_WORDS else []
    footer = " · ".join([run.mode, *sure, f"{run.seconds:.2f} s", *scope, f"session {run.session}"])
    return "\n".join([*lines, *(f"    {line}" for line in (*remarks, footer)), ""])


def _plan_words(run: Run) -> list[str]:
    """Return the steps of an answer's plan, each with its state."""
    state = PlanState.of(timed.event for timed in run.events)
    if state.plan is None:
        return []
    steps = zip(state.steps, state.plan.steps, strict=True)
    return [*(f"    {one.step}. {' '.join(text.split())} ({one.state.value})" for one, text in steps), ""]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _citation_words(citation: Citation) -> str:
    if not citation.valid:
        return f"    [{citation.marker}] is not a source of this answer: do not trust the statement before it"
    place = f", {citation.place}" if citation.place else ""
    quote = " ".join(citation.quote.split())
    return f"    [{citation.marker}] {citation.document_name}{place}: “{quote[:200]}”"
