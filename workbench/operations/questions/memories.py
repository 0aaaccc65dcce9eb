"""Memories of conversations: list, edit, remove, restore; recalled for a question and extracted behind an answer.

No user named means the one that the library was opened for.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.agent.memories.conversation_memory import contains_secret, extract_memories, memory_section
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


ON = "yes"
WITHIN_DAYS = 30
"""What was said longer ago is not recalled by itself."""

# With no vectors only so many are compared, the newest.
_BY_WORDS = 100
# Texts to embed for one question, 3 ms each: those that have no vector yet, the newest first.
_EMBEDDED = 60
_MODEL_SECONDS = 120.0
_KNOWN = 20


def memory_context_source(
    library: Library, settings: Settings, profile: ModelProfile, user: str
) -> ContextSource | None:
    """Return what recalls memories; None where it is off, and for the offline answerer, who reads no prompt."""
    if library.is_read_only or settings.memory != ON or profile.is_offline:
        return None

    async def recall(question: str) -> tuple[PromptSection, ...]:
        recalled = await library.on_search(recall_memories, library, question, user)
        return (memory_section(recalled),)

    return recall


def recall_memories(library: Library, question: str, user: str) -> tuple[RecalledMemory, ...]:
    """Return what is remembered of a user that is most similar to a question, and count it as used; blocking."""
    # numpy: not needed to show the window.
    from workbench.agent.memories.memory_recall import most_similar_memories

    memories = library.memories.list(user, within_days=WITHIN_DAYS)
    if not memories:
        return ()
    embedder = library.embedder_or_none()
    vectors = _vectors(library, embedder, memories, user) if embedder is not None else {}
    recalled = most_similar_memories(question, memories if vectors else memories[:_BY_WORDS], embedder, vectors)
    library.store_soon(library.memories.count_uses, [one.memory.id for one in recalled], user)
    return recalled


def _is_tried(run: Run) -> bool:
    """Tell whether a run stands in the place of another one."""
    return run.parent is not None and not is_following(run)


def schedule_memory_extraction(
    library: Library, settings: Settings, profile: ModelProfile, run: Run, user: str
) -> None:
    """Have the model that gave an answer look through it, behind it, for what is worth remembering."""
    if library.is_read_only:
        return  # there is nowhere to keep it
    # Who goes on from an altered result tries something out: it is no conversation.
    if settings.memory != ON or profile.is_offline or run.status is not RunStatus.COMPLETED or _is_tried(run):
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

        # Switched off while the model thought about it: then it is to keep nothing.
        if found and (await library.on_store(library.setting_values.load)).memory == ON:
            await library.on_store(keep)

    library.afterwards.add(look_through)


def _vectors(
    library: Library, embedder: "Embedder", memories: Sequence[Memory], user: str
) -> "dict[int, NDArray[np.float32]]":
    """Return the vectors of memories, those that were missing made; none where the embedder fails."""
    import numpy as np  # as above

    kept = library.memories.vectors(user, embedder.id)
    missing = [memory for memory in memories if memory.id not in kept][:_EMBEDDED]
    vectors = {number: np.frombuffer(blob, np.float32) for number, blob in kept.items()}
    if missing:
        try:
            made = embedder.embed_documents([memory.text for memory in missing])
        except EmbeddingError:
            return {}  # a search of this question meets the same, and says so
        fresh = {one.id: (one.text, vector.tobytes()) for one, vector in zip(missing, made, strict=True)}
        library.store_soon(library.memories.keep_vectors, embedder.id, fresh, user)
        vectors |= {memory.id: vector for memory, vector in zip(missing, made, strict=True)}
    return vectors
