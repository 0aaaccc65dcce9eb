"""Token estimates, the token budget of a run, and the room that is left in a model's context window.

Tokenizers differ: a Chinese character is 0.6 to 1.5 tokens, a digit one or a third of one, an English word 1.3. What a
server says that a request took corrects the estimate from the first turn on.
"""

import json
import re
from collections.abc import Sequence
from functools import lru_cache

from workbench.agent.base import ModelCounts, ModelProvider
from workbench.errors import LimitReached
from workbench.model.message import ModelRequest, Usage
from workbench.model.run import Limit
from workbench.settings import Settings

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


_LETTERS_A_TOKEN = 5
# One piece is one token, but for those in other scripts: see _extra().
_CJK_LETTER = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_PIECE = re.compile(rf"[A-Za-z]{{1,{_LETTERS_A_TOKEN}}}|\d|{_CJK_LETTER.pattern}|[^\W\d_]+|[^\S ]\s*|[^ ]")
_CJK = 1.2
_OTHER_LETTERS = 0.7
_ASTRAL = 2.0

# Role, separators and whatever else a chat template writes around a message.
_A_MESSAGE = 6

# What the estimate is multiplied by before a server has said anything, and kept above what it said.
_UNKNOWN = 1.1
_MARGIN = 1.03
_LEAST, _MOST = 0.4, 3.0
# A shorter request says more of the template than of the text.
_FEWEST_TO_LEARN = 200


def estimate(text: str) -> float:
    """Return about how many tokens a text is."""
    pieces = _PIECE.findall(text)
    if text.isascii():
        return float(len(pieces))
    return len(pieces) + sum(_extra(piece) for piece in pieces if not piece.isascii())


def _extra(piece: str) -> float:
    """Return by how much a piece outside ASCII is more than one token."""
    if _CJK_LETTER.match(piece):
        return _CJK - 1
    if piece.isspace() or piece.isdecimal():
        return 0.0
    if piece[0].isalnum():
        return max(0.0, _OTHER_LETTERS * len(piece) - 1)
    return _ASTRAL - 1 if piece > "\uffff" else 0.0


def estimate_request(request: ModelRequest) -> float:
    """Return about how many tokens a whole request is, its tools included."""
    total = 0.0
    for message in request.messages:
        total += _A_MESSAGE + _estimate_known(message.text)
        total += sum(_A_MESSAGE + estimate(call.name + call.arguments) for call in message.tool_calls)
        total += sum(estimate(json.dumps(item, ensure_ascii=False)) for item in message.provider_items)
    for tool in request.tools:
        total += _A_MESSAGE + _estimate_known(
            tool.name + tool.description + json.dumps(tool.parameters, ensure_ascii=False)
        )
    return total


# Every turn of an answer sends the messages of the turns before, and the same tools: 5 of 7 ms of an offline answer.
_estimate_known = lru_cache(maxsize=128)(estimate)


class TokenEstimate:
    """Estimates, corrected by what the server says."""

    def __init__(self) -> None:
        self._factor = _UNKNOWN

    def count(self, text: str) -> float:
        """Return how many tokens a text is held to be."""
        return self._factor * estimate(text)

    def count_request(self, request: ModelRequest) -> float:
        """Return how many tokens a request is held to be."""
        return self._factor * estimate_request(request)

    def learn(self, request: ModelRequest, tokens: int | None) -> None:
        """Take in how many tokens a request was by the server's count."""
        if tokens is None or tokens < _FEWEST_TO_LEARN:
            return
        self._factor = min(_MOST, max(_LEAST, _MARGIN * tokens / estimate_request(request)))


DEFAULT_CONTEXT = 8192
"""Tokens, where neither the settings nor the server say; most local models see as many."""

# Every model of use sees so many: a server is asked only where they are not enough.
_SMALLEST_CONTEXT = 4096

# Of what is left one search may take so much: another one may follow.
_SHARE = 2 / 3


class ContextWindow:
    """The tokens of one run: what its conversation takes, and what is left.

    Args:
        counts: The model's server; None where there is none to ask.
        size: How many tokens the model sees at once; 0 asks the server.
        answer: How many are kept for the answer.
    """

    def __init__(self, counts: ModelCounts | None, *, size: int = 0, answer: int = 1024) -> None:
        self._counts = counts
        self._size = size
        self._answer = answer
        self._estimate = TokenEstimate()
        self._used = 0.0

    @classmethod
    def of(cls, provider: ModelProvider, settings: Settings) -> "ContextWindow | None":
        """Return the window of the model that a provider speaks to; None for an answerer that has no limit."""
        if provider.counts is None:
            return None
        return cls(provider.counts, size=settings.context_tokens, answer=settings.answer_tokens)

    def sent(self, request: ModelRequest, usage: Usage) -> None:
        """Take in a turn of the model: what it was sent, and what the server counted."""
        self._estimate.learn(request, usage.input_tokens)
        asked = usage.input_tokens if usage.input_tokens is not None else self._estimate.count_request(request)
        self._used = asked + (usage.output_tokens or 0)

    def take(self, tokens: float) -> None:
        """Count a tool's result in: the next one of the same turn has that much less."""
        self._used += tokens

    def estimate(self, text: str) -> float:
        """Return how many tokens a text is held to be, without asking."""
        return self._estimate.count(text)

    async def count(self, text: str) -> float:
        """Return how many tokens a text is by the model's own count, or by the estimate."""
        counted = await self._counts.count(text) if self._counts is not None else None
        return counted if counted is not None else self._estimate.count(text)

    async def room(self, wanted: float) -> float:
        """Return how many tokens a search may hand over now.

        Args:
            wanted: How many it would; the server is asked for its size only where these may be too many.
        """
        if not self._size:
            room = self._room(_SMALLEST_CONTEXT)
            if wanted <= room:
                return room
        return self._room(await self.size())

    async def size(self) -> int:
        """Return how many tokens the model sees at once; its server is asked once where nobody has said so."""
        if not self._size:
            said = await self._counts.context() if self._counts is not None else None
            self._size = said or DEFAULT_CONTEXT
        return self._size

    async def room_for(self, texts: Sequence[str]) -> float:
        """Return how many tokens a search may hand over now, of these texts."""
        return await self.room(sum(map(self._estimate.count, texts)))

    def _room(self, size: int) -> float:
        # A model with a small window still has to answer: it keeps at most a quarter of it for that.
        answer = min(self._answer, size / 4)
        return max(0.0, _SHARE * (size - answer - self._used))
