"""What the program is killed in the middle of: each act does something, and says what was acknowledged of it."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kill_telling import Teller, Told
from kill_world import World, done

from workbench import operations
from workbench.operations import Library


async def go_on(_world: World, library: Library) -> None:
    """Do what the window does after a start: go on with imports, look at linked folders, change the embedder."""
    await done(operations.resume_import(library))
    await done(operations.check_linked_folders(library))
    await done(operations.change_embedder(library))


def nothing(*_given: Any) -> Iterable[str]:
    """Find nothing to complain of."""
    return ()


def as_it_is(_world: World) -> None:
    """Leave the world as it was kept."""


@dataclass(frozen=True)
class Act:
    """Something that the program does.

    Attributes:
        name: In the table.
        run: Does it, with an open library.
        check: What is to complain of at the next start, beside that everything agrees.
        go_on: What is done then.
        final: What is to complain of after that.
        before: Changes the world before the act; no library is open.
        share: How often it is killed, in relation to the others.
        in_children: Files are read by child processes, as they are in the program.
        is_whole: The library has the files and vectors of its documents; that of an earlier version is only a database.
    """

    name: str
    run: Callable[[World, Library, Teller], Awaitable[None]]
    check: Callable[[World, Library, Told], Iterable[str]] = nothing
    go_on: Callable[[World, Library], Awaitable[None]] = go_on
    final: Callable[[World, Library, Told], Iterable[str]] = nothing
    before: Callable[[World], None] = as_it_is
    share: float = 1.0
    in_children: bool = False
    is_whole: bool = True


def number_of(library: Library, name: str) -> int:
    """Return the number of a document."""
    return next(document.id for document in library.documents.list() if document.name == name)
