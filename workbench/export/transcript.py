"""A run as people read it: its footnotes, its steps and its answer with the markers replaced."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from workbench.export.escaping import shortened
from workbench.model.agent import BUILT_IN_NAME
from workbench.model.approval import Decision
from workbench.model.claim import doubtful, summary
from workbench.model.curation import CurationGiven
from workbench.model.hit import Citation
from workbench.model.plan import PLAN, Plan, StepState
from workbench.model.prompt import PromptSection
from workbench.model.run import (
    AnswerDiscarded,
    ApprovalGiven,
    ModelReasoning,
    Notice,
    PlanMade,
    PlanStepEnded,
    ReasoningStep,
    Run,
    RunStatus,
    TimedEvent,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
)

RESULT_SHOWN = 400
_TITLE_SHOWN = 160
_WORDS = {
    Decision.APPROVE: "allowed it",
    Decision.EDIT: "allowed it with other arguments",
    Decision.DENY: "denied it",
}
_WORDS_ON_PLAN = {
    Decision.APPROVE: "had it carried out",
    Decision.EDIT: "changed it",
    Decision.DENY: "chose to do without",
}


@dataclass(frozen=True, slots=True)
class Footnote:
    """A passage that an answer cites, once however often it is cited.

    Attributes:
        label: Unique in the file and fit for an anchor: "q2-1" is the first source of question 2.
    """

    label: str
    citation: Citation


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened on the way to an answer.

    Attributes:
        kind: "think", "analyze", "tool", "plan", "reasoning", "said" or "notice".
        seconds: When, since the run began.
        fields: What there is to say, by name, in order.
        arguments: For a tool: what it was called with, JSON text.
        milliseconds: How long it took, where known.
    """

    kind: str
    title: str
    seconds: float
    fields: tuple[tuple[str, str], ...] = ()
    arguments: str = ""
    milliseconds: float | None = None
    failed: bool = False


def footnotes(run: Run, *, number: int) -> tuple[Footnote, ...]:
    """Return the passages that the answer to question number cites, in the order of their first marker."""
    found: dict[tuple[int, int | None, int, int], Footnote] = {}
    used: dict[int, int] = {}
    for citation in sorted(run.citations, key=lambda citation: citation.answer_start):
        key = passage_of(citation)
        if not citation.valid or key in found:
            continue
        # One marker can stand for two sentences of the same chunk: "q1-3", then "q1-3b".
        used[citation.marker] = used.get(citation.marker, 0) + 1
        more = used[citation.marker]
        found[key] = Footnote(f"q{number}-{citation.marker}" + (_letters(more) if more > 1 else ""), citation)
    return tuple(found.values())


def remarks(run: Run) -> list[str]:
    """Return the sentences that stand under an answer: stopped, failed, not borne out, numbers that are no sources."""
    said = []
    if run.status is RunStatus.CANCELLED:
        said.append("The answer was stopped before its end.")
    if run.parent_event:
        said.append("It goes on from another answer, with a tool's result that was changed by hand.")
    if run.coverage is not None and not run.coverage.is_complete:
        said.append(run.coverage.sentence)
    if checked := summary(run.claims):
        said += [f"{checked}.", *(claim.sentence for claim in doubtful(run.claims))]
    if run.error:
        said.append(f"Failed: {run.error} {run.hint}".rstrip())
    if invalid := dict.fromkeys(citation.marker for citation in run.citations if not citation.valid):
        named = ", ".join(f"[{marker}]" for marker in invalid)
        said.append(f"Not a source of this run: {named}. The model wrote a number that no search of it had found.")
    return said


def ending(run: Run) -> str:
    """Return how a run ended and where it searched: "completed · only in “Contracts” · searched all 12 documents"."""
    parts = [outcome(run), *([f"asked: {run.agent}"] if run.agent not in ("", BUILT_IN_NAME) else [])]
    parts += [*([f"only in “{run.knowledge_base}”"] if run.knowledge_base else [])]
    parts += [f"only {run.filter}"] if run.filter else []
    if run.coverage is not None and run.coverage.is_complete:
        parts.append(run.coverage.sentence.rstrip(".").lower())
    return " · ".join(parts)


def with_markers(run: Run, notes: Sequence[Footnote], mark: Callable[[Citation, Footnote | None], str]) -> str:
    """Return the answer with each citation's marker replaced by what mark makes of it; None is an invalid marker.

    A marker whose place does not lie inside the answer, or overlaps another, is left as it was written.
    """
    by_passage = {passage_of(note.citation): note for note in notes}
    ordered = sorted(run.citations, key=lambda citation: (citation.answer_start, citation.answer_end))
    pieces, done = [], 0
    for (start, end), group in groupby(ordered, key=lambda citation: (citation.answer_start, citation.answer_end)):
        if not done <= start < end <= len(run.answer):
            continue
        # "[1, 2]" is one place with two citations.
        marks = dict.fromkeys(
            mark(citation, by_passage.get(passage_of(citation)) if citation.valid else None) for citation in group
        )
        pieces += [run.answer[done:start], *marks]
        done = end
    return "".join([*pieces, run.answer[done:]])


def steps(run: Run) -> tuple[Step, ...]:
    """Return what happened during the run, in order; pieces of the answer itself are no steps."""
    started = {event.event.call_id: event.event for event in run.events if isinstance(event.event, ToolStarted)}
    reasoned = [event.event.tool for event in run.events if isinstance(event.event, ReasoningStep)]
    told: list[Step] = []
    took: dict[str, list[float]] = {}
    for timed in run.events:
        event = timed.event
        if isinstance(event, ToolCompleted) and event.tool in reasoned:
            # think and analyze come twice, as a call and as a step; the step says more.
            reasoned.remove(event.tool)
            took.setdefault(event.tool, []).append(event.milliseconds)
        elif isinstance(event, ModelReasoning) and told and told[-1].kind == "reasoning":
            told[-1] = _continued(told[-1], event.text)
        elif step := _step(timed, started, took) or _plan_step(timed, run.plan):
            told.append(step)
    return (*told, *_unfinished(run))


def prompts(run: Run) -> tuple[PromptSection, ...]:
    """Return what the model was told, part by part; where it changed in between, each time anew."""
    told = []
    for number, prompt in enumerate(run.prompts, start=1):
        again = f"Changed, {number}: " if number > 1 else ""
        told += [PromptSection(again + part.label, part.text) for part in (*prompt.sections, *prompt.conversation)]
        if prompt.tools not in ("", "[]"):
            told.append(PromptSection(f"{again}Tools", prompt.tools))
    return tuple(part for part in told if part.text.strip())


def when(iso: str) -> str:
    """Return an ISO 8601 moment as people write it, "2026-11-21 08:54 UTC"; what is none is returned as it is."""
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment.utcoffset() is not None else f"{moment:%Y-%m-%d %H:%M}"


def outcome(run: Run) -> str:
    """Return how the run ended, in a word or two."""
    if run.status is RunStatus.COMPLETED:
        return "nothing found" if run.refused else "completed"
    return {RunStatus.CANCELLED: "stopped", RunStatus.FAILED: "failed", RunStatus.RUNNING: "not finished"}[run.status]


def _step(timed: TimedEvent, started: dict[str, ToolStarted], took: dict[str, list[float]]) -> Step | None:
    event, seconds = timed.event, timed.seconds
    match event:
        case ReasoningStep():
            times = took.get(event.tool, [])
            fields = (
                ("Reasoning", event.reasoning),
                ("Action", event.action),
                ("Result", event.result),
                ("Next", event.next_action if event.tool == "analyze" else ""),
                ("Confidence", f"{event.confidence:.2f}"),
            )
            told = tuple(field for field in fields if field[1])
            return Step(event.tool, event.title, seconds, told, milliseconds=times.pop(0) if times else None)
        case ToolCompleted() | ToolFailed():
            failed = isinstance(event, ToolFailed)
            text = event.message if isinstance(event, ToolFailed) else event.result
            call = started.get(event.call_id)
            said = (("Error" if failed else "Result", shortened(text, RESULT_SHOWN)),)
            arguments = call.arguments if call else ""
            return Step("tool", event.tool, seconds, said, arguments, event.milliseconds, failed)
        case ModelReasoning():
            return Step("reasoning", "The model's own reasoning", seconds, (("Text", event.text),))
        case AnswerDiscarded():
            return Step("said", "Said beside tool calls, not part of the answer", seconds, (("Text", event.text),))
        case Notice():
            return Step("notice", event.text, seconds)
        case ApprovalGiven(call_id) if call_id == PLAN:
            return Step("notice", f"Asked about the plan, the person {_WORDS_ON_PLAN[event.decision]}.", seconds)
        case ApprovalGiven():
            return Step("notice", f"Asked before a tool was called, the person {_WORDS[event.decision]}.", seconds)
        case CurationGiven():
            kept = f"{len(event.chunks)} passages were handed over, {event.left_out} left out, {event.added} added"
            return Step("notice", f"Asked to choose from what was found, the person did: {kept}.", seconds)
    return None


def _plan_step(timed: TimedEvent, plan: Plan | None) -> Step | None:
    """Return the plan, or a step of it with what it came to."""
    match timed.event:
        case PlanMade(made):
            listed = [(f"Step {number}", step) for number, step in enumerate(made.steps, start=1)]
            fields = (*listed, *([("Finish", made.finish)] if made.finish else []))
            return Step("plan", made.task or "The question in steps", timed.seconds, fields)
        case PlanStepEnded(number, state, result, milliseconds):
            known = plan.steps[number - 1] if plan is not None and number <= len(plan.steps) else ""
            title = f"Step {number}: {shortened(known, _TITLE_SHOWN)}" if known else f"Step {number}"
            word = {StepState.DONE: "Result", StepState.FAILED: "Failed"}.get(state, "Skipped")
            took = milliseconds if state is not StepState.SKIPPED else None
            return Step("plan", title, timed.seconds, ((word, result),), "", took, state is StepState.FAILED)
    return None


def _continued(step: Step, text: str) -> Step:
    return Step(step.kind, step.title, step.seconds, (("Text", step.fields[0][1] + text),))


def _unfinished(run: Run) -> list[Step]:
    ended = {event.event.call_id for event in run.events if isinstance(event.event, ToolCompleted | ToolFailed)}
    return [
        Step("tool", event.event.tool, event.seconds, (("Result", "did not end"),), event.event.arguments, failed=True)
        for event in run.events
        if isinstance(event.event, ToolStarted) and event.event.call_id not in ended
    ]


def passage_of(citation: Citation) -> tuple[int, int | None, int, int]:
    """Return what two citations of one passage have in common."""
    return citation.marker, citation.document, citation.start, citation.end


def _letters(count: int) -> str:
    letters = ""
    while count:
        count, rest = divmod(count - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
