"""How many tokens a text is for a model whose tokenizer is not at hand: rather too many than too few.

Tokenizers differ: a Chinese character is 0.6 to 1.5 tokens, a digit one or a third of one, an English word 1.3. What a
server says that a request took corrects the estimate from the first turn on.
"""

import json
import re
from functools import lru_cache

from workbench.model.message import ModelRequest

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
