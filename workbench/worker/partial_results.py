"""What a call says before its answer: how far it is, and what is ready so far.

    in a child: say(value) -> pipe -> in the parent: ProcessPool.run(..., heard=...)

Whatever is said counts as progress: the time limit of the call starts anew.
"""

from collections.abc import Callable
from typing import Any

_send: list[Callable[[Any], None]] = []
"""How a value is sent; empty outside of a child process."""


def say(value: Any) -> None:
    """Send a value to whoever waits for the answer of this call; does nothing outside of a child process.

    Args:
        value: A plain value, or an object of a class that answers may hold (answers.py).

    Raises:
        UnsafePickle: The value cannot be sent.
        OSError: The parent is gone.
    """
    for send in _send:
        send(value)


def send_with(send: Callable[[Any], None]) -> None:
    """Set how values are sent from now on."""
    _send[:] = [send]
