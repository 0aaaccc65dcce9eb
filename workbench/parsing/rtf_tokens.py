"""Rich text format taken apart: groups, control words, characters."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\", re.S
)
OPEN, CLOSE, WORD, BYTES, SIGN = range(5)


class Token(NamedTuple):
    """A piece of a file: data are the bytes of BYTES, the name of a WORD, the character of a SIGN."""

    kind: int
    data: bytes
    number: int | None = None


def tokens(data: bytes) -> Iterator[Token]:
    """Yield the pieces of a file; the bytes of a picture in binary are skipped."""
    position = 0
    while match := _TOKEN.match(data, position):
        position = match.end()
        word, number, code, sign, brace, text = match.groups()
        if word is not None:
            if word == b"bin" and number:
                position += max(int(number), 0)
                continue
            yield Token(WORD, word, int(number) if number else None)
        elif code is not None:
            yield Token(BYTES, bytes([int(code, 16)]))
        elif brace is not None:
            yield Token(OPEN if brace == b"{" else CLOSE, brace)
        elif text is not None:
            yield Token(BYTES, text)
        elif sign is not None:
            yield Token(SIGN, sign)
