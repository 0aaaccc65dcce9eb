"""Plans as text (TASK / STEP / FINISH) and as JSON for review: parsers and writers.

A label counts only at the beginning of a line and before a colon or similar, because the words “step” and “finish” may
also occur in the text of a step.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.errors import ToolError
from workbench.language import mark
from workbench.model.run import PLAN, ApprovalAsked, Plan

# Full-width forms of ASCII characters, mapped one to one, so that offsets do not change.
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}

# Before a label: Markdown quotes, headings, list markers and emphasis.
_BEFORE = r"[ \t>#*_+-]*+"
# After a word: a colon, or the end of the line; after a number also other signs that end one.
_COLON = r"[ \t*_]*+(?::[*_]*+|$)[ \t]*+"
_SIGN = r"[ \t*_]*+(?:[)\]]?[ \t*_]*+(?:[:.、—–]|-(?=[ \t]))[*_]*+|[)\]]|$)[ \t]*+"
_NUMBER = r"(?P<number>\d{1,9}|[一二三四五六七八九十]{1,3})"
_LABELS = (
    ("step", rf"(?:step|步骤|步驟)[ \t]*+[#(\[]?{_NUMBER}{_SIGN}"),
    ("step", rf"第[ \t]*+{_NUMBER}[ \t]*+步{_SIGN}"),
    ("step", r"(?:stepn?|步骤|步驟)[ \t]*+:[ \t]*+"),
    ("task", rf"(?:task|goal|任务|任務|目标){_COLON}"),
    ("finish", rf"(?:finish|conclusion|完成|结束|結束|结论){_COLON}"),
)
_PATTERNS = tuple((kind, re.compile(_BEFORE + label, re.IGNORECASE)) for kind, label in _LABELS)
_NUMBERED = re.compile(r"[ \t>*_]*+(?P<number>\d{1,3})[.)、:][ \t]*+(?=\S)")
_FENCE = re.compile(r"[ \t]*+(?:```|~~~)[\w-]*+[ \t]*+$")

# Labels within a line: only in the requested form, in capitals and with a number.
_WITHIN = re.compile(r"(?<!^)(?<![\n\w])(?=(?:STEP[ \t]*+\d{1,3}|FINISH|步骤[ \t]*+\d{1,3}|完成)[ \t]*+[:：])")


@dataclass(frozen=True, slots=True)
class _Label:
    """Label of a line: its kind, its number if it has one, and the offset of the text after it."""

    kind: str
    number: int | None
    end: int


def parsed_plan(text: str, most: int) -> Plan | None:
    """Return the plan in a text; None if there is none.

    Args:
        text: Text of the model; text before the plan is ignored.
        most: Maximum number of steps to keep.
    """
    for lines, numbered in _readings(text):
        plan = _read(lines, numbered=numbered)
        if plan is not None:
            return Plan(plan.task, plan.steps[: max(1, most)], plan.finish)
    return None


def plan_text(plan: Plan) -> str:
    """Return a plan in the form that the model is asked to write."""
    steps = (f"STEP{number}: {step}" for number, step in enumerate(plan.steps, start=1))
    finish = (f"FINISH: {plan.finish}",) if plan.finish else ()
    task = (f"TASK: {plan.task}",) if plan.task else ()
    return "\n".join((*task, *steps, *finish))


def _readings(text: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the possible readings of a text as lines, with the flag for numbered steps, the likeliest first."""
    lines = text.splitlines()
    yield lines, False
    yield _WITHIN.sub("\n", text).splitlines(), False
    # “1. …” is a step only between a task and a finish: an answer has numbered lists, too.
    labels = {label.kind for line in lines if (label := _label(line, numbered=False))}
    if {"task", "finish"} <= labels:
        yield lines, True


def _read(lines: Sequence[str], *, numbered: bool) -> Plan | None:
    task: list[str] = []
    steps: list[list[str]] = []
    finish: list[str] | None = None
    part: list[str] | None = None
    last = 0
    for line in _inside_fence(lines, numbered=numbered):
        label = _label(line, numbered=numbered)
        if label is None or not _begins_part(label, part, steps, finish, last):
            if part is not None:
                part.append(line)
            continue
        match label.kind:
            case "task" if finish is not None:
                break  # the plan is repeated
            case "task":
                part = task
            case "step":
                steps.append(part := [])
                last = label.number if label.number is not None else last + 1
            case _:
                part = finish = []
        part.append(line[label.end :])
    kept_steps = tuple(step for step in map(_join, steps) if step)
    return Plan(_join(task), kept_steps, _join(finish or [])) if kept_steps else None


def _begins_part(
    label: _Label, part: list[str] | None, steps: Sequence[list[str]], finish: list[str] | None, last: int
) -> bool:
    """Return whether a label begins a new part; otherwise its line belongs to the current part."""
    match label.kind:
        case "task":
            return part is None or finish is not None
        case "step":
            # A lower number is a reference to an earlier step: “from STEP 1: the revenue”.
            return finish is None and (label.number is None or not steps or label.number >= last)
    return bool(steps) and finish is None


def _label(line: str, *, numbered: bool) -> _Label | None:
    narrow = line.translate(_NARROW)
    for kind, pattern in _PATTERNS:
        if match := pattern.match(narrow):
            number = match.groupdict().get("number") or ""
            return _Label(kind, int(number) if number.isdecimal() else None, match.end())
    if numbered and (match := _NUMBERED.match(narrow)):
        return _Label("step", int(match["number"]), match.end())
    return None


def _inside_fence(lines: Sequence[str], *, numbered: bool) -> Sequence[str]:
    """Return the lines up to the end of the code fence around a plan; all lines if there is no fence."""
    labelled = [place for place, line in enumerate(lines) if _label(line, numbered=numbered)]
    if not labelled or not any(_FENCE.match(line) for line in lines[: labelled[0]]):
        return lines
    ends = (place for place in range(labelled[-1] + 1, len(lines)) if _FENCE.match(lines[place]))
    return lines[: next(ends, len(lines))]


def _join(lines: Sequence[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).strip()


REASON = mark("You chose to review plans first.")


def asked_about(plan: Plan) -> ApprovalAsked:
    """Return the request to the user to approve a plan."""
    return ApprovalAsked(PLAN, PLAN, plan_json(plan), REASON)


def plan_json(plan: Plan) -> str:
    """Return a plan as a JSON object."""
    return json.dumps({"task": plan.task, "steps": list(plan.steps), "finish": plan.finish}, ensure_ascii=False)


def plan_of_json(text: str) -> Plan:
    """Parse a plan from a JSON object.

    Raises:
        ToolError: The text is not JSON, or the plan has no steps.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolError("The plan is not JSON.", 'It looks like this: {"steps": ["…"]}') from error
    steps = value.get("steps") if isinstance(value, dict) else None
    kept_steps = tuple(step.strip() for step in steps if isinstance(step, str)) if isinstance(steps, list) else ()
    if not any(kept_steps):
        raise ToolError("The plan has no steps.", "Write at least one, or answer without a plan.")
    task, finish = (str(value.get(name) or "").strip() for name in ("task", "finish"))
    return Plan(task, tuple(filter(None, kept_steps)), finish)
