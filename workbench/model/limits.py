"""What an answer may take, and which of that it needed more of."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.model.exhaustive import Price


class Limit(StrEnum):
    """Something that an answer may take only so much of."""

    TOOL_CALLS = "tool calls"
    ROUNDS = "rounds"
    SECONDS = "seconds"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one answer may take; see the settings of the same names.

    Attributes:
        tokens: Of questions and answers together; 0 where no model is asked, which has none.
        spent: Seconds that it had needed before its run began.
        price: What tokens of its model were last said to cost; None where nobody said.
    """

    tool_calls: int
    rounds: int
    seconds: float
    tokens: int = 0
    spent: float = 0.0
    price: Price | None = None
