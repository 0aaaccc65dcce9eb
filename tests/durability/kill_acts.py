"""Operations during which the program is killed; each act reports what was acknowledged."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kill_telling import Teller, Told
from kill_world import World, done

from workbench import operations
from workbench.operations import Library


async def go_on(_world: World, library: Library) -> None:
    """Do the work of the window after a start: continue imports, check linked folders, change the embedder."""
    await done(operations.resume_import(library))
    await done(operations.check_linked_folders(library))
    await done(operations.change_embedder(library))


def nothing(*_given: Any) -> Iterable[str]:
    """Report no violation."""
    return ()


def as_it_is(_world: World) -> None:
    """Leave the world unchanged."""


@dataclass(frozen=True)
class Act:
    """An operation of the program.

    Attributes:
        name: Name in the table.
        run: Performs it, with an open library.
        check: Yields the violations at the next start, in addition to the general checks.
        go_on: Work to do after the check.
        final: Yields the violations after that work.
        before: Changes the world before the act, while no library is open.
        share: Relative number of kills.
        in_children: Whether files are read by child processes, as in the program.
        is_whole: Whether the library has files and vectors of its documents; an earlier version is only a database.
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
