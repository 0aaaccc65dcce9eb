"""A change passed on to the window that has the library open, from a program without a window."""

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
"""So long Ctrl+C waits at most."""
_PATIENCE_MS = 10_000
"""For the window to take the change: it may be drawing. How long the change itself takes is not known."""


async def pass_on(
    library: Path, change: Change[T], *, hear: Callable[[Any], None], refusal: Callable[[], LibraryError]
) -> T:
    """Have the window that has a library open make a change, and return what it comes to.

    A cancel stops it there; what is done stays done.

    Args:
        library: The library folder.
        change: What is wanted.
        hear: Is told of each file, FileFinished and FileDivided, as it is done, and of EmbedderChangeProgress.
        refusal: Gives the error that is raised where no window listens.

    Raises:
        LibraryError: The window cannot be asked, or was closed before the end.
        WorkbenchError: Whatever the change itself raises.
    """
    message = message_of(change)
    socket = connected(library)
    if socket is None:
        raise refusal()
    try:
        socket.write(message)
        async for said in _messages(socket):
            if "failed" in said:
                raise failure_of(said["failed"])
            if "stopped" in said:
                raise LibraryError("The change was stopped in the window.", "What was done until then stays done.")
            if "done" in said:
                return cast(T, result_of(said["done"]))
            event = event_of(said)
            if event is not None:
                hear(event)
        raise LibraryError(
            "The window was closed before the change was made to its end.", "What was done until then stays done."
        )
    finally:
        # Whatever is not at its end is stopped there by this.
        socket.abort()


async def _messages(socket: QLocalSocket) -> AsyncIterator[dict[str, Any]]:
    """Yield what the window says until it has no more to say.

    Raises:
        LibraryError: It does not answer, or says what no window of this version does.
    """
    is_taken = False
    waited = 0
    while True:
        is_open = socket.state() is socket.LocalSocketState.ConnectedState
        while socket.canReadLine():
            said = object_of(bytes(socket.readLine().data()))
            if not said:
                raise not_understood()
            is_taken = True
            yield said
        if not is_open:
            break
        # The loop comes to its turn: by it a Ctrl+C arrives.
        await asyncio.sleep(0)
        if not socket.waitForReadyRead(_STEP_MS) and not is_taken:
            waited += _STEP_MS
            if waited >= _PATIENCE_MS:
                raise LibraryError(
                    f"The window that has the library open does not answer for {_PATIENCE_MS // 1000} seconds.",
                    "Look there whether the change was made.",
                )
    if bytes(socket.readAll().data()) == TAKEN:
        # A window of before there were changes takes every line for the start of another one.
        raise other_version()
