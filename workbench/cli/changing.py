"""A change that a command makes itself, or has the window make that has the library open."""

from typing import TypeVar

from workbench.operations import Library
from workbench.operations.change import Change
from workbench.worker.job import JobContext

T = TypeVar("T")
SILENT = JobContext()


async def changed(library: Library, change: Change[T], context: JobContext = SILENT) -> T:
    """Make a change, and return what it comes to; where the library is open to read only, the window makes it.

    Args:
        library: As opened() gives it to a command of Need.CHANGE.
        change: What is wanted.
        context: Is told what happens meanwhile; of what the window does, of files and of another embedding model only.

    Raises:
        LibraryLocked: The library is open in a window that does not listen.
        WorkbenchError: What the change itself raises, wherever it is made.
    """
    reader = library.database.reader
    if reader is None:
        return await change.operation(library)(context)
    # Qt takes 0.1 s to import; nothing else on the command line needs it.
    from workbench.ui.passing_on import pass_on

    return await pass_on(library.folder, change, hear=context.emit, refusal=reader.refusal)
