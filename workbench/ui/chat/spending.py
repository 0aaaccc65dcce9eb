"""What an answer has taken of what it may take: events -> figures, and figures -> words; knows no Qt."""

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.language import mark, tr, trn
from workbench.model.approval import CurationAsked, CurationGiven
from workbench.model.message import Usage
from workbench.model.run import (
    ApprovalAsked,
    ApprovalGiven,
    Limit,
    Limits,
    RunFailed,
    RunStarted,
    TimedEvent,
    TurnCompleted,
)

# Of a price per million tokens one answer costs little: below one, cents are too coarse.
_SMALL = 1.0
COST = "cost"
"""The kind of the meter that has no limit."""
ENDED = {
    Limit.TOOL_CALLS: mark("tool call limit reached"),
    Limit.ROUNDS: mark("round limit reached"),
    Limit.SECONDS: mark("time limit reached"),
    Limit.TOKENS: mark("token limit reached"),
}
"""What is said of an answer that ended because it needed more."""


@dataclass(frozen=True, slots=True)
class Meter:
    """How much of one thing was taken; share is of what may be taken, None where there is no limit."""

    kind: str
    text: str
    share: float | None
    reached: bool = False


@dataclass(slots=True)
class Spending:
    """Adds up over a run; feed() takes its events one by one.

    Attributes:
        limits: What the answer may take; None for a run of before that was kept.
        ended: What it ended for the lack of.
    """

    limits: Limits | None = None
    ended: Limit | None = None
    _calls: int = 0
    _rounds: int = 0
    _usage: tuple[int, int] = (0, 0)
    _is_estimate: bool = False
    _waiting: int = 0
    _since: float = 0.0
    _waited: float = 0.0

    def feed(self, timed: TimedEvent) -> None:
        """Take one event in."""
        match timed.event:
            case RunStarted(limits=limits):
                self.limits = limits
            case TurnCompleted() as turn:
                # Of a turn those calls are carried out that the limit allows: the others are only told so.
                self._calls += len(turn.tool_calls)
                self._rounds = max(self._rounds, turn.round)
                self._take(turn.usage)
                self._is_estimate = self._is_estimate or turn.is_estimate
            case ApprovalAsked() | CurationAsked():
                self._since = timed.seconds if not self._waiting else self._since
                self._waiting += 1
            case ApprovalGiven() | CurationGiven() if self._waiting:
                self._waiting -= 1
                self._waited += 0.0 if self._waiting else timed.seconds - self._since
            case RunFailed(limit=limit):
                self.ended = limit

    def meters(self, seconds: float) -> list[Meter]:
        """Return what there is to show after so many seconds of the run; nothing where no limits are known."""
        return list(self._meters(self.limits, seconds)) if self.limits is not None else []

    def _meters(self, limits: Limits, seconds: float) -> Iterator[Meter]:
        calls = min(self._calls, limits.tool_calls)
        called = trn("{used} of {n} tool call", "{used} of {n} tool calls", limits.tool_calls, used=calls)
        yield self._meter(Limit.TOOL_CALLS, called, calls, limits.tool_calls)
        rounds = trn("{used} of {n} round", "{used} of {n} rounds", limits.rounds, used=self._rounds)
        yield self._meter(Limit.ROUNDS, rounds, self._rounds, limits.rounds)
        passed = self._passed(limits, seconds)
        time = tr("{used:.1f} of {limit:g} s", used=passed, limit=limits.seconds)
        yield self._meter(Limit.SECONDS, time, passed, limits.seconds)
        if limits.tokens:
            used = sum(self._usage)
            tokens = (
                mark("≈ {used:,} of {limit:,} tokens") if self._is_estimate else mark("{used:,} of {limit:,} tokens")
            )
            yield self._meter(Limit.TOKENS, tr(tokens, used=used, limit=limits.tokens), used, limits.tokens)
        if limits.price is not None:
            yield Meter(COST, _cost(limits.price.of(*self._usage)), None)

    def _meter(self, limit: Limit, text: str, used: float, most: float) -> Meter:
        # A tool that was refused for it does not end an answer, which is told to be given then.
        reached = self.ended is limit or (limit is Limit.TOOL_CALLS and self._calls >= most)
        text = tr("{used}: limit reached", used=text) if reached else text
        return Meter(limit.value, text, 1.0 if reached else min(1.0, used / most) if most else 1.0, reached)

    def _passed(self, limits: Limits, seconds: float) -> float:
        """Return how much of the time has passed that counts: a person is waited for as long as they like."""
        waiting = seconds - self._since if self._waiting else 0.0
        return max(0.0, limits.spent + seconds - self._waited - waiting)

    def _take(self, usage: Usage) -> None:
        asked, said = self._usage
        self._usage = asked + (usage.input_tokens or 0), said + (usage.output_tokens or 0)


def _cost(cost: float) -> str:
    text = mark("cost {cost:,.2f}") if cost >= _SMALL or not cost else mark("cost {cost:.4f}")
    return tr(text, cost=cost)
