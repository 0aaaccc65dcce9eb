"""Human-readable form of a run: footnotes, steps, and the answer with its markers replaced."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from workbench.export.base import ExportContext
from workbench.export.escaping import shorten_line
from workbench.language import mark, tr, translate, trn
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
    PromptAssembled,
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
_LONG_PROMPT = 200
"""Characters of a part of a prompt above which it is printed once."""
_ON_TOOL = {
    Decision.APPROVE: mark("The user approved this tool call."),
    Decision.EDIT: mark("The user approved this tool call with changed arguments."),
    Decision.DENY: mark("The user denied this tool call."),
}
_ON_PLAN = {
    Decision.APPROVE: mark("The user approved the plan."),
    Decision.EDIT: mark("The user edited the plan."),
    Decision.DENY: mark("The user chose to answer without the plan."),
}
_STEP_WORDS = {StepState.DONE: mark("Result"), StepState.FAILED: mark("Failed"), StepState.SKIPPED: mark("Skipped")}
_OUTCOMES = {
    RunStatus.COMPLETED: mark("completed"),
    RunStatus.CANCELLED: mark("stopped"),
    RunStatus.FAILED: mark("failed"),
    RunStatus.RUNNING: mark("not finished"),
}
_COLUMNS = (mark("No."), mark("Document"), mark("Place"), mark("Heading"))
_SCORES = (mark("Meaning"), mark("Keyword"), mark("Combined"), mark("Relevance"))


@dataclass(frozen=True, slots=True)
class Footnote:
    """Passage cited by an answer; there is one footnote for each passage, however often it is cited.

    Attributes:
        label: Anchor that is unique in the file: "q2-1" is the first source of question 2.
    """

    label: str
    citation: Citation


@dataclass(frozen=True, slots=True)
class TranscriptStep:
    """Step of a run.

    Attributes:
        kind: "think", "analyze", "tool", "plan", "reasoning", "said" or "notice".
        seconds: Time since the start of the run.
        fields: Details as ordered pairs of label and text.
        arguments: For a tool: its arguments as JSON text.
        milliseconds: Duration, if known.
    """

    kind: str
    title: str
    seconds: float
    fields: tuple[tuple[str, str], ...] = ()
    arguments: str = ""
    milliseconds: float | None = None
    failed: bool = False


def footnotes(run: Run, *, number: int) -> tuple[Footnote, ...]:
    """Return the passages cited by the answer to question number, in the order of their first marker."""
    found: dict[tuple[int, int | None, int, int], Footnote] = {}
    used: dict[int, int] = {}
    for citation in sorted(run.citations, key=lambda citation: citation.answer_start):
        key = passage_of(citation)
        if not citation.valid or key in found:
            continue
        # One marker can cite two sentences of the same chunk: "q1-3", then "q1-3b".
        used[citation.marker] = used.get(citation.marker, 0) + 1
        more = used[citation.marker]
        found[key] = Footnote(f"q{number}-{citation.marker}" + (_letters(more) if more > 1 else ""), citation)
    return tuple(found.values())


def remarks(run: Run) -> list[str]:
    """Return the remarks below an answer: stopped, failed, unsupported claims, markers that refer to no source."""
    sentences = []
    if run.status is RunStatus.CANCELLED:
        sentences.append(tr("The answer was stopped before its end."))
    if run.parent_event:
        sentences.append(tr("It continues from another answer, with a tool result that the user changed."))
    if run.coverage is not None and not run.coverage.is_complete:
        sentences.append(translate(run.coverage.sentence))
    if checked := summary(run.claims):
        sentences.append(tr("{sentence}.", sentence=translate(checked)))
        sentences += [translate(claim.sentence) for claim in doubtful(run.claims)]
    if run.error:
        sentences.append(tr("Failed: {error} {hint}", error=translate(run.error), hint=translate(run.hint)).rstrip())
    if invalid := dict.fromkeys(citation.marker for citation in run.citations if not citation.valid):
        named = ", ".join(f"[{marker}]" for marker in invalid)
        sentences.append(
            tr(
                "Not a source of this run: {numbers}. The model made it up: no search found such a source.",
                numbers=named,
            )
        )
    return sentences


def ending(run: Run) -> str:
    """Return outcome and search scope of a run: "completed · only in “Contracts” · searched all 12 documents"."""
    base = run.knowledge_base
    parts = [outcome(run), *([tr("agent: {agent}", agent=run.agent)] if run.agent not in ("", BUILT_IN_NAME) else [])]
    parts += [tr("only in “{knowledge_base}”", knowledge_base=base)] if base else []
    parts += [tr("only {filter}", filter=run.filter)] if run.filter else []
    if run.coverage is not None and run.coverage.is_complete:
        parts.append(translate(run.coverage.sentence).rstrip(".。").lower())
    return " · ".join(parts)


def with_markers(run: Run, notes: Sequence[Footnote], mark: Callable[[Citation, Footnote | None], str]) -> str:
    """Return the answer with each citation's marker replaced by the result of mark, called with None if invalid.

    A marker whose span lies outside the answer or overlaps another is left unchanged.
    """
    by_passage = {passage_of(note.citation): note for note in notes}
    ordered = sorted(run.citations, key=lambda citation: (citation.answer_start, citation.answer_end))
    pieces, done = [], 0
    for (start, end), group in groupby(ordered, key=lambda citation: (citation.answer_start, citation.answer_end)):
        if not done <= start < end <= len(run.answer):
            continue
        # "[1, 2]" is one span with two citations.
        marks = dict.fromkeys(
            mark(citation, by_passage.get(passage_of(citation)) if citation.valid else None) for citation in group
        )
        pieces += [run.answer[done:start], *marks]
        done = end
    return "".join([*pieces, run.answer[done:]])


def steps(run: Run) -> tuple[TranscriptStep, ...]:
    """Return the steps of a run in order; pieces of the answer itself are not steps."""
    started = {event.event.call_id: event.event for event in run.events if isinstance(event.event, ToolStarted)}
    reasoned = [event.event.tool for event in run.events if isinstance(event.event, ReasoningStep)]
    found: list[TranscriptStep] = []
    took: dict[str, list[float]] = {}
    for timed in run.events:
        event = timed.event
        if isinstance(event, ToolCompleted) and event.tool in reasoned:
            # think and analyze are recorded twice, as a call and as a step; the step has more details.
            reasoned.remove(event.tool)
            took.setdefault(event.tool, []).append(event.milliseconds)
        elif isinstance(event, ModelReasoning) and found and found[-1].kind == "reasoning":
            found[-1] = _append_text(found[-1], event.text)
        elif step := _step(timed, started, took) or _plan_step(timed, run.plan):
            found.append(step)
    return (*found, *_unfinished_calls(run))


def argument_fields(arguments: str) -> tuple[tuple[str, str], ...]:
    """Return the arguments of a tool call as pairs of name and value; text that is no JSON object is one value."""
    try:
        values = json.loads(arguments)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        return ((tr("Arguments"), arguments),) if arguments.strip() else ()
    return tuple((name, shown) for name, value in values.items() if (shown := _argument(value)))


def prompts(run: Run) -> tuple[PromptSection, ...]:
    """Return the sections of every prompt of a run; a changed prompt is listed again."""
    sections = []
    for number, prompt in enumerate(run.prompts, start=1):
        parts = [*prompt.sections, *prompt.conversation]
        if prompt.tools not in ("", "[]"):
            parts.append(PromptSection(mark("Tools"), prompt.tools))
        for part in parts:
            label = translate(part.label)
            label = tr("Changed, {number}: {part}", number=number, part=label) if number > 1 else label
            sections.append(PromptSection(label, part.text))
    return tuple(part for part in sections if part.text.strip())


def without_repeated_prompts(session: Session) -> Session:
    """Return a session in which a long part of a prompt that equals one of an earlier question refers to it."""
    known: dict[str, int] = {}
    runs = [
        replace(run, events=tuple(_without_repetition(timed, known, number) for timed in run.events))
        for number, run in enumerate(session.runs, start=1)
    ]
    return replace(session, runs=tuple(runs))


def _without_repetition(timed: TimedEvent, known: dict[str, int], number: int) -> TimedEvent:
    """Return an event whose long texts refer to the question in known that had them first; add the others to known."""
    event = timed.event
    if not isinstance(event, PromptAssembled):
        return timed

    def shorten(text: str) -> str:
        first = known.setdefault(text, number)
        is_repeated = first != number and len(text) > _LONG_PROMPT
        return tr("The same as for question {n}.", n=first) if is_repeated else text

    def shorten_all(parts: Sequence[PromptSection]) -> tuple[PromptSection, ...]:
        return tuple(PromptSection(part.label, shorten(part.text)) for part in parts)

    sections, conversation = shorten_all(event.sections), shorten_all(event.conversation)
    return replace(
        timed, event=replace(event, sections=sections, conversation=conversation, tools=shorten(event.tools))
    )


def when(iso: str) -> str:
    """Return an ISO 8601 time for display, "2026-11-21 08:54 UTC"; any other text is returned unchanged."""
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment.utcoffset() is not None else f"{moment:%Y-%m-%d %H:%M}"


def outcome(run: Run) -> str:
    """Return the outcome of a run in a word or two."""
    if run.status is RunStatus.COMPLETED:
        return tr(CERTAINTY_WORDS.get(run.certainty, _OUTCOMES[run.status]))
    return tr(_OUTCOMES[run.status])


def counted(session: Session) -> str:
    """Return question count and start of a session: "2 questions, begun 2026-11-21 08:54 UTC"."""
    return trn(
        "{n} question, begun {when}",
        "{n} questions, begun {when}",
        len(session.runs),
        when=when(session.info.started),
    )


def provenance(context: ExportContext) -> str:
    """Return a sentence with the export time, the program version and the library."""
    return tr(
        "Exported {when} by Knowledge Workbench {version} from the library {library}.",
        when=when(context.exported),
        version=context.version,
        library=context.library,
    )


def not_a_source() -> str:
    """Return the note after a marker that refers to no source."""
    return tr("not a source of this run")


def columns() -> tuple[str, ...]:
    """Return the column heads of a table of hits; the scores are last."""
    return (*map(tr, _COLUMNS), *map(tr, _SCORES))


def search_figures(reference: Reference) -> str:
    """Return duration and number of hits of a search: "12.1 ms, 8 hits"."""
    figures = trn("{ms:.1f} ms, {n} hit", "{ms:.1f} ms, {n} hits", len(reference.hits), ms=reference.time * 1000)
    return (
        tr("{found}, below the minimum relevance: not used for the answer", found=figures)
        if reference.withheld
        else figures
    )


def place_of_text(citation: Citation) -> str:
    """Return the position of a passage in the text of its document: "characters 12–90 · chunk 4 · sha256 0a1b2c"."""
    parts = [tr("characters {start}–{end}", start=citation.start, end=citation.end)]
    parts += [tr("passage {n}", n=citation.chunk_ordinal + 1)] if citation.chunk_ordinal is not None else []
    parts += [f"sha256 {citation.sha256[:SHORT_HASH]}"] if citation.sha256 else []
    return " · ".join(parts)


def is_technical(session: Session) -> bool:
    """Return whether an export contains the searches, and with them the technical details of each source."""
    return any(run.references for run in session.runs)


def step_time(step: TranscriptStep) -> str:
    """Return start and duration of a step: "at 0.52 s, 12 ms"."""
    if step.milliseconds is None:
        return tr("at {seconds:.2f} s", seconds=step.seconds)
    return tr("at {seconds:.2f} s, {ms:.0f} ms", seconds=step.seconds, ms=step.milliseconds)


def _step(timed: TimedEvent, started: dict[str, ToolStarted], took: dict[str, list[float]]) -> TranscriptStep | None:
    event, seconds = timed.event, timed.seconds
    match event:
        case ReasoningStep():
            times = took.get(event.tool, [])
            fields = (
                (tr("Reasoning"), translate(event.reasoning)),
                (tr("Action"), translate(event.action)),
                (tr("Result"), translate(event.result)),
                (tr("Next", "step"), event.next_action if event.tool == "analyze" else ""),
                (tr("Confidence"), f"{event.confidence:.2f}"),
            )
            shown = tuple(field for field in fields if field[1])
            return TranscriptStep(
                event.tool, translate(event.title), seconds, shown, milliseconds=times.pop(0) if times else None
            )
        case ToolCompleted() | ToolFailed():
            failed = isinstance(event, ToolFailed)
            text = translate(event.message) if isinstance(event, ToolFailed) else event.result
            call = started.get(event.call_id)
            result = ((tr("Error") if failed else tr("Result"), shorten_line(text, RESULT_SHOWN)),)
            arguments = call.arguments if call else ""
            return TranscriptStep("tool", event.tool, seconds, result, arguments, event.milliseconds, failed)
        case ModelReasoning():
            return TranscriptStep("reasoning", tr("The model's own reasoning"), seconds, ((tr("Text"), event.text),))
        case AnswerDiscarded():
            title = tr("Written next to tool calls; not part of the answer")
            return TranscriptStep("said", title, seconds, ((tr("Text"), event.text),))
        case Notice():
            return TranscriptStep("notice", translate(event.text), seconds)
        case ApprovalGiven(call_id) if call_id == PLAN:
            return TranscriptStep("notice", tr(_ON_PLAN[event.decision]), seconds)
        case ApprovalGiven():
            return TranscriptStep("notice", tr(_ON_TOOL[event.decision]), seconds)
        case CurationGiven():
            chosen = tr(
                "The user chose from the passages found: {n} sent to the model, {left_out} left out, {added} added.",
                n=len(event.chunks),
                left_out=event.left_out,
                added=event.added,
            )
            return TranscriptStep("notice", chosen, seconds)
    return None


def _plan_step(timed: TimedEvent, plan: Plan | None) -> TranscriptStep | None:
    """Return the plan, or a step of it with its result; None for other events."""
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
                "plan", title, timed.seconds, ((word, translate(result)),), "", took, state is StepState.FAILED
            )
    return None


def _argument(value: Any) -> str:
    """Return the value of an argument: text as it is, a list with commas, anything nested as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return ", ".join(map(_argument, value))
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _append_text(step: TranscriptStep, text: str) -> TranscriptStep:
    return TranscriptStep(step.kind, step.title, step.seconds, ((tr("Text"), step.fields[0][1] + text),))


def _unfinished_calls(run: Run) -> list[TranscriptStep]:
    ended = {event.event.call_id for event in run.events if isinstance(event.event, ToolCompleted | ToolFailed)}
    unended = ((tr("Result"), tr("did not end")),)
    return [
        TranscriptStep("tool", event.event.tool, event.seconds, unended, event.event.arguments, failed=True)
        for event in run.events
        if isinstance(event.event, ToolStarted) and event.event.call_id not in ended
    ]


def passage_of(citation: Citation) -> tuple[int, int | None, int, int]:
    """Return the key that all citations of one passage share."""
    return citation.marker, citation.document, citation.start, citation.end


def _letters(count: int) -> str:
    letters = ""
    while count:
        count, rest = divmod(count - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
