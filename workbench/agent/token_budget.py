"""Token estimates, the token budget of a run, and the space that is left in a model's context window.

Tokenizers differ: a Chinese character is 0.6 to 1.5 tokens, a digit one or a third of one, an English word 1.3. The
server's token count of a request corrects the estimate from the first turn on.
"""

import json
import math
import re
import string
from collections.abc import Sequence
from functools import lru_cache

from workbench.agent.base import ModelCounts, ModelProvider
from workbench.errors import LimitReached
from workbench.model.message import ModelRequest, Usage
from workbench.model.run import Limit
from workbench.settings import Settings

# A turn that only just fits leaves no space for the answer: this many turns like the last one must still fit.
_TURNS_LEFT = 2

# The tokens of an answer are estimated again after this many characters: 500 are 100 to 500 tokens.
_WEIGH_EVERY = 500


class TokenBudget:
    """Tokens of one run, prompts and answers together.

    Args:
        limit: Maximum number of tokens; 0 for an answerer without a model: nothing is counted for it, which took 5 % of
            an offline answer.
    """

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
        """Maximum number of tokens of the run; 0 if nothing is counted."""
        return self._limit

    @property
    def left(self) -> float:
        """Number of tokens that are left."""
        return max(0.0, self._limit - self._used - self._asked - self._said) if self._limit else math.inf

    @property
    def is_used_up(self) -> bool:
        """True if more than the limit has been used, so that not even an answer is possible."""
        return self._limit > 0 and self._used + self._asked + self._said > self._limit

    @property
    def is_short(self) -> bool:
        """True if the next turn has to be the answer."""
        return self._used > 0 and self._limit - self._used < _TURNS_LEFT * self._last

    def ask(self, request: ModelRequest) -> None:
        """Begin a turn; the tokens of an earlier turn that failed count as used.

        Raises:
            LimitReached: The request alone exceeds what is left.
        """
        if not self._limit:
            return
        self._used += self._asked + self._spoken()
        self._asked, self._said, self._unweighed = self._estimate.count_request(request), 0.0, ""
        self._check()

    def count_output(self, text: str) -> None:
        """Count a piece of the model's output.

        Raises:
            LimitReached: The limit is exceeded.
        """
        if not self._limit:
            return
        self._unweighed += text
        if len(self._unweighed) >= _WEIGH_EVERY:
            self._said, self._unweighed = self._spoken(), ""
            self._check()

    def end(self, request: ModelRequest, usage: Usage) -> tuple[Usage, bool]:
        """End a turn and return its token usage, and whether any part of it is an estimate."""
        if not self._limit:
            return usage, False
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
# A match is one token, except in other scripts: see _extra().
_CJK_LETTER = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_PIECE = re.compile(rf"[A-Za-z]{{1,{_LETTERS_A_TOKEN}}}|\d|{_CJK_LETTER.pattern}|[^\W\d_]+|[^\S ]\s*|[^ ]")
# A character outside ASCII, with the letters after it if it is a letter but not a CJK one: one piece.
_OTHER = re.compile(rf"[^\x00-\x7f](?:(?<=[^\W\d_])(?<!{_CJK_LETTER.pattern})[^\W\d_]*)?")
_LETTERS = string.ascii_letters.encode()
_LETTERS_ALONE = bytes(code if code in _LETTERS else 32 for code in range(256))
_WHITESPACE = bytes(code for code in range(128) if chr(code).isspace())
_LINE_ENDS = re.compile(rb"[\t-\r\x1c-\x1f][\t-\r\x1c-\x1f ]*")
_CJK = 1.2
_OTHER_LETTERS = 0.7
_ASTRAL = 2.0

# Tokens of the role, separators and other text that a chat template adds to a message.
_A_MESSAGE = 6

# Factor of the estimate before the server has reported a count, and the margin above its count afterwards.
_UNKNOWN = 1.1
_MARGIN = 1.03
_LEAST, _MOST = 0.4, 3.0
# In a shorter request the template has too large a share.
_FEWEST_TO_LEARN = 200


def estimate(text: str) -> float:
    """Return an estimate of the number of tokens in a text."""
    if text.isascii():
        return float(_count_ascii(text))
    others = _OTHER.findall(text)
    if any(map(str.isspace, others)):
        # Whitespace of both kinds is in one piece.
        pieces = _PIECE.findall(text)
        return len(pieces) + sum(_extra(piece) for piece in pieces if not piece.isascii())
    # A "0" is a piece of its own, as each of these is, and ends a word as they do.
    return _count_ascii(_OTHER.sub("0", text)) + sum(map(_extra, others))


def _count_ascii(text: str) -> int:
    """Return the number of pieces: 10,000 characters take two fifths of the time that the pattern takes."""
    code = text.encode("ascii")
    words = code.translate(_LETTERS_ALONE).split()
    marks = len(code.translate(None, _LETTERS + _WHITESPACE))
    return sum([-(-len(word) // _LETTERS_A_TOKEN) for word in words]) + marks + len(_LINE_ENDS.findall(code))


def _extra(piece: str) -> float:
    """Return by how much a piece outside ASCII exceeds one token."""
    if _CJK_LETTER.match(piece):
        return _CJK - 1
    if piece.isspace() or piece.isdecimal():
        return 0.0
    if piece[0].isalnum():
        return max(0.0, _OTHER_LETTERS * len(piece) - 1)
    return _ASTRAL - 1 if piece > "\uffff" else 0.0


def estimate_request(request: ModelRequest) -> float:
    """Return an estimate of the number of tokens in a whole request, including its tools."""
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


# Cached, since every turn of an answer sends the messages of earlier turns and the same tools again: estimating them
# took 5 ms of three short turns.
_estimate_known = lru_cache(maxsize=128)(estimate)


class TokenEstimate:
    """Token estimates, corrected by the counts of the server."""

    def __init__(self) -> None:
        self._factor = _UNKNOWN

    def count(self, text: str) -> float:
        """Return the corrected estimate for a text."""
        return self._factor * estimate(text)

    def count_request(self, request: ModelRequest) -> float:
        """Return the corrected estimate for a request."""
        return self._factor * estimate_request(request)

    def learn(self, request: ModelRequest, tokens: int | None) -> None:
        """Correct the estimate with the server's token count of a request."""
        if tokens is None or tokens < _FEWEST_TO_LEARN:
            return
        self._factor = min(_MOST, max(_LEAST, _MARGIN * tokens / estimate_request(request)))


DEFAULT_CONTEXT = 8192
"""Tokens, if neither the settings nor the server state a size; most local models have this one."""

# Every model in use has at least this size: a server is asked only if that is not enough.
_SMALLEST_CONTEXT = 4096

# One search may take this share of the remaining tokens: another one may follow.
_SHARE = 2 / 3


class ContextWindow:
    """Context window of one run's model: the tokens of its conversation, and those that are left.

    Args:
        counts: Token counts of the model's server; None if there is no server to ask.
        size: Size in tokens; 0 asks the server.
        answer: Number of tokens that are reserved for the answer.
    """

    def __init__(self, counts: ModelCounts | None, *, size: int = 0, answer: int = 1024) -> None:
        self._counts = counts
        self._size = size
        self._answer = answer
        self._estimate = TokenEstimate()
        self._used = 0.0

    @classmethod
    def of(cls, provider: ModelProvider, settings: Settings) -> "ContextWindow | None":
        """Return the window of a provider's model; None for an answerer without a limit."""
        if provider.counts is None:
            return None
        return cls(provider.counts, size=settings.context_tokens, answer=settings.answer_tokens)

    def sent(self, request: ModelRequest, usage: Usage) -> None:
        """Record a turn: the request that was sent, and the usage that the server reported."""
        self._estimate.learn(request, usage.input_tokens)
        asked = usage.input_tokens if usage.input_tokens is not None else self._estimate.count_request(request)
        self._used = asked + (usage.output_tokens or 0)

    def take(self, tokens: float) -> None:
        """Add the tokens of a tool's result, so that the next result of the same turn has less space."""
        self._used += tokens

    def estimate(self, text: str) -> float:
        """Return the estimated number of tokens in a text, without asking the server."""
        return self._estimate.count(text)

    async def count(self, text: str) -> float:
        """Return the number of tokens in a text by the server's count, or by the estimate."""
        counted = await self._counts.count(text) if self._counts is not None else None
        return counted if counted is not None else self._estimate.count(text)

    async def room(self, wanted: float) -> float:
        """Return the number of tokens that a search may use now.

        Args:
            wanted: Number of tokens needed; the server is asked for its size only if that may be too many.
        """
        if not self._size:
            room = self._room(_SMALLEST_CONTEXT)
            if wanted <= room:
                return room
        return self._room(await self.size())

    async def size(self) -> int:
        """Return the size of the context window; the server is asked once if the settings do not state it."""
        if not self._size:
            said = await self._counts.context() if self._counts is not None else None
            self._size = said or DEFAULT_CONTEXT
        return self._size

    async def room_for(self, texts: Sequence[str]) -> float:
        """Return the number of tokens that a search with these texts may use now."""
        return await self.room(sum(map(self._estimate.count, texts)))

    def _room(self, size: int) -> float:
        # A model with a small window still has to answer: at most a quarter of the window is reserved for the answer.
        answer = min(self._answer, size / 4)
        return max(0.0, _SHARE * (size - answer - self._used))
