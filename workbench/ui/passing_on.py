"""Client that passes a change to the window that has the library open, from a program without a window."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from workbench.errors import LibraryError
from workbench.operations.library.change_messages import (
    event_of,
    failure_of,
    message_of,
    not_understood,
    object_of,
    other_version,
    result_of,
)
from workbench.operations.library.document_changes import Change
from workbench.ui.single_instance import TAKEN, connected

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalSocket

T = TypeVar("T")

_STEP_MS = 100
"""Longest delay of Ctrl+C."""
_PATIENCE_MS = 10_000
"""Time limit for the window to accept the change: it may be drawing. The change itself has no time limit."""


async def pass_on(
    library: Path, change: Change[T], *, on_event: Callable[[Any], None], refusal: Callable[[], LibraryError]
) -> T:
    """Ask the window that has a library open to make a change, and return its result.

    Cancelling stops it there; completed parts are kept.

    Args:
        library: The library folder.
        change: The change.
        on_event: Called with FileFinished and FileDivided of each file, and with EmbedderChangeProgress.
        refusal: Returns the error to raise if no window listens.

    Raises:
        LibraryError: The window cannot be reached, or was closed before the end.
        WorkbenchError: Any error that the change itself raises.
    """
    message = message_of(change)
    socket = connected(library)
    if socket is None:
        raise refusal()
    try:
        socket.write(message)
        async for reply in _messages(socket):
            if "failed" in reply:
                raise failure_of(reply["failed"])
            if "stopped" in reply:
                raise LibraryError("The change was stopped in the window.", "The work done until then is kept.")
            if "done" in reply:
                return cast(T, result_of(reply["done"]))
            event = event_of(reply)
            if event is not None:
                on_event(event)
        raise LibraryError(
            "The window was closed before the change was completed.", "The work done until then is kept."
        )
    finally:
        # The window stops an unfinished change when the connection is aborted.
        socket.abort()


async def _messages(socket: QLocalSocket) -> AsyncIterator[dict[str, Any]]:
    """Yield the messages of the window until the connection ends.

    Raises:
        LibraryError: It does not answer, or sends a message that this version does not know.
    """
    is_taken = False
    waited = 0
    while True:
        is_open = socket.state() is socket.LocalSocketState.ConnectedState
        while socket.canReadLine():
            message = object_of(bytes(socket.readLine().data()))
            if not message:
                raise not_understood()
            is_taken = True
            yield message
        if not is_open:
            break
        # Let the event loop run, which handles Ctrl+C.
        await asyncio.sleep(0)
        if not socket.waitForReadyRead(_STEP_MS) and not is_taken:
            waited += _STEP_MS
            if waited >= _PATIENCE_MS:
                raise LibraryError(
                    f"The window that has the library open has not responded for {_PATIENCE_MS // 1000} seconds.",
                    "Check there whether the change was made.",
                )
    if bytes(socket.readAll().data()) == TAKEN:
        # An old version, without support for changes, answers every line as a second start.
        raise other_version()
