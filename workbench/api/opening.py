"""A library opened for a script, and closed at the end of its block."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from workbench import operations
from workbench.api.async_library import AsyncLibrary
from workbench.api.library import Library
from workbench.api.pending import cancel_pending
from workbench.api.waiting import Waiter
from workbench.model.options import checked
from workbench.model.user import DEFAULT_USER
from workbench.store.database import Access
from workbench.store.lock import PYTHON


@checked
@contextmanager
def open_library(folder: str | Path, *, read_only: bool = False, user: str = DEFAULT_USER) -> Iterator[Library]:
    """Open a library, made where there is none, and close it at the end of the block.

    Args:
        folder: The library's folder.
        read_only: Nothing in the folder is made or changed, and another program may have it open. What changes
            documents raises LibraryLocked or LibraryUnwritable; answers are kept until the end of the block.
        user: Who asks: sessions, memories, readings and evaluations of other users are not seen. This separates, it
            does not protect: whoever can open the folder can read those of all users.

    Raises:
        SettingError: No user can be called so.
        LibraryError: Open in another program, from a later version, not writable, damaged.
        LibraryOutdated: read_only: there is none, or it has to be opened once to be brought up to date.
    """
    opened = _opened(folder, read_only=read_only, user=user)
    waiter = Waiter()
    try:
        yield Library(AsyncLibrary(opened), waiter)
    finally:
        opened.closing = True
        waiter.stop()
        opened.close()


@checked
@asynccontextmanager
async def open_library_async(
    folder: str | Path, *, read_only: bool = False, user: str = DEFAULT_USER
) -> AsyncIterator[AsyncLibrary]:
    """Open a library, made where there is none, and close it at the end of the block.

    Args:
        folder: The library's folder.
        read_only: As for open_library.
        user: As for open_library.

    Raises:
        SettingError: No user can be called so.
        LibraryError: Open in another program, from a later version, not writable, damaged.
        LibraryOutdated: read_only: there is none, or it has to be opened once to be brought up to date.
    """
    import asyncio  # 15 ms that importing the names of this package need not take

    opened = await asyncio.to_thread(_opened, folder, read_only=read_only, user=user)
    try:
        yield AsyncLibrary(opened)
    finally:
        opened.closing = True
        await cancel_pending(opened)
        await asyncio.to_thread(opened.close)


def _opened(folder: str | Path, *, read_only: bool, user: str) -> operations.Library:
    access = Access.READ if read_only else Access.WRITE
    return operations.Library.open(Path(folder), access=access, program=PYTHON, user=user)
