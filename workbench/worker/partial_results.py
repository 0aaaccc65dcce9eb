"""Progress and partial results that a call sends before its result.

    in a child: send_partial_result(value) -> pipe -> in the parent: ProcessPool.run(..., on_partial=...)

Every value counts as progress and restarts the time limit of the call.
"""

from collections.abc import Callable
from typing import Any

_send: list[Callable[[Any], None]] = []
"""Function that sends a value; empty outside of a child process."""


def send_partial_result(value: Any) -> None:
    """Send a value to the caller that waits for the result of this call; does nothing outside of a child process.

    Args:
        value: A plain value, or an object of a class that results may contain (safe_pickle.py).

    Raises:
        UnsafePickle: The value cannot be sent.
        OSError: The parent has ended.
    """
    for send in _send:
        send(value)


def send_with(send: Callable[[Any], None]) -> None:
    """Set the function that sends values."""
    _send[:] = [send]
