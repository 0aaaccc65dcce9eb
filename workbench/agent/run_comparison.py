"""Comparison of two runs: question, prompt, calls with results, references, answer; as unified diffs."""

import json
from collections.abc import Iterator
from difflib import unified_diff

from workbench.language import counted
from workbench.model.approval import CurationGiven
from workbench.model.run import (
    CERTAINTY_WORDS,
    ApprovalGiven,
    PlanMade,
    PlanStepEnded,
    PromptAssembled,
    ReasoningStep,
    Run,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
)
from workbench.model.session import RunDifference


def differences(first: Run, second: Run) -> list[RunDifference]:
    """Return the parts in which two runs differ, in the order of a run; times and numbers are not compared."""
    before, after = dict(_parts(first)), dict(_parts(second))
    names = [*before, *(name for name in after if name not in before)]
    found = []
    for name in names:
        lines = unified_diff(
            before.get(name, "").splitlines(),
            after.get(name, "").splitlines(),
            f"run {first.id}",
            f"run {second.id}",
            lineterm="",
        )
        if text := "\n".join(lines):
            found.append(RunDifference(name, text))
    return found


def _parts(run: Run) -> Iterator[tuple[str, str]]:
    yield "Question", run.question
    place = (run.knowledge_base or "all", run.filter or "everything")
    yield "Asked", f"model: {run.profile}, {run.mode}\nagent: {run.agent}\nsearched: {', '.join(place)}"
    prompts = [timed.event for timed in run.events if isinstance(timed.event, PromptAssembled)]
    if prompts:
        yield from ((f"Prompt: {section.label}", section.text) for section in prompts[0].sections)
        yield "Said before", "\n\n".join(f"{spoken.label}:\n{spoken.text}" for spoken in prompts[0].conversation)
        yield "Tools", prompts[0].tools
    yield "Steps", "\n".join(_steps(run))
    yield "References", "\n".join(_references(run))
    yield "Answer", run.answer
    certainty = f" ({CERTAINTY_WORDS[run.certainty]})" if run.certainty in CERTAINTY_WORDS else ""
    yield "Outcome", f"{run.status.value}{certainty}\n{run.error}".rstrip()


def _steps(run: Run) -> Iterator[str]:
    for timed in run.events:
        match timed.event:
            case ToolStarted(_, tool, arguments):
                yield f"{tool}({_normalise_arguments(arguments)})"
            case ToolCompleted(_, tool, result, _):
                yield f"{tool} answered:"
                yield from (f"    {line}" for line in result.splitlines())
            case ToolFailed(_, tool, message, _):
                yield f"{tool} failed: {message}"
            case ApprovalGiven(_, decision, _):
                yield f"the person said: {decision.value}"
            case CurationGiven(_, chunks, left_out, added):
                yield f"the person chose {counted(len(chunks), 'passage')}; {left_out} left out, {added} added"
            case PlanMade(plan):
                yield f"plan: {plan.task}"
                yield from (f"    {number}. {step}" for number, step in enumerate(plan.steps, start=1))
                yield f"    finish: {plan.finish}"
            case PlanStepEnded(step, state, result, _):
                yield f"step {step} of the plan, {state.value}:"
                yield from (f"    {line}" for line in result.splitlines())
            case ReasoningStep(_, title, reasoning):
                yield f"thought: {title}: {' '.join(reasoning.split())}"


def _references(run: Run) -> Iterator[str]:
    for reference in run.references:
        yield f"“{reference.query}”{' (withheld)' if reference.withheld else ''}"
        for numbered in reference.hits:
            hit = numbered.hit
            place = f", {hit.place}" if hit.place else ""
            yield f"    [{numbered.number}] {hit.document_name}{place}, chunk {hit.chunk.ordinal + 1}"


def _normalise_arguments(arguments: str) -> str:
    """Return arguments as JSON in one form, so that a model's order of keys and spacing make no difference."""
    try:
        return json.dumps(json.loads(arguments or "{}"), ensure_ascii=False, sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
