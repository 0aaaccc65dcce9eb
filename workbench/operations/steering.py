"""Steering the imports under way: pause and go on, what goes first, what is not wanted, locked files."""

from collections.abc import Sequence

from workbench.model.document import DocumentStatus
from workbench.model.import_progress import FileFinished, QueuePaused
from workbench.operations.importing import Import
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation


def pause_imports(library: Library, paused: bool = True) -> Operation[None]:
    """Let every import of the library pause, or go on; a pause outlasts a restart.

    Files being read and the batch being embedded are finished first, within seconds.
    """

    async def operation(context: JobContext) -> None:
        library.queue.pause(paused)
        context.emit(QueuePaused(paused))
        await library.on_store(library.queue.keep_paused, paused)

    return operation


def imports_paused(library: Library) -> Operation[bool]:
    """Return whether imports pause."""

    async def operation(_context: JobContext) -> bool:
        return await library.on_store(lambda: library.queue.paused)

    return operation


def prioritise(library: Library, documents: Sequence[int]) -> Operation[None]:
    """Read and embed these documents before all others that wait; those that do not wait are ignored."""

    async def operation(_context: JobContext) -> None:
        library.queue.first(documents)

    return operation


def cancel_documents(library: Library, documents: Sequence[int]) -> Operation[None]:
    """Take documents out of the imports under way; the others go on. What is stored of them stays."""

    async def operation(_context: JobContext) -> None:
        library.queue.cancel(documents)

    return operation


def unlock_documents(
    library: Library, password: str, documents: Sequence[int] | None = None, *, remember: bool = False
) -> Operation[list[FileFinished]]:
    """Try a password on locked documents; each that it fits is read, the others stay locked. A pause does not stop it.

    Args:
        library: The open library.
        password: What the user typed.
        documents: Only these; None means every locked document of the library.
        remember: Keep the password in the system's keyring if it fits one.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        locked = [
            document
            for document in await library.on_store(library.documents.list)
            if document.status is DocumentStatus.LOCKED and (documents is None or document.id in documents)
        ]
        unlocking = Import(library, context, password=password, remember_password=remember, obeys_pause=False)
        return await unlocking.again(locked)

    return operation
