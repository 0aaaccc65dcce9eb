"""Two runs -> what is compared of them beside their words: figures, sources, steps; knows no Qt."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Generic, TypeVar

from workbench.language import mark, said, tr
from workbench.model.agent import BUILT_IN_NAME
from workbench.model.claim import summary
from workbench.model.hit import Citation
from workbench.model.run import CERTAINTY_WORDS, Run, RunStatus, TurnCompleted
from workbench.ui.chat.transcript import Step, Transcript
from workbench.ui.chat.wording import duration
from workbench.ui.localisation import time_of_day

T = TypeVar("T")
_STATES = {
    RunStatus.RUNNING: mark("under way"),
    RunStatus.COMPLETED: mark("complete"),
    RunStatus.CANCELLED: mark("stopped"),
    RunStatus.FAILED: mark("failed"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """What stands side by side; an empty text where one of the two has nothing there."""

    name: str
    left: str
    right: str

    @property
    def differs(self) -> bool:
        """Whether the two are not the same."""
        return self.left != self.right


@dataclass(frozen=True, slots=True)
class Pair(Generic[T]):
    """The same thing on both sides, or a thing that only one of them has."""

    left: T | None
    right: T | None

    @property
    def is_shared(self) -> bool:
        """Whether both have it."""
        return self.left is not None and self.right is not None


def title_of(run: Run, number: int) -> str:
    """Return how an answer is called in a list of those that can be compared."""
    question = " ".join(run.question.split())
    shown = {"n": number, "who": who(run), "time": time_of_day(run.started), "question": question}
    return tr("{n}. {who}, {time} · {question}", **shown)


def who(run: Run) -> str:
    """Return who answered: the agent, if it is not the usual one, and the model profile."""
    if run.agent in ("", BUILT_IN_NAME):
        return run.profile
    return tr("{agent} ({profile})", agent=run.agent, profile=run.profile)


def figures(left: Run, right: Run) -> list[Row]:
    """Return what can be told of both in a word or a number."""
    transcripts = [Transcript.of_run(run) for run in (left, right)]
    names: Sequence[tuple[str, Callable[[Run, Transcript], str]]] = (
        (tr("Answered by"), lambda run, _: who(run)),
        (tr("Ended"), lambda run, _: _ended(run)),
        (tr("Time"), lambda run, _: duration(run.seconds)),
        (tr("Steps"), lambda _, shown: f"{len(shown.steps):,}"),
        (tr("Tokens"), lambda run, _: _tokens(run)),
        (tr("Checked"), lambda run, _: said(summary(run.claims)) or tr("not checked")),
    )
    first, second = transcripts
    asked = [Row(tr("Question"), left.question, right.question)]
    rows = [Row(name, told(left, first), told(right, second)) for name, told in names]
    return [*(row for row in asked if row.differs), *rows]


def sources(left: Run, right: Run) -> list[Pair[Citation]]:
    """Return the passages that the answers cite: those of both, then those of one, each once."""
    cited = [_cited(run) for run in (left, right)]
    keys = dict.fromkeys([*cited[0], *cited[1]])
    pairs = [Pair(cited[0].get(key), cited[1].get(key)) for key in keys]
    return sorted(pairs, key=lambda pair: not pair.is_shared)


def steps(left: Run, right: Run) -> list[Pair[Step]]:
    """Return the steps in order, those that both have beside one another."""
    first, second = (Transcript.of_run(run).steps for run in (left, right))
    return list(_aligned(first, second, lambda step: (step.kind, step.title)))


def _ended(run: Run) -> str:
    return tr(CERTAINTY_WORDS.get(run.certainty, _STATES[run.status]))


def _tokens(run: Run) -> str:
    turns = [timed.event for timed in run.events if isinstance(timed.event, TurnCompleted)]
    used = sum((turn.usage.input_tokens or 0) + (turn.usage.output_tokens or 0) for turn in turns)
    if not used:
        return tr("not counted")
    is_estimate = any(turn.is_estimate for turn in turns)
    return f"≈ {used:,}" if is_estimate else f"{used:,}"


def _cited(run: Run) -> dict[tuple[object, ...], Citation]:
    found: dict[tuple[object, ...], Citation] = {}
    for citation in run.citations:
        if citation.valid:
            found.setdefault((citation.document, citation.document_name, citation.chunk), citation)
    return found


def _aligned(first: Sequence[T], second: Sequence[T], key: Callable[[T], object]) -> Iterable[Pair[T]]:
    keys = [[key(one) for one in side] for side in (first, second)]
    for kind, a, b, c, d in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (Pair(one, other) for one, other in zip(first[a:b], second[c:d], strict=True))
        else:
            yield from (Pair(one, None) for one in first[a:b])
            yield from (Pair(None, one) for one in second[c:d])
