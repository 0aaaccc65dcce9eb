"""Memories of conversations: list, edit, remove, restore; recall for a question and extraction after an answer.

A user of None means the one that the library was opened for.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.agent.memory_recall import contains_secret, extract_memories, memory_section, most_similar_memories
from workbench.agent.request_builder import ContextSource
from workbench.egress.gate import carrying
from workbench.errors import EmbeddingError, SettingError
from workbench.model.memory import Memory, MemoryKind, MemoryListing, NewMemory, RecalledMemory
from workbench.model.message import PromptSection
from workbench.model.profile import ModelProfile
from workbench.model.run import Run, RunStatus
from workbench.model.session import is_following
from workbench.operations.library.library import Library
from workbench.operations.library.profiles import provider_of
from workbench.settings import Settings
from workbench.worker.job import JobContext, Operation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from workbench.embedding.base import Embedder


def list_memories(library: Library, *, user: str | None = None) -> Operation[MemoryListing]:
    """Return the memories of a user, the newest first, and whether extraction of memories is on."""

    async def operation(_context: JobContext) -> MemoryListing:
        def shelf() -> MemoryListing:
            is_on = library.setting_values.load().memory == ON
            return MemoryListing(
                tuple(library.memories.list(library.resolve_user(user))), is_on, library.afterwards.problem
            )

        return await library.on_store(shelf)

    return operation


def put_memory(
    library: Library, text: str, kind: MemoryKind = MemoryKind.USER_PREFERENCE, *, user: str | None = None
) -> Operation[Memory]:
    """Store a memory that the user wrote, whether or not extraction of memories is on.

    Raises:
        SettingError: It is empty or too long, or may contain a key or password.
    """

    async def operation(_context: JobContext) -> Memory:
        _check(text)

        def put() -> Memory:
            days = library.setting_values.load().memory_days
            return library.memories.put(NewMemory(kind, text), library.resolve_user(user), days=days)

        return await library.on_store(put)

    return operation


def edit_memory(library: Library, number: int, text: str, *, user: str | None = None) -> Operation[Memory]:
    """Change the text of a memory; its expiry period begins again.

    Raises:
        NotFound: There is no memory of that number.
        SettingError: It is empty or too long, equals another memory, or may contain a key or password.
    """

    async def operation(_context: JobContext) -> Memory:
        _check(text)

        def edit() -> Memory:
            return library.memories.edit(
                number, text, library.resolve_user(user), days=library.setting_values.load().memory_days
            )

        return await library.on_store(edit)

    return operation


def remove_memory(library: Library, number: int, *, user: str | None = None) -> Operation[Memory]:
    """Delete a memory and return it, for restore_memories.

    Raises:
        NotFound: There is no memory of that number.
    """

    async def operation(_context: JobContext) -> Memory:
        return await library.on_store(library.memories.remove, number, library.resolve_user(user))

    return operation


def clear_memories(library: Library, *, user: str | None = None) -> Operation[list[Memory]]:
    """Delete all memories of a user and return them, for restore_memories."""

    async def operation(_context: JobContext) -> list[Memory]:
        return await library.on_store(library.memories.remove_all, library.resolve_user(user))

    return operation


def restore_memories(library: Library, memories: Sequence[Memory]) -> Operation[None]:
    """Undo remove_memory and clear_memories."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.memories.restore, memories)

    return operation


def _check(text: str) -> None:
    if contains_secret(text):
        raise SettingError(
            "This seems to contain a key, a password or a number that must stay secret.",
            "Leave it out: what is remembered is sent to the model with later questions.",
        )


ON = "yes"
WITHIN_DAYS = 30
"""Maximum age in days of memories that are recalled automatically."""

# Maximum number of memories that are compared without vectors, the newest first.
_BY_WORDS = 100
# Maximum number of memories without a vector that are embedded for one question, 3 ms each, the newest first.
_EMBEDDED = 60
_MODEL_SECONDS = 120.0
_KNOWN = 20


def memory_context_source(
    library: Library, settings: Settings, profile: ModelProfile, user: str
) -> ContextSource | None:
    """Return the prompt source of memories; None if they are off, and for the offline answerer, which has no prompt."""
    if library.is_read_only or settings.memory != ON or profile.is_offline:
        return None

    async def recall(question: str) -> tuple[PromptSection, ...]:
        recalled = await library.on_search(recall_memories, library, question, user)
        return (memory_section(recalled),)

    return recall


def recall_memories(library: Library, question: str, user: str) -> tuple[RecalledMemory, ...]:
    """Return the memories of a user that are most similar to a question, and count them as used; blocking."""
    memories = library.memories.list(user, within_days=WITHIN_DAYS)
    if not memories:
        return ()
    embedder = library.models.embedder_or_none()
    vectors = _vectors(library, embedder, memories, user) if embedder is not None else {}
    recalled = most_similar_memories(question, memories if vectors else memories[:_BY_WORDS], embedder, vectors)
    library.store_soon(library.memories.count_uses, [one.memory.id for one in recalled], user)
    return recalled


def _is_alternative(run: Run) -> bool:
    """Return whether a run is an alternative to another one."""
    return run.parent is not None and not is_following(run)


def schedule_memory_extraction(
    library: Library, settings: Settings, profile: ModelProfile, run: Run, user: str
) -> None:
    """Schedule the extraction of memories from an answer, by the same model, after the answer."""
    if library.is_read_only:
        return  # memories cannot be stored
    # A fork with an altered result is an experiment, not a conversation.
    if settings.memory != ON or profile.is_offline or run.status is not RunStatus.COMPLETED or _is_alternative(run):
        return

    async def look_through() -> None:
        known = (await library.on_store(library.memories.list, user))[:_KNOWN]
        provider = await provider_of(library, profile)
        try:
            async with asyncio.timeout(_MODEL_SECONDS):
                with carrying(run=run.id):
                    found = await extract_memories(provider, run.question, run.answer, known)
        finally:
            await provider.close()

        def keep() -> None:
            for new in found:
                library.memories.put(new, user, days=settings.memory_days, run=run.id)

        # Memories may have been switched off while the model worked: then nothing is stored.
        if found and (await library.on_store(library.setting_values.load)).memory == ON:
            await library.on_store(keep)

    library.afterwards.add(look_through)


def _vectors(
    library: Library, embedder: "Embedder", memories: Sequence[Memory], user: str
) -> "dict[int, NDArray[np.float32]]":
    """Return the vectors of memories, after computing missing ones; none if the embedder fails."""
    import numpy as np  # not needed to show the window

    kept = library.memories.vectors(user, embedder.id)
    missing = [memory for memory in memories if memory.id not in kept][:_EMBEDDED]
    vectors = {number: np.frombuffer(blob, np.float32) for number, blob in kept.items()}
    if missing:
        try:
            made = embedder.embed_documents([memory.text for memory in missing])
        except EmbeddingError:
            return {}  # the search for this question fails in the same way, and reports it
        fresh = {one.id: (one.text, vector.tobytes()) for one, vector in zip(missing, made, strict=True)}
        library.store_soon(library.memories.keep_vectors, embedder.id, fresh, user)
        vectors |= {memory.id: vector for memory, vector in zip(missing, made, strict=True)}
    return vectors
