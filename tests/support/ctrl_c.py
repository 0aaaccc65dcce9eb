"""Programs that a test starts and interrupts with Ctrl+C."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def children_take_ctrl_c() -> Iterator[None]:
    """Let programs started within the context receive SIGINT, also if the tests run in the background of a shell.

    There the shell ignores Ctrl+C, and a child inherits that, but never a handler.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
