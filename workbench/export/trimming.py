"""A session and the parts that are wanted -> the session without the others: no format has to know of the choice."""

import dataclasses

from workbench.model.curation import CurationAsked, CurationGiven
from workbench.model.export import Part, Parts
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
from workbench.model.session import Session

_ALWAYS = (RunStarted, LibrarySeen, ClaimsChecked, RunCompleted, RunCancelled, RunFailed)
_THOUGHTS = (ReasoningStarted, ReasoningStep, ReasoningCompleted, ModelReasoning)
_THINKING = ("think", "analyze")
"""Tools whose arguments are thoughts."""


def trimmed(session: Session, parts: Parts) -> Session:
    """Return a session with those parts only."""
    return dataclasses.replace(session, runs=tuple(trimmed_run(run, parts) for run in session.runs))


def trimmed_run(run: Run, parts: Parts) -> Run:
    """Return a run with those parts only; its question, answer, citations and how it ended always stay."""
    kept = [
        timed if event is timed.event else dataclasses.replace(timed, event=event)
        for timed, event in ((timed, trimmed_event(timed.event, parts)) for timed in run.events)
        if event is not None
    ]
    references = run.references if Part.SEARCHES in parts else ()
    return dataclasses.replace(run, events=tuple(kept), references=references)


def part_of(event: RunEvent) -> Part | None:
    """Return the part to which an event belongs first of all; None for what no export leaves out."""
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
    """Return an event as it is exported, None where it is not; a tool call without its arguments is still a step."""
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
    # What a provider sent holds both at once, in a form of its own.
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
