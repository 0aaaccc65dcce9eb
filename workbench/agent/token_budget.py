"""How many tokens a run has used: as its server counts them, or estimated where it does not."""

from workbench.agent.token_estimate import TokenEstimate
from workbench.errors import LimitReached
from workbench.model.message import ModelRequest, Usage
from workbench.model.run import Limit

# A turn that only just fits leaves no room for the answer: that many turns like the last one must still fit.
_TURNS_LEFT = 2

# An answer is weighed again whenever that many characters came: 500 are 100 to 500 tokens.
_WEIGH_EVERY = 500


class TokenBudget:
    """The tokens of one run, questions and answers together."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._estimate = TokenEstimate()
        self._used = 0.0
        self._last = 0.0
        self._asked = 0.0
        self._said = 0.0
        self._unweighed = ""

    @property
    def limit(self) -> int:
        """How many tokens the run may take."""
        return self._limit

    @property
    def left(self) -> float:
        """How many tokens may still be taken."""
        return max(0.0, self._limit - self._used - self._asked - self._said)

    @property
    def is_used_up(self) -> bool:
        """Whether nothing is left, not even for an answer."""
        return self._used + self._asked + self._said > self._limit

    @property
    def is_short(self) -> bool:
        """Whether the next turn has to be the answer."""
        return self._used > 0 and self._limit - self._used < _TURNS_LEFT * self._last

    def ask(self, request: ModelRequest) -> None:
        """Begin a turn; one that was begun and came to nothing has been used all the same.

        Raises:
            LimitReached: The request alone takes more than is left.
        """
        self._used += self._asked + self._spoken()
        self._asked, self._said, self._unweighed = self._estimate.count_request(request), 0.0, ""
        self._check()

    def say(self, text: str) -> None:
        """Count a piece of what the model says.

        Raises:
            LimitReached: Nothing is left.
        """
        self._unweighed += text
        if len(self._unweighed) >= _WEIGH_EVERY:
            self._said, self._unweighed = self._spoken(), ""
            self._check()

    def end(self, request: ModelRequest, usage: Usage) -> tuple[Usage, bool]:
        """End a turn and return what it used, and whether any of it is an estimate."""
        self._estimate.learn(request, usage.input_tokens)
        asked = usage.input_tokens if usage.input_tokens is not None else round(self._asked)
        said = usage.output_tokens if usage.output_tokens is not None else round(self._spoken())
        self._last = asked + said
        self._used += self._last
        self._asked, self._said, self._unweighed = 0.0, 0.0, ""
        return Usage(asked, said), None in (usage.input_tokens, usage.output_tokens)

    def _spoken(self) -> float:
        return self._said + self._estimate.count(self._unweighed)

    def _check(self) -> None:
        if self.is_used_up:
            raise LimitReached(
                f"The answer needs more than the {self._limit:,} tokens that one may take.",
                "Ask a narrower question, or raise “Tokens per answer” in the settings.",
                Limit.TOKENS,
            )
