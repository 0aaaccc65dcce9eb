"""Bytes as they were before the server compressed them, and no more of them than allowed."""

import zlib
from collections.abc import Iterator
from typing import Protocol

from workbench.errors import PageNotFetched

PIECE = 1 << 16
"""Largest piece that is ever held decompressed: 1 KB of gzip can hold 1 MB."""

ACCEPTED = "gzip, deflate"
"""What we tell servers; the newer codings decompress in one step without a bound on the memory that they take."""


class Decoding(Protocol):
    """Takes a body's pieces as they come and yields the plain ones."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what these bytes stand for, in pieces of at most PIECE bytes."""
        ...


class Plain:
    """A body that was not compressed."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the bytes themselves."""
        yield data


class Inflating:
    """A body in gzip or zlib's own form, or the bare deflate that some servers send under that name."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=47)
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what these bytes stand for.

        Raises:
            PageNotFetched: They are not what the server called them.
        """
        while data:
            try:
                plain = self._inflate.decompress(data, PIECE)
            except zlib.error as error:
                if self._started:
                    raise _broken() from error
                self._inflate, self._started = zlib.decompressobj(wbits=-15), True
                continue
            self._started = True
            if plain:
                yield plain
            if self._inflate.eof:
                return
            data = self._inflate.unconsumed_tail


def decoding(name: str) -> Decoding:
    """Return how to undo a Content-Encoding.

    Raises:
        PageNotFetched: It is one that we did not ask for.
    """
    coding = name.strip().lower()
    if coding in ("", "identity"):
        return Plain()
    if coding in ("gzip", "x-gzip", "deflate"):
        return Inflating()
    raise PageNotFetched(f"The server sent the page in a form that cannot be read (“{coding[:40]}”).", "")


def _broken() -> PageNotFetched:
    return PageNotFetched("The page arrived damaged.", "Try again later.")
