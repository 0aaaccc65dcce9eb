"""A run as people read it: its footnotes, its steps and its answer with the markers replaced."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from workbench.export.base import ExportContext
from workbench.export.escaping import shorten_line
from workbench.language import mark, said, tr, trn
from workbench.model.agent import BUILT_IN_NAME
from workbench.model.approval import CurationGiven, Decision
from workbench.model.claim import doubtful, summary
from workbench.model.hit import Citation, Reference
from workbench.model.message import PromptSection
from workbench.model.run import (
    CERTAINTY_WORDS,
    PLAN,
    AnswerDiscarded,
    ApprovalGiven,
    ModelReasoning,
    Notice,
    Plan,
    PlanMade,
    PlanStepEnded,
    ReasoningStep,
    Run,
    RunStatus,
    StepState,
    TimedEvent,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
)
from workbench.model.session import Session

RESULT_SHOWN = 400
SHORT_HASH = 12
_TITLE_SHOWN = 160
_ON_TOOL = {
    Decision.APPROVE: mark("Asked before a tool was called, the person allowed it."),
    Decision.EDIT: mark("Asked before a tool was called, the person allowed it with other arguments."),
    Decision.DENY: mark("Asked before a tool was called, the person denied it."),
}
_ON_PLAN = {
    Decision.APPROVE: mark("Asked about the plan, the person had it carried out."),
    Decision.EDIT: mark("Asked about the plan, the person changed it."),
    Decision.DENY: mark("Asked about the plan, the person chose to do without."),
}
_STEP_WORDS = {StepState.DONE: mark("Result"), StepState.FAILED: mark("Failed"), StepState.SKIPPED: mark("Skipped")}
_OUTCOMES = {
    RunStatus.COMPLETED: mark("completed"),
    RunStatus.CANCELLED: mark("stopped"),
    RunStatus.FAILED: mark("failed"),
    RunStatus.RUNNING: mark("not finished"),
}
_COLUMNS = (mark("No."), mark("Document"), mark("Place"), mark("Heading"))
_SCORES = (mark("Dense"), mark("Keyword"), mark("Fused"), mark("Relevance"))


@dataclass(frozen=True, slots=True)
class Footnote:
    """A passage that an answer cites, once however often it is cited.

    Attributes:
        label: Unique in the file and fit for an anchor: "q2-1" is the first source of question 2.
    """

    label: str
    citation: Citation


@dataclass(frozen=True, slots=True)
class TranscriptStep:
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
    told = []
    if run.status is RunStatus.CANCELLED:
        told.append(tr("The answer was stopped before its end."))
    if run.parent_event:
        told.append(tr("It goes on from another answer, with a tool's result that was changed by hand."))
    if run.coverage is not None and not run.coverage.is_complete:
        told.append(said(run.coverage.sentence))
    if checked := summary(run.claims):
        told.append(tr("{sentence}.", sentence=said(checked)))
        told += [said(claim.sentence) for claim in doubtful(run.claims)]
    if run.error:
        told.append(tr("Failed: {error} {hint}", error=said(run.error), hint=said(run.hint)).rstrip())
    if invalid := dict.fromkeys(citation.marker for citation in run.citations if not citation.valid):
        named = ", ".join(f"[{marker}]" for marker in invalid)
        told.append(
            tr(
                "Not a source of this run: {numbers}. The model wrote a number that no search of it had found.",
                numbers=named,
            )
        )
    return told


def ending(run: Run) -> str:
    """Return how a run ended and where it searched: "completed · only in “Contracts” · searched all 12 documents"."""
    base = run.knowledge_base
    parts = [outcome(run), *([tr("asked: {agent}", agent=run.agent)] if run.agent not in ("", BUILT_IN_NAME) else [])]
    parts += [tr("only in “{knowledge_base}”", knowledge_base=base)] if base else []
    parts += [tr("only {filter}", filter=run.filter)] if run.filter else []
    if run.coverage is not None and run.coverage.is_complete:
        parts.append(said(run.coverage.sentence).rstrip(".。").lower())
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


def steps(run: Run) -> tuple[TranscriptStep, ...]:
    """Return what happened during the run, in order; pieces of the answer itself are no steps."""
    started = {event.event.call_id: event.event for event in run.events if isinstance(event.event, ToolStarted)}
    reasoned = [event.event.tool for event in run.events if isinstance(event.event, ReasoningStep)]
    told: list[TranscriptStep] = []
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
        parts = [*prompt.sections, *prompt.conversation]
        if prompt.tools not in ("", "[]"):
            parts.append(PromptSection(mark("Tools"), prompt.tools))
        for part in parts:
            label = said(part.label)
            label = tr("Changed, {number}: {part}", number=number, part=label) if number > 1 else label
            told.append(PromptSection(label, part.text))
    return tuple(part for part in told if part.text.strip())


def when(iso: str) -> str:
    """Return an ISO 8601 moment as everybody reads it, "2026-11-21 08:54 UTC"; what is none is returned as it is."""
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment.utcoffset() is not None else f"{moment:%Y-%m-%d %H:%M}"


def outcome(run: Run) -> str:
    """Return how the run ended, in a word or two."""
    if run.status is RunStatus.COMPLETED:
        return tr(CERTAINTY_WORDS.get(run.certainty, _OUTCOMES[run.status]))
    return tr(_OUTCOMES[run.status])


def counted(session: Session) -> str:
    """Return how many questions a session has, and when it was begun: "2 questions, begun 2026-11-21 08:54 UTC"."""
    return trn(
        "{n} question, begun {when}",
        "{n} questions, begun {when}",
        len(session.runs),
        when=when(session.info.started),
    )


def provenance(context: ExportContext) -> str:
    """Return when the file was written, by which program, from which library."""
    return tr(
        "Exported {when} by Knowledge Workbench {version} from the library {library}.",
        when=when(context.exported),
        version=context.version,
        library=context.library,
    )


def not_a_source() -> str:
    """Return what stands behind a marker that points at nothing."""
    return tr("not a source of this run")


def columns() -> tuple[str, ...]:
    """Return the heads of a table of hits, those of the scores last."""
    return (*map(tr, _COLUMNS), *map(tr, _SCORES))


def search_figures(reference: Reference) -> str:
    """Return how long a search took and how much it found: "12.1 ms, 8 hits"."""
    figures = trn("{ms:.1f} ms, {n} hit", "{ms:.1f} ms, {n} hits", len(reference.hits), ms=reference.time * 1000)
    return tr("{found}, below the floor: not offered to the answerer", found=figures) if reference.withheld else figures


def place_of_text(citation: Citation) -> str:
    """Return where a passage stands in the text of its document: "characters 12–90 · chunk 4 · sha256 0a1b2c"."""
    parts = [tr("characters {start}–{end}", start=citation.start, end=citation.end)]
    parts += [tr("chunk {n}", n=citation.chunk_ordinal + 1)] if citation.chunk_ordinal is not None else []
    parts += [f"sha256 {citation.sha256[:SHORT_HASH]}"] if citation.sha256 else []
    return " · ".join(parts)


def step_time(step: TranscriptStep) -> str:
    """Return when a step was, and how long it took: "at 0.52 s, 12 ms"."""
    if step.milliseconds is None:
        return tr("at {seconds:.2f} s", seconds=step.seconds)
    return tr("at {seconds:.2f} s, {ms:.0f} ms", seconds=step.seconds, ms=step.milliseconds)


def _step(timed: TimedEvent, started: dict[str, ToolStarted], took: dict[str, list[float]]) -> TranscriptStep | None:
    event, seconds = timed.event, timed.seconds
    match event:
        case ReasoningStep():
            times = took.get(event.tool, [])
            fields = (
                (tr("Reasoning"), said(event.reasoning)),
                (tr("Action"), said(event.action)),
                (tr("Result"), said(event.result)),
                (tr("Next", "step"), event.next_action if event.tool == "analyze" else ""),
                (tr("Confidence"), f"{event.confidence:.2f}"),
            )
            told = tuple(field for field in fields if field[1])
            return TranscriptStep(
                event.tool, said(event.title), seconds, told, milliseconds=times.pop(0) if times else None
            )
        case ToolCompleted() | ToolFailed():
            failed = isinstance(event, ToolFailed)
            text = said(event.message) if isinstance(event, ToolFailed) else event.result
            call = started.get(event.call_id)
            came = ((tr("Error") if failed else tr("Result"), shorten_line(text, RESULT_SHOWN)),)
            arguments = call.arguments if call else ""
            return TranscriptStep("tool", event.tool, seconds, came, arguments, event.milliseconds, failed)
        case ModelReasoning():
            return TranscriptStep("reasoning", tr("The model's own reasoning"), seconds, ((tr("Text"), event.text),))
        case AnswerDiscarded():
            title = tr("Said beside tool calls, not part of the answer")
            return TranscriptStep("said", title, seconds, ((tr("Text"), event.text),))
        case Notice():
            return TranscriptStep("notice", said(event.text), seconds)
        case ApprovalGiven(call_id) if call_id == PLAN:
            return TranscriptStep("notice", tr(_ON_PLAN[event.decision]), seconds)
        case ApprovalGiven():
            return TranscriptStep("notice", tr(_ON_TOOL[event.decision]), seconds)
        case CurationGiven():
            chosen = tr(
                "Asked to choose from what was found, the person did: "
                "{n} passages were handed over, {left_out} left out, {added} added.",
                n=len(event.chunks),
                left_out=event.left_out,
                added=event.added,
            )
            return TranscriptStep("notice", chosen, seconds)
    return None


def _plan_step(timed: TimedEvent, plan: Plan | None) -> TranscriptStep | None:
    """Return the plan, or a step of it with what it came to."""
    match timed.event:
        case PlanMade(made):
            listed = [(tr("Step {n}", n=number), step) for number, step in enumerate(made.steps, start=1)]
            fields = (*listed, *([(tr("Finish"), made.finish)] if made.finish else []))
            return TranscriptStep("plan", made.task or tr("The question in steps"), timed.seconds, fields)
        case PlanStepEnded(number, state, result, milliseconds):
            known = plan.steps[number - 1] if plan is not None and number <= len(plan.steps) else ""
            title = tr("Step {n}", n=number)
            if known:
                title = tr("Step {n}: {step}", n=number, step=shorten_line(known, _TITLE_SHOWN))
            word = tr(_STEP_WORDS.get(state, "Skipped"))
            took = milliseconds if state is not StepState.SKIPPED else None
            return TranscriptStep(
                "plan", title, timed.seconds, ((word, said(result)),), "", took, state is StepState.FAILED
            )
    return None


def _continued(step: TranscriptStep, text: str) -> TranscriptStep:
    return TranscriptStep(step.kind, step.title, step.seconds, ((tr("Text"), step.fields[0][1] + text),))


def _unfinished(run: Run) -> list[TranscriptStep]:
    ended = {event.event.call_id for event in run.events if isinstance(event.event, ToolCompleted | ToolFailed)}
    unended = ((tr("Result"), tr("did not end")),)
    return [
        TranscriptStep("tool", event.event.tool, event.seconds, unended, event.event.arguments, failed=True)
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
