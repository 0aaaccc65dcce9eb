"""Parts of a session: their sizes, and a session reduced to the selected parts."""

import dataclasses
from collections import Counter
from enum import Enum
from typing import Any

from workbench.model.approval import CurationAsked, CurationGiven
from workbench.model.document import PageKind
from workbench.model.run import (
    ApprovalAsked,
    ApprovalGiven,
    ClaimsChecked,
    LibrarySeen,
    ModelReasoning,
    PromptAssembled,
    ReasoningCompleted,
    ReasoningStarted,
    ReasoningStep,
    ReferencesFound,
    Run,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
    RunStarted,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
    TurnCompleted,
)
from workbench.model.session import Inventory, Part, Parts, PartSize, Session

_ALWAYS = (RunStarted, LibrarySeen, ClaimsChecked, RunCompleted, RunCancelled, RunFailed)
_THOUGHTS = (ReasoningStarted, ReasoningStep, ReasoningCompleted, ModelReasoning)
_THINKING = ("think", "analyze")
"""Tools whose arguments are reasoning."""


def trim_session(session: Session, parts: Parts) -> Session:
    """Return a session reduced to the given parts."""
    return dataclasses.replace(session, runs=tuple(trimmed_run(run, parts) for run in session.runs))


def trimmed_run(run: Run, parts: Parts) -> Run:
    """Return a run reduced to the given parts; question, answer, citations and outcome are always kept."""
    kept = [
        timed if event is timed.event else dataclasses.replace(timed, event=event)
        for timed, event in ((timed, trimmed_event(timed.event, parts)) for timed in run.events)
        if event is not None
    ]
    references = run.references if Part.SEARCHES in parts else ()
    return dataclasses.replace(run, events=tuple(kept), references=references)


def part_of(event: RunEvent) -> Part | None:
    """Return the main part of an event; None for events that every export contains."""
    if isinstance(event, _ALWAYS):
        return None
    if isinstance(event, PromptAssembled):
        return Part.PROMPTS
    if isinstance(event, ReferencesFound | CurationAsked | CurationGiven):
        return Part.SEARCHES
    if isinstance(event, _THOUGHTS) or (
        isinstance(event, ToolStarted | ToolCompleted | ToolFailed) and event.tool in _THINKING
    ):
        return Part.REASONING
    if isinstance(event, ToolStarted | ToolCompleted | ToolFailed | TurnCompleted | ApprovalAsked | ApprovalGiven):
        return Part.TOOLS
    return Part.STEPS


def trimmed_event(event: RunEvent, parts: Parts) -> RunEvent | None:
    """Return an event as it is exported, None if it is left out; a tool call without arguments is still a step."""
    part = part_of(event)
    if part is None:
        return event
    if part in (Part.PROMPTS, Part.SEARCHES):
        return event if part in parts else None
    if Part.STEPS not in parts or (part is Part.REASONING and part not in parts):
        return None
    if isinstance(event, TurnCompleted):
        return _trimmed_turn(event, parts)
    if part is not Part.TOOLS or part in parts:
        return event
    return _without_contents(event)


def _trimmed_turn(turn: TurnCompleted, parts: Parts) -> TurnCompleted:
    if {Part.TOOLS, Part.REASONING} <= parts:
        return turn
    # Provider items contain tool calls and reasoning together in a provider-specific form, so they are dropped.
    shown = turn.tool_calls if Part.TOOLS in parts else ()
    calls = tuple(call for call in shown if call.name not in _THINKING)
    return dataclasses.replace(turn, tool_calls=calls, provider_items=())


def _without_contents(event: RunEvent) -> RunEvent:
    match event:
        case ToolStarted() | ApprovalAsked() | ApprovalGiven():
            return dataclasses.replace(event, arguments="")
        case ToolCompleted():
            return dataclasses.replace(event, result="")
        case ToolFailed():
            return dataclasses.replace(event, message="")
    return event


PICTURE = 150_000
"""Approximate bytes of the picture of a page."""


def inventory(sessions: list[Session], originals: PartSize) -> Inventory:
    """Return the parts of sessions and their sizes; originals is the size of the cited documents' files."""
    runs = [run for session in sessions for run in session.runs]
    counts, sizes = Counter[Part](), Counter[Part]()
    for run in runs:
        _add_events(run, counts, sizes)
    parts = {part: PartSize(counts[part], sizes[part]) for part in Part}
    parts[Part.PAGES] = _pictures(runs)
    parts[Part.ORIGINALS] = originals
    citations = [citation for run in runs for citation in run.citations if citation.valid]
    texts = sum(_size(run.question) + _size(run.answer) for run in runs)
    quotes = sum(_size(citation) for citation in citations)
    return Inventory(
        sessions=len(sessions),
        questions=PartSize(len(runs), texts + quotes),
        passages=len({(citation.document, citation.start, citation.end) for citation in citations}),
        documents=tuple(dict.fromkeys(citation.document_name for citation in citations)),
        parts=parts,
    )


def _add_events(run: Run, counts: Counter[Part], sizes: Counter[Part]) -> None:
    for timed in run.events:
        part = part_of(timed.event)
        if part is None:
            continue
        counts[part] += 1 if not isinstance(timed.event, PromptAssembled) else len(timed.event.sections)
        sizes[part] += _size(timed.event)


def _pictures(runs: list[Run]) -> PartSize:
    """Return the number and size of the pictures; each page is drawn once, however often it is cited."""
    places = {
        (citation.document, citation.page)
        for run in runs
        for citation in run.citations
        if citation.valid and citation.document and citation.page and citation.page_kind is PageKind.PAGE
    }
    return PartSize(len(places), len(places) * PICTURE)


def _size(value: Any) -> int:
    """Return the approximate number of bytes of a value in a file."""
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogatepass")) if not isinstance(value, Enum) else len(value)
    if isinstance(value, tuple | list):
        return sum(map(_size, value))
    if isinstance(value, dict):
        return sum(_size(key) + _size(item) for key, item in value.items())
    if dataclasses.is_dataclass(value):
        return sum(8 + _size(getattr(value, field.name)) for field in dataclasses.fields(value))
    return 8
