"""What is remembered of conversations: listed, written, changed, removed, restored; each user's apart.

No user named means the one that the library was opened for.
"""

from collections.abc import Sequence

from workbench.agent.memories.conversation_memory import contains_secret
from workbench.errors import SettingError
from workbench.model.memory import Memory, MemoryKind, MemoryListing, NewMemory
from workbench.operations.library import Library
from workbench.operations.remembering import ON
from workbench.worker.job import JobContext, Operation


def list_memories(library: Library, *, user: str | None = None) -> Operation[MemoryListing]:
    """Return what is remembered of a user, the newest first, and whether more is."""

    async def operation(_context: JobContext) -> MemoryListing:
        def shelf() -> MemoryListing:
            is_on = library.setting_values.load().memory == ON
            return MemoryListing(tuple(library.memories.list(library.whose(user))), is_on, library.afterwards.problem)

        return await library.on_store(shelf)

    return operation


def put_memory(
    library: Library, text: str, kind: MemoryKind = MemoryKind.USER_PREFERENCE, *, user: str | None = None
) -> Operation[Memory]:
    """Remember something that a person wrote, whether or not more is remembered by itself.

    Raises:
        SettingError: It is empty or too long, or a key or password may stand in it.
    """

    async def operation(_context: JobContext) -> Memory:
        _check(text)

        def put() -> Memory:
            days = library.setting_values.load().memory_days
            return library.memories.put(NewMemory(kind, text), library.whose(user), days=days)

        return await library.on_store(put)

    return operation


def edit_memory(library: Library, number: int, text: str, *, user: str | None = None) -> Operation[Memory]:
    """Change what a memory says; its time begins anew.

    Raises:
        NotFound: There is none of that number.
        SettingError: It is empty or too long, is remembered already, or a key or password may stand in it.
    """

    async def operation(_context: JobContext) -> Memory:
        _check(text)

        def edit() -> Memory:
            return library.memories.edit(
                number, text, library.whose(user), days=library.setting_values.load().memory_days
            )

        return await library.on_store(edit)

    return operation


def remove_memory(library: Library, number: int, *, user: str | None = None) -> Operation[Memory]:
    """Forget a memory and return it, for restore_memories.

    Raises:
        NotFound: There is none of that number.
    """

    async def operation(_context: JobContext) -> Memory:
        return await library.on_store(library.memories.remove, number, library.whose(user))

    return operation


def clear_memories(library: Library, *, user: str | None = None) -> Operation[list[Memory]]:
    """Forget everything about a user and return it, for restore_memories."""

    async def operation(_context: JobContext) -> list[Memory]:
        return await library.on_store(library.memories.remove_all, library.whose(user))

    return operation


def restore_memories(library: Library, memories: Sequence[Memory]) -> Operation[None]:
    """Undo remove_memory and clear_memories."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.memories.restore, memories)

    return operation


def _check(text: str) -> None:
    if contains_secret(text):
        raise SettingError(
            "A key, a password or a number that must stay secret seems to stand in this.",
            "Leave it out: what is remembered is sent to the model with later questions.",
        )
